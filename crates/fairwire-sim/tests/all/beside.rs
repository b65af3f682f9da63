//! Beside a clock every packet comes from outside and goes back there, whatever steps the clock takes.

use crate::common::{random_events, random_plan, random_steerable_plan};
use crate::network_common::random_network;
use fairwire_core::{BitRate, Instant, RandomStream, Span, Streams};
use fairwire_laws::protection::{Params, ProtectionMode};
use fairwire_laws::queue::QueueLawChoice;
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::*;
use fairwire_sim::*;
use rand::RngExt;
use std::collections::BTreeMap;

const PLANS: u64 = 150;

/// Brings packets that were thought of before, each at its time or, as access lines do, some time ahead of it.
struct Script<'a> {
    packets: &'a [(usize, BroughtPacket)],
    /// How far ahead of its time a packet is brought.
    ahead: Span,
    /// The longest step.
    most: Span,
    draw: RandomStream,
    back: Vec<Delivery>,
}

impl Outside for Script<'_> {
    fn wait(&mut self, now: Instant, busy: bool, came: &mut Vec<(usize, BroughtPacket)>) -> Option<Instant> {
        let next = self.packets.first().map(|(_, packet)| packet.at);
        let step = Span::from_nanos(self.draw.random_range(1..=self.most.as_nanos()));
        // With nothing on its way, nobody looks until something comes.
        let until = if busy { now + step } else { next.unwrap_or(Instant::NEVER).max(now + step) };
        let due = self.packets.iter().take_while(|(_, packet)| packet.at < until + self.ahead).count();
        let (taken, left) = self.packets.split_at(due);
        came.extend_from_slice(taken);
        self.packets = left;
        Some(until)
    }

    fn take_back(&mut self, delivery: &Delivery) {
        self.back.push(*delivery);
    }
}

/// Walks beside a script; the deliveries, and how many packets are still on their way.
fn walk(simulation: &mut impl Steps, packets: &[(usize, BroughtPacket)], steps: u64) -> (Vec<Delivery>, usize) {
    let mut draw = Streams::new(steps, 9).component("clock");
    let ahead = Span::from_nanos(if steps == 0 { u64::MAX / 2 } else { draw.random_range(0..300_000) });
    let most = if steps == 0 { Span::from_nanos(u64::MAX / 2) } else { Span::from_micros(draw.random_range(1..900)) };
    let mut script = Script { packets, ahead, most, draw, back: Vec::new() };
    walk_beside(simulation, &mut script).expect("all packets can be taken");
    (script.back, simulation.outstanding())
}

/// Packets of all flows and of what answers them, in order of time.
fn random_packets(
    draw: &mut RandomStream,
    duration: Span,
    answered: &[bool],
    sizes: [u64; 3],
) -> Vec<(usize, BroughtPacket)> {
    let end = duration.as_nanos();
    let burst = draw.random_range(0..end);
    let mut packets: Vec<_> = (0..draw.random_range(1..600))
        .map(|number| {
            let at = if draw.random_bool(0.4) { burst + number * 50 } else { draw.random_range(0..end + end / 20) };
            let flow = draw.random_range(0..answered.len());
            let packet = BroughtPacket {
                number: 1 << 40 | number,
                size_bytes: sizes[draw.random_range(0..3)].max(1) as u16,
                at: Instant::from_nanos(at),
                connection: draw.random_range(0..4) * 7,
                back: answered[flow] && draw.random_bool(0.4),
                ecn_capable: draw.random_bool(0.7),
            };
            (flow, packet)
        })
        .collect();
    packets.sort_by_key(|(_, packet)| packet.at);
    packets
}

/// Each packet that was brought in time comes back once or is on its way.
fn check_deliveries(packets: &[(usize, BroughtPacket)], end: Instant, back: &[Delivery], outstanding: usize) {
    let in_time = packets.iter().filter(|(_, packet)| packet.at < end).count();
    assert_eq!(back.len() + outstanding, in_time);
    assert!(back.is_sorted_by_key(|delivery| delivery.at));
    let brought: BTreeMap<_, _> = packets.iter().map(|packet| (packet.1.number, packet)).collect();
    let mut numbers: Vec<_> = back.iter().map(|delivery| delivery.packet.number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), back.len(), "none comes back twice");
    for delivery in back {
        assert_eq!(*brought[&delivery.packet.number], (delivery.flow, delivery.packet), "as it was brought");
        assert!(delivery.at >= delivery.packet.at);
        assert!(!delivery.marked || delivery.packet.ecn_capable);
    }
}

