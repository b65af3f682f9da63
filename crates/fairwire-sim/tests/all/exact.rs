//! Times and counts that can be worked out by hand, to the nanosecond and the packet.

use crate::common::{burst, cbr, flow, law, ring, ring_of, run, traffic};
use fairwire_core::{BitRate, Bytes, FlowId, Instant, Ringlet, Span};
use fairwire_plan::*;

const BOTH: [EnginePath; 2] = [EnginePath::Windows, EnginePath::Events];

/// How many packets of flow 0 have been delivered by `end_ns`, itself not included.
fn delivered_before(end_ns: u64, plan: &RingPlan) -> u64 {
    let plan = RingPlan { duration: Span::from_nanos(end_ns), warmup: Span::ZERO, ..plan.clone() };
    run(&plan, &law("fifo")).flows[FlowId(0).index()].delivered
}

#[test]
fn a_lone_packet_takes_its_hops_and_nothing_else() {
    // 1000 bytes at 622 Mb/s take 12861.7 ns; every link drops the fraction once.
    for (engine, ringlet) in BOTH.into_iter().flat_map(|path| Ringlet::BOTH.map(|ringlet| (path, ringlet))) {
        for hops in 1..=7 {
            let mut plan = RingPlan { engine, ..ring(8) };
            let to = ringlet.downstream_of(6, hops, 8);
            plan.flows = vec![FlowPlan { ringlet, ..burst(6, to, 4_321, 1) }];
            let due = 4_321 + hops * (12_861 + 100_000);
            assert_eq!((delivered_before(due, &plan), delivered_before(due + 1, &plan)), (0, 1), "{hops} hops");
        }
    }
}

#[test]
fn links_of_their_own_capacity_and_delay_add_up() {
    let links = [(100, 7), (1_000, 0), (50, 12_345), (622, 1)];
    let (mut plan, mut due) = (ring(4), 0);
    for (link, (mbps, delay)) in plan.links[0].iter_mut().zip(links) {
        *link = LinkPlan { capacity: BitRate::from_mbps(mbps), delay: Span::from_nanos(delay) };
    }
    for (mbps, delay) in &links[..3] {
        due += 8_000_000 / mbps + delay;
    }
    plan.flows = vec![burst(0, 3, 0, 1)];
    for engine in BOTH {
        plan.engine = engine;
        assert_eq!((delivered_before(due, &plan), delivered_before(due + 1, &plan)), (0, 1));
    }
}

trait DownstreamOf {
    fn downstream_of(self, station: u16, hops: u64, stations: u16) -> u16;
}

impl DownstreamOf for Ringlet {
    fn downstream_of(self, station: u16, hops: u64, stations: u16) -> u16 {
        (0..hops).fold(station, |at, _| self.downstream(at.into(), stations.into()) as u16)
    }
}

#[test]
fn back_to_back_packets_leave_at_exactly_the_capacity() {
    // The k-th of a burst ends floor(k · 1000 B / 622 Mb/s) after it began, with no drift.
    let mut plan = ring(3);
    plan.transit.buffer = Bytes::new(100_000_000);
    plan.flows = vec![burst(0, 1, 0, 77_750)];
    for engine in BOTH {
        plan.engine = engine;
        for packets in [1, 2, 1_000, 38_875, 77_750] {
            let due = (packets * 8_000_000_000_000u64 / 622_000_000) + 100_000;
            assert_eq!(delivered_before(due, &plan), packets - 1, "{packets}");
            assert_eq!(delivered_before(due + 1, &plan), packets, "{packets}");
        }
        let second = 1_000_000_000 + 100_000;
        assert_eq!((delivered_before(second, &plan), delivered_before(second + 1, &plan)), (77_749, 77_750));
    }
}

#[test]
fn a_constant_rate_below_capacity_arrives_as_it_is() {
    for (mbps, size_jitter, jitter) in [(100, 0.0, 0.0), (555, 0.05, 0.5), (621, 0.0, 0.0), (1, 0.9, 1.0)] {
        let mut plan = ring(6);
        let arrivals = Arrivals::Cbr { rate: BitRate::from_mbps(mbps), jitter };
        plan.flows = vec![flow(4, 1, arrivals)];
        traffic(&mut plan.flows[0]).size_jitter = size_jitter;
        plan.duration = Span::from_secs_f64(2.0);
        plan.warmup = Span::from_secs_f64(1.0);
        for name in ["fifo", "dvsr"] {
            let record = run(&plan, &law(name));
            let flow = &record.flows[0];
            let expected = mbps as f64 * 1e6 / 8.0;
            // Sizes decide how many packets fit, so allow for the two packets cut by the window's ends.
            let slack = 3_000.0 + size_jitter * 20.0 * (expected * 1_000.0).sqrt();
            assert!((flow.measured_bytes as f64 - expected).abs() <= slack, "{name} {mbps}: {}", flow.measured_bytes);
            assert_eq!((flow.refused, flow.dropped), (0, 0), "{name} {mbps}");
        }
    }
}

