//! From a run to the rows of the tables.

use super::chunk::{Cells, Chunk};
use crate::report::RunOutcome;
use crate::ring::link_name;
use crate::summary::{FlowSummary, RunSummary};
use fairwire_core::Span;
use fairwire_sim::{LinkRecord, RingPlan, RunRecord};
use std::sync::Arc;

/// Law samples of one chunk; a run may show millions.
const SAMPLES_A_CHUNK: usize = 1 << 16;

/// Hands the rows of one run for `table` to `take`, piece by piece.
pub(crate) fn each_chunk<E>(
    table: &'static str,
    plan: &RingPlan,
    run: &RunOutcome,
    mut take: impl FnMut(Chunk) -> Result<(), E>,
) -> Result<(), E> {
    let key = key(&run.summary);
    let record = &run.record;
    match table {
        "flows" => plan.flows.iter().zip(&record.flows).try_for_each(|(flow, measured)| {
            let rates = Cells::Reals(rates(record, &measured.delivered_bytes));
            take(series(&key, &flow.name, record, measured.delivered_bytes.len(), [rates]))
        }),
        "links" => record.links.iter().try_for_each(|link| {
            let rates = Cells::Reals(rates(record, &link.sent_bytes));
            take(series(&key, &link_name(link.ringlet, link.station), record, link.sent_bytes.len(), [rates]))
        }),
        "queues" => record.links.iter().try_for_each(|link| take(queue(&key, record, link))),
        "laws" => record.laws.chunks(SAMPLES_A_CHUNK).try_for_each(|samples| take(laws(&key, samples))),
        "summary" => take(summary(&key, plan, &run.summary.flows)),
        "runs" => take(one_run(&key, &run.summary)),
        _ => Ok(()),
    }
}

fn key(summary: &RunSummary) -> [Cells; 3] {
    let unsigned = |value: u64| Cells::SameInteger(value.cast_signed());
    [Cells::SameText(summary.law.as_str().into()), unsigned(summary.seed), unsigned(summary.run)]
}

/// A named series with one row a window: name, time, values.
fn series<const N: usize>(key: &[Cells; 3], name: &str, record: &RunRecord, rows: usize, values: [Cells; N]) -> Chunk {
    let times = (0..rows as u64).map(|row| nanos(record.window * row)).collect();
    let own = [Cells::SameText(name.into()), Cells::Integers(times)];
    Chunk { rows, cells: key.iter().cloned().chain(own).chain(values).collect() }
}

fn queue(key: &[Cells; 3], record: &RunRecord, link: &LinkRecord) -> Chunk {
    let bytes = |rows: &[u32]| Cells::Integers(rows.iter().map(|&bytes| bytes.into()).collect());
    let rows = link.waiting_bytes.len().min(link.deepest_bytes.len());
    let values = [bytes(&link.waiting_bytes[..rows]), bytes(&link.deepest_bytes[..rows])];
    series(key, &link_name(link.ringlet, link.station), record, rows, values)
}

fn laws(key: &[Cells; 3], samples: &[fairwire_sim::LawSample]) -> Chunk {
    let mut names: Vec<Arc<str>> = Vec::new();
    let mut named = |name: &str| match names.iter().find(|known| ***known == *name) {
        Some(known) => Arc::clone(known),
        None => {
            names.push(name.into());
            Arc::clone(&names[names.len() - 1])
        }
    };
    let own = [
        Cells::Integers(samples.iter().map(|sample| sample.ringlet.index() as i64).collect()),
        Cells::Integers(samples.iter().map(|sample| sample.station.0.into()).collect()),
        Cells::Texts(samples.iter().map(|sample| named(sample.name)).collect()),
        Cells::Integers(samples.iter().map(|sample| sample.about.0.into()).collect()),
        Cells::Integers(samples.iter().map(|sample| signed(sample.t.as_nanos())).collect()),
        Cells::Reals(samples.iter().map(|sample| sample.value).collect()),
    ];
    Chunk { rows: samples.len(), cells: key.iter().cloned().chain(own).collect() }
}

fn summary(key: &[Cells; 3], plan: &RingPlan, flows: &[FlowSummary]) -> Chunk {
    let real = |get: fn(&FlowSummary) -> f64| Cells::Reals(flows.iter().map(get).collect());
    let count = |get: fn(&FlowSummary) -> u64| Cells::Integers(flows.iter().map(|flow| signed(get(flow))).collect());
    let delay = |get: fn(&FlowSummary) -> Option<u64>| {
        Cells::MaybeIntegers(flows.iter().map(|flow| get(flow).map(signed)).collect())
    };
    let planned = |get: fn(&fairwire_sim::FlowPlan) -> i64| Cells::Integers(plan.flows.iter().map(get).collect());
    let own = [
        Cells::Texts(flows.iter().map(|flow| flow.id.as_str().into()).collect()),
        planned(|flow| flow.ringlet.index() as i64),
        planned(|flow| flow.from.0.into()),
        planned(|flow| flow.to.0.into()),
        real(|flow| flow.rate_bps),
        real(|flow| flow.fair_rate_bps),
        real(|flow| flow.fair_rate_low_bps),
        real(|flow| flow.fair_rate_high_bps),
        Cells::MaybeReals(flows.iter().map(|flow| flow.ratio).collect()),
        real(|flow| flow.loss),
        Cells::MaybeReals(flows.iter().map(|flow| flow.delay_mean_ns).collect()),
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
    ];
    Chunk { rows: flows.len(), cells: key.iter().cloned().chain(own).collect() }
}

fn one_run(key: &[Cells; 3], run: &RunSummary) -> Chunk {
    let number = |value: u64| Cells::SameInteger(signed(value));
    let maybe = |value: Option<u64>| Cells::MaybeIntegers(vec![value.map(signed)]);
    let real = |value: f64| Cells::Reals(vec![value]);
    let mut cells: Vec<_> = key.to_vec();
    cells.extend([Cells::SameText(run.criterion.as_str().into()), number(run.event_ns)]);
    for fair in &run.time_to_fair {
        cells.extend([number(fair.window_ns), maybe(fair.ns)]);
    }
    cells.extend([
        number(run.settling.window_ns),
        maybe(run.settling.ns),
        real(run.oscillation),
        real(run.jain),
        real(run.utilisation),
        Cells::MaybeTexts(vec![run.busiest_link.as_deref().map(Into::into)]),
        number(run.packet_hops),
        number(run.control_hops),
    ]);
    Chunk { rows: 1, cells }
}

/// Bit/s of every row; the last one may be shorter.
fn rates(record: &RunRecord, row_bytes: &[u32]) -> Vec<f64> {
    let rate = |(row, &bytes): (usize, &u32)| {
        let lasts_ns = (record.duration - record.window * row as u64).as_nanos().min(record.window.as_nanos());
        if lasts_ns == 0 { 0.0 } else { f64::from(bytes) * 8e9 / lasts_ns as f64 }
    };
    row_bytes.iter().enumerate().map(rate).collect()
}

fn nanos(span: Span) -> i64 {
    signed(span.as_nanos())
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