/// Random rings: every fifth is protected, by steering or wrapping, and has spans and stations that fail.
fn ring_plan(number: u64) -> (RingPlan, RingLawChoice) {
    if number % 5 != 4 {
        return random_plan(number);
    }
    let mut draw = Streams::new(number, 8).component("protected");
    let fits = |plan: &RingPlan| plan.lap() > Span::from_micros(50);
    let (mut plan, law) = random_steerable_plan(&mut draw, fits, Span::from_millis(25));
    let changes = [RingChange::Cut, RingChange::Restore, RingChange::StationDown, RingChange::StationUp];
    let events = random_events(&mut draw, plan.stations.len(), 4, &changes, 20_000_000);
    let mode = [ProtectionMode::Steer, ProtectionMode::Wrap][number as usize / 5 % 2];
    let params = Params { mode, wait_to_restore: Span::from_millis(3), ..Params::default() };
    plan.protection = Some(ProtectionPlan { params, events });
    if mode == ProtectionMode::Wrap {
        crate::common::best_effort(&mut plan.flows);
    } else {
        plan.flows.iter_mut().for_each(|flow| flow.strict_order = true);
    }
    (plan, law)
}

#[test]
fn rings_beside_a_clock_give_the_record_of_what_was_written_down() {
    let mut fates = BTreeMap::new();
    let (mut back_again, mut laws) = (0, BTreeMap::new());
    for number in 0..PLANS {
        let (plan, law) = ring_plan(number);
        if plan.flows.is_empty() {
            continue;
        }
        let mut draw = Streams::new(number, 4).component("packets");
        let answered: Vec<_> = plan.flows.iter().map(|flow| flow.offer.is_answered()).collect();
        let begin = |engine| RingSimulation::carried(RingPlan { engine, ..plan.clone() }, &law).expect("a sound plan");
        let mut live = begin(EnginePath::Windows);
        let largest = live.largest_packet();
        let packets = random_packets(&mut draw, plan.duration, &answered, [1, largest / 2, largest]);
        let (back, outstanding) = walk(&mut live, &packets, number + 1);
        check_deliveries(&packets, live.end(), &back, outstanding);
        let record = live.into_record();
        let balanced = |wrong: &&String| ["packets", "taken in", "sent"].iter().any(|kind| wrong.contains(kind));
        assert_eq!(record.violations.iter().filter(balanced).count(), 0, "plan {number}: {:?}", record.violations);
        for (engine, steps) in [(EnginePath::Events, 0), (EnginePath::Windows, 0), (EnginePath::Events, number + 7)] {
            let mut again = begin(engine);
            assert!(walk(&mut again, &packets, steps) == (back.clone(), outstanding), "plan {number}, {engine:?}");
            assert!(again.into_record() == record, "plan {number}, {engine:?}, in steps {steps}");
        }
        // Only what was brought was carried.
        let offered: u64 = record.flows.iter().map(|flow| flow.offered).sum();
        let forward = packets.iter().filter(|(_, packet)| !packet.back && packet.at < Instant::ZERO + plan.duration);
        assert_eq!(offered, forward.count() as u64, "plan {number}");
        back_again += back.iter().filter(|delivery| delivery.packet.back && delivery.fate == Fate::Arrived).count();
        back.iter().for_each(|delivery| *fates.entry(delivery.fate).or_insert(0) += 1);
        *laws.entry(law.about().name).or_insert(0) += 1;
    }
    for fate in [Fate::Arrived, Fate::Refused, Fate::Dropped, Fate::Lost, Fate::Discarded] {
        assert!(fates.get(&fate).is_some_and(|count| *count > 5), "{fates:?}");
    }
    assert!(back_again > 200, "{back_again} answers arrived");
    assert_eq!(laws.len(), RingLawChoice::ALL.len(), "{laws:?}");
}

