//! DVSR at work on whole rings.

use crate::common::{cbr, flow, law, rate_bps, ring, run, traffic, weight};
use fairwire_core::{BitRate, Bytes, Instant, Ringlet, ServiceClass, Span};
use fairwire_laws::ring::{Datapath, RingLawChoice, dvsr};
use fairwire_plan::*;

const LINK: f64 = 622e6;

/// Ingress and egress.
type Pair = (u16, u16);

fn greedy(pairs: &[Pair]) -> Vec<FlowPlan> {
    pairs.iter().map(|&(from, to)| flow(from, to, Arrivals::Greedy)).collect()
}

fn shares(plan: &RingPlan, law: &RingLawChoice) -> Vec<f64> {
    let record = run(plan, law);
    (0..plan.flows.len()).map(|flow| rate_bps(&record, flow) / LINK).collect()
}

/// After 200 ms of 0.5 s, on ten stations.
fn settled(flows: Vec<FlowPlan>) -> RingPlan {
    RingPlan { flows, duration: Span::from_millis(500), warmup: Span::from_millis(200), ..ring(10) }
}

fn assert_shares(got: &[f64], due: &[f64], within: f64) {
    for (flow, (got, due)) in got.iter().zip(due).enumerate() {
        assert!((got - due).abs() <= within * due, "flow {flow} has {got} of the link where {due} is due");
    }
}

/// RIAS shares of the papers' examples ([dvsr] §III-B), on both ringlets and
/// wherever on the ring the first station is.
#[test]
fn the_papers_examples_come_out_anywhere_on_the_ring() {
    let quarter = [0.25; 4];
    let two_exit = [0.25, 0.25, 0.25, 0.125, 0.125];
    let cases: [(&[Pair], &[f64]); 5] = [
        (&[(1, 5), (2, 5), (3, 5), (4, 5)], &quarter),
        (&[(1, 2), (1, 5), (2, 5), (3, 5), (4, 5)], &[0.75, 0.25, 0.25, 0.25, 0.25]),
        (&[(1, 3), (2, 6), (3, 6), (4, 6), (5, 6)], &[0.75, 0.25, 0.25, 0.25, 0.25]),
        (&[(1, 5), (2, 5), (3, 5), (4, 5), (4, 6)], &two_exit),
        (&[(1, 2), (1, 3), (1, 4), (1, 5), (2, 5), (4, 5)], &[0.4, 0.2, 0.2, 0.2, 0.4, 0.4]),
    ];
    for (pairs, due) in cases {
        for (offset, ringlet) in [(0, Ringlet::Zero), (7, Ringlet::Zero), (3, Ringlet::One)] {
            let place = |station: u16| match ringlet {
                Ringlet::Zero => (station + offset) % 10,
                Ringlet::One => (20 - station - offset) % 10,
            };
            let pairs: Vec<_> = pairs.iter().map(|&(from, to)| (place(from), place(to))).collect();
            let mut flows = greedy(&pairs);
            flows.iter_mut().for_each(|flow| flow.ringlet = ringlet);
            // Equal packets would lock in phase and let a full queue choose whom it drops.
            flows.iter_mut().for_each(|flow| traffic(flow).size_jitter = 0.05);
            assert_shares(&shares(&settled(flows), &law("dvsr")), due, 0.02);
        }
    }
}

#[test]
fn weights_of_stations_count_and_only_their_ratios_do() {
    for scale in [1.0, 0.25, 1e-6, 40.0] {
        let mut plan = settled(greedy(&[(1, 5), (2, 5), (3, 5), (4, 5)]));
        plan.stations.iter_mut().for_each(|station| station.weight = weight(scale));
        plan.stations[2].weight = weight(2.0 * scale);
        assert_shares(&shares(&plan, &law("dvsr")), &[0.2, 0.4, 0.2, 0.2], 0.02);
        let alone = settled(greedy(&[(1, 5)]));
        let plan = RingPlan { stations: plan.stations, ..alone };
        assert_shares(&shares(&plan, &law("dvsr")), &[1.0], 0.02);
    }
}

#[test]
fn weights_of_flows_count_inside_their_station() {
    let mut plan = settled(greedy(&[(1, 4), (1, 5), (3, 5)]));
    plan.flows[0].weight = weight(3.0);
    assert_shares(&shares(&plan, &law("dvsr")), &[0.375, 0.125, 0.5], 0.03);
}

