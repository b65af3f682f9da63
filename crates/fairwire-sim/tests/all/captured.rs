//! What captured links tell is what they sent, whatever way and steps a run takes, and the run is the same.

use crate::common::{random_events, random_plan, random_steerable_plan};
use crate::network_common::random_network;
use fairwire_core::{Instant, Ringlet, Span, StationId, Streams};
use fairwire_laws::WireMessage;
use fairwire_laws::frame::IdleFrame;
use fairwire_laws::protection::{Params, ProtectionMode};
use fairwire_laws::ring::{OutsideLaw, RingLaw, RingLawChoice, RingLawVisitor, rpr};
use fairwire_plan::*;
use fairwire_sim::*;
use rand::RngExt;
use std::collections::BTreeMap;

const PLANS: u64 = 90;

/// Random rings: every sixth has protection, by steering or wrapping, and spans and stations that fail.
fn ring_plan(number: u64) -> (RingPlan, RingLawChoice) {
    if number % 6 != 5 {
        return random_plan(number);
    }
    let mut draw = Streams::new(number, 9).component("protected");
    let fits = |plan: &RingPlan| plan.lap() > Span::from_micros(50);
    let (mut plan, law) = random_steerable_plan(&mut draw, fits, Span::from_millis(25));
    let changes = [RingChange::Cut, RingChange::Restore, RingChange::StationDown, RingChange::StationUp];
    let events = random_events(&mut draw, plan.stations.len(), 4, &changes, 20_000_000);
    let mode = [ProtectionMode::Steer, ProtectionMode::Wrap][number as usize / 6 % 2];
    let params = Params { mode, wait_to_restore: Span::from_millis(3), ..Params::default() };
    plan.protection = Some(ProtectionPlan { params, events });
    if mode == ProtectionMode::Wrap {
        crate::common::best_effort(&mut plan.flows);
    }
    (plan, law)
}

/// Takes a simulation to its end in steps that hang on `seed`, and captures.
fn walk(simulation: &mut impl Steps, seed: u64) -> Vec<Captured> {
    let mut draw = Streams::new(seed, 11).component("steps");
    let (mut all, end) = (Vec::new(), simulation.end());
    while simulation.now() < end {
        let step =
            if seed == 0 { Span::from_nanos(u64::MAX / 2) } else { Span::from_nanos(draw.random_range(1..900_000)) };
        simulation.advance(simulation.now() + step);
        let captured = simulation.captured();
        assert!(captured.iter().all(|captured| captured.at < simulation.now()));
        all.extend(captured);
        simulation.deliveries();
    }
    assert!(all.is_sorted_by_key(|captured| (captured.at, captured.link)));
    all
}

/// Whether a message is one of the law's, by its bytes.
struct Reads<'a>(&'a [u8]);

impl RingLawVisitor for Reads<'_> {
    type Output = bool;

    fn visit<L: RingLaw>(self, _: &L::Params) -> bool {
        L::Msg::parse(self.0.to_vec()).is_ok()
    }

    fn visit_outside(self, _: &OutsideLaw) -> bool {
        false
    }
}

#[test]
fn rings_tell_all_that_their_links_send() {
    let (mut packets, mut messages, mut protection) = (0, 0, 0);
    for number in 0..PLANS {
        let (plan, law) = ring_plan(number);
        let links: Vec<_> = Ringlet::BOTH
            .into_iter()
            .flat_map(|ringlet| (0..plan.stations.len()).map(move |from| (ringlet, StationId(from as u16))))
            .collect();
        let mut first: Option<Vec<Captured>> = None;
        let whole = simulate(&plan, &law).unwrap();
        for (engine, seed) in
            [(EnginePath::Windows, 0), (EnginePath::Events, number + 1), (EnginePath::Windows, number)]
        {
            let mut simulation = RingSimulation::new(RingPlan { engine, ..plan.clone() }, &law).unwrap();
            simulation.capture(&links);
            let all = walk(&mut simulation, seed);
            assert!(simulation.into_record() == whole, "plan {number}: the run is the same");
            match &first {
                None => first = Some(all),
                Some(first) => assert!(*first == all, "plan {number}, {engine:?}"),
            }
        }
        let all = first.unwrap();
        let is_packet = |captured: &&Captured| matches!(captured.content, CapturedContent::Packet(_));
        let data = all.iter().filter(is_packet).count() as u64;
        if plan.protection.is_none() {
            assert_eq!(all.len() as u64, whole.packet_hops, "plan {number}");
            assert_eq!(all.len() as u64 - data, whole.control_hops, "plan {number}");
        }
        for captured in &all {
            match &captured.content {
                CapturedContent::Packet(packet) => assert!(packet.flow < plan.flows.len() && packet.brought.is_none()),
                CapturedContent::Message(bytes) => {
                    assert_eq!(bytes.len(), captured.size_bytes as usize);
                    assert!(law.visit(Reads(bytes)), "plan {number}: {bytes:?} of {}", law.about().name);
                    messages += 1;
                }
                CapturedContent::Protection(bytes) => {
                    let (bytes, other) = (bytes.to_vec(), bytes.to_vec());
                    assert!(rpr::Message::parse(bytes).is_ok() || IdleFrame::parse(other).is_ok());
                    protection += 1;
                }
                CapturedContent::RateMessage { .. } => panic!("rings have no such"),
            }
        }
        packets += data;
        // One link alone tells the same of itself.
        let mut simulation = RingSimulation::new(plan, &law).unwrap();
        simulation.capture(&links[1..2]);
        let of_one = walk(&mut simulation, number + 2);
        let same = all.iter().filter(|captured| captured.link == 1);
        assert!(same.zip(&of_one).all(|(one, other)| (one.at, &one.content) == (other.at, &other.content)));
    }
    assert!(packets > 10_000 && messages > 1_000 && protection > 1_000, "{packets} {messages} {protection}");
}

