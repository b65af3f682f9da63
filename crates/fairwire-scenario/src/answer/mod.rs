//! Fair rates as programs get them: the keys of `fairwire allocate --json`, for every front.

mod check;
mod what_if;

pub use check::Check;
pub use what_if::{FlowChange, HolderAnswer, LinkChange, WhatIfAnswer};

use crate::{Satisfied, Scenario};
use fairwire_alloc::{Allocation, Limit, Problem, Sharer, Terms};
use fairwire_core::BitRate;
use serde::Serialize;

/// Fair rates and why nobody can have more; names are never changed, only added.
#[derive(Debug, Serialize)]
pub struct Answer<'a> {
    /// The scenario's title.
    pub scenario: &'a str,
    /// What fair means.
    pub criterion: &'a str,
    /// Whether other rates are fair, too: `yes` (none are), `no` or `not-decided`.
    pub unique: String,
    /// In the order of the scenario.
    pub flows: Vec<FlowAnswer<'a>>,
    /// Every link.
    pub links: Vec<LinkAnswer<'a>>,
    /// What a checker says that shares no code with the solver.
    pub check: Check,
}

/// The fair rate of one flow.
#[derive(Debug, Serialize)]
pub struct FlowAnswer<'a> {
    /// Its name.
    pub id: &'a str,
    /// The station or node where it enters.
    pub from: &'a str,
    /// Where it leaves.
    pub to: &'a str,
    /// Its fair rate, bit/s.
    pub rate_bps: f64,
    /// The smallest that is fair.
    pub rate_low_bps: f64,
    /// The largest that is fair.
    pub rate_high_bps: f64,
    /// None for demand without end.
    pub demand_bps: Option<f64>,
    /// What it is promised under general weighted fairness, or by its class; zero for nothing.
    pub min_rate_bps: f64,
    /// None where there is no such limit.
    pub peak_rate_bps: Option<f64>,
    /// None where there is no such limit.
    pub supported_rate_bps: Option<f64>,
    /// Its weight, once for each micro-flow.
    pub weight: f64,
    /// The links it crosses, in order.
    pub route: Vec<&'a str>,
    /// What keeps it from getting more.
    pub limited_by: LimitAnswer<'a>,
}

/// What keeps a flow from getting more.
#[derive(Debug, Serialize)]
pub struct LimitAnswer<'a> {
    /// `link`, `demand`, `peak`, `supported` or `priority`.
    pub kind: &'static str,
    /// The link that holds it.
    pub link: Option<&'a str>,
    /// A sentence that can be checked by hand; a short one where more than 64 flows share the link.
    pub why: String,
    /// Who shares that link; empty where more than 64 do: [`LinkAnswer::sharers`] has the largest holders.
    pub sharers: Vec<SharerAnswer<'a>>,
}

/// One party to a link that holds a flow.
#[derive(Debug, Serialize)]
pub struct SharerAnswer<'a> {
    /// Station, node, `from->to` or flow.
    pub name: &'a str,
    /// What it sends over the link, bit/s.
    pub rate_bps: f64,
    /// The weight by which it is compared with the others.
    pub weight: f64,
    /// What it is promised here; only what it holds beyond that is compared.
    pub promised_bps: f64,
}

/// What one link carries.
#[derive(Debug, Serialize)]
pub struct LinkAnswer<'a> {
    /// Its name.
    pub id: &'a str,
    /// Its capacity, bit/s.
    pub capacity_bps: f64,
    /// The sum of the rates over it.
    pub load_bps: f64,
    /// Who shares it where it holds any flow, at most 64, the largest holders first where there are more; else empty.
    pub sharers: Vec<SharerAnswer<'a>>,
}

/// What was asked about one flow beside its demand and weight.
struct Asked {
    min_rate_bps: f64,
    peak_rate_bps: Option<f64>,
    supported_rate_bps: Option<f64>,
    satisfied: Satisfied,
}

impl<'a> Answer<'a> {
    /// Joins what `scenario` asks with what came out; `problem` is all that it offers.
    pub fn of_scenario(scenario: &'a Scenario, problem: &'a Problem, allocation: &'a Allocation, check: Check) -> Self {
        let asked = |number: usize| {
            let flow = &scenario.flows()[number];
            Asked {
                min_rate_bps: flow.min_rate.as_bps_f64(),
                peak_rate_bps: flow.peak_rate.map(BitRate::as_bps_f64),
                supported_rate_bps: flow.supported_rate.map(BitRate::as_bps_f64),
                satisfied: scenario.why_satisfied(number),
            }
        };
        Self::new(scenario.title(), problem, allocation, asked, check)
    }