#[test]
fn what_small_flows_leave_the_others_share() {
    let mut plan = settled(greedy(&[(1, 5), (2, 5), (3, 5), (4, 5)]));
    traffic(&mut plan.flows[1]).arrivals = cbr(31_100_000);
    traffic(&mut plan.flows[2]).arrivals = cbr(93_300_000);
    assert_shares(&shares(&plan, &law("dvsr")), &[0.4, 0.05, 0.15, 0.4], 0.02);
}

/// The equal split of eq. (9) as printed gives half of what the first flow could have.
#[test]
fn the_equal_split_is_as_printed() {
    let plan = settled(greedy(&[(1, 2), (1, 5), (2, 5), (3, 5), (4, 5)]));
    let law = RingLawChoice::dvsr(dvsr::Params { suballocation: dvsr::Suballocation::Equal, ..Default::default() });
    assert_shares(&shares(&plan, &law), &[0.5, 0.25, 0.25, 0.25, 0.25], 0.02);
}

/// A station in front of a full queue holds its packets back and is counted with what it may send:
/// the others leave it its part, but for the little that noise allows them beyond theirs.
#[test]
fn who_is_held_back_is_counted() {
    let cases: [(&[Pair], &[f64]); 3] = [
        (&[(1, 5), (2, 5), (3, 5), (4, 5)], &[0.25; 4]),
        (&[(1, 2), (1, 5), (2, 5), (3, 5), (4, 5)], &[0.75, 0.25, 0.25, 0.25, 0.25]),
        (&[(1, 5), (2, 5), (3, 5), (4, 5), (4, 6)], &[0.25, 0.25, 0.25, 0.125, 0.125]),
    ];
    for (pairs, due) in cases {
        let mut plan = settled(greedy(pairs));
        plan.flows.iter_mut().for_each(|flow| traffic(flow).size_jitter = 0.05);
        plan.transit.overflow = Overflow::Hold;
        assert_shares(&shares(&plan, &law("dvsr")), due, 0.04);
    }
}

#[test]
fn bytes_do_nearly_as_well_as_words() {
    let plan = settled(greedy(&[(1, 2), (1, 5), (2, 5), (3, 5), (4, 5)]));
    let law = RingLawChoice::dvsr(dvsr::Params { encoding: dvsr::Encoding::Byte, ..Default::default() });
    assert_shares(&shares(&plan, &law), &[0.75, 0.25, 0.25, 0.25, 0.25], 0.03);
}

#[test]
fn one_frame_circulates_and_a_lap_lasts_the_shortest_interval_at_least() {
    // A lap takes 1 ms of propagation and ten frames of 44 bytes, 566 ns each.
    let laps = |min_interval| {
        let law = RingLawChoice::dvsr(dvsr::Params { min_interval, ..Default::default() });
        let plan = RingPlan { duration: Span::from_secs_f64(1.0), flows: vec![flow(0, 1, cbr(8_000))], ..ring(10) };
        run(&plan, &law).control_hops as f64 / 10.0
    };
    assert!((laps(Span::ZERO) - 994.4).abs() < 1.5, "{}", laps(Span::ZERO));
    assert!((laps(Span::from_micros(500)) - 994.4).abs() < 1.5);
    for (interval_ms, due) in [(2, 500.0), (5, 200.0), (50, 20.0)] {
        let got = laps(Span::from_millis(interval_ms));
        assert!((got - due).abs() <= 1.0, "{got} laps in a second, one every {interval_ms} ms");
    }
}

/// Either way of telling rates leads to the same; one costs N - 1 times the other.
#[test]
fn every_station_may_tell_its_own_rate() {
    let under = |signalling| {
        let law = RingLawChoice::dvsr(dvsr::Params { signalling, ..Default::default() });
        let flows = (0..4).map(|from| flow(from, 4, cbr(622_000_000))).collect();
        let duration = Span::from_millis(500);
        run(&RingPlan { duration, warmup: Span::from_millis(100), flows, ..ring(10) }, &law)
    };
    let (one, each) = (under(dvsr::Signalling::Circulating), under(dvsr::Signalling::PerNode));
    for (a, b) in one.flows.iter().zip(&each.flows) {
        assert!((a.measured_bytes as f64 / b.measured_bytes as f64 - 1.0).abs() < 0.06, "{a:?} {b:?}");
    }
    let per_lap = |record: &RunRecord| record.control_hops as f64 / 500.0;
    assert!(
        (per_lap(&one) - 10.0).abs() < 0.2 && (per_lap(&each) - 90.0).abs() < 1.0,
        "{} {}",
        per_lap(&one),
        per_lap(&each)
    );
}

