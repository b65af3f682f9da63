//! The scenario as a question for the allocation solvers.

use crate::Scenario;
use crate::flow::{Flow, Way};
use crate::network::Network;
use crate::ring::Ring;
use crate::topology::Topology;
use fairwire_alloc as alloc;
use fairwire_core::{BitRate, Ringlet};
use fairwire_plan::{DeadSpans, Phase};

impl Scenario {
    /// Who competes for what, for any criterion: what is left when the guaranteed
    /// rates of the classes A0, A1 and B, and what flows of high priority have, have been granted. Promises and ceilings
    /// stand beside it, in [`Scenario::terms`].
    ///
    /// All flows count as active at once, whatever their `start` and `stop`. A
    /// flow demands its mean rate, greedy ones demand without end. The links of
    /// a ring are `r0:0`, `r0:1`, … of ringlet 0 and then those of ringlet 1, by
    /// the station that each leaves; those of a network go by their names.
    pub fn problem(&self) -> alloc::Problem {
        let mut problem = self.whole_problem();
        if let Some(guaranteed) = self.guarantees() {
            for (link, taken) in problem.links.iter_mut().zip(guaranteed.links) {
                link.capacity_bps = (link.capacity_bps - taken).max(LEAST_LEFT_BPS);
            }
            for ((offered, granted), flow) in problem.flows.iter_mut().zip(guaranteed.flows).zip(self.flows()) {
                offered.demand_bps = if flow.has_all_it_gets() { 0.0 } else { offered.demand_bps - granted };
            }
        }
        problem
    }

    /// What flows and ingresses are promised in [`Scenario::problem`], and what flows
    /// may have at most beyond what their classes guarantee.
    pub fn terms(&self) -> alloc::Terms {
        let granted = self.guaranteed_bps();
        let caps = caps(self.flows());
        let beyond = |most: Vec<f64>| {
            let left = most.iter().zip(&granted).map(|(most, granted)| (most - granted).max(0.0));
            listed(left, f64::INFINITY)
        };
        let promised = |flow: &Flow| if flow.has_all_it_gets() { 0.0 } else { flow.promised().as_bps_f64() };
        let ingresses = match self.topology() {
            Topology::Ring(ring) => by_place(ring, &ring.min_rates),
            Topology::Network(network) => network.min_rates.clone(),
        };
        alloc::Terms {
            min_rates_bps: listed(self.flows().iter().map(promised), 0.0),
            peak_rates_bps: beyond(caps.peak_rates_bps),
            supported_rates_bps: beyond(caps.supported_rates_bps),
            ingress_min_rates_bps: listed(ingresses.iter().map(|minimum| minimum.rate.as_bps_f64()), 0.0),
        }
    }

    /// The scenario with every flow on the way that it takes in `phase`; flows with none
    /// offer nothing. A network stays as it is.
    ///
    /// Where stations wrap, an open ring is one ringlet on which each station stands twice, once for each
    /// ringlet it sends on, and criteria that count by ingress count each by itself: the
    /// nodes of [`Scenario::problem`] are then the stations on ringlet 0 and those on ringlet 1.
    #[must_use]
    pub fn after(&self, phase: &Phase) -> Self {
        let mut after = self.clone();
        if let Topology::Ring(ring) = &mut after.topology {
            ring.folded.clone_from(&phase.folded);
            for (flow, way) in after.flows.iter_mut().zip(&phase.ways) {
                match way {
                    Some(ringlet) => flow.way = Way::Ring { ringlet: *ringlet },
                    None => flow.silence(),
                }
            }
        }
        after
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
            Topology::Network(network) => network_problem(network, self.flows()),
        }
    }

    fn ring_problem(&self, ring: &Ring) -> alloc::Problem {
        let links = Ringlet::BOTH.into_iter().flat_map(|ringlet| {
            ring.ringlet(ringlet).into_iter().enumerate().map(move |(station, link)| alloc::Link {
                id: ringlet.link_name(station),
                capacity_bps: link.capacity.as_bps_f64(),
            })
        });
        let nodes: Vec<String> = match ring.folded {
            None => (0..ring.stations).map(|station| station.to_string()).collect(),
            Some(_) => Ringlet::BOTH
                .into_iter()
                .flat_map(|on| (0..ring.stations).map(move |at| format!("{at} on ringlet {}", on.index())))
                .collect(),
        };
        let flow = |flow: &Flow| {
            let problem_flow = problem_flow(flow, flow.weight, ring_route(ring, flow));
            alloc::Flow { ingress: ingress(ring, flow), ..problem_flow }
        };
        alloc::Problem {
            nodes,
            ingress_weights: by_place(ring, &ring.weights),
            links: links.collect(),
            flows: self.flows().iter().map(flow).collect(),
        }
    }
}

/// So much is left of a link at least, in bit/s: solvers know no link without capacity.
pub(crate) const LEAST_LEFT_BPS: f64 = 1.0;

pub(crate) fn network_problem(network: &Network, flows: &[Flow]) -> alloc::Problem {
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
        flows: flows.iter().map(|flow| problem_flow(flow, flow.share(), route(flow))).collect(),
    }
}

/// Peak and supported rates of flows, infinite where there are none; no promises.
pub(crate) fn caps(flows: &[Flow]) -> alloc::Terms {
    let most = |get: fn(&Flow) -> Option<BitRate>| {
        flows.iter().map(|flow| get(flow).map_or(f64::INFINITY, BitRate::as_bps_f64)).collect()
    };
    alloc::Terms {
        min_rates_bps: Vec::new(),
        peak_rates_bps: most(|flow| flow.peak_rate),
        supported_rates_bps: most(|flow| flow.supported_rate),
        ingress_min_rates_bps: Vec::new(),
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

/// What stations have, once for each place where they send.
fn by_place<T: Clone>(ring: &Ring, of_stations: &[T]) -> Vec<T> {
    let times = if ring.folded.is_some() { 2 } else { 1 };
    (0..times).flat_map(|_| of_stations.iter().cloned()).collect()
}

/// The node where a flow enters a ring.
fn ingress(ring: &Ring, flow: &Flow) -> usize {
    match flow.way {
        Way::Ring { ringlet } if ring.folded.is_some() => place(ring, (ringlet, flow.from.index)),
        _ => flow.from.index,
    }
}

/// The number of the link of a ringlet that leaves a station.
fn place(ring: &Ring, (ringlet, station): (Ringlet, usize)) -> usize {
    ringlet.index() * usize::from(ring.stations) + station
}

/// The links that the flow crosses; one that has no way only the first.
pub(crate) fn ring_route(ring: &Ring, flow: &Flow) -> Vec<usize> {
    let Way::Ring { ringlet } = flow.way else { return Vec::new() };
    let (from, to) = (flow.from.index, flow.to.index);
    let route = match &ring.folded {
        Some(spans) => spans.wrapped_route(ringlet, from, to),
        None => DeadSpans::none(ring.stations.into()).wrapped_route(ringlet, from, to),
    };
    route.unwrap_or_else(|| vec![(ringlet, from)]).into_iter().map(|link| place(ring, link)).collect()
}

/// All links that make one ringlet with those that the flow crosses.
pub(crate) fn ring_orbit(ring: &Ring, flow: &Flow) -> Vec<usize> {
    let Way::Ring { ringlet } = flow.way else { return Vec::new() };
    let intact = DeadSpans::none(ring.stations.into());
    let spans = ring.folded.as_ref().unwrap_or(&intact);
    spans.orbit(ringlet, flow.from.index).into_iter().map(|link| place(ring, link)).collect()
}
