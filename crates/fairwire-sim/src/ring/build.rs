//! From a plan to stations at rest.

use super::add_queue::AddQueue;
use super::adds::Adds;
use super::ledger::Ledger;
use super::limiter::Limiter;
use super::link::OutgoingLink;
use super::mac::Mac;
use super::source::Source;
use super::transit_queue::TransitQueue;
use crate::plan::{Arrivals, FlowPlan, Overflow, RingPlan, StationQueues};
use fairwire_core::{BitRate, Bytes, Ringlet, Span, StationId, Streams, Weight};
use fairwire_laws::ring::{RingLaw, RingSite, SiteFlow};

/// The (ingress, egress) pairs that enter `ringlet` at `station`, nearest egress first.
fn pairs(plan: &RingPlan, ringlet: Ringlet, station: StationId) -> Vec<SiteFlow> {
    let mut pairs: Vec<SiteFlow> = Vec::new();
    for flow in plan.flows.iter().filter(|flow| flow.ringlet == ringlet && flow.from == station) {
        match pairs.iter_mut().find(|pair| pair.egress == flow.to) {
            // A pair weighs as much as its flows together.
            Some(pair) => pair.weight = Weight::new(pair.weight.get() + flow.weight.get()).unwrap_or(pair.weight),
            None => pairs.push(SiteFlow { egress: flow.to, hops: hops(plan, flow), weight: flow.weight }),
        }
    }
    pairs.sort_by_key(|pair| pair.hops);
    pairs
}

fn hops(plan: &RingPlan, flow: &FlowPlan) -> usize {
    flow.ringlet.hops(flow.from.index(), flow.to.index(), plan.stations.len())
}

pub fn ledger(plan: &RingPlan) -> Ledger {
    Ledger::new(plan, |flow| {
        let pairs = pairs(plan, flow.ringlet, flow.from);
        pairs.iter().position(|pair| pair.egress == flow.to).unwrap_or(0) as u16
    })
}

/// The largest packet that any source sends.
pub fn max_packet(plan: &RingPlan) -> Bytes {
    let largest = |flow: &FlowPlan| {
        let mean = f64::from(flow.traffic.packet_bytes);
        flow.traffic.packet_bytes + (mean * flow.traffic.size_jitter) as u16
    };
    Bytes::new(plan.flows.iter().map(largest).max().unwrap_or(1).into())
}

pub fn mac<L: RingLaw>(
    plan: &RingPlan,
    params: &L::Params,
    ringlet: Ringlet,
    station: usize,
    max_packet: Bytes,
    ledger: &Ledger,
) -> Mac<L> {
    let id = StationId(station as u16);
    let flows = pairs(plan, ringlet, id);
    let limiters = limiters(plan, ringlet, id, &flows, max_packet);
    let site = RingSite {
        station: id,
        ringlet,
        capacities: plan.links[ringlet.index()].iter().map(|link| link.capacity).collect(),
        weights: plan.stations.iter().map(|station| station.weight).collect(),
        ring_time: ring_time(plan, ringlet),
        max_packet,
        flows,
        delays: plan.links[ringlet.index()].iter().map(|link| link.delay).collect(),
        reserved: BitRate::ZERO,
        secondary_buffer: None,
    };
    let hold_reserve = match plan.transit.overflow {
        Overflow::Drop => None,
        // A packet joins; then one comes whose bits had passed before, while one as large is
        // in transmission; from there on what comes is no more than what goes.
        Overflow::Hold => Some(3 * max_packet.get()),
    };
    let adds = Adds::new(add_queues(plan, ringlet, id, &site), limiters, hold_reserve.is_some(), ledger);
    let link = OutgoingLink::new(&plan.links[ringlet.index()][station]);
    let queue = TransitQueue::new(plan.transit.buffer);
    Mac::new(id.0, L::new(params, site), queue, link, adds, hold_reserve)
}

fn ring_time(plan: &RingPlan, ringlet: Ringlet) -> Span {
    plan.links[ringlet.opposite().index()].iter().map(|link| link.delay).sum()
}

/// One limiter a pair, open until the law sets a rate; a source without end is
/// bounded by its access line, as fast as the ring's link, from the start.
fn limiters(plan: &RingPlan, ringlet: Ringlet, station: StationId, pairs: &[SiteFlow], depth: Bytes) -> Vec<Limiter> {
    let line = plan.links[ringlet.index()][station.index()].capacity;
    let greedy = |pair: &SiteFlow| {
        own_flows(plan, ringlet, station)
            .any(|(_, flow)| flow.to == pair.egress && flow.traffic.arrivals == Arrivals::Greedy)
    };
    pairs
        .iter()
        .map(|pair| {
            let mut limiter = Limiter::open(depth);
            if greedy(pair) {
                limiter.set_rate(0, line);
            }
            limiter
        })
        .collect()
}

fn own_flows(plan: &RingPlan, ringlet: Ringlet, station: StationId) -> impl Iterator<Item = (usize, &FlowPlan)> {
    plan.flows.iter().enumerate().filter(move |(_, flow)| flow.ringlet == ringlet && flow.from == station)
}

fn add_queues(plan: &RingPlan, ringlet: Ringlet, station: StationId, site: &RingSite) -> Vec<AddQueue> {
    let groups: Vec<Vec<(usize, &FlowPlan)>> = match plan.station_queues {
        StationQueues::PerDestination => site
            .flows
            .iter()
            .map(|pair| own_flows(plan, ringlet, station).filter(|(_, flow)| flow.to == pair.egress).collect())
            .collect(),
        StationQueues::Single => vec![own_flows(plan, ringlet, station).collect()],
    };
    let streams = Streams::new(plan.seed, plan.run);
    let line = plan.links[ringlet.index()][station.index()].capacity;
    let queue = |flows: Vec<(usize, &FlowPlan)>| {
        let shares = flows.len() > 1;
        let source = |(index, flow): (usize, &FlowPlan)| {
            let rng = streams.component(&format!("source/{}", flow.name));
            Source::new(index as u32, flow, shares, line, rng)
        };
        AddQueue::new(plan.station_buffer.get(), flows.into_iter().map(source).collect())
    };
    groups.into_iter().filter(|flows| !flows.is_empty()).map(queue).collect()
}
