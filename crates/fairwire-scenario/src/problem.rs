//! The scenario as a question for the allocation solvers.

use crate::Scenario;
use crate::flow::{Flow, Way};
use crate::guarantee::Guarantees;
use crate::network::Network;
use crate::ring::Ring;
use crate::scenario::Topology;
use crate::traffic::Traffic;
use fairwire_alloc as alloc;
use fairwire_core::{BitRate, Ringlet};

impl Scenario {
    /// Who competes for what, for any criterion: what is left when the guaranteed
    /// rates of the classes A0, A1 and B have been granted. Promises and ceilings
    /// stand beside it, in [`Scenario::terms`].
    ///
    /// All flows count as active at once, whatever their `start` and `stop`. A
    /// flow demands its mean rate, greedy ones demand without end. The links of
    /// a ring are `r0:0`, `r0:1`, … of ringlet 0 and then those of ringlet 1, by
    /// the station that each leaves; those of a network go by their names.
    pub fn problem(&self) -> alloc::Problem {
        let mut problem = self.whole_problem();
        if let Topology::Ring(ring) = self.topology() {
            let guaranteed = Guarantees::of(ring, self.flows());
            for (link, taken) in problem.links.iter_mut().zip(guaranteed.links) {
                link.capacity_bps -= taken;
            }
            for ((offered, granted), flow) in problem.flows.iter_mut().zip(guaranteed.flows).zip(self.flows()) {
                offered.demand_bps = if flow.class.is_primary() { 0.0 } else { offered.demand_bps - granted };
            }
        }
        problem
    }

    /// What flows and ingresses are promised in [`Scenario::problem`], and what flows
    /// may have at most beyond what their classes guarantee.
    pub fn terms(&self) -> alloc::Terms {
        let granted = self.guaranteed_bps();
        let of_flows = |otherwise: f64, get: &dyn Fn(&Flow) -> Option<f64>| {
            let beyond = |(flow, granted): (&Flow, &f64)| get(flow).map_or(otherwise, |rate| (rate - granted).max(0.0));
            listed(self.flows().iter().zip(&granted).map(beyond), otherwise)
        };
        let ingresses = match self.topology() {
            Topology::Ring(ring) => &ring.min_rates,
            Topology::Network(network) => &network.min_rates,
        };
        alloc::Terms {
            min_rates_bps: listed(self.flows().iter().map(|flow| flow.promised().as_bps_f64()), 0.0),
            peak_rates_bps: of_flows(f64::INFINITY, &|flow| flow.peak_rate.map(BitRate::as_bps_f64)),
            supported_rates_bps: of_flows(f64::INFINITY, &|flow| flow.supported_rate.map(BitRate::as_bps_f64)),
            ingress_min_rates_bps: listed(ingresses.iter().map(|minimum| minimum.rate.as_bps_f64()), 0.0),
        }
    }

    /// The scenario with every flow on the ringlet that `ways` gives it; flows
    /// with none offer nothing. A network stays as it is.
    #[must_use]
    pub fn steered(&self, ways: &[Option<Ringlet>]) -> Self {
        let mut steered = self.clone();
        if self.is_ring() {
            for (flow, way) in steered.flows.iter_mut().zip(ways) {
                match way {
                    Some(ringlet) => flow.way = Way::Ring { ringlet: *ringlet },
                    None => (flow.traffic, flow.min_rate) = (Traffic::constant(BitRate::ZERO), BitRate::ZERO),
                }
            }
        }
        steered
    }

    /// The whole links, before anything was granted, and what each flow can use of them:
    /// what it offers, up to its peak and supported rates.
    pub fn offered_problem(&self) -> alloc::Problem {
        let mut problem = self.whole_problem();
        for (asked, flow) in problem.flows.iter_mut().zip(self.flows()) {
            asked.demand_bps = flow.demand_bps();
        }
        problem
    }

    fn whole_problem(&self) -> alloc::Problem {
        match self.topology() {
            Topology::Ring(ring) => self.ring_problem(ring),
            Topology::Network(network) => self.network_problem(network),
        }
    }

    fn ring_problem(&self, ring: &Ring) -> alloc::Problem {
        let links = Ringlet::BOTH.into_iter().flat_map(|ringlet| {
            let number = ringlet.index();
            ring.ringlet(ringlet).into_iter().enumerate().map(move |(station, link)| alloc::Link {
                id: format!("r{number}:{station}"),
                capacity_bps: link.capacity.as_bps_f64(),
            })
        });
        alloc::Problem {
            nodes: (0..ring.stations).map(|station| station.to_string()).collect(),
            ingress_weights: ring.weights.clone(),
            links: links.collect(),
            flows: self.flows().iter().map(|flow| problem_flow(flow, flow.weight, ring_route(ring, flow))).collect(),
        }
    }

    fn network_problem(&self, network: &Network) -> alloc::Problem {
        let link =
            |link: &crate::NetworkLink| alloc::Link { id: link.name.clone(), capacity_bps: link.capacity.as_bps_f64() };
        let route = |flow: &Flow| match &flow.way {
            Way::Network { links, .. } => links.clone(),
            Way::Ring { .. } => Vec::new(),
        };
        alloc::Problem {
            nodes: network.nodes.clone(),
            ingress_weights: network.weights.clone(),
            links: network.links.iter().map(link).collect(),
            flows: self.flows().iter().map(|flow| problem_flow(flow, flow.share(), route(flow))).collect(),
        }
    }
}

fn problem_flow(flow: &Flow, weight: f64, route: Vec<usize>) -> alloc::Flow {
    alloc::Flow {
        id: flow.name.clone(),
        ingress: flow.from.index,
        egress: flow.to.index,
        route,
        demand_bps: flow.offered_bps(),
        weight,
    }
}

/// One value each, or none where all are the usual one.
fn listed(values: impl Iterator<Item = f64>, usual: f64) -> Vec<f64> {
    let values: Vec<f64> = values.collect();
    if values.iter().all(|&value| value == usual) { Vec::new() } else { values }
}

pub(crate) fn ring_route(ring: &Ring, flow: &Flow) -> Vec<usize> {
    let Way::Ring { ringlet } = flow.way else { return Vec::new() };
    let stations = usize::from(ring.stations);
    let hops = ringlet.hops(flow.from.index, flow.to.index, stations);
    let link = |station: &usize| Some(ringlet.downstream(*station, stations));
    std::iter::successors(Some(flow.from.index), link)
        .take(hops)
        .map(|station| ringlet.index() * stations + station)
        .collect()
}
