//! Runs as Arrow tables, with the columns of the result folders.

use super::batch::Finished;
use crate::table::{Table, arrow};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use fairwire_core::{Ringlet, Span, StationId};
use fairwire_results::{ColumnType, FlowSummary, RunSummary, columns};
use fairwire_sim::{LawSample, LinkRecord, RunRecord};
use pyo3::PyResult;
use pyo3::exceptions::PyKeyError;
use std::sync::Arc;

/// The table called `name`, a piece a run.
pub fn table(name: &str, runs: &[Finished]) -> PyResult<Table> {
    let schema = schema(name)?;
    let batches = runs.iter().map(|run| batch(name, &schema, run));
    Ok(Table::new(schema.clone(), batches.collect::<PyResult<_>>()?))
}

fn schema(table: &str) -> PyResult<SchemaRef> {
    let fields = columns().into_iter().filter(|column| column.table == table).map(|column| {
        let kind = match column.kind {
            ColumnType::Integer => DataType::Int64,
            ColumnType::Unsigned => DataType::UInt64,
            ColumnType::Real => DataType::Float64,
            ColumnType::Text => DataType::Utf8,
        };
        Field::new(column.name, kind, column.nullable)
    });
    let fields: Vec<Field> = fields.collect();
    if fields.is_empty() {
        return Err(PyKeyError::new_err(format!("there is no table {table}")));
    }
    Ok(Arc::new(Schema::new(fields)))
}

fn batch(name: &str, schema: &SchemaRef, run: &Finished) -> PyResult<RecordBatch> {
    let (summary, record) = (&run.outcome.summary, &run.outcome.record);
    let own = match name {
        "flows" => flows(run),
        "links" => links(record),
        "queues" => queues(record),
        "laws" => laws(&record.laws),
        "summary" => flow_summaries(run),
        _ => one_run(summary),
    };
    let rows = own.first().map_or(0, |column| column.len());
    let key: [ArrayRef; 3] = [
        Arc::new(StringArray::from_iter_values(std::iter::repeat_n(&summary.law, rows))),
        Arc::new(UInt64Array::from_value(summary.seed, rows)),
        Arc::new(UInt64Array::from_value(summary.run, rows)),
    ];
    RecordBatch::try_new(schema.clone(), key.into_iter().chain(own).collect()).map_err(|error| arrow(&error))
}

fn flows(run: &Finished) -> Vec<ArrayRef> {
    let record = &run.outcome.record;
    let series: Vec<(&str, &[u32])> = run
        .plan
        .flows
        .iter()
        .zip(&record.flows)
        .map(|(flow, measured)| (flow.name.as_str(), measured.delivered_bytes.as_slice()))
        .collect();
    rate_series(record, &series)
}

fn links(record: &RunRecord) -> Vec<ArrayRef> {
    let names: Vec<String> = record.links.iter().map(link_name).collect();
    let series: Vec<(&str, &[u32])> =
        names.iter().zip(&record.links).map(|(name, link)| (name.as_str(), link.sent_bytes.as_slice())).collect();
    rate_series(record, &series)
}

/// Name, time and rate of every row of every series.
fn rate_series(record: &RunRecord, series: &[(&str, &[u32])]) -> Vec<ArrayRef> {
    let lengths = || series.iter().map(|(name, rows)| (*name, rows.len()));
    let rates =
        series.iter().flat_map(|(_, rows)| rows.iter().enumerate().map(|(row, &bytes)| rate(record, row, bytes)));
    vec![names(lengths()), times(record, lengths()), Arc::new(Float64Array::from_iter_values(rates))]
}

fn queues(record: &RunRecord) -> Vec<ArrayRef> {
    let rows = |link: &LinkRecord| link.waiting_bytes.len().min(link.deepest_bytes.len());
    let link_names: Vec<String> = record.links.iter().map(link_name).collect();
    let lengths = || link_names.iter().map(String::as_str).zip(record.links.iter().map(rows));
    let bytes = |get: fn(&LinkRecord) -> &[u32]| {
        let cells = record.links.iter().flat_map(|link| get(link)[..rows(link)].iter().map(|&bytes| i64::from(bytes)));
        Arc::new(Int64Array::from(cells.collect::<Vec<_>>()))
    };
    vec![
        names(lengths()),
        times(record, lengths()),
        bytes(|link| &link.waiting_bytes),
        bytes(|link| &link.deepest_bytes),
    ]
}

fn names<'a>(series: impl Iterator<Item = (&'a str, usize)>) -> ArrayRef {
    let names: Vec<&str> = series.flat_map(|(name, rows)| std::iter::repeat_n(name, rows)).collect();
    Arc::new(StringArray::from(names))
}

