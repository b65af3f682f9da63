//! Fair rates as Python gets them: two Arrow tables, and JSON as `fairwire allocate --json` tells it.

use crate::table::{Table, arrow};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use fairwire_scenario::answer::{Answer, FlowAnswer};
use pyo3::PyResult;
use std::sync::Arc;

/// A row a flow.
pub fn flow_table<'a>(answer: &Answer<'a>) -> PyResult<Table> {
    let text = |get: fn(&FlowAnswer<'a>) -> &'a str| texts(answer.flows.iter().map(get));
    let real = |get: fn(&FlowAnswer<'a>) -> f64| reals(answer.flows.iter().map(get));
    let demands: Float64Array = answer.flows.iter().map(|flow| flow.demand_bps).collect();
    let holding: StringArray = answer.flows.iter().map(|flow| flow.limited_by.link).collect();
    one_batch([
        ("flow", text(|flow| flow.id), false),
        ("from", text(|flow| flow.from), false),
        ("to", text(|flow| flow.to), false),
        ("rate_bps", real(|flow| flow.rate_bps), false),
        ("rate_low_bps", real(|flow| flow.rate_low_bps), false),
        ("rate_high_bps", real(|flow| flow.rate_high_bps), false),
        ("demand_bps", Arc::new(demands), true),
        ("weight", real(|flow| flow.weight), false),
        ("limited_by", text(|flow| flow.limited_by.kind), false),
        ("link", Arc::new(holding), true),
        ("why", texts(answer.flows.iter().map(|flow| flow.limited_by.why.as_str())), false),
    ])
}

/// A row a link.
pub fn link_table(answer: &Answer<'_>) -> PyResult<Table> {
    one_batch([
        ("link", texts(answer.links.iter().map(|link| link.id)), false),
        ("capacity_bps", reals(answer.links.iter().map(|link| link.capacity_bps)), false),
        ("load_bps", reals(answer.links.iter().map(|link| link.load_bps)), false),
    ])
}

fn texts<'a>(items: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(items))
}

fn reals(items: impl Iterator<Item = f64>) -> ArrayRef {
    Arc::new(Float64Array::from_iter_values(items))
}

/// A table of one piece from (name, cells, whether cells may be empty).
fn one_batch<'a>(columns: impl IntoIterator<Item = (&'a str, ArrayRef, bool)>) -> PyResult<Table> {
    let batch = RecordBatch::try_from_iter_with_nullable(columns).map_err(|error| arrow(&error))?;
    Ok(Table::new(batch.schema(), vec![batch]))
}
