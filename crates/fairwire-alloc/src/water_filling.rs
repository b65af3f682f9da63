//! Max-min over a network: raise all rates together, freeze what is held.
//!
//! Progressive filling (`[wmfqc]` §II calls the result max-min fair) without
//! rounds: the *level* of a link is the rate per unit of weight at which it
//! fills up. Levels never sink while flows freeze below them, so an old level
//! in the heap is a lower bound, corrected when it surfaces. Cost: O(P log L)
//! for P crossings of flows over L links, plus sorting the finite demands.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::incidence::Incidence;

/// Capacities, and flows with routes over them.
pub(crate) struct Network<'a> {
    /// Capacity of each link, bit/s.
    pub capacities: &'a [f64],
    /// Links of each flow.
    pub routes: &'a Incidence,
    /// Demand of each flow, bit/s, possibly infinite.
    pub demands: &'a [f64],
    /// Weight of each flow.
    pub weights: &'a [f64],
}

/// Rates, and the link that holds each flow (`None`: it has its demand).
pub(crate) struct Filled {
    pub rates: Vec<f64>,
    pub bottleneck: Vec<Option<usize>>,
}

/// Weighted max-min rates of `network`.
pub(crate) fn fill(network: &Network) -> Filled {
    let crossing = network.routes.transposed(network.capacities.len());
    let mut state = State::new(network, &crossing);
    let mut demands = DemandQueue::new(network);

    while let Some(Surfaced { level, link }) = state.heap.pop() {
        while let Some(flow) = demands.next_up_to(level, &state.frozen) {
            state.freeze(flow, network.demands[flow], None);
        }
        let now = state.level_of(link);
        // Equal within rounding is equal: without the slack a link could
        // chase its own last digit.
        if now > level * (1.0 + 1e-12) {
            state.heap.push(Surfaced { level: now, link });
        } else if now.is_finite() {
            state.weigh_anew(link);
            let exact = state.level_of(link);
            if exact > level * (1.0 + 1e-9) {
                state.heap.push(Surfaced { level: exact, link });
            } else {
                state.fill_link(link, exact);
            }
        }
    }
    Filled { rates: state.rates, bottleneck: state.bottleneck }
}

struct State<'a> {
    network: &'a Network<'a>,
    crossing: &'a Incidence,
    rates: Vec<f64>,
    bottleneck: Vec<Option<usize>>,
    frozen: Vec<bool>,
    /// Capacity not taken by frozen flows, per link.
    left: Vec<f64>,
    /// Weight of the flows not frozen, per link, as a running difference.
    weight_left: Vec<f64>,
    /// Number of flows not frozen, per link.
    active: Vec<u32>,
    heap: BinaryHeap<Surfaced>,
}

impl<'a> State<'a> {
    fn new(network: &'a Network<'a>, crossing: &'a Incidence) -> Self {
        let flows = network.routes.len();
        let active: Vec<u32> = (0..crossing.len()).map(|link| crossing.row(link).len() as u32).collect();
        let weight_left: Vec<f64> =
            (0..crossing.len()).map(|link| crossing.indices(link).map(|flow| network.weights[flow]).sum()).collect();
        let heap = (0..crossing.len())
            .filter(|&link| active[link] > 0)
            .map(|link| Surfaced { level: network.capacities[link] / weight_left[link], link })
            .collect();
        Self {
            network,
            crossing,
            rates: vec![0.0; flows],
            bottleneck: vec![None; flows],
            frozen: vec![false; flows],
            left: network.capacities.to_vec(),
            weight_left,
            active,
            heap,
        }
    }

    /// The level at which `link` fills up as things stand; infinite when all
    /// its flows are frozen.
    fn level_of(&self, link: usize) -> f64 {
        match self.active[link] {
            0 => f64::INFINITY,
            _ => self.left[link].max(0.0) / self.weight_left[link].max(f64::MIN_POSITIVE),
        }
    }

    /// Sums the weights on a link again: in the running difference a light
    /// flow left over from heavy ones would drown in rounding.
    fn weigh_anew(&mut self, link: usize) {
        self.weight_left[link] =
            self.crossing.indices(link).filter(|&flow| !self.frozen[flow]).map(|flow| self.network.weights[flow]).sum();
    }

    fn fill_link(&mut self, link: usize, level: f64) {
        for flow in self.crossing.indices(link) {
            if !self.frozen[flow] {
                let rate = self.network.weights[flow] * level;
                if rate >= self.network.demands[flow] {
                    self.freeze(flow, self.network.demands[flow], None);
                } else {
                    self.freeze(flow, rate, Some(link));
                }
            }
        }
    }

    fn freeze(&mut self, flow: usize, rate: f64, bottleneck: Option<usize>) {
        self.rates[flow] = rate;
        self.bottleneck[flow] = bottleneck;
        self.frozen[flow] = true;
        let weight = self.network.weights[flow];
        for link in self.network.routes.indices(flow) {
            self.left[link] -= rate;
            self.weight_left[link] -= weight;
            self.active[link] -= 1;
        }
    }
}

/// Flows with a finite demand, by the level at which it is met.
struct DemandQueue {
    ascending: Vec<(f64, usize)>,
    next: usize,
}

impl DemandQueue {
    fn new(network: &Network) -> Self {
        let mut ascending: Vec<(f64, usize)> = network
            .demands
            .iter()
            .zip(network.weights)
            .enumerate()
            .filter(|(_, (demand, _))| demand.is_finite())
            .map(|(flow, (demand, weight))| (demand / weight, flow))
            .collect();
        ascending.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Self { ascending, next: 0 }
    }

    fn next_up_to(&mut self, level: f64, frozen: &[bool]) -> Option<usize> {
        while let Some(&(met_at, flow)) = self.ascending.get(self.next) {
            if met_at > level {
                return None;
            }
            self.next += 1;
            if !frozen[flow] {
                return Some(flow);
            }
        }
        None
    }
}

/// A link at a level that it reaches at the earliest; lowest first.
struct Surfaced {
    level: f64,
    link: usize,
}

impl Ord for Surfaced {
    fn cmp(&self, other: &Self) -> Ordering {
        other.level.total_cmp(&self.level).then(other.link.cmp(&self.link))
    }
}

impl PartialOrd for Surfaced {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Surfaced {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Surfaced {}