#[test]
fn networks_beside_a_clock_give_the_record_of_what_was_written_down() {
    let mut fates = BTreeMap::new();
    let (mut marked, mut back_again, mut laws) = (0, 0, BTreeMap::new());
    for number in 0..2 * PLANS {
        let mut plan = random_network(number);
        if plan.flows.iter().any(|flow| flow.offer.rate().is_some()) {
            let refused = NetworkSimulation::carried(plan).err().map(|error| error.to_string());
            assert!(refused.is_some_and(|words| words.contains("is told its rate by switches")));
            continue;
        }
        // Long enough for connections to fall silent, and come again.
        plan.duration = plan.duration.max(Span::from_nanos(2 * SILENT_AFTER.as_nanos()));
        plan.window = plan.window.max(Span::from_millis(10));
        let mut draw = Streams::new(number, 4).component("packets");
        let answered: Vec<_> = plan.flows.iter().map(|flow| flow.offer.is_answered()).collect();
        let packets = random_packets(&mut draw, plan.duration, &answered, [40, 1_000, 1_500]);
        let begin = |engine| NetworkSimulation::carried(NetworkPlan { engine, ..plan.clone() }).expect("a sound plan");
        let mut live = begin(NetworkEngine::Ahead);
        let (back, outstanding) = walk(&mut live, &packets, number + 1);
        check_deliveries(&packets, live.end(), &back, outstanding);
        let record = live.into_record();
        assert_eq!(record.violations, Vec::<String>::new(), "plan {number}");
        for (engine, steps) in [(NetworkEngine::Events, 0), (NetworkEngine::Ahead, 0), (NetworkEngine::Events, 3)] {
            let mut again = begin(engine);
            assert!(walk(&mut again, &packets, steps) == (back.clone(), outstanding), "plan {number}, {engine:?}");
            assert!(again.into_record() == record, "plan {number}, {engine:?}, in steps {steps}");
        }
        marked += back.iter().filter(|delivery| delivery.marked).count();
        back_again += back.iter().filter(|delivery| delivery.packet.back && delivery.fate == Fate::Arrived).count();
        back.iter().for_each(|delivery| *fates.entry(delivery.fate).or_insert(0) += 1);
        plan.links.iter().for_each(|link| *laws.entry(link.queue.about().name).or_insert(0) += 1);
    }
    for fate in [Fate::Arrived, Fate::Dropped, Fate::Evicted, Fate::Lost] {
        assert!(fates.get(&fate).is_some_and(|count| *count > 20), "{fates:?}");
    }
    assert!(marked > 5 && back_again > 200, "{marked} marked, {back_again} answers arrived");
    assert_eq!(laws.len(), QueueLawChoice::ALL.len(), "{laws:?}");
}

#[test]
fn what_nobody_answers_has_no_way_back() {
    let mut plan = crate::common::ring(4);
    plan.flows = vec![crate::common::flow(0, 2, crate::common::cbr(4_000_000))];
    let packet = BroughtPacket { number: 3, size_bytes: 100, back: true, ..BroughtPacket::default() };
    let law = crate::common::law("dvsr");
    let words = |answer: Result<(), BringError>| answer.unwrap_err().to_string();
    let mut carried = RingSimulation::carried(plan.clone(), &law).unwrap();
    assert!(words(carried.inject(0, packet)).contains("which nothing answers"));
    let mut fed = RingSimulation::fed(plan, &law).unwrap();
    assert!(words(fed.inject(0, packet)).contains("only where all packets are brought"));
}

/// What the sources of `makers` make before `end`, as packets to bring.
fn made(makers: Vec<MicroFlowMaker>, end: Instant) -> Vec<(usize, BroughtPacket)> {
    let mut packets = Vec::new();
    for MicroFlowMaker { flow, number, maker } in makers {
        let Maker::Datagrams(mut maker) = maker else { panic!("these are datagrams") };
        while maker.next_at() < end {
            let (at, number) = (maker.next_at(), u64::from(number) << 32 | packets.len() as u64);
            packets.push((flow, BroughtPacket { number, size_bytes: maker.take(), at, ..BroughtPacket::default() }));
        }
    }
    packets.sort_by_key(|(_, packet)| packet.at);
    packets
}

#[test]
fn what_makers_make_is_what_the_simulation_sends() {
    let poisson = |mbps| Arrivals::Poisson { rate: BitRate::from_mbps(mbps) };
    let mut ring = crate::common::ring(5);
    ring.flows =
        vec![crate::common::flow(0, 2, poisson(90)), crate::common::flow(1, 3, crate::common::cbr(300_000_000))];
    ring.flows[1].start_jitter = Span::from_micros(700);
    let simulated = crate::common::run(&ring, &crate::common::law("dvsr"));
    let mut carried = RingSimulation::carried(ring.clone(), &crate::common::law("dvsr")).unwrap();
    let packets = made(ring_makers(&ring), carried.end());
    walk(&mut carried, &packets, 5);
    assert!(carried.into_record() == simulated, "as if its own sources had made them");

    let mut network = crate::network_common::network(3);
    network.links = vec![
        crate::network_common::link(0, 1, 10, Span::from_millis(2)),
        crate::network_common::link(1, 2, 5, Span::from_millis(3)),
    ];
    let cbr = crate::network_common::cbr;
    network.flows = vec![
        crate::network_common::flow("a", &[0, 1], &[], cbr(4_000, 0.3)),
        crate::network_common::flow("b", &[0], &[], cbr(9_000, 0.3)),
    ];
    network.flows[0].activity = Some(Activity { every: Span::from_millis(90), probability: 0.6 });
    let simulated = crate::network_common::run(&network);
    let mut carried = NetworkSimulation::carried(network.clone()).unwrap();
    let packets = made(network_makers(&network), carried.end());
    walk(&mut carried, &packets, 5);
    assert!(carried.into_record() == simulated, "as if its own sources had made them");
}
