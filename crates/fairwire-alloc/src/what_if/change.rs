//! What could be different, and the problem that comes of it.

use crate::problem::is_finite_positive;
use crate::{AllocError, Flow, Problem, Terms};

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

/// A problem in the making, and where things have gone.
pub(super) struct Changed {
    pub problem: Problem,
    pub terms: Terms,
    /// Index of each flow in the changed problem, if it is there.
    pub flow_now: Vec<Option<usize>>,
    /// The same of each link.
    pub link_now: Vec<Option<usize>>,
}

impl Changed {
    pub fn new(problem: &Problem, terms: &Terms) -> Self {
        Self {
            flow_now: (0..problem.flows.len()).map(Some).collect(),
            link_now: (0..problem.links.len()).map(Some).collect(),
            problem: problem.clone(),
            terms: terms.clone(),
        }
    }

    pub fn make(&mut self, change: &Change) -> Result<(), AllocError> {
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
    pub fn without_the_gone(mut self) -> Self {
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
