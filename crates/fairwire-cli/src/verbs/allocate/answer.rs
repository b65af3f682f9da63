//! The answer of `fairwire allocate`, as JSON and for tables.

use super::what_if::WhatIfAnswer;
use super::worth::WorthAnswer;
use crate::runs::Verdict;
use crate::text;
use fairwire_alloc::{Allocation, Criterion, Limit, Problem, Sharer, Terms, check_with_terms};
use fairwire_core::BitRate;
use fairwire_scenario::{Satisfied, Scenario};
use serde::Serialize;
use std::borrow::Cow;

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
    /// An answer to each `--what-if`, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub what_if: Vec<WhatIfAnswer<'a>>,
    /// What each full link is worth, if `--sensitivities` asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitivities: Option<Vec<WorthAnswer<'a>>>,
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
    /// What it is promised under general weighted fairness, or by its class; zero for nothing.
    pub min_rate_bps: f64,
    /// None where there is no such limit.
    pub peak_rate_bps: Option<f64>,
    /// None where there is no such limit.
    pub supported_rate_bps: Option<f64>,
    pub weight: f64,
    pub route: Vec<&'a str>,
    pub limited_by: LimitAnswer<'a>,
}

#[derive(Debug, Serialize)]
pub struct LimitAnswer<'a> {
    /// `link`, `demand`, `peak` or `supported`.
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
    /// What it is promised here; only what it holds beyond that is compared.
    pub promised_bps: f64,
}

#[derive(Debug, Serialize)]
pub struct LinkAnswer<'a> {
    pub id: &'a str,
    pub capacity_bps: f64,
    pub load_bps: f64,
}

#[derive(Clone, Debug, Serialize)]
pub struct CheckAnswer {
    pub fair: bool,
    /// What is wrong; none where the rates are fair.
    pub why: Option<String>,
    /// Relative to link capacity.
    pub tolerance: f64,
}

impl<'a> Answer<'a> {
    /// Joins what was asked with what came out.
    pub fn new(
        scenario: &'a Scenario,
        problem: &'a Problem,
        allocation: &'a Allocation,
        check: CheckAnswer,
        expect: Vec<Verdict>,
    ) -> Self {
        let flows = problem.flows.iter().zip(&allocation.flows).zip(scenario.flows()).enumerate();
        let links = problem.links.iter().zip(&allocation.links);
        Self {
            scenario: scenario.title(),
            criterion: allocation.criterion.name(),
            unique: allocation.unique.to_string(),
            flows: flows
                .map(|(number, ((flow, rate), declared))| FlowAnswer {
                    id: &flow.id,
                    from: &problem.nodes[flow.ingress],
                    to: &problem.nodes[flow.egress],
                    rate_bps: rate.rate_bps,
                    rate_low_bps: rate.low_bps,
                    rate_high_bps: rate.high_bps,
                    demand_bps: Some(flow.demand_bps).filter(|demand| demand.is_finite()),
                    weight: flow.weight,
                    route: flow.route.iter().map(|&link| problem.links[link].id.as_str()).collect(),
                    min_rate_bps: declared.min_rate.as_bps_f64(),
                    peak_rate_bps: declared.peak_rate.map(BitRate::as_bps_f64),
                    supported_rate_bps: declared.supported_rate.map(BitRate::as_bps_f64),
                    limited_by: limit(problem, &rate.limited_by, || scenario.why_satisfied(number)),
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
            what_if: Vec::new(),
            sensitivities: None,
        }
    }
}

/// How far the checker lets rates be off, relative to link capacity.
const TOLERANCE: f64 = 1e-9;
/// The same for the slides' iteration, which approaches its end geometrically.
const ITERATION_TOLERANCE: f64 = 1e-6;

impl CheckAnswer {
    /// What the checker holds against rates: an iteration towards RIAS rates is held
    /// against RIAS itself, but not to minimum rates, of which it knows nothing.
    pub fn of(problem: &Problem, terms: &Terms, criterion: Criterion, rates_bps: &[f64]) -> Self {
        let mut terms = Cow::Borrowed(terms);
        let (criterion, tolerance) = match criterion {
            Criterion::RiasIterative => {
                terms.to_mut().ingress_min_rates_bps.clear();
                (Criterion::Rias, ITERATION_TOLERANCE)
            }
            other => (other, TOLERANCE),
        };
        let violation = check_with_terms(problem, &terms, criterion, rates_bps, tolerance).err();
        Self { fair: violation.is_none(), why: violation.map(|violation| violation.to_string()), tolerance }
    }
}

fn limit<'a>(problem: &'a Problem, limit: &'a Limit, satisfied: impl FnOnce() -> Satisfied) -> LimitAnswer<'a> {
    match limit {
        Limit::Demand => {
            let satisfied = satisfied();
            LimitAnswer { kind: satisfied.kind(), link: None, why: satisfied.why(text::rate), sharers: Vec::new() }
        }
        Limit::Link { link, why, sharers } => {
            let sharer = |sharer: &'a Sharer| SharerAnswer {
                name: &sharer.name,
                rate_bps: sharer.rate_bps,
                weight: sharer.weight,
                promised_bps: sharer.promised_bps,
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
