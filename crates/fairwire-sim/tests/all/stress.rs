//! The largest ring of the standard, with thousands of flows on both ringlets.

use crate::common::{best_effort, law, random_plan, ring, run};
use fairwire_core::{Bytes, Ringlet, Span, StationId, Streams};
use fairwire_plan::*;
use rand::RngExt;

/// 255 stations and 5000 flows of every kind that `random_plan` draws.
fn crowd() -> RingPlan {
    let stations = 255;
    let mut draw = Streams::new(255, 0).component("crowd");
    let mut flows: Vec<FlowPlan> = (0..).flat_map(|number| random_plan(number).0.flows).take(5_000).collect();
    best_effort(&mut flows);
    for (index, flow) in flows.iter_mut().enumerate() {
        let from = draw.random_range(0..stations);
        let hops = draw.random_range(1..=if index % 10 == 0 { stations - 1 } else { 12 });
        flow.name = format!("flow-{index}");
        flow.ringlet = Ringlet::BOTH[index % 2];
        flow.from = StationId(from as u16);
        let to = (0..hops).fold(from, |at, _| flow.ringlet.downstream(at, stations));
        flow.to = StationId(to as u16);
    }
    RingPlan {
        flows,
        transit: TransitPlan::merged(Bytes::new(200_000), Overflow::Drop),
        duration: Span::from_millis(10),
        warmup: Span::from_millis(2),
        detail: Detail::Full,
        ..ring(stations)
    }
}

#[test]
fn a_crowded_ring_ends_and_balances() {
    for name in ["fifo", "dvsr"] {
        let plan = crowd();
        let record = run(&plan, &law(name));
        assert_eq!((record.flows.len(), record.links.len()), (5_000, 510));
        assert!(record.packet_hops > 1_000_000, "{}", record.packet_hops);
        // Every link that is busy all along carries what it can: rows of a millisecond never exceed it.
        let largest = 77_750 + 3_000;
        assert!(record.links.iter().all(|link| link.sent_bytes.iter().all(|&row| row <= largest)));
        let delivered: u64 = record.flows.iter().map(|flow| flow.delivered).sum();
        let dropped: u64 = record.flows.iter().map(|flow| flow.dropped).sum();
        assert!(delivered > 100_000 && (name == "dvsr" || dropped > 10_000), "{name}: {delivered} and {dropped}");
    }
}

#[test]
fn both_ways_through_time_agree_on_a_crowded_ring() {
    let plan = RingPlan { duration: Span::from_millis(3), detail: Detail::Summary, ..crowd() };
    for overflow in [Overflow::Drop, Overflow::Hold] {
        let mut plan = plan.clone();
        plan.transit.overflow = overflow;
        let [windows, events] = [EnginePath::Windows, EnginePath::Events]
            .map(|engine| run(&RingPlan { engine, ..plan.clone() }, &law("dvsr")));
        assert!(windows == events, "{overflow:?}");
    }
}
