//! Stations that hold back so that transit traffic is never lost.

use crate::common::{best_effort, burst, burst_of, cbr, datagrams, flow, law, random_plan, ring, ring_of, run};
use fairwire_core::{BitRate, Bytes, Instant, Ringlet, Span};
use fairwire_laws::ring::{RingLawChoice, dvsr};
use fairwire_plan::*;
use fairwire_sim::*;

fn holding(buffer: u64) -> TransitPlan {
    TransitPlan::merged(Bytes::new(buffer), Overflow::Hold)
}

/// Overloads of mixed sizes, with the smallest buffer that is large enough.
#[test]
fn equal_links_lose_nothing_however_overloaded() {
    let (mut overloaded, mut held) = (0, 0);
    for number in 0..250 {
        let (mut plan, law) = random_plan(number);
        if law.needs().limits_together {
            continue; // Its stations wait for transit, and hold nothing back.
        }
        best_effort(&mut plan.flows);
        let links = plan.links[0].len();
        let same = plan.links[0][0].capacity;
        plan.links.iter_mut().flatten().for_each(|link| link.capacity = same);
        let largest = plan.flows.iter().map(|flow| flow.offer.packet_bytes() * 2).max().unwrap_or(0);
        plan.transit = holding(3 * u64::from(largest) + 64 + 16 * links as u64);
        let record = run(&plan, &law);
        assert!(record.flows.iter().all(|flow| flow.dropped == 0), "plan {number}");
        let mut free = plan.clone();
        free.transit.overflow = Overflow::Drop;
        let lost: u64 = simulate(&free, &law).unwrap().flows.iter().map(|flow| flow.dropped).sum();
        overloaded += u64::from(lost > 0);
        held += u64::from(record.flows.iter().any(|flow| flow.refused > 0));
    }
    assert!(overloaded > 100 && held > 50, "{overloaded} plans lose packets where none holds back, {held} refuse some");
}

/// A large own packet joins behind small ones; a large transit packet whose bits had
/// all but passed comes at once, and another while one small packet leaves. Room
/// for two packets is too little.
#[test]
fn small_packets_leaving_while_large_ones_come_cost_none() {
    let mut plan = ring_of(3, BitRate::from_mbps(100), Span::from_micros(1));
    plan.transit = holding(4_500);
    plan.flows = vec![
        burst_of(1_500, 0, 2, 0, 3), // at station 1 after 121, 241 and 361 us
        burst_of(1_500, 1, 2, 120_800, 1),
        burst_of(64, 1, 2, 120_801, 23),
        burst_of(1_500, 1, 2, 120_824, 1),
    ];
    let record = run(&plan, &law("fifo"));
    assert!(record.flows.iter().all(|flow| flow.offered == flow.delivered), "{:?}", record.flows);
}

/// Control frames go first and take time that transit packets need.
#[test]
fn control_frames_cost_no_packet() {
    let mut plan = ring_of(120, BitRate::from_mbps(622), Span::from_micros(2));
    plan.transit = holding(3 * 100 + 4 + 4 * 120);
    let tiny = |from, to| FlowPlan { offer: datagrams(Arrivals::Greedy, 100), ..flow(from, to, Arrivals::Greedy) };
    // Frames that speak of ringlet 1 share ringlet 0 with these, and wait at station 0 between laps.
    plan.flows = [118, 119, 0, 1].map(|from| tiny(from, 3)).into();
    plan.flows.push(FlowPlan { ringlet: Ringlet::One, ..tiny(3, 1) });
    for min_interval in [Span::ZERO, Span::from_micros(700)] {
        let law = RingLawChoice::dvsr(dvsr::Params { min_interval, ..Default::default() });
        let record = run(&plan, &law);
        assert!(record.control_hops > 500 && record.flows.iter().all(|flow| flow.dropped == 0));
    }
}

#[test]
fn a_station_gets_in_when_its_link_has_room_and_not_before() {
    // Five packets wait at station 1 behind one in transmission; 9 kB keep room for
    // three more at most 6 kB deep, so the sixth and later ones are held back.
    let mut plan = ring_of(3, BitRate::from_mbps(8), Span::ZERO);
    plan.transit = holding(9_000);
    plan.duration = Span::from_millis(30);
    plan.flows = vec![burst(1, 2, 0, 20)];
    let record = run(&plan, &law("fifo"));
    assert_eq!((record.flows[0].offered, record.flows[0].entered), (20, 20));
    assert_eq!(record.links[0].deepest, Bytes::new(7_000));
    assert_eq!((record.flows[0].delivered, record.flows[0].refused), (20, 0));
}

/// The same with a law whose frames, of 4 + 4 × 3 bytes, may go first while a packet comes.
#[test]
fn a_station_leaves_room_for_a_frame_too() {
    for (buffer, deepest) in [(9_000, 6_000), (9_015, 6_000), (9_016, 7_000)] {
        let mut plan = ring_of(3, BitRate::from_mbps(8), Span::ZERO);
        plan.transit = holding(buffer);
        plan.duration = Span::from_millis(30);
        plan.flows = vec![burst(1, 2, 0, 20)];
        let record = run(&plan, &law("dvsr"));
        assert_eq!(record.links[0].deepest, Bytes::new(deepest), "{buffer}");
    }
}

/// What a station could not send before its flow stopped, it sends later; but a
/// source without end makes nothing after its stop.
#[test]
fn a_greedy_flow_held_back_makes_nothing_after_its_stop() {
    let mut plan = ring_of(3, BitRate::from_mbps(8), Span::from_micros(10));
    plan.transit = holding(4_000);
    let stop = Instant::from_nanos(9_500_000);
    // Transit at the link's rate keeps station 1 out from about 3 ms to 40 ms.
    plan.flows = vec![burst(0, 2, 0, 40), FlowPlan { stop, ..flow(1, 2, Arrivals::Greedy) }];
    let until = |duration| run(&RingPlan { duration, ..plan.clone() }, &law("fifo")).flows.swap_remove(1);
    let (at_stop, later) = (until(stop.since(Instant::ZERO)), until(Span::from_millis(100)));
    assert_eq!(at_stop.offered, later.offered);
    assert!(at_stop.delivered < later.delivered && later.delivered == later.offered, "{at_stop:?} {later:?}");
}

#[test]
fn a_ring_that_is_not_overloaded_is_the_same_with_and_without_holding() {
    let mut plan = ring(5);
    plan.flows = (0..4).map(|from| flow(from, 4, cbr(100_000_000))).collect();
    let dropping = run(&plan, &law("fifo"));
    plan.transit.overflow = Overflow::Hold;
    assert_eq!(run(&plan, &law("fifo")).flows, dropping.flows);
}