    /// The same for a problem that no scenario describes.
    pub fn of_problem(problem: &'a Problem, terms: &Terms, allocation: &'a Allocation, check: Check) -> Self {
        let limit = |list: &[f64], flow: usize| list.get(flow).copied().filter(|rate| rate.is_finite());
        let asked = |flow: usize| Asked {
            min_rate_bps: terms.min_rate_bps(flow),
            peak_rate_bps: limit(&terms.peak_rates_bps, flow),
            supported_rate_bps: limit(&terms.supported_rates_bps, flow),
            satisfied: Satisfied::under(terms, problem, flow),
        };
        Self::new("", problem, allocation, asked, check)
    }

    fn new(
        title: &'a str,
        problem: &'a Problem,
        allocation: &'a Allocation,
        asked: impl Fn(usize) -> Asked,
        check: Check,
    ) -> Self {
        let mut crossing = vec![0_usize; problem.links.len()];
        problem.flows.iter().flat_map(|flow| &flow.route).for_each(|&link| crossing[link] += 1);
        let flow = |(number, (flow, rate)): (usize, (&'a fairwire_alloc::Flow, &'a fairwire_alloc::FlowRate))| {
            let asked = asked(number);
            FlowAnswer {
                id: &flow.id,
                from: &problem.nodes[flow.ingress],
                to: &problem.nodes[flow.egress],
                rate_bps: rate.rate_bps,
                rate_low_bps: rate.low_bps,
                rate_high_bps: rate.high_bps,
                demand_bps: Some(flow.demand_bps).filter(|demand| demand.is_finite()),
                min_rate_bps: asked.min_rate_bps,
                peak_rate_bps: asked.peak_rate_bps,
                supported_rate_bps: asked.supported_rate_bps,
                weight: flow.weight,
                route: flow.route.iter().map(|&link| problem.links[link].id.as_str()).collect(),
                limited_by: LimitAnswer::of(problem, &rate.limited_by, &asked.satisfied, &crossing),
            }
        };
        let mut sharers: Vec<&'a [Sharer]> = vec![&[]; problem.links.len()];
        for flow in &allocation.flows {
            if let Limit::Link { link, sharers: of_link, .. } = &flow.limited_by {
                sharers[*link] = of_link;
            }
        }
        let links =
            problem.links.iter().zip(&allocation.links).zip(sharers).map(|((link, load), sharers)| LinkAnswer {
                id: &link.id,
                capacity_bps: link.capacity_bps,
                load_bps: load.load_bps.max(0.0),
                sharers: sharers.iter().map(SharerAnswer::of).collect(),
            });
        Self {
            scenario: title,
            criterion: allocation.criterion.name(),
            unique: allocation.unique.to_string(),
            flows: problem.flows.iter().zip(&allocation.flows).enumerate().map(flow).collect(),
            links: links.collect(),
            check,
        }
    }
}

impl<'a> SharerAnswer<'a> {
    fn of(sharer: &'a Sharer) -> Self {
        Self { name: &sharer.name, rate_bps: sharer.rate_bps, weight: sharer.weight, promised_bps: sharer.promised_bps }
    }
}

impl<'a> LimitAnswer<'a> {
    fn of(problem: &'a Problem, limit: &'a Limit, satisfied: &Satisfied, crossing: &[usize]) -> Self {
        match limit {
            Limit::Demand => Self { kind: satisfied.kind(), link: None, why: satisfied.why(), sharers: Vec::new() },
            Limit::Link { link, why, sharers } => {
                let id = &problem.links[*link].id;
                // Told anew for each flow, who shares a busy link would be most of the answer.
                let is_busy = crossing[*link] > Limit::SHARERS_LISTED;
                let (why, told) = if is_busy {
                    (format!("link {id} is full; the largest of those who share it are told with the link"), &[][..])
                } else {
                    (why.clone(), &sharers[..])
                };
                Self { kind: "link", link: Some(id), why, sharers: told.iter().map(SharerAnswer::of).collect() }
            }
        }
    }
}