#[test]
fn networks_tell_all_that_their_links_send() {
    let (mut segments, mut back, mut marked) = (0, 0, 0);
    for number in 0..2 * PLANS {
        let plan = NetworkPlan { detail: Detail::Full, ..random_network(number) };
        let links: Vec<usize> = (0..plan.links.len()).collect();
        let whole = simulate_network(&plan).unwrap();
        let mut first: Option<Vec<Captured>> = None;
        for (engine, seed) in
            [(NetworkEngine::Ahead, 0), (NetworkEngine::Events, number + 1), (NetworkEngine::Ahead, number)]
        {
            let mut simulation = NetworkSimulation::new(NetworkPlan { engine, ..plan.clone() }).unwrap();
            simulation.capture(&links);
            let all = walk(&mut simulation, seed);
            assert!(simulation.into_record() == whole, "plan {number}: the run is the same");
            match &first {
                None => first = Some(all),
                Some(first) => assert!(*first == all, "plan {number}, {engine:?}"),
            }
        }
        let all = first.unwrap();
        for (link, record) in whole.links.iter().enumerate() {
            let bytes: u64 = all.iter().filter(|seen| seen.link == link).map(|seen| u64::from(seen.size_bytes)).sum();
            let sent: u64 = record.sent_bytes.iter().map(|bytes| u64::from(*bytes)).sum();
            assert_eq!(bytes, sent, "plan {number}, link {link}");
        }
        for captured in &all {
            match &captured.content {
                CapturedContent::Packet(packet) => {
                    segments += u64::from(packet.segment.is_some() && !packet.back);
                    back += u64::from(packet.back);
                    marked += u64::from(packet.marked);
                }
                _ => panic!("networks have no such"),
            }
        }
    }
    assert!(segments > 1_000 && back > 1_000 && marked > 5, "{segments} {back} {marked}");
}

#[test]
fn packets_that_were_brought_are_told_by_the_numbers_of_those_who_brought_them() {
    let mut arrived = 0;
    for number in 0..PLANS {
        let (plan, law) = ring_plan(number);
        if plan.flows.is_empty() {
            continue;
        }
        let mut draw = Streams::new(number, 12).component("packets");
        let mut simulation = RingSimulation::carried(plan.clone(), &law).unwrap();
        let links: Vec<_> = (0..plan.stations.len())
            .flat_map(|from| Ringlet::BOTH.map(|ringlet| (ringlet, StationId(from as u16))))
            .collect();
        simulation.capture(&links);
        let (mut brought, mut seen) = (0u64, BTreeMap::new());
        while simulation.now() < simulation.end() {
            let flow = draw.random_range(0..plan.flows.len());
            let at = simulation.now() + Span::from_nanos(draw.random_range(0..1_000));
            let packet =
                BroughtPacket { number: brought << 20 | flow as u64, size_bytes: 64, at, ..Default::default() };
            if at < simulation.end() && u64::from(packet.size_bytes) <= simulation.largest_packet() {
                simulation.inject(flow, packet).unwrap();
                brought += 1;
            }
            simulation.advance(at + Span::from_nanos(draw.random_range(1..20_000)));
            for captured in simulation.captured() {
                if let CapturedContent::Packet(packet) = captured.content {
                    let number = packet.brought.expect("all are brought");
                    assert_eq!(number & 0xF_FFFF, packet.flow as u64);
                    *seen.entry(number).or_insert(0) += 1;
                }
            }
            for delivery in simulation.deliveries() {
                if delivery.fate == Fate::Arrived {
                    assert!(
                        seen.get(&delivery.packet.number).is_some_and(|hops| *hops > 0),
                        "seen before it comes back"
                    );
                    arrived += 1;
                }
            }
        }
        assert!(simulation.now() == Instant::ZERO + plan.duration);
    }
    assert!(arrived > 5_000, "{arrived} arrived");
}