/// A flow of a packet now and then takes what it uses from a greedy neighbour at the
/// same station, and its packets need not wait for a frame to allow them.
#[test]
fn a_sparse_flow_costs_its_neighbour_no_more_than_it_uses() {
    for mbps in [1, 8, 40] {
        let mut plan = settled(greedy(&[(1, 4)]));
        plan.duration = Span::from_secs_f64(2.0);
        plan.flows.push(flow(1, 5, Arrivals::Poisson { rate: fairwire_core::BitRate::from_mbps(mbps) }));
        let record = run(&plan, &law("dvsr"));
        let (rest, used) = (rate_bps(&record, 0) / LINK, rate_bps(&record, 1) / LINK);
        assert!(rest + used > 0.98, "{mbps} Mb/s leave its neighbour {rest} of the link");
        let waited_ns = record.flows[1].delay.p99_ns - 4 * 113_000;
        assert!(waited_ns < 1_000_000, "{mbps} Mb/s: one packet in a hundred waits for {waited_ns} ns");
    }
}

/// A flow that begins while its neighbour at the same station has taken all
/// begins within a few laps, and one that ends frees its share as fast.
#[test]
fn shares_follow_flows_that_come_and_go() {
    let mut plan = ring(10);
    plan.flows = greedy(&[(1, 4), (2, 4), (1, 3)]);
    plan.flows[1].start = Instant::from_nanos(100_000_000);
    plan.flows[1].stop = Instant::from_nanos(200_000_000);
    plan.flows[2].start = Instant::from_nanos(300_000_000);
    plan.duration = Span::from_millis(400);
    let record = run(&plan, &law("dvsr"));
    let share = |flow: usize, rows: std::ops::Range<usize>| {
        let bytes: u32 = record.flows[flow].delivered_bytes[rows.clone()].iter().sum();
        f64::from(bytes) * 8.0 / (rows.len() as f64 * 1e-3) / LINK
    };
    let near = |got: f64, due: f64| assert!((got - due).abs() < 0.02, "{got} where {due} is due");
    near(share(0, 50..100), 1.0);
    near(share(0, 110..200), 0.5);
    near(share(1, 110..200), 0.5);
    near(share(0, 210..300), 1.0);
    near(share(0, 320..400), 0.5);
    near(share(2, 320..400), 0.5);
}

/// Control frames are load: they are counted, and they pass queues by.
#[test]
fn frames_go_before_data() {
    let mut plan = settled(greedy(&[(1, 5), (2, 5), (3, 5), (4, 5)]));
    // Deep queues in the frames' own direction: frames that speak of ringlet 1 travel on ringlet 0.
    plan.flows.push(FlowPlan { ringlet: Ringlet::One, ..flow(5, 4, Arrivals::Greedy) });
    let record = run(&plan, &law("dvsr"));
    let laps = record.control_hops as f64 / 20.0;
    // No frame waits for more than the packet in transmission: below 13 us at each of ten stations.
    assert!(laps > 500.0 / (1.0 + 10.0 * 0.0135), "{laps} laps in half a second");
}

/// What class A0 has reserved and class B is committed to send is nobody's to share.
#[test]
fn stations_share_what_classes_leave() {
    let mut plan = settled(greedy(&[(1, 5), (2, 5), (3, 5), (4, 5)]));
    plan.flows.iter_mut().for_each(|flow| traffic(flow).size_jitter = 0.05);
    plan.transit.datapath = Datapath::DualQueue;
    plan.transit.primary_buffer = Bytes::new(30_000);
    for (class, rate) in [(ServiceClass::A0, 124_400_000), (ServiceClass::B, 62_200_000)] {
        plan.flows.push(FlowPlan { class, guaranteed: BitRate::from_bps(rate), ..flow(3, 5, cbr(rate)) });
    }
    assert_shares(&shares(&plan, &law("dvsr")), &[0.175, 0.175, 0.175, 0.175, 0.2, 0.1], 0.05);
}