#[test]
fn a_greedy_flow_fills_its_link_to_the_last_byte() {
    for engine in BOTH {
        for overflow in [Overflow::Drop, Overflow::Hold] {
            let mut plan = RingPlan { engine, ..ring(3) };
            plan.transit.overflow = overflow;
            plan.flows = vec![flow(0, 1, Arrivals::Greedy)];
            plan.flows[0].start = Instant::from_nanos(1_000_000);
            plan.duration = Span::from_nanos(1_001_000_000 + 100_000);
            // A second of 622 Mb/s is 77,750 packets; the last arrives as the second after is over.
            assert_eq!(delivered_before(1_001_100_000, &plan), 77_749);
            assert_eq!(delivered_before(1_001_100_001, &plan), 77_750);
        }
    }
}

#[test]
fn a_greedy_flow_of_mixed_sizes_fills_its_link_too() {
    let mut plan = ring(3);
    plan.flows = vec![flow(0, 1, Arrivals::Greedy)];
    traffic(&mut plan.flows[0]).size_jitter = 0.5;
    plan.duration = Span::from_secs_f64(1.0);
    plan.detail = Detail::Full;
    let record = run(&plan, &law("fifo"));
    let sent: u64 = record.links[0].sent_bytes.iter().map(|&row| u64::from(row)).sum();
    assert!((77_747_000..=77_751_500).contains(&sent), "{sent} bytes where 77,750,000 fit");
}

/// The convention: the buffer holds waiting packets, and the one in transmission has
/// left it. Of a burst one goes straight out, n wait, and the (n+2)th is dropped.
#[test]
fn a_buffer_of_n_packets_drops_the_last_of_n_and_two() {
    for n in [1, 2, 10, 200] {
        let mut plan = ring(3);
        plan.transit.buffer = Bytes::new(n * 1_000);
        for (packets, dropped) in [(n + 1, 0), (n + 2, 1), (n + 7, 6)] {
            plan.flows = vec![burst(0, 1, 10, packets)];
            let record = run(&plan, &law("fifo"));
            assert_eq!((record.flows[0].dropped, record.flows[0].delivered), (dropped, packets - dropped));
            assert_eq!(record.links[0].dropped, dropped);
            assert_eq!(record.links[0].deepest, Bytes::new(n * 1_000));
        }
        // One byte too little is a packet too little. A packet larger than the buffer
        // passes nowhere, not even through an idle link.
        plan.transit.buffer = Bytes::new(n * 1_000 - 1);
        plan.flows = vec![burst(0, 1, 10, n + 1)];
        assert_eq!(run(&plan, &law("fifo")).flows[0].dropped, if n == 1 { 2 } else { 1 });
    }
}

#[test]
fn packets_arise_from_start_on_and_before_stop() {
    let offered = |start: u64, stop: u64, arrivals| {
        let mut plan = ring(3);
        plan.flows = vec![FlowPlan {
            start: Instant::from_nanos(start),
            stop: Instant::from_nanos(stop),
            ..flow(0, 1, arrivals)
        }];
        let record = run(&plan, &law("fifo"));
        (record.flows[0].offered, record.flows[0].delivered)
    };
    // One every 80 us: at start, start + 80 us, …
    assert_eq!(offered(123, 124, cbr(100_000_000)), (1, 1));
    assert_eq!(offered(123, 123, cbr(100_000_000)), (0, 0));
    assert_eq!(offered(123, 80_123, cbr(100_000_000)), (1, 1));
    assert_eq!(offered(123, 80_124, cbr(100_000_000)), (2, 2));
    // A greedy source's bucket holds one packet from 12.9 us on, and then one comes every 12861.7 ns.
    assert_eq!(offered(50_000, 50_000, Arrivals::Greedy), (0, 0));
    assert_eq!(offered(50_000, 50_001, Arrivals::Greedy), (1, 1));
    assert_eq!(offered(50_000, 50_000 + 12_861, Arrivals::Greedy), (1, 1));
    assert_eq!(offered(50_000, 50_000 + 12_863, Arrivals::Greedy), (2, 2));
    assert_eq!(offered(50_000, 50_000 + 128_616, Arrivals::Greedy), (10, 10));
    assert_eq!(offered(50_000, 50_000 + 128_618, Arrivals::Greedy), (11, 11));
}

