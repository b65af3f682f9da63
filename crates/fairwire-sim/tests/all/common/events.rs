//! Rings on which spans are cut and stations fall silent.

use super::{cbr, flow, law, random_plan, ring};
use fairwire_core::{Instant, RandomStream, Ringlet, Span, StationId};
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::*;
use fairwire_sim::*;
use rand::RngExt;

pub fn ms(ms: u64) -> Instant {
    Instant::ZERO + Span::from_millis(ms)
}

pub fn event(at: Instant, change: RingChange) -> RingEvent {
    RingEvent { at, change }
}

/// A flow that takes the shorter way.
pub fn shortest(from: u16, to: u16, stations: u16, arrivals: Arrivals) -> FlowPlan {
    let hops = (to + stations - from) % stations;
    let ringlet = if 2 * hops <= stations { Ringlet::Zero } else { Ringlet::One };
    FlowPlan { ringlet, ..flow(from, to, arrivals) }
}

/// Bit rate of a flow from row `from` of 1 ms to row `to`.
pub fn rate_between(record: &RunRecord, flow: usize, from: usize, to: usize) -> f64 {
    let bytes: u64 = record.flows[flow].delivered_bytes[from..to].iter().map(|bytes| u64::from(*bytes)).sum();
    bytes as f64 * 8.0 / ((to - from) as f64 * 1e-3)
}

/// Runs it both ways through time, which must not differ, and insists that the books balance and
/// that stations which hold back lose nothing.
pub fn run_both(plan: &RingPlan, law: &RingLawChoice, what: &str) -> RunRecord {
    let on = |engine| simulate(&RingPlan { engine, ..plan.clone() }, law).unwrap();
    let (windows, events) = (on(EnginePath::Windows), on(EnginePath::Events));
    let wrong: Vec<_> = windows
        .violations
        .iter()
        .filter(|wrong| ["packets entered", "taken in", "must lose none"].iter().any(|kind| wrong.contains(kind)))
        .collect();
    assert!(wrong.is_empty(), "{what}: {wrong:?}");
    assert_eq!(windows.topology, events.topology, "{what}");
    for (a, b) in windows.flows.iter().zip(&events.flows) {
        assert_eq!(a, b, "{what}");
    }
    assert!(windows == events, "{what}");
    windows
}

/// A random plan that `fits`, with a queue and a way for each pair, some of whose flows must stay in order.
pub fn random_steerable_plan(
    draw: &mut RandomStream,
    fits: impl Fn(&RingPlan) -> bool,
    duration: Span,
) -> (RingPlan, RingLawChoice) {
    let (mut plan, law) = loop {
        let (plan, law) = random_plan(draw.random_range(0..1_000_000));
        if plan.stations.len() > 2 && fits(&plan) {
            break (plan, law);
        }
    };
    plan.station_queues = StationQueues::PerDestination;
    for index in 0..plan.flows.len() {
        let (from, to) = (plan.flows[index].from, plan.flows[index].to);
        let first = plan.flows.iter().position(|flow| (flow.from, flow.to) == (from, to)).unwrap();
        plan.flows[index].ringlet = plan.flows[first].ringlet;
    }
    plan.duration = duration;
    plan.window = Span::from_micros(500);
    plan.flows.iter_mut().for_each(|flow| {
        flow.stop = Instant::NEVER;
        flow.strict_order = (flow.from.0 + flow.to.0) % 3 == 0;
    });
    (plan, law)
}

/// Up to `most` events before `end_ns`, each one of `changes` somewhere on a ring of so many stations.
pub fn random_events(
    draw: &mut RandomStream,
    stations: usize,
    most: usize,
    changes: &[fn(StationId) -> RingChange],
    end_ns: u64,
) -> Vec<RingEvent> {
    let count = draw.random_range(1..=most);
    let one = |_| {
        let at = StationId(draw.random_range(0..stations as u16));
        let change = changes[draw.random_range(0..changes.len())](at);
        event(Instant::from_nanos(draw.random_range(0..end_ns)), change)
    };
    (0..count).map(one).collect()
}

/// A loaded ring of 16, every other flow in strict order, under one of three laws: a span is cut and mended, then
/// a station is lost from some time after `lost_ms` on, and comes back some time after `back_ms`.
pub fn troubled_ring(
    draw: &mut RandomStream,
    number: u64,
    duration: Span,
    [lost_ms, back_ms]: [u64; 2],
    protect: impl Fn(RingPlan, Vec<RingEvent>) -> RingPlan,
) -> (RingPlan, RingLawChoice) {
    let stations = 16;
    let flows = (0..stations).map(|from| {
        let arrivals = if draw.random_bool(0.5) { Arrivals::Greedy } else { cbr(90_000_000) };
        let to = (from + draw.random_range(1..stations)) % stations;
        FlowPlan { strict_order: from % 2 == 0, ..shortest(from, to, stations, arrivals) }
    });
    let plain = RingPlan { flows: flows.collect(), duration, ..ring(stations.into()) };
    let span = StationId(draw.random_range(0..stations));
    let lost = StationId(draw.random_range(0..stations));
    let mut after = |from_ms: u64| ms(from_ms) + Span::from_nanos(draw.random_range(0..15_000_000));
    let events = vec![
        event(after(20), RingChange::Cut(span)),
        event(after(50), RingChange::Restore(span)),
        event(after(lost_ms), RingChange::StationDown(lost)),
        event(after(back_ms), RingChange::StationUp(lost)),
    ];
    let overflow = if number.is_multiple_of(2) { Overflow::Drop } else { Overflow::Hold };
    let plan = protect(plain, events);
    let transit = TransitPlan { overflow, ..plan.transit };
    (RingPlan { transit, ..plan }, law(["fifo", "dvsr", "dvsr-plus"][number as usize % 3]))
}