fn times<'a>(record: &RunRecord, series: impl Iterator<Item = (&'a str, usize)>) -> ArrayRef {
    let starts = series.flat_map(|(_, rows)| (0..rows as u64).map(|row| nanos(record.window * row)));
    Arc::new(Int64Array::from(starts.collect::<Vec<_>>()))
}

fn laws(samples: &[LawSample]) -> Vec<ArrayRef> {
    let whole = |get: fn(&LawSample) -> i64| Arc::new(Int64Array::from_iter_values(samples.iter().map(get)));
    vec![
        whole(|sample| sample.ringlet.index() as i64),
        whole(|sample| sample.station.0.into()),
        Arc::new(StringArray::from_iter_values(samples.iter().map(|sample| sample.name))),
        whole(|sample| sample.about.0.into()),
        whole(|sample| signed(sample.t.as_nanos())),
        Arc::new(Float64Array::from_iter_values(samples.iter().map(|sample| sample.value))),
    ]
}

fn flow_summaries(run: &Finished) -> Vec<ArrayRef> {
    let flows = &run.outcome.summary.flows;
    let planned = &run.plan.flows;
    let real =
        |get: fn(&FlowSummary) -> f64| -> ArrayRef { Arc::new(Float64Array::from_iter_values(flows.iter().map(get))) };
    let maybe_real = |get: fn(&FlowSummary) -> Option<f64>| -> ArrayRef {
        Arc::new(flows.iter().map(get).collect::<Float64Array>())
    };
    let delay = |get: fn(&FlowSummary) -> Option<u64>| -> ArrayRef {
        Arc::new(flows.iter().map(|flow| get(flow).map(signed)).collect::<Int64Array>())
    };
    let count = |get: fn(&FlowSummary) -> u64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(flows.iter().map(|flow| signed(get(flow)))))
    };
    let whole = |get: fn(&fairwire_sim::FlowPlan) -> i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(planned.iter().map(get)))
    };
    vec![
        Arc::new(StringArray::from_iter_values(flows.iter().map(|flow| &flow.id))),
        whole(|flow| flow.ringlet.index() as i64),
        whole(|flow| flow.from.0.into()),
        whole(|flow| flow.to.0.into()),
        real(|flow| flow.rate_bps),
        real(|flow| flow.fair_rate_bps),
        real(|flow| flow.fair_rate_low_bps),
        real(|flow| flow.fair_rate_high_bps),
        maybe_real(|flow| flow.ratio),
        real(|flow| flow.loss),
        maybe_real(|flow| flow.delay_mean_ns),
        delay(|flow| flow.delay_p50_ns),
        delay(|flow| flow.delay_p95_ns),
        delay(|flow| flow.delay_p99_ns),
        delay(|flow| flow.delay_max_ns),
        real(|flow| flow.oscillation),
        count(|flow| flow.offered),
        count(|flow| flow.refused),
        count(|flow| flow.entered),
        count(|flow| flow.dropped),
        count(|flow| flow.delivered),
    ]
}

fn one_run(run: &RunSummary) -> Vec<ArrayRef> {
    let whole = |value: u64| -> ArrayRef { Arc::new(Int64Array::from_value(signed(value), 1)) };
    let maybe = |value: Option<u64>| -> ArrayRef { Arc::new(Int64Array::from(vec![value.map(signed)])) };
    let real = |value: f64| -> ArrayRef { Arc::new(Float64Array::from_value(value, 1)) };
    let mut cells: Vec<ArrayRef> = vec![Arc::new(StringArray::from(vec![run.criterion.as_str()])), whole(run.event_ns)];
    for fair in &run.time_to_fair {
        cells.extend([whole(fair.window_ns), maybe(fair.ns)]);
    }
    cells.extend([
        whole(run.settling.window_ns),
        maybe(run.settling.ns),
        real(run.oscillation),
        real(run.jain),
        real(run.utilisation),
        Arc::new(StringArray::from(vec![run.busiest_link.as_deref()])),
        whole(run.packet_hops),
        whole(run.control_hops),
    ]);
    cells
}

fn link_name(link: &LinkRecord) -> String {
    let (ringlet, station): (Ringlet, StationId) = (link.ringlet, link.station);
    format!("r{ringlet}:{station}")
}

/// Bit/s of a row; the last one may be shorter.
fn rate(record: &RunRecord, row: usize, bytes: u32) -> f64 {
    let lasts_ns = (record.duration - record.window * row as u64).as_nanos().min(record.window.as_nanos());
    if lasts_ns == 0 { 0.0 } else { f64::from(bytes) * 8e9 / lasts_ns as f64 }
}

fn nanos(span: Span) -> i64 {
    signed(span.as_nanos())
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
