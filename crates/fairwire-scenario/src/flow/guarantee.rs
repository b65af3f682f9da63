//! What service classes guarantee, apart from what is shared.

use super::Flow;
use crate::into::problem::{ring_orbit, ring_route};
use crate::ring::Ring;
use crate::{Scenario, Topology};
use fairwire_alloc::Allocation;
use fairwire_core::{BitRate, ServiceClass};

/// What is guaranteed on a ring: granted first, and taken from the links.
pub(crate) struct Guarantees {
    /// Of each flow in bit/s: all of class A, and what class B uses of its committed rate.
    pub flows: Vec<f64>,
    /// On each link, ringlet 0 first. Class A0 is reserved on every link of its
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
    /// What each flow is guaranteed and uses, in bit/s: nothing, but for the
    /// classes A0, A1 and B of a ring.
    pub fn guaranteed_bps(&self) -> Vec<f64> {
        match self.topology() {
            Topology::Ring(ring) => Guarantees::of(ring, self.flows()).flows,
            Topology::Network(_) => vec![0.0; self.flows().len()],
        }
    }

    /// Adds to the fair rates of [`Scenario::problem`] what was granted before.
    pub fn grant(&self, allocation: &mut Allocation) {
        let Topology::Ring(ring) = self.topology() else { return };
        let guaranteed = Guarantees::of(ring, self.flows());
        for (flow, granted) in allocation.flows.iter_mut().zip(guaranteed.flows) {
            flow.rate_bps += granted;
            flow.low_bps += granted;
            flow.high_bps += granted;
        }
        for (flow, granted) in self.flows().iter().zip(self.guaranteed_bps()) {
            ring_route(ring, flow).into_iter().for_each(|link| allocation.links[link].load_bps += granted);
        }
    }
}
