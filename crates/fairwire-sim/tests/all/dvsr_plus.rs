//! dvsr-plus at work on whole rings.

use crate::common::{cbr, flow, law, rate_bps, ring, run, traffic, weight};
use fairwire_core::{BitRate, Bytes, Instant, ServiceClass, Span};
use fairwire_laws::ring::Datapath;
use fairwire_plan::*;

const LINK: f64 = 622e6;

/// Ingress and egress.
type Pair = (u16, u16);

/// Half a second on ten stations, the first 100 ms not measured.
fn settled(pairs: &[Pair]) -> RingPlan {
    let flows = pairs.iter().map(|&(from, to)| flow(from, to, Arrivals::Greedy)).collect();
    RingPlan { flows, duration: Span::from_millis(500), warmup: Span::from_millis(100), ..ring(10) }
}

fn assert_shares(record: &RunRecord, due: &[f64], within: f64) {
    for (flow, due) in due.iter().enumerate() {
        let got = rate_bps(record, flow) / LINK;
        assert!((got - due).abs() <= within * due, "flow {flow} has {got} of the link where {due} is due");
    }
}

/// With packets of one size, with stations that hold back and with those that drop.
#[test]
fn the_papers_examples_come_out_without_loss_or_standing_queues() {
    let cases: [(&[Pair], &[f64]); 5] = [
        (&[(1, 5), (2, 5), (3, 5), (4, 5)], &[0.25; 4]),
        (&[(1, 2), (1, 5), (2, 5), (3, 5), (4, 5)], &[0.75, 0.25, 0.25, 0.25, 0.25]),
        (&[(1, 3), (2, 6), (3, 6), (4, 6), (5, 6)], &[0.75, 0.25, 0.25, 0.25, 0.25]),
        (&[(1, 5), (2, 5), (3, 5), (4, 5), (4, 6)], &[0.25, 0.25, 0.25, 0.125, 0.125]),
        (&[(1, 2), (1, 3), (1, 4), (1, 5), (2, 5), (4, 5)], &[0.4, 0.2, 0.2, 0.2, 0.4, 0.4]),
    ];
    for (pairs, due) in cases {
        for overflow in [Overflow::Drop, Overflow::Hold] {
            let mut plan = settled(pairs);
            plan.transit.overflow = overflow;
            let record = run(&plan, &law("dvsr-plus"));
            assert_shares(&record, due, 0.005);
            assert!(record.flows.iter().all(|flow| flow.dropped == 0));
            assert!(record.links.iter().all(|link| link.deepest.get() < 60_000), "{:?}", record.links);
        }
    }
}

#[test]
fn weights_and_minima_share_a_link() {
    let mut plan = settled(&[(1, 5), (2, 5), (3, 5), (4, 5)]);
    plan.stations[2].weight = weight(3.0);
    plan.stations[3].minimum = BitRate::from_bps(248_800_000);
    assert_shares(&run(&plan, &law("dvsr-plus")), &[0.1, 0.3, 0.5, 0.1], 0.01);
}

#[test]
fn what_small_flows_leave_the_others_share() {
    let mut plan = settled(&[(1, 5), (2, 5), (3, 5), (4, 5)]);
    traffic(&mut plan.flows[1]).arrivals = cbr(31_100_000);
    traffic(&mut plan.flows[2]).arrivals = Arrivals::Poisson { rate: BitRate::from_bps(62_200_000) };
    plan.duration = Span::from_secs_f64(1.0);
    let record = run(&plan, &law("dvsr-plus"));
    assert_shares(&record, &[0.425, 0.05], 0.02);
    assert!((rate_bps(&record, 3) / LINK - 0.425).abs() < 0.01);
}

#[test]
fn shares_follow_flows_that_come_and_go() {
    let mut plan = settled(&[(1, 4), (2, 4), (1, 3)]);
    plan.flows[1].start = Instant::from_nanos(100_000_000);
    plan.flows[1].stop = Instant::from_nanos(200_000_000);
    plan.flows[2].start = Instant::from_nanos(300_000_000);
    plan.duration = Span::from_millis(400);
    let record = run(&plan, &law("dvsr-plus"));
    let share = |flow: usize, rows: std::ops::Range<usize>| {
        let bytes: u32 = record.flows[flow].delivered_bytes[rows.clone()].iter().sum();
        f64::from(bytes) * 8.0 / (rows.len() as f64 * 1e-3) / LINK
    };
    let near = |got: f64, due: f64| assert!((got - due).abs() < 0.02, "{got} where {due} is due");
    near(share(0, 20..100), 1.0);
    near(share(0, 110..200), 0.5);
    near(share(1, 110..200), 0.5);
    near(share(0, 210..300), 1.0);
    near(share(0, 320..400), 0.5);
    near(share(2, 320..400), 0.5);
}

/// Who used most of a link before it held everybody must be forgotten: on a long ring nobody but the
/// ledger would ever find out.
#[test]
fn a_long_ring_that_filled_slowly_has_no_standing_queue() {
    let mut plan = settled(&[(1, 5), (2, 5), (3, 5), (4, 5)]);
    for (flow, start_ms) in plan.flows.iter_mut().zip([0, 100, 200, 300]) {
        traffic(flow).arrivals = cbr(248_800_000);
        flow.start = Instant::from_nanos(start_ms * 1_000_000);
    }
    plan.links.iter_mut().flatten().for_each(|link| link.delay = Span::from_millis(1));
    plan.duration = Span::from_secs_f64(1.5);
    plan.warmup = Span::from_millis(800);
    let record = run(&plan, &law("dvsr-plus"));
    assert_shares(&record, &[0.25; 4], 0.005);
    assert!(record.flows.iter().all(|flow| flow.measured_dropped == 0), "{:?}", record.flows);
}

/// Class A0's rate is no part of the room, whether it is used or not; class B's takes its part as it comes.
#[test]
fn what_classes_are_promised_comes_off_the_room_once() {
    let (reserved, committed) = (124_400_000, 62_200_000);
    for a0_sends in [true, false] {
        let mut plan = settled(&[(1, 5), (2, 5), (3, 5), (4, 5)]);
        plan.transit.datapath = Datapath::DualQueue;
        plan.transit.primary_buffer = Bytes::new(30_000);
        let promised = |class, guaranteed, rate| FlowPlan {
            class,
            guaranteed: BitRate::from_bps(guaranteed),
            ..flow(3, 5, cbr(rate))
        };
        plan.flows.push(promised(ServiceClass::A0, reserved, if a0_sends { reserved } else { 1_000_000 }));
        plan.flows.push(promised(ServiceClass::B, committed, committed));
        assert_shares(&run(&plan, &law("dvsr-plus")), &[0.175; 4], 0.01);
    }
}
