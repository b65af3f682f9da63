//! What would change if …: two solves and what lies between them.

use crate::problem::is_finite_positive;
use crate::{AllocError, Ceiling, Criterion, Flow, Problem, Rates, Terms, solve_rates_with_terms};

/// One thing that could be different. Flows, links and nodes go by their
/// index in the problem as it is.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A link gets another capacity, bit/s.
    Capacity {
        /// Index of the link.
        link: usize,
        /// The new capacity, bit/s.
        capacity_bps: f64,
    },
    /// A link gets this many times its capacity: 1.1 is 10 % more.
    CapacityTimes {
        /// Index of the link.
        link: usize,
        /// The factor.
        factor: f64,
    },
    /// A link is gone, and with it every flow that crosses it.
    LinkLost {
        /// Index of the link.
        link: usize,
    },
    /// A flow wants another rate, bit/s, possibly infinite.
    Demand {
        /// Index of the flow.
        flow: usize,
        /// The new demand, bit/s.
        demand_bps: f64,
    },
    /// A flow gets another weight.
    Weight {
        /// Index of the flow.
        flow: usize,
        /// The new weight.
        weight: f64,
    },
    /// A flow is promised another rate, bit/s.
    MinRate {
        /// Index of the flow.
        flow: usize,
        /// The new minimum rate, bit/s.
        min_rate_bps: f64,
    },
    /// A flow may send another rate at most, bit/s.
    PeakRate {
        /// Index of the flow.
        flow: usize,
        /// The new peak rate, bit/s.
        peak_rate_bps: f64,
    },
    /// The equipment along a flow's way lets another rate through at most, bit/s.
    SupportedRate {
        /// Index of the flow.
        flow: usize,
        /// The new supported rate, bit/s.
        supported_rate_bps: f64,
    },
    /// A node gets another weight as an ingress.
    IngressWeight {
        /// Index of the node.
        node: usize,
        /// The new weight.
        weight: f64,
    },
    /// A node is promised another rate as an ingress, bit/s.
    IngressMinRate {
        /// Index of the node.
        node: usize,
        /// The new minimum rate, bit/s.
        min_rate_bps: f64,
    },
    /// A flow takes another way.
    Route {
        /// Index of the flow.
        flow: usize,
        /// The new links, by index.
        route: Vec<usize>,
    },
    /// A flow comes.
    FlowAdded(Flow),
    /// A flow goes.
    FlowRemoved {
        /// Index of the flow.
        flow: usize,
    },
}

/// What holds a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// A full link, by index.
    Link(usize),
    /// It has all that it may have, and this is why not more.
    Ceiling(Ceiling),
}

/// One flow before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowOutcome {
    /// Name of the flow.
    pub id: String,
    /// Rate before, bit/s; `None` for a flow that was added.
    pub before_bps: Option<f64>,
    /// Rate after, bit/s; `None` for a flow that is gone.
    pub after_bps: Option<f64>,
    /// What held it before.
    pub held_before: Option<Holder>,
    /// What holds it after.
    pub held_after: Option<Holder>,
}

impl FlowOutcome {
    /// What the flow gains, bit/s; negative for a loss.
    pub fn gain_bps(&self) -> f64 {
        self.after_bps.unwrap_or(0.0) - self.before_bps.unwrap_or(0.0)
    }

    /// Whether it comes, goes, is held by something else, or has another rate by more than rounding.
    pub fn is_changed(&self) -> bool {
        const ROUNDING: f64 = 1e-6;
        let largest = self.before_bps.unwrap_or(0.0).max(self.after_bps.unwrap_or(0.0));
        let comes_or_goes = self.before_bps.is_some() != self.after_bps.is_some();
        comes_or_goes || self.is_moved() || self.gain_bps().abs() > ROUNDING * largest
    }

    /// Whether something else holds the flow now.
    pub fn is_moved(&self) -> bool {
        self.held_before.is_some() && self.held_after.is_some() && self.held_before != self.held_after
    }
}

/// One link before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkOutcome {
    /// Name of the link.
    pub id: String,
    /// Capacity before, bit/s.
    pub capacity_before_bps: f64,
    /// Capacity after, bit/s; `None` for a lost link.
    pub capacity_after_bps: Option<f64>,
    /// Load before, bit/s.
    pub before_bps: f64,
    /// Load after, bit/s; zero for a lost link.
    pub after_bps: f64,
    /// Number of flows that the link held before.
    pub holds_before: usize,
    /// Number of flows that it holds after.
    pub holds_after: usize,
}

/// All that changes of itself when something is changed.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIf {
    /// Every flow of the problem as it is, then those added, in order.
    pub flows: Vec<FlowOutcome>,
    /// Every link of the problem as it is.
    pub links: Vec<LinkOutcome>,
    /// The changed problem; what is gone is left out of it, so its indices
    /// are its own.
    pub problem: Problem,
    /// The terms of the changed problem.
    pub terms: Terms,
    /// The rates of the changed problem.
    pub rates: Rates,
}

