//! What is granted first, apart from what is shared: what classes of a ring guarantee, and what goes before others in a network.

use super::Flow;
use crate::into::problem::{LEAST_LEFT_BPS, caps, network_problem, ring_orbit, ring_route};
use crate::network::Network;
use crate::ring::Ring;
use crate::{Scenario, Topology};
use fairwire_alloc::{Allocation, Criterion, Limit, Problem, Terms, solve_rates_with_terms, text};
use fairwire_core::{BitRate, ServiceClass};
use std::sync::Arc;

/// What is granted first, and taken from the links.
pub(crate) struct Guarantees {
    /// Of each flow in bit/s: on a ring all of class A, and what class B uses of its committed rate; in a network
    /// all that flows of high priority have.
    pub flows: Vec<f64>,
    /// On each link, of a ring ringlet 0 first. Class A0 is reserved on every link of its
    /// ringlet, used or not, and where stations wrap on all that are one ringlet with it; the
    /// rest counts where it goes.
    pub links: Vec<f64>,
}

impl Guarantees {
    pub fn of(ring: &Ring, flows: &[Flow]) -> Self {
        let stations = usize::from(ring.stations);
        let granted = |flow: &Flow| flow.demand_bps().min(flow.committed().as_bps_f64());
        let mut links = vec![0.0; 2 * stations];
        for flow in flows {
            let route = ring_route(ring, flow);
            if flow.class == ServiceClass::A0 {
                let reserved = flow.committed().as_bps_f64();
                ring_orbit(ring, flow).into_iter().for_each(|link| links[link] += reserved);
            } else {
                route.into_iter().for_each(|link| links[link] += granted(flow));
            }
        }
        Self { flows: flows.iter().map(granted).collect(), links }
    }

    /// What flows of high priority have: they share, weighted max-min with their minimums, what the minimums of all others
    /// leave of each link.
    ///
    /// None where no flow has high priority, and where minimums do not fit: that is an error elsewhere.
    pub fn of_priority(network: &Network, flows: &[Flow]) -> Option<Self> {
        flows.iter().find(|flow| flow.high_priority)?;
        let mut problem = network_problem(network, flows);
        for (asked, flow) in problem.flows.iter_mut().zip(flows).filter(|(_, flow)| !flow.high_priority) {
            let promised = flow.promised().as_bps_f64().min(flow.demand_bps());
            asked.demand_bps = 0.0;
            asked.route.iter().for_each(|&link| problem.links[link].capacity_bps -= promised);
        }
        problem.links.iter_mut().for_each(|link| link.capacity_bps = link.capacity_bps.max(LEAST_LEFT_BPS));
        let of_high = |flow: &Flow| if flow.high_priority { flow.promised().as_bps_f64() } else { 0.0 };
        let terms = Terms { min_rates_bps: flows.iter().map(of_high).collect(), ..caps(flows) };
        let rates = solve_rates_with_terms(&problem, &terms, Criterion::GeneralWeighted).ok()?;
        let mut links = vec![0.0; problem.links.len()];
        for (flow, rate) in problem.flows.iter().zip(&rates.rates_bps) {
            flow.route.iter().for_each(|&link| links[link] += rate);
        }
        Some(Self { flows: rates.rates_bps, links })
    }

    /// Whether nothing of a link is left to be shared.
    fn use_up(&self, link: usize, capacity_bps: f64) -> bool {
        capacity_bps - self.links[link] < LEAST_LEFT_BPS
    }

    /// The first flow, in the order of the file, with which a link guarantees as
    /// much as it can carry, and that link.
    pub fn too_much(ring: &Ring, flows: &[Flow], capacities: &[BitRate]) -> Option<(usize, usize)> {
        let guaranteed = |flow: &Flow| flow.committed() > BitRate::ZERO;
        (0..flows.len()).filter(|&flow| guaranteed(&flows[flow])).find_map(|flow| {
            let all = Self::of(ring, &flows[..=flow]);
            let full = all.links.iter().zip(capacities).position(|(used, capacity)| *used >= capacity.as_bps_f64());
            full.map(|link| (flow, link))
        })
    }
}

impl Scenario {
    pub(crate) fn guarantees(&self) -> Option<Guarantees> {
        match self.topology() {
            Topology::Ring(ring) => Some(Guarantees::of(ring, self.flows())),
            Topology::Network(network) => Guarantees::of_priority(network, self.flows()),
        }
    }

    /// What each flow is granted before anything is shared and uses, in bit/s: nothing, but for the
    /// classes A0, A1 and B of a ring, and for high priority in a network.
    pub fn guaranteed_bps(&self) -> Vec<f64> {
        self.guarantees().map_or_else(|| vec![0.0; self.flows().len()], |granted| granted.flows)
    }

    /// What turns the rates of [`Scenario::problem`] into those of flows; none if nothing is granted.
    pub(crate) fn granting(&self) -> Option<Granting> {
        let guaranteed = self.guarantees().filter(|granted| granted.links.iter().any(|&bps| bps > 0.0))?;
        let whole = self.offered_problem();
        let is_used_up = |link: &usize| guaranteed.use_up(*link, whole.links[*link].capacity_bps);
        let left_nothing = whole.flows.iter().map(|flow| flow.route.iter().any(is_used_up)).collect();
        Some(Granting { guaranteed, left_nothing, whole })
    }
}

/// What is granted before anything is shared, and to whom it leaves nothing.
pub(crate) struct Granting {
    guaranteed: Guarantees,
    /// Of each flow whether what is granted first takes all of a link on its way. Solvers know no link without capacity, and
    /// give all these flows [`LEAST_LEFT_BPS`] together.
    left_nothing: Vec<bool>,
    /// The whole links.
    whole: Problem,
}

impl Granting {
    /// The whole rate of a flow that shares so much of what is left, in bit/s.
    pub fn rate_bps(&self, flow: usize, shared_bps: f64) -> f64 {
        self.guaranteed.flows[flow] + if self.left_nothing[flow] { 0.0 } else { shared_bps }
    }

    /// Adds to fair rates of what is left what was granted before, and tells it where a link holds a flow.
    pub fn complete(&self, allocation: &mut Allocation) {
        for (number, fair) in allocation.flows.iter_mut().enumerate() {
            let shared_bps = fair.rate_bps;
            for bps in [&mut fair.rate_bps, &mut fair.low_bps, &mut fair.high_bps] {
                *bps = self.rate_bps(number, *bps);
            }
            for &link in &self.whole.flows[number].route {
                allocation.links[link].load_bps += fair.rate_bps - shared_bps;
            }
            if let Limit::Link { link, why, sharers } = &mut fair.limited_by {
                let [capacity_bps, granted_bps] = [self.whole.links[*link].capacity_bps, self.guaranteed.links[*link]];
                let [capacity, granted] = [capacity_bps, granted_bps].map(text::rate);
                if self.guaranteed.use_up(*link, capacity_bps) {
                    *sharers = Arc::default();
                    *why = format!(
                        "link {} is full: all of its {capacity} are granted first to others",
                        self.whole.links[*link].id
                    );
                } else if granted_bps > 0.0 {
                    why.push_str(&format!("; {granted} of the link's {capacity} are granted first"));
                }
            }
        }
    }
}
