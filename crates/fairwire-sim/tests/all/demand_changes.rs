//! Flows that offer other rates from some time on.

use crate::common::{cbr, law, random_plan, ring};
use crate::network_common::{link, network, random_network};
use fairwire_core::{BitRate, Instant, RandomStream, Span, StationId, Streams};
use fairwire_plan::*;
use fairwire_sim::*;
use rand::RngExt;

fn ms(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

fn change(at_ms: u64, flow: usize, kbps: u64) -> DemandChange {
    DemandChange { at: ms(at_ms), flow, demand: BitRate::from_bps(kbps * 1_000) }
}

/// 1000 bytes each ms, then each 4 ms, then none, then two each ms; written in no order.
fn changes() -> Vec<DemandChange> {
    vec![change(300, 0, 16_000), change(100, 0, 2_000), change(200, 0, 0)]
}

#[test]
fn a_source_begins_anew_at_each_rate() {
    let mut plan = network(2);
    plan.links = vec![link(0, 1, 100, Span::ZERO)];
    plan.flows = vec![crate::network_common::flow("a", &[0], &[], crate::network_common::cbr(8_000, 0.0))];
    (plan.duration, plan.demand_changes) = (Span::from_millis(400), changes());
    let record = crate::network_common::run(&plan);
    let sent = |from: usize, to: usize| record.flows[0].delivered_bytes[from / 10..to / 10].iter().sum::<u32>() / 1_000;
    assert_eq!(record.flows[0].sent, 100 + 25 + 200);
    assert_eq!([sent(0, 100), sent(100, 200), sent(200, 300), sent(300, 400)], [100, 25, 0, 200]);
    // What begins later, or stops, does so at its own time.
    (plan.flows[0].start, plan.flows[0].stop) = (ms(150), ms(350));
    assert_eq!(
        crate::network_common::run(&plan).flows[0].sent,
        13 + 100,
        "from 150 ms on each 4 ms, then 50 ms at two each ms"
    );
    plan.flows[0].micro_flows = 3;
    assert_eq!(crate::network_common::run(&plan).flows[0].sent, 3 * 113, "each micro-flow changes");
    let mut plan = ring(4);
    plan.flows = vec![crate::common::flow(0, 2, cbr(8_000_000)), crate::common::flow(1, 2, Arrivals::Greedy)];
    (plan.duration, plan.demand_changes) = (Span::from_millis(400), changes());
    for name in ["fifo", "dvsr"] {
        assert_eq!(crate::common::run(&plan, &law(name)).flows[0].offered, 100 + 25 + 200, "{name}");
    }
}

fn random_changes(
    draw: &mut RandomStream,
    flows: impl Iterator<Item = Offer>,
    greedy_can: bool,
    end: u64,
    fastest: u64,
) -> Vec<DemandChange> {
    let able: Vec<_> = flows.enumerate().filter(|(_, offer)| offer.steadfast(greedy_can).is_none()).collect();
    let mut changes = Vec::new();
    for (flow, _) in able {
        for _ in 0..draw.random_range(0..4) {
            let demand = if draw.random_bool(0.2) { 0 } else { draw.random_range(1_000_000..fastest) };
            let at = Instant::from_nanos(draw.random_range(0..end));
            changes.push(DemandChange { at, flow, demand: BitRate::from_bps(demand) });
        }
    }
    changes
}

#[test]
fn both_ways_through_time_agree_and_nothing_changes_before_its_time() {
    let mut changed = 0;
    for number in 0..120 {
        let mut draw = Streams::new(number, 9).component("changes");
        let (plan, law) = random_plan(number);
        let end = plan.duration.as_nanos();
        let offers = plan.flows.iter().map(|flow| flow.offer);
        let demand_changes = random_changes(&mut draw, offers, false, end, 500_000_000);
        let weight_changes: Vec<_> = (0..draw.random_range(0..3))
            .map(|_| WeightChange {
                at: Instant::from_nanos(draw.random_range(0..end)),
                station: StationId(draw.random_range(0..plan.stations.len() as u16)),
                weight: crate::common::weight(draw.random_range(0.5..6.0)),
            })
            .collect();
        let times = demand_changes.iter().map(|change| change.at);
        let first = times.chain(weight_changes.iter().map(|change| change.at)).min().unwrap_or(Instant::NEVER);
        let [windows, events] = [EnginePath::Windows, EnginePath::Events].map(|engine| RingPlan {
            engine,
            demand_changes: demand_changes.clone(),
            weight_changes: weight_changes.clone(),
            ..plan.clone()
        });
        let record = crate::common::run(&windows, &law);
        assert!(record == crate::common::run(&events, &law), "ring {number}");
        changed += u64::from(record.flows != crate::common::run(&plan, &law).flows);
        let [mut with, mut without] = [windows, plan].map(|plan| RingSimulation::new(plan, &law).unwrap());
        with.advance(first);
        without.advance(first);
        assert!(with.view() == without.view(), "ring {number}");

        let plan = random_network(number);
        let end = plan.duration.as_nanos();
        let offers = plan.flows.iter().map(|flow| flow.offer);
        let demand_changes = random_changes(&mut draw, offers, true, end, 8_000_000);
        let first = demand_changes.iter().map(|change| change.at).min().unwrap_or(Instant::NEVER);
        let [ahead, events] = [NetworkEngine::Ahead, NetworkEngine::Events].map(|engine| NetworkPlan {
            engine,
            demand_changes: demand_changes.clone(),
            flow_changes: Vec::new(),
            ..plan.clone()
        });
        let record = crate::network_common::run(&ahead);
        assert!(record == crate::network_common::run(&events), "network {number}");
        changed += u64::from(record.flows != crate::network_common::run(&plan).flows);
        let [mut with, mut without] = [ahead, plan].map(|plan| NetworkSimulation::new(plan).unwrap());
        with.advance(first);
        without.advance(first);
        assert!(with.view() == without.view(), "network {number}");
    }
    assert!(changed > 80, "only {changed} runs became others");
}

/// Two stations send without end to a third one; at 40 ms the first weighs three times as much as the other.
#[test]
fn stations_share_by_their_new_weights() {
    for name in ["dvsr", "dvsr-plus"] {
        let law = law(name);
        let mut plan = ring(8);
        plan.transit.datapath = law.needs().datapath;
        plan.flows = vec![crate::common::flow(1, 3, Arrivals::Greedy), crate::common::flow(2, 3, Arrivals::Greedy)];
        plan.duration = Span::from_millis(400);
        let weight = crate::common::weight(3.0);
        plan.weight_changes = vec![WeightChange { at: ms(200), station: StationId(1), weight }];
        let record = crate::common::run(&plan, &law);
        let share = |from: usize, to: usize| {
            let [one, other] = [0, 1].map(|flow| crate::common::rate_between(&record, flow, from, to));
            one / (one + other)
        };
        let (before, after) = (share(100, 200), share(300, 400));
        assert!((before - 0.5).abs() < 0.03 && (after - 0.75).abs() < 0.03, "{name}: {before}, then {after}");
    }
}

#[test]
fn what_has_no_rate_cannot_change_it() {
    let mut plan = ring(4);
    let tcp = crate::common::tcp("reno", Work::Unlimited);
    plan.flows = vec![crate::common::flow(0, 2, Arrivals::Greedy), crate::common::connections(1, 3, tcp)];
    for (flow, wrong) in [
        (0, "the demand of flow 0-2 cannot change: it sends without end, as its station allows"),
        (1, "the demand of flow tcp 1-3 cannot change: it is made of TCP connections"),
        (2, "the demand of flow 2 is to change, and there is none"),
    ] {
        plan.demand_changes = vec![change(1, flow, 5)];
        assert_eq!(plan.validate(), Err(PlanError::Range(wrong.to_owned())));
    }
}