impl WhatIf {
    /// Indices in [`Self::flows`] of those that gain more than `slack_bps`,
    /// most first.
    pub fn winners(&self, slack_bps: f64) -> Vec<usize> {
        self.ordered(|gain| gain > slack_bps)
    }

    /// Indices in [`Self::flows`] of those that lose more than `slack_bps`,
    /// most first.
    pub fn losers(&self, slack_bps: f64) -> Vec<usize> {
        self.ordered(|gain| gain < -slack_bps)
    }

    /// Indices in [`Self::flows`] of those that something else holds now.
    pub fn moved(&self) -> Vec<usize> {
        (0..self.flows.len()).filter(|&flow| self.flows[flow].is_moved()).collect()
    }

    fn ordered(&self, keep: impl Fn(f64) -> bool) -> Vec<usize> {
        let gain = |flow: usize| self.flows[flow].gain_bps();
        let mut found: Vec<usize> = (0..self.flows.len()).filter(|&flow| keep(gain(flow))).collect();
        found.sort_by(|&a, &b| gain(b).abs().total_cmp(&gain(a).abs()).then(a.cmp(&b)));
        found
    }
}

/// Solves a problem as it is and with all `changes` made together, and
/// compares.
///
/// # Errors
/// As [`crate::solve_with_terms`] for either problem, and
/// [`AllocError::UnknownChange`] for an index that does not exist.
pub fn what_if(
    problem: &Problem,
    terms: &Terms,
    criterion: Criterion,
    changes: &[Change],
) -> Result<WhatIf, AllocError> {
    let before = solve_rates_with_terms(problem, terms, criterion)?;
    let mut changed = Changed::new(problem, terms);
    changes.iter().try_for_each(|change| changed.make(change))?;
    let Changed { problem: after_problem, terms: after_terms, flow_now, link_now } = changed.without_the_gone();
    let after = solve_rates_with_terms(&after_problem, &after_terms, criterion)?;

    let link_was: Vec<usize> = {
        let mut was = vec![0; after_problem.links.len()];
        link_now.iter().enumerate().for_each(|(old, now)| now.iter().for_each(|&now| was[now] = old));
        was
    };
    let holder = |problem: &Problem, terms: &Terms, rates: &Rates, flow: usize| match rates.bottleneck[flow] {
        Some(link) => Holder::Link(link),
        None => Holder::Ceiling(terms.ceiling(problem, flow).1),
    };
    let flows = flow_now.iter().enumerate().map(|(old, now)| {
        let was_there = old < problem.flows.len();
        FlowOutcome {
            id: match now {
                Some(now) => after_problem.flows[*now].id.clone(),
                None => problem.flows.get(old).map_or_else(String::new, |flow| flow.id.clone()),
            },
            before_bps: was_there.then(|| before.rates_bps[old]),
            after_bps: now.map(|now| after.rates_bps[now]),
            held_before: was_there.then(|| holder(problem, terms, &before, old)),
            held_after: now.map(|now| match holder(&after_problem, &after_terms, &after, now) {
                Holder::Link(link) => Holder::Link(link_was[link]),
                ceiling => ceiling,
            }),
        }
    });
    let (loads_before, loads_after) = (loads(problem, &before), loads(&after_problem, &after));
    let held = |rates: &Rates, link: usize| rates.bottleneck.iter().filter(|&&held| held == Some(link)).count();
    let links = problem.links.iter().enumerate().map(|(old, link)| LinkOutcome {
        id: link.id.clone(),
        capacity_before_bps: link.capacity_bps,
        capacity_after_bps: link_now[old].map(|now| after_problem.links[now].capacity_bps),
        before_bps: loads_before[old],
        after_bps: link_now[old].map_or(0.0, |now| loads_after[now]),
        holds_before: held(&before, old),
        holds_after: link_now[old].map_or(0, |now| held(&after, now)),
    });
    Ok(WhatIf {
        flows: flows.collect(),
        links: links.collect(),
        problem: after_problem,
        terms: after_terms,
        rates: after,
    })
}

fn loads(problem: &Problem, rates: &Rates) -> Vec<f64> {
    let mut loads = vec![0.0; problem.links.len()];
    for (flow, rate) in problem.flows.iter().zip(&rates.rates_bps) {
        flow.route.iter().for_each(|&link| loads[link] += rate);
    }
    loads
}

/// A problem in the making, and where things have gone.
struct Changed {
    problem: Problem,
    terms: Terms,
    /// Index of each flow in the changed problem, if it is there.
    flow_now: Vec<Option<usize>>,
    /// The same of each link.
    link_now: Vec<Option<usize>>,
}

impl Changed {
    fn new(problem: &Problem, terms: &Terms) -> Self {
        Self {
            flow_now: (0..problem.flows.len()).map(Some).collect(),
            link_now: (0..problem.links.len()).map(Some).collect(),
            problem: problem.clone(),
            terms: terms.clone(),
        }
    }

