//! The random networks: an endless list, each known by its number.
//!
//! | what | how it is drawn |
//! | --- | --- |
//! | shape | a chain, a tree or a mesh, equally often; 2 to 8 switches, in meshes 4 to 8 |
//! | flows | log-uniform, 2 to 200; ends uniform over ordered pairs of switches; shortest ways |
//! | on at the start | 7 of 10 |
//! | longest round trip | log-uniform, 10 µs to 50 ms, without packets' own times; links share it at random |
//! | fastest link | log-uniform, 50 Mb/s to 10 Gb/s; others down to a quarter of it, not below 50 Mb/s |
//! | packets | such that the longest round trip at the fastest link holds 100, but 53 B at least and 9 kB at most |
//! | MR | 0 for 3 of 10, else up to 0.8 of an equal share where capacities are lowest |
//! | weight | log-uniform, ½ to 4 |
//! | PR | log-uniform, half an equal share to twenty, up to the fastest link |
//! | SR | for 2 of 10 log-uniform, half an equal share to four; else PR or up to twice that |
//! | steps | four: flows that come and go, other terms for some, or another capacity of a link |
//! | capacities | in every second network one falls to 0.2 to 0.9 at one step; others rise by up to 2 |
//! | losses | in one of three networks every link loses 1 % of all packets |
//!
//! An equal share is the least, over a flow's links, of capacity by number of flows.

use super::case::Kind;
use super::network::{Deed, Flow, Link, Network};
use super::topology::Topology;
use fairwire_core::{BitRate, RandomStream, Span, Streams};
use fairwire_laws::rate::Terms;
use rand::RngExt;

/// The experiment from which the board takes its networks.
const SAMPLE_SEED: u64 = 2023;
const STEPS: usize = 4;
const FLOWS: (f64, f64) = (2.0, 200.0);
const ROUND_TRIP_S: (f64, f64) = (10e-6, 50e-3);
const CAPACITY_BPS: (f64, f64) = (50e6, 10e9);
const PACKETS_A_ROUND_TRIP: f64 = 100.0;
const PACKET_BYTES: (f64, f64) = (53.0, 9_000.0);
const LOSS: f64 = 0.01;

/// Random network `number`.
pub fn network(number: u64) -> (Kind, Network) {
    let mut draw = Streams::new(SAMPLE_SEED, number).component("random-network");
    let falls = number % 2 == 1;
    Draft::new(&mut draw, falls).finish(&mut draw)
}

/// Uniform in the logarithm.
pub fn log_uniform(draw: &mut RandomStream, (low, high): (f64, f64)) -> f64 {
    draw.random_range(low.ln()..high.ln()).exp()
}

/// What a step is about.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    Flows,
    Terms,
    Capacity { falls: bool },
}

/// Links and routes, and what capacities do.
struct Draft {
    topology: Topology,
    capacities: Vec<BitRate>,
    steps: Vec<Step>,
    /// What each step does to a link.
    changes: Vec<Option<(usize, BitRate)>>,
    /// The lowest capacity that each link has.
    lowest: Vec<BitRate>,
    fastest: BitRate,
}

impl Draft {
    fn new(draw: &mut RandomStream, falls: bool) -> Self {
        let flows = log_uniform(draw, FLOWS).round() as usize;
        let topology = Topology::new(draw, flows);
        let fastest_bps = log_uniform(draw, CAPACITY_BPS);
        let slowest_bps = (fastest_bps / 4.0).max(CAPACITY_BPS.0);
        let capacity = |draw: &mut RandomStream| log_uniform(draw, (slowest_bps, fastest_bps * (1.0 + 1e-9)));
        let capacities: Vec<_> = (0..topology.links.len()).map(|_| BitRate::from_bps_f64(capacity(draw))).collect();
        let mut steps: Vec<Step> = (0..STEPS)
            .map(|_| match draw.random_range(0..4) {
                0 | 1 => Step::Flows,
                2 => Step::Terms,
                _ => Step::Capacity { falls: false },
            })
            .collect();
        if falls {
            steps[draw.random_range(0..STEPS)] = Step::Capacity { falls: true };
        }
        let (mut now, mut lowest) = (capacities.clone(), capacities.clone());
        let change = |step: &Step| {
            let Step::Capacity { falls } = *step else { return None };
            let link = draw.random_range(0..now.len());
            let factor = if falls { draw.random_range(0.2..0.9) } else { draw.random_range(1.1..2.0) };
            now[link] = now[link].scaled(factor);
            lowest[link] = lowest[link].min(now[link]);
            Some((link, now[link]))
        };
        let changes = steps.iter().map(change).collect();
        Self { topology, fastest: BitRate::from_bps_f64(fastest_bps), capacities, steps, changes, lowest }
    }

