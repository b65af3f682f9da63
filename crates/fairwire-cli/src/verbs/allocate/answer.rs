//! The answer of `fairwire allocate`, as JSON and for tables.

use crate::runs::Verdict;
use crate::text;
use fairwire_alloc::{Allocation, Criterion, Limit, Problem, Sharer, check};
use fairwire_scenario::Scenario;
use serde::Serialize;

/// The answer as JSON; names are never changed, only added.
#[derive(Debug, Serialize)]
pub struct Answer<'a> {
    pub scenario: &'a str,
    pub criterion: &'a str,
    pub unique: String,
    pub flows: Vec<FlowAnswer<'a>>,
    pub links: Vec<LinkAnswer<'a>>,
    pub check: CheckAnswer,
    /// The scenario's promises about fair rates.
    pub expect: Vec<Verdict>,
}

#[derive(Debug, Serialize)]
pub struct FlowAnswer<'a> {
    pub id: &'a str,
    pub from: &'a str,
    pub to: &'a str,
    pub rate_bps: f64,
    pub rate_low_bps: f64,
    pub rate_high_bps: f64,
    /// None for demand without end.
    pub demand_bps: Option<f64>,
    pub weight: f64,
    pub route: Vec<&'a str>,
    pub limited_by: LimitAnswer<'a>,
}

#[derive(Debug, Serialize)]
pub struct LimitAnswer<'a> {
    /// `link`, `demand` or `peak`.
    pub kind: &'static str,
    pub link: Option<&'a str>,
    pub why: String,
    pub sharers: Vec<SharerAnswer<'a>>,
}

#[derive(Debug, Serialize)]
pub struct SharerAnswer<'a> {
    pub name: &'a str,
    pub rate_bps: f64,
    pub weight: f64,
}

#[derive(Debug, Serialize)]
pub struct LinkAnswer<'a> {
    pub id: &'a str,
    pub capacity_bps: f64,
    pub load_bps: f64,
}

#[derive(Debug, Serialize)]
pub struct CheckAnswer {
    pub fair: bool,
    /// What is wrong; none where the rates are fair.
    pub why: Option<String>,
    /// Relative to link capacity.
    pub tolerance: f64,
}

/// How far the checker lets rates be off, relative to link capacity.
const TOLERANCE: f64 = 1e-9;
/// The same for the slides' iteration, which approaches its end geometrically.
const ITERATION_TOLERANCE: f64 = 1e-6;

impl<'a> Answer<'a> {
    /// Joins what was asked with what came out.
    pub fn new(
        scenario: &'a Scenario,
        problem: &'a Problem,
        allocation: &'a Allocation,
        check: CheckAnswer,
        expect: Vec<Verdict>,
    ) -> Self {
        let flows = problem.flows.iter().zip(&allocation.flows).zip(scenario.flows());
        let links = problem.links.iter().zip(&allocation.links);
        Self {
            scenario: scenario.title(),
            criterion: allocation.criterion.name(),
            unique: allocation.unique.to_string(),
            flows: flows
                .map(|((flow, rate), declared)| FlowAnswer {
                    id: &flow.id,
                    from: &problem.nodes[flow.ingress],
                    to: &problem.nodes[flow.egress],
                    rate_bps: rate.rate_bps,
                    rate_low_bps: rate.low_bps,
                    rate_high_bps: rate.high_bps,
                    demand_bps: Some(flow.demand_bps).filter(|demand| demand.is_finite()),
                    weight: flow.weight,
                    route: flow.route.iter().map(|&link| problem.links[link].id.as_str()).collect(),
                    limited_by: limit(problem, &rate.limited_by, declared, flow.demand_bps),
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
            expect,
        }
    }
}

impl CheckAnswer {
    /// What the answer has to be: an iteration towards RIAS rates is held against RIAS itself.
    pub fn of(problem: &Problem, allocation: &Allocation) -> Self {
        let rates: Vec<f64> = allocation.flows.iter().map(|flow| flow.rate_bps).collect();
        let (criterion, tolerance) = match allocation.criterion {
            Criterion::RiasIterative => (Criterion::Rias, ITERATION_TOLERANCE),
            other => (other, TOLERANCE),
        };
        let violation = check(problem, criterion, &rates, tolerance).err();
        Self { fair: violation.is_none(), why: violation.map(|violation| violation.to_string()), tolerance }
    }
}

fn limit<'a>(
    problem: &'a Problem,
    limit: &'a Limit,
    declared: &fairwire_scenario::Flow,
    demand_bps: f64,
) -> LimitAnswer<'a> {
    match limit {
        Limit::Demand => {
            let peak = declared.peak_rate.filter(|peak| peak.as_bps_f64() <= demand_bps);
            let (kind, why) = match peak {
                Some(peak) => {
                    ("peak", format!("it may have no more than its peak rate of {}", text::rate(peak.as_bps_f64())))
                }
                None if declared.class.is_primary() && declared.min_rate.as_bps_f64() < demand_bps => {
                    let (class, rate) = (declared.class, text::rate(declared.min_rate.as_bps_f64()));
                    ("peak", format!("class {class:?} sends no more than it has reserved: {rate}"))
                }
                None => ("demand", format!("it has all it asks for: {}", text::rate(demand_bps))),
            };
            LimitAnswer { kind, link: None, why, sharers: Vec::new() }
        }
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
    }
}
