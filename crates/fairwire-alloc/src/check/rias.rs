//! The certificate of RIAS fairness.
//!
//! `[dvsr] §III-A`, Proposition 1, with the aggregate of an ingress taken per
//! link, ingress and flow weights, and finite demands: every flow has its
//! demand, or a link on its route that is full, on which no ingress holds
//! more per weight than its own, and no flow of its ingress more than itself.
//! Where ingresses are promised a minimum on every link they cross, what they
//! hold beyond it is compared, and a link holds nobody below its minimum.

use super::rivals::Rivals;
use super::violation::{Violation, ahead, spare};
use super::{is_satisfied, slack_ahead};
use crate::Problem;
use crate::interrupt::look;
use crate::text;

pub(super) fn check(
    problem: &Problem,
    minimums: &[f64],
    rates: &[f64],
    loads: &[f64],
    tolerance: f64,
) -> Result<(), Violation> {
    let crossings = Crossings::new(problem, minimums, rates);
    for (index, flow) in problem.flows.iter().enumerate() {
        look();
        if is_satisfied(problem, index, rates[index], tolerance) {
            continue;
        }
        let mut reasons = Vec::with_capacity(flow.route.len());
        for &link in &flow.route {
            match crossings.objection(index, link, loads[link], tolerance) {
                Some(reason) => reasons.push(reason),
                None => break,
            }
        }
        if reasons.len() == flow.route.len() {
            let links = reasons.iter().map(|reason| crossings.tell(index, reason, loads)).collect();
            let (flow, rate_bps) = (flow.id.clone(), rates[index]);
            return Err(Violation::NoBottleneck { flow, rate_bps, links });
        }
    }
    Ok(())
}

/// Why a link does not hold a flow.
enum Objection {
    Spare { link: usize },
    Minimum { link: usize, minimum: f64, own: f64 },
    Ingress { link: usize, other: usize, theirs: f64, own: f64 },
    Flow { link: usize, other: usize },
}

/// One ingress on one link.
#[derive(Clone)]
struct Aggregate {
    ingress: usize,
    sum: f64,
    /// What its flows here demand together.
    demand: f64,
    /// What it is promised here, no more than that demand.
    minimum: f64,
    /// Its flows here.
    flows: Rivals,
}

impl Aggregate {
    /// What the ingress holds here beyond what it is promised.
    fn beyond(&self) -> f64 {
        (self.sum - self.minimum).max(0.0)
    }
}

struct Crossings<'a> {
    problem: &'a Problem,
    rates: &'a [f64],
    /// Aggregates on each link, ascending by ingress.
    on_link: Vec<Vec<Aggregate>>,
    /// The ingresses on each link.
    ingresses: Vec<Rivals>,
}

impl<'a> Crossings<'a> {
    fn new(problem: &'a Problem, minimums: &[f64], rates: &'a [f64]) -> Self {
        let mut by_ingress: Vec<usize> = (0..problem.flows.len()).collect();
        by_ingress.sort_by_key(|&flow| problem.flows[flow].ingress);
        let level = |flow: usize| rates[flow] / problem.flows[flow].weight;
        let mut on_link: Vec<Vec<Aggregate>> = vec![Vec::new(); problem.links.len()];
        for flow in by_ingress {
            let ingress = problem.flows[flow].ingress;
            for &link in &problem.flows[flow].route {
                match on_link[link].last_mut() {
                    Some(last) if last.ingress == ingress => {
                        last.sum += rates[flow];
                        last.demand += problem.flows[flow].demand_bps;
                    }
                    _ => on_link[link].push(Aggregate {
                        ingress,
                        sum: rates[flow],
                        demand: problem.flows[flow].demand_bps,
                        minimum: 0.0,
                        flows: Rivals::default(),
                    }),
                }
                if let Some(last) = on_link[link].last_mut() {
                    last.flows.add(flow, level(flow), problem.flows[flow].weight);
                }
            }
        }
        for aggregate in on_link.iter_mut().flatten() {
            let promised = minimums.get(aggregate.ingress).copied().unwrap_or(0.0);
            aggregate.minimum = promised.min(aggregate.demand);
            aggregate.flows.sort();
        }
        let ingresses = on_link
            .iter()
            .map(|aggregates| {
                let mut rivals = Rivals::default();
                for one in aggregates {
                    let weight = problem.ingress_weights[one.ingress];
                    rivals.add(one.ingress, one.beyond() / weight, weight);
                }
                rivals.sort();
                rivals
            })
            .collect();
        Self { problem, rates, on_link, ingresses }
    }

    fn objection(&self, flow: usize, link: usize, load: f64, tolerance: f64) -> Option<Objection> {
        let capacity = self.problem.links[link].capacity_bps;
        let slack = tolerance * capacity;
        if capacity - load > slack {
            return Some(Objection::Spare { link });
        }
        let ingress = self.problem.flows[flow].ingress;
        let aggregates = &self.on_link[link];
        let at = aggregates.binary_search_by_key(&ingress, |one| one.ingress).ok()?;
        let own_weight = self.problem.ingress_weights[ingress];
        if aggregates[at].minimum - aggregates[at].sum > slack {
            return Some(Objection::Minimum { link, minimum: aggregates[at].minimum, own: aggregates[at].sum });
        }
        let own = aggregates[at].beyond() / own_weight;
        let ahead = slack_ahead(self.problem, &self.problem.flows[flow].route, link, tolerance);
        if let Some((other, theirs)) = self.ingresses[link].ahead(own, own_weight, ahead) {
            return Some(Objection::Ingress { link, other, theirs, own });
        }
        let weight = self.problem.flows[flow].weight;
        let (other, _) = aggregates[at].flows.ahead(self.rates[flow] / weight, weight, ahead)?;
        Some(Objection::Flow { link, other })
    }

    fn tell(&self, flow: usize, objection: &Objection, loads: &[f64]) -> String {
        let id = |link: usize| self.problem.links[link].id.as_str();
        match *objection {
            Objection::Spare { link } => spare(id(link), self.problem.links[link].capacity_bps - loads[link]),
            Objection::Minimum { link, minimum, own } => {
                format!(
                    "on link {} its ingress has {}, less than its minimum of {}",
                    id(link),
                    text::rate(own),
                    text::rate(minimum)
                )
            }
            Objection::Ingress { link, other, theirs, own } => {
                let who = format!("ingress {}", self.problem.nodes[other]);
                ahead(id(link), &who, theirs, own)
            }
            Objection::Flow { link, other } => {
                let level = |flow: usize| self.rates[flow] / self.problem.flows[flow].weight;
                let who = format!("flow {} of the same ingress", self.problem.flows[other].id);
                ahead(id(link), &who, level(other), level(flow))
            }
        }
    }
}
