//! What is granted first, apart from what is shared: what classes of a ring guarantee, and what goes before others in a network.

use super::{Flow, Way};
use crate::into::problem::{LEAST_LEFT_BPS, caps, network_problem, ring_orbit, ring_route};
use crate::network::Network;
use crate::ring::Ring;
use crate::{Scenario, Topology};
use fairwire_alloc::{Allocation, Criterion, Terms, solve_rates_with_terms};
use fairwire_core::{BitRate, ServiceClass};

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

    /// Adds to the fair rates of [`Scenario::problem`] what was granted before.
    pub(crate) fn grant(&self, allocation: &mut Allocation) {
        let Some(guaranteed) = self.guarantees() else { return };
        for ((fair, flow), granted) in allocation.flows.iter_mut().zip(self.flows()).zip(guaranteed.flows) {
            fair.rate_bps += granted;
            fair.low_bps += granted;
            fair.high_bps += granted;
            let route = match (self.topology(), &flow.way) {
                (Topology::Ring(ring), _) => ring_route(ring, flow),
                (_, Way::Network { links, .. }) => links.clone(),
                (_, Way::Ring { .. }) => Vec::new(),
            };
            route.into_iter().for_each(|link| allocation.links[link].load_bps += granted);
        }
    }
}
