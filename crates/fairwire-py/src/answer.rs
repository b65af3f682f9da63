//! Fair rates as Python gets them: two Arrow tables, and JSON in the shape of
//! `fairwire allocate --json`.

use crate::table::{Table, arrow};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use fairwire_alloc::{Allocation, Ceiling, Criterion, Limit, Problem, Sharer, Terms, check_with_terms, text};
use pyo3::PyResult;
use serde::Serialize;
use std::sync::Arc;

/// The answer; names are those of the command, never changed, only added.
#[derive(Debug, Serialize)]
pub struct Answer<'a> {
    pub scenario: &'a str,
    pub criterion: &'a str,
    pub unique: String,
    pub flows: Vec<FlowAnswer<'a>>,
    pub links: Vec<LinkAnswer<'a>>,
    pub check: CheckAnswer,
}

#[derive(Debug, Serialize)]
pub struct FlowAnswer<'a> {
    id: &'a str,
    from: &'a str,
    to: &'a str,
    rate_bps: f64,
    rate_low_bps: f64,
    rate_high_bps: f64,
    /// None for demand without end.
    demand_bps: Option<f64>,
    weight: f64,
    route: Vec<&'a str>,
    limited_by: LimitAnswer<'a>,
}

#[derive(Debug, Serialize)]
struct LimitAnswer<'a> {
    kind: &'static str,
    link: Option<&'a str>,
    why: String,
    sharers: Vec<SharerAnswer<'a>>,
}

#[derive(Debug, Serialize)]
struct SharerAnswer<'a> {
    name: &'a str,
    rate_bps: f64,
    weight: f64,
}

#[derive(Debug, Serialize)]
pub struct LinkAnswer<'a> {
    id: &'a str,
    capacity_bps: f64,
    load_bps: f64,
}

#[derive(Debug, Serialize)]
pub struct CheckAnswer {
    fair: bool,
    /// What is wrong; none where the rates are fair.
    why: Option<String>,
    /// Relative to link capacity.
    tolerance: f64,
}

/// How far the checker lets rates be off, relative to link capacity.
const TOLERANCE: f64 = 1e-9;
/// The same for the slides' iteration, which approaches its end geometrically.
const ITERATION_TOLERANCE: f64 = 1e-6;

/// What the checker holds against an allocation: an iteration towards RIAS rates
/// is held against RIAS itself.
pub fn judge(problem: &Problem, terms: &Terms, allocation: &Allocation) -> CheckAnswer {
    let rates: Vec<f64> = allocation.flows.iter().map(|flow| flow.rate_bps).collect();
    let (criterion, tolerance) = match allocation.criterion {
        Criterion::RiasIterative => (Criterion::Rias, ITERATION_TOLERANCE),
        other => (other, TOLERANCE),
    };
    let violation = check_with_terms(problem, terms, criterion, &rates, tolerance).err();
    CheckAnswer { fair: violation.is_none(), why: violation.map(|violation| violation.to_string()), tolerance }
}

impl<'a> Answer<'a> {
    /// The answer to tell; `satisfied` says why a flow that no link holds has no more.
    pub fn new(
        scenario: &'a str,
        problem: &'a Problem,
        allocation: &'a Allocation,
        satisfied: impl Fn(usize) -> (&'static str, String),
        check: CheckAnswer,
    ) -> Self {
        let flows = problem.flows.iter().zip(&allocation.flows).enumerate();
        let links = problem.links.iter().zip(&allocation.links);
        Self {
            scenario,
            criterion: allocation.criterion.name(),
            unique: allocation.unique.to_string(),
            flows: flows
                .map(|(index, (flow, rate))| FlowAnswer {
                    id: &flow.id,
                    from: &problem.nodes[flow.ingress],
                    to: &problem.nodes[flow.egress],
                    rate_bps: rate.rate_bps,
                    rate_low_bps: rate.low_bps,
                    rate_high_bps: rate.high_bps,
                    demand_bps: Some(flow.demand_bps).filter(|demand| demand.is_finite()),
                    weight: flow.weight,
                    route: flow.route.iter().map(|&link| problem.links[link].id.as_str()).collect(),
                    limited_by: limit(problem, &rate.limited_by, || satisfied(index)),
                })
                .collect(),
            links: links
                .map(|(link, load)| LinkAnswer {
                    id: &link.id,
                    capacity_bps: link.capacity_bps,
                    load_bps: load.load_bps.max(0.0),
                })
                .collect(),
            check,
        }
    }

    /// A row a flow.
    pub fn flow_table(&self) -> PyResult<Table> {
        let text = |get: fn(&FlowAnswer<'a>) -> &'a str| texts(self.flows.iter().map(get));
        let real = |get: fn(&FlowAnswer<'a>) -> f64| reals(self.flows.iter().map(get));
        let demands: Float64Array = self.flows.iter().map(|flow| flow.demand_bps).collect();
        let holding: StringArray = self.flows.iter().map(|flow| flow.limited_by.link).collect();
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
            ("why", texts(self.flows.iter().map(|flow| flow.limited_by.why.as_str())), false),
        ])
    }

    /// A row a link.
    pub fn link_table(&self) -> PyResult<Table> {
        one_batch([
            ("link", texts(self.links.iter().map(|link| link.id)), false),
            ("capacity_bps", reals(self.links.iter().map(|link| link.capacity_bps)), false),
            ("load_bps", reals(self.links.iter().map(|link| link.load_bps)), false),
        ])
    }
}

/// Why a flow that no link holds has no more: the kind of its ceiling, and words.
pub fn at_ceiling(ceiling: Ceiling, rate_bps: f64) -> (&'static str, String) {
    let rate = text::rate(rate_bps);
    match ceiling {
        Ceiling::Demand => ("demand", format!("it has all it asks for: {rate}")),
        Ceiling::Peak => ("peak", format!("it may have no more than its peak rate of {rate}")),
        Ceiling::Supported => ("supported", format!("the equipment along its way lets no more through than {rate}")),
    }
}

fn limit<'a>(
    problem: &'a Problem,
    limit: &'a Limit,
    satisfied: impl FnOnce() -> (&'static str, String),
) -> LimitAnswer<'a> {
    match limit {
        Limit::Link { link, why, sharers } => {
            let sharer = |sharer: &'a Sharer| SharerAnswer {
                name: &sharer.name,
                rate_bps: sharer.rate_bps,
                weight: sharer.weight,
            };
            LimitAnswer {
                kind: "link",
                link: Some(&problem.links[*link].id),
                why: why.clone(),
                sharers: sharers.iter().map(sharer).collect(),
            }
        }
        Limit::Demand => {
            let (kind, why) = satisfied();
            LimitAnswer { kind, link: None, why, sharers: Vec::new() }
        }
    }
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