    fn finish(self, draw: &mut RandomStream) -> (Kind, Network) {
        let round_trip_s = log_uniform(draw, ROUND_TRIP_S);
        let delays = self.topology.delays(draw, round_trip_s);
        let held_bytes = self.fastest.as_bps_f64() * round_trip_s / 8.0;
        let packet_bytes = (held_bytes / PACKETS_A_ROUND_TRIP).clamp(PACKET_BYTES.0, PACKET_BYTES.1) as u16;
        let flows = self.topology.routes.iter().enumerate().map(|(flow, route)| Flow {
            route: route.clone(),
            access: delays.access[flow],
            terms: self.terms(draw, route),
            is_on: flow == 0 || draw.random_bool(0.7),
        });
        let flows: Vec<Flow> = flows.collect();
        let mut on: Vec<bool> = flows.iter().map(|flow| flow.is_on).collect();
        let steps = self.steps.iter().zip(&self.changes).map(|(step, change)| match (step, change) {
            (Step::Flows, _) => come_and_go(draw, &mut on),
            (Step::Terms, _) => self.other_terms(draw, &on),
            (Step::Capacity { .. }, change) => {
                change.iter().map(|(link, capacity)| Deed::Capacity(*link, *capacity)).collect()
            }
        });
        let steps = steps.collect();
        let links = self.topology.links.iter().zip(&self.capacities).zip(&delays.links);
        let link =
            |((&(from, to), &capacity), &delay): ((&(u32, u32), &BitRate), &Span)| Link { from, to, capacity, delay };
        let links = links.map(link).collect();
        let loss = if draw.random_range(0..3) == 0 { LOSS } else { 0.0 };
        (self.topology.kind, Network { nodes: self.topology.nodes, links, flows, packet_bytes, loss, steps })
    }

    /// The least, over links, of what all flows have there if they have equal parts.
    fn equal_share_bps(&self, route: &[usize], capacities: &[BitRate]) -> f64 {
        let share = |link: &usize| capacities[*link].as_bps_f64() / self.topology.flows_over(*link) as f64;
        route.iter().map(share).fold(f64::INFINITY, f64::min)
    }

    fn terms(&self, draw: &mut RandomStream, route: &[usize]) -> Terms {
        let most_bps = 0.8 * self.equal_share_bps(route, &self.lowest);
        let equal_bps = self.equal_share_bps(route, &self.capacities);
        let minimum_bps = if draw.random_bool(0.3) { 0.0 } else { most_bps * draw.random_range(0.05..1.0) };
        let least_bps = minimum_bps.max(0.1 * equal_bps) * 1.1;
        let peak_bps = (equal_bps * log_uniform(draw, (0.5, 20.0))).min(self.fastest.as_bps_f64()).max(least_bps);
        let supported_bps = if draw.random_bool(0.2) {
            (equal_bps * log_uniform(draw, (0.5, 4.0))).max(least_bps)
        } else {
            peak_bps * draw.random_range(1.0..2.0)
        };
        Terms { minimum_bps, peak_bps, supported_bps, weight: log_uniform(draw, (0.5, 4.0)) }
    }

    /// Some of the flows that are on have other terms; one at least.
    fn other_terms(&self, draw: &mut RandomStream, on: &[bool]) -> Vec<Deed> {
        let part = draw.random_range(0.05..0.4);
        let there: Vec<usize> = (0..on.len()).filter(|flow| on[*flow]).collect();
        let sure = there[draw.random_range(0..there.len())];
        let chosen: Vec<usize> = there.into_iter().filter(|flow| *flow == sure || draw.random_bool(part)).collect();
        chosen.into_iter().map(|flow| Deed::Terms(flow, self.terms(draw, &self.topology.routes[flow]))).collect()
    }
}

/// Some flows that are on stop, and some that are off come on; one at least. Somebody stays.
fn come_and_go(draw: &mut RandomStream, on: &mut [bool]) -> Vec<Deed> {
    let part = draw.random_range(0.05..0.4);
    let sure = draw.random_range(0..on.len());
    let mut deeds = Vec::new();
    for flow in 0..on.len() {
        let is_last = on[flow] && on.iter().filter(|on| **on).count() == 1;
        if (flow == sure || draw.random_bool(part)) && !is_last {
            on[flow] = !on[flow];
            deeds.push(if on[flow] { Deed::Start(flow) } else { Deed::Stop(flow) });
        }
    }
    if deeds.is_empty() {
        // The one that is on was chosen alone: another one comes.
        let other = on.iter().position(|on| !on).unwrap_or(0);
        on[other] = true;
        deeds.push(Deed::Start(other));
    }
    deeds
}