    fn make(&mut self, change: &Change) -> Result<(), AllocError> {
        let (flows, links, nodes) = (self.problem.flows.len(), self.problem.links.len(), self.problem.nodes.len());
        let known = |what: &'static str, index: usize, count: usize| match index < count {
            true => Ok(index),
            false => Err(AllocError::UnknownChange { what, index, count }),
        };
        let flow_of = |flow: usize| known("flow", flow, flows);
        let link_of = |link: usize| known("link", link, links);
        match change {
            Change::Capacity { link, capacity_bps } => {
                self.problem.links[link_of(*link)?].capacity_bps = *capacity_bps;
            }
            Change::CapacityTimes { link, factor } => {
                let link = &mut self.problem.links[link_of(*link)?];
                if !is_finite_positive(*factor) {
                    return Err(AllocError::Capacity {
                        link: link.id.clone(),
                        capacity_bps: factor * link.capacity_bps,
                    });
                }
                link.capacity_bps *= factor;
            }
            Change::LinkLost { link } => {
                self.link_now[link_of(*link)?] = None;
                for (index, flow) in self.problem.flows.iter().enumerate() {
                    if flow.route.contains(link) {
                        self.flow_now[index] = None;
                    }
                }
            }
            Change::Demand { flow, demand_bps } => self.problem.flows[flow_of(*flow)?].demand_bps = *demand_bps,
            Change::Weight { flow, weight } => self.problem.flows[flow_of(*flow)?].weight = *weight,
            Change::Route { flow, route } => self.problem.flows[flow_of(*flow)?].route.clone_from(route),
            Change::MinRate { flow, min_rate_bps } => {
                set(&mut self.terms.min_rates_bps, flow_of(*flow)?, flows, 0.0, *min_rate_bps);
            }
            Change::PeakRate { flow, peak_rate_bps } => {
                set(&mut self.terms.peak_rates_bps, flow_of(*flow)?, flows, f64::INFINITY, *peak_rate_bps);
            }
            Change::SupportedRate { flow, supported_rate_bps } => {
                set(&mut self.terms.supported_rates_bps, flow_of(*flow)?, flows, f64::INFINITY, *supported_rate_bps);
            }
            Change::IngressWeight { node, weight } => {
                self.problem.ingress_weights[known("node", *node, nodes)?] = *weight;
            }
            Change::IngressMinRate { node, min_rate_bps } => {
                let node = known("node", *node, nodes)?;
                set(&mut self.terms.ingress_min_rates_bps, node, nodes, 0.0, *min_rate_bps);
            }
            Change::FlowAdded(flow) => self.add(flow),
            Change::FlowRemoved { flow } => self.flow_now[flow_of(*flow)?] = None,
        }
        Ok(())
    }

    fn add(&mut self, flow: &Flow) {
        self.flow_now.push(Some(self.problem.flows.len()));
        self.problem.flows.push(flow.clone());
        for (list, otherwise) in [
            (&mut self.terms.min_rates_bps, 0.0),
            (&mut self.terms.peak_rates_bps, f64::INFINITY),
            (&mut self.terms.supported_rates_bps, f64::INFINITY),
        ] {
            if !list.is_empty() {
                list.push(otherwise);
            }
        }
    }

    /// Leaves out what is gone and numbers the rest anew.
    fn without_the_gone(mut self) -> Self {
        let stays = |at: usize, now: &[Option<usize>]| now[at].is_some();
        let keep = |list: &mut Vec<f64>, now: &[Option<usize>]| {
            let mut at = 0;
            list.retain(|_| {
                at += 1;
                now[at - 1].is_some()
            });
        };
        keep(&mut self.terms.min_rates_bps, &self.flow_now);
        keep(&mut self.terms.peak_rates_bps, &self.flow_now);
        keep(&mut self.terms.supported_rates_bps, &self.flow_now);
        let (mut flow, mut link) = (0, 0);
        self.problem.flows.retain(|_| {
            flow += 1;
            stays(flow - 1, &self.flow_now)
        });
        self.problem.links.retain(|_| {
            link += 1;
            stays(link - 1, &self.link_now)
        });
        number_anew(&mut self.flow_now);
        number_anew(&mut self.link_now);
        for flow in &mut self.problem.flows {
            for link in &mut flow.route {
                // A link that never was stays unknown and is refused later.
                *link = self.link_now.get(*link).copied().flatten().unwrap_or(usize::MAX);
            }
        }
        self
    }
}

fn number_anew(now: &mut [Option<usize>]) {
    for (number, slot) in now.iter_mut().filter(|slot| slot.is_some()).enumerate() {
        *slot = Some(number);
    }
}

/// Sets one entry of a list that may be empty because all are alike.
fn set(list: &mut Vec<f64>, at: usize, length: usize, otherwise: f64, value: f64) {
    if list.is_empty() {
        list.resize(length, otherwise);
    }
    if let Some(entry) = list.get_mut(at) {
        *entry = value;
    }
}