/// Four links of different capacity: the narrowest sets the rate, queues form only there.
#[test]
fn unequal_links_queue_at_the_narrowest() {
    let mut plan = ring(5);
    for (link, mbps) in plan.links[0].iter_mut().zip([400, 300, 100, 200, 622]) {
        link.capacity = BitRate::from_mbps(mbps);
    }
    plan.flows = vec![flow(0, 4, cbr(150_000_000))];
    plan.duration = Span::from_millis(500);
    plan.warmup = Span::from_millis(100);
    let record = run(&plan, &law("fifo"));
    let bytes = record.flows[0].measured_bytes;
    assert!(bytes.abs_diff(5_000_000) <= 1_000, "{bytes}");
    let drops: Vec<u64> = record.links.iter().map(|link| link.dropped).collect();
    assert!(drops[2] > 1_000 && drops.iter().sum::<u64>() == drops[2], "{drops:?}");
    let deepest: Vec<u64> = record.links.iter().map(|link| link.deepest.get()).collect();
    assert_eq!(deepest, [1_000, 1_000, 200_000, 1_000]);
}

/// Gigabit-Ethernet ring, greedy parking lot: 1/8, 1/8, 1/4, 1/2 ([dvsr] §VII-A1).
#[test]
fn the_drop_tail_parking_lot_favours_the_last_to_enter() {
    let mut plan = ring(5);
    plan.flows = (0..4).map(|from| flow(from, 4, Arrivals::Greedy)).collect();
    plan.flows.iter_mut().for_each(|flow| traffic(flow).size_jitter = 0.05);
    plan.duration = Span::from_secs_f64(1.0);
    plan.warmup = Span::from_millis(100);
    let record = run(&plan, &law("fifo"));
    for (flow, share) in [0.125, 0.125, 0.25, 0.5].into_iter().enumerate() {
        let got = crate::common::rate_bps(&record, flow) / 622e6;
        assert!((got - share).abs() < 0.02, "flow {flow} has {got} where {share} is due");
    }
}

/// One queue for all: behind a packet that its limiter holds, others wait too. Two
/// queues: they do not.
#[test]
fn a_single_station_queue_blocks_behind_its_head() {
    let mut plan = ring(6);
    // 1 → 5 is throttled by the lot of four on its last link, 1 → 2 could have the rest.
    plan.flows = vec![flow(1, 2, Arrivals::Greedy)];
    plan.flows.extend((1..5).map(|from| flow(from, 5, Arrivals::Greedy)));
    plan.duration = Span::from_millis(500);
    plan.warmup = Span::from_millis(200);
    let near = |queues| {
        let record = run(&RingPlan { station_queues: queues, ..plan.clone() }, &law("dvsr"));
        crate::common::rate_bps(&record, 0) / 622e6
    };
    let (single, own) = (near(StationQueues::Single), near(StationQueues::PerDestination));
    assert!((own - 0.75).abs() < 0.02, "{own}");
    assert!((single - 0.25).abs() < 0.05, "{single}: half of the queue is for the throttled egress");
}

/// A station queue of n packets refuses what arises while n wait, whether a law
/// looked at it in the meantime or not.
#[test]
fn a_station_queue_counts_the_packet_at_its_head() {
    // Station 0 has two flows on one queue; its greedy pair limits it to the line rate from the start.
    let mut plan = ring_of(3, BitRate::from_mbps(8), Span::from_micros(1));
    plan.station_buffer = Bytes::new(3_000);
    plan.duration = Span::from_millis(100);
    plan.flows =
        vec![FlowPlan { stop: Instant::from_nanos(1), ..flow(0, 1, Arrivals::Greedy) }, burst(0, 1, 20_000_000, 8)];
    // The limiter lets the first pass at once; three wait, and the fifth and later ones are refused.
    let record = run(&plan, &law("fifo"));
    assert_eq!((record.flows[1].refused, record.flows[1].delivered), (4, 4), "{:?}", record.flows);
    // One comes while the bucket fills: it waits at the head, and only two more have room.
    plan.flows[1] = burst(0, 1, 20_000_000, 1);
    plan.flows.push(burst(0, 1, 20_100_000, 8));
    let record = run(&plan, &law("fifo"));
    assert_eq!((record.flows[1].delivered, record.flows[2].refused, record.flows[2].delivered), (1, 5, 3));
}
