//! Small cases whose outcome is known to the nanosecond or the packet.

use crate::network_common::*;
use fairwire_core::{BitRate, Bytes, Instant, Span};
use fairwire_laws::queue::{Limit, QueueLawChoice};
use fairwire_plan::*;
use fairwire_sim::*;

const MS: u64 = 1_000_000;

/// Both ways through time.
fn both(plan: &NetworkPlan) -> [NetworkRecord; 2] {
    [NetworkEngine::Ahead, NetworkEngine::Events].map(|engine| run(&NetworkPlan { engine, ..plan.clone() }))
}

/// One packet of 1000 bytes at time zero.
fn one_packet() -> NetworkFlowPlan {
    NetworkFlowPlan { stop: Instant::from_nanos(1), ..flow("one", &[0, 1], &[], cbr(1_000, 0.0)) }
}

#[test]
fn a_packet_is_stored_and_forwarded() {
    let mut plan = network(3);
    plan.links = vec![link(0, 1, 8, Span::from_millis(3)), link(1, 2, 1, Span::from_millis(5))];
    plan.flows = vec![one_packet()];
    for record in both(&plan) {
        // 1 ms and 3 ms, then 8 ms and 5 ms.
        assert_eq!((record.flows[0].sent, record.flows[0].arrived), (1, 1));
        let delay = record.flows[0].delay;
        assert_eq!((delay.count, delay.mean_ns, delay.max_ns), (1, 17e6, 17_000_000));
        assert!((delay.p50_ns as f64 / 17e6 - 1.0).abs() < 0.01, "two significant digits of 17 ms: {delay:?}");
        assert_eq!(record.flows[0].delivered_bytes[1], 1_000);
        assert_eq!(record.links[0].sent_bytes[0], 1_000);
        assert_eq!((record.packet_hops, record.links[1].mean_packets), (2, 0.0));
    }
}

#[test]
fn what_has_not_arrived_at_the_end_is_in_flight() {
    let mut plan = network(3);
    plan.links = vec![link(0, 1, 8, Span::from_millis(3)), link(1, 2, 1, Span::from_millis(5))];
    plan.flows = vec![one_packet()];
    for (end, hops, arrived) in [(4 * MS, 1, 0), (4 * MS + 1, 2, 0), (17 * MS, 2, 0), (17 * MS + 1, 2, 1)] {
        plan.duration = Span::from_nanos(end);
        for record in both(&plan) {
            let flow = &record.flows[0];
            assert_eq!((record.packet_hops, flow.arrived, flow.in_flight), (hops, arrived, 1 - arrived), "{end} ns");
        }
    }
}

#[test]
fn a_drop_tail_queue_fills_and_drops_what_does_not_fit() {
    // 9 packets at once each ms over a link of one packet a ms, with room for 4 beside
    // the one that is being sent: 5 of the first 9 fit, then one of each 9.
    let mut plan = network(3);
    plan.links = vec![link(0, 1, 1_000_000, Span::ZERO), link(1, 2, 8, Span::ZERO)];
    plan.links[1].limit = Limit::Packets(4);
    plan.flows = vec![NetworkFlowPlan { micro_flows: 9, ..flow("burst", &[0, 1], &[], cbr(8_000, 0.0)) }];
    plan.duration = Span::from_millis(10);
    for record in both(&plan) {
        let queue = &record.links[1];
        assert_eq!((queue.arrived, queue.dropped), (90, [90 - 5 - 9, 0, 0]));
        assert_eq!((queue.deepest_packets, record.flows[0].dropped), (4, 76));
        assert_eq!(queue.waiting_packets, vec![4]);
    }
}

#[test]
fn the_mean_queue_is_a_mean_over_time() {
    // Two packets at once each 10 ms: the second waits for the 4 ms of the first.
    let mut plan = network(2);
    plan.links = vec![link(0, 1, 2, Span::ZERO)];
    plan.flows = vec![NetworkFlowPlan { micro_flows: 2, ..flow("pair", &[0], &[], cbr(800, 0.0)) }];
    plan.warmup = Span::from_millis(102);
    plan.duration = Span::from_millis(202);
    for record in both(&plan) {
        let queue = &record.links[0];
        assert!((queue.mean_packets - 0.4).abs() < 1e-12 && (queue.mean_bytes - 400.0).abs() < 1e-9);
        // Of the pair at 100 ms the second, of the pair at 200 ms the first left in between.
        assert_eq!((queue.waiting.count, queue.measured_bytes, queue.deepest_packets), (20, 20_000, 1));
    }
}

#[test]
fn a_link_of_another_capacity_sends_the_next_packet_with_it() {
    // At 8 Mb/s a packet takes 1 ms. From 1.5 ms on it is 4 Mb/s, 2 ms, and from 6 ms on 16 Mb/s.
    let mut plan = network(2);
    plan.links = vec![link(0, 1, 8, Span::ZERO)];
    let change = |at: u64, mbps| LinkChange { at: Instant::from_nanos(at), capacity: BitRate::from_mbps(mbps) };
    plan.links[0].changes = vec![change(3 * MS / 2, 4), change(6 * MS, 16)];
    plan.flows = vec![NetworkFlowPlan { micro_flows: 7, ..flow("seven", &[0], &[], cbr(1, 0.0)) }];
    plan.window = Span::from_micros(500);
    plan.duration = Span::from_millis(8);
    for record in both(&plan) {
        // Ends at 1, 2, 4, 6, 6.5, 7 and 7.5 ms.
        let arrivals: Vec<_> = (0..16).filter(|row| record.flows[0].delivered_bytes[*row] > 0).collect();
        assert_eq!(arrivals, vec![2, 4, 8, 12, 13, 14, 15]);
    }
}

/// A link that has another capacity from time zero on is one that never had the first: RED's idle time, PIE's departure
/// rate, CAKE's target and quantum.
#[test]
fn a_queue_s_law_is_told_what_its_link_has_become() {
    for about in QueueLawChoice::ALL {
        let outcome = |mbps: u64, changes: Vec<LinkChange>| {
            let mut plan = network(2);
            plan.links = vec![link(0, 1, mbps, Span::from_millis(10)), link(1, 0, 8, Span::from_millis(10))];
            plan.links[0] = NetworkLinkPlan { queue: queue(about.name), changes, ..plan.links[0].clone() };
            let size = TransferSize::Fixed(Bytes::new(150_000));
            let work = Work::Transfers { count: None, mean_interval: Span::from_millis(1_500), size };
            plan.flows = vec![flow("some", &[0], &[1], tcp("reno", work)), flow("few", &[0], &[], cbr(100, 0.3))];
            plan.flows[0].micro_flows = 3;
            plan.duration = Span::from_millis(8_000);
            both(&plan).map(|record| format!("{:?} {:?}", record.flows, record.links))
        };
        let due = outcome(2, Vec::new());
        assert_eq!(due[0], due[1], "{}", about.name);
        let told = outcome(80, vec![LinkChange { at: Instant::ZERO, capacity: BitRate::from_mbps(2) }]);
        assert!(told == due, "{}", about.name);
    }
}

#[test]
fn a_transfer_without_loss_takes_the_time_that_it_takes() {
    // 1000 bytes take 1 ms there, acknowledgements of 40 bytes 0.04 ms back, and 10 ms of delay
    // each way: a round trip is 21.04 ms. Windows of 2, 4 and 4 segments carry ten; the
    // last of a window leaves 1, 3 and 3 ms after the first.
    let mut plan = network(2);
    plan.links = vec![link(0, 1, 8, Span::from_millis(10)), link(1, 0, 8, Span::from_millis(10))];
    let size = TransferSize::Fixed(Bytes::new(10_000));
    let work = Work::Transfers { count: Some(1), mean_interval: Span::from_nanos(1), size };
    plan.flows = vec![flow("ten", &[0], &[1], tcp("reno", work))];
    for record in both(&plan) {
        let [transfer] = record.flows[0].transfers[..] else { panic!("one transfer: {:?}", record.flows[0].transfers) };
        assert_eq!((transfer.bytes, transfer.sent, transfer.retransmitted), (10_000, 10, 0));
        let took = transfer.end.since(transfer.start).as_nanos();
        assert_eq!(took, 3 * 21_040_000 + 3 * MS);
        assert_eq!((record.flows[0].measured_bytes, record.flows[0].unfinished), (10_000, 0));
    }
}

#[test]
fn bad_plans_are_refused_with_what_is_wrong() {
    let mut good = network(3);
    good.links = vec![link(0, 1, 8, Span::ZERO), link(1, 2, 8, Span::ZERO), link(2, 0, 8, Span::ZERO)];
    good.flows = vec![flow("it", &[0, 1], &[2], tcp("reno", Work::Unlimited))];
    assert_eq!(good.validate(), Ok(()));
    let known = good.clone();
    let refuse = |change: &dyn Fn(&mut NetworkPlan), what: &str| {
        let mut plan = known.clone();
        change(&mut plan);
        let error = simulate_network(&plan).expect_err(what).to_string();
        assert!(error.contains(what), "{error}");
    };
    refuse(&|plan| plan.flows[0].route = vec![1, 0], "does not go on at link 0-1");
    refuse(&|plan| plan.flows[0].route = vec![0, 1, 2], "comes to one node twice");
    refuse(&|plan| plan.flows[0].route = vec![], "takes no link");
    refuse(&|plan| plan.flows[0].route = vec![7], "a link that is not there");
    refuse(&|plan| plan.flows[0].reverse_route = vec![1], "does not lead from its destination to its source");
    refuse(&|plan| plan.flows[0].micro_flows = 0, "at least one micro-flow");
    refuse(&|plan| plan.links[1].name = "0-1".to_owned(), "two links are called 0-1");
    refuse(&|plan| plan.flows.push(plan.flows[0].clone()), "two flows are called it");
    refuse(&|plan| plan.links[0].capacity = BitRate::ZERO, "it has no capacity");
    refuse(&|plan| plan.links[0].to = 9, "two different nodes");
    refuse(&|plan| plan.links[0].random_loss = 1.5, "from 0 to 1");
    refuse(&|plan| plan.links[0].limit = Limit::Packets(0), "needs room");
    refuse(&|plan| plan.warmup = Span::from_millis(2_000), "outlasts the run");
    refuse(&|plan| plan.nodes = 0, "from 1 to");
    let twice = LinkChange { at: Instant::ZERO, capacity: BitRate::from_mbps(1) };
    refuse(&|plan| plan.links[0].changes = vec![twice, twice], "not in order of time");
    let fast = LinkChange { at: Instant::ZERO, capacity: BitRate::from_mbps(1_000_000_000) };
    refuse(&|plan| plan.links[0].changes = vec![fast], "exceeds 32 bits");
    let offer = |work| tcp("reno", work);
    let web = Work::Web {
        pages: None,
        mean_think_time: Span::ZERO,
        mean_objects: 0.5,
        mean_gap: Span::ZERO,
        size: TransferSize::Fixed(Bytes::new(1)),
    };
    refuse(&|plan| plan.flows[0].offer = offer(web), "at least one object");
    let size = TransferSize::Pareto { mean: Bytes::new(1), shape: 1.0 };
    let transfers = Work::Transfers { count: None, mean_interval: Span::from_millis(1), size };
    refuse(&|plan| plan.flows[0].offer = offer(transfers), "shape above 1");
    refuse(&|plan| plan.flows[0].activity = Some(Activity { every: Span::ZERO, probability: 0.5 }), "needs a length");
    let with_ack = |plan: &mut NetworkPlan, bytes: u64| {
        plan.flows[0].offer.tcp_mut().unwrap().settings.ack = Bytes::new(bytes);
    };
    refuse(&|plan| with_ack(plan, 1_001), "none is larger than a segment");
    with_ack(&mut good, 1_000);
    good.links[0].random_loss = 1.0;
    assert_eq!(good.validate(), Ok(()), "at the edge of what makes sense");
}

/// Two links on the way mark often. What the first has marked may be chosen by the second, and counts once.
#[test]
fn a_marked_packet_is_not_marked_again() {
    let mut plan = network(3);
    let delay = Span::from_millis(1);
    plan.links = vec![link(0, 1, 3, delay), link(1, 2, 10, delay), link(2, 0, 10, delay), link(2, 1, 10, delay)];
    for link in &mut plan.links[..2] {
        let mut red = fairwire_laws::queue::red::Params { ecn: true, wait: false, ..Default::default() };
        (red.min_th, red.max_th, red.w_q, red.max_p) = (1.0, 50.0, 1.0, 1.0);
        link.queue = QueueLawChoice::red(red);
    }
    let Offer::Tcp(mut capable) = tcp("reno", Work::Unlimited) else { panic!("it is TCP") };
    capable.settings.ecn = true;
    let of = |name: &str, route: &[u32], back: u32| NetworkFlowPlan {
        micro_flows: 8,
        stop: Instant::from_nanos(800 * MS),
        ..flow(name, route, &[back], Offer::Tcp(capable))
    };
    plan.flows = vec![of("both", &[0, 1], 2), of("second", &[1], 3)];
    let mut simulation = NetworkSimulation::new(plan).unwrap();
    simulation.capture(&[1]);
    simulation.advance(Instant::NEVER);
    let is_marked = |seen: &&Captured| matches!(&seen.content, CapturedContent::Packet(packet) if packet.marked);
    let seen = simulation.captured().iter().filter(is_marked).count() as u64;
    let record = simulation.into_record();
    let (first, second) = (record.links[0].marked, record.links[1].marked);
    assert!(first > 50 && second > 50, "{first} and {second}");
    assert_eq!(record.links.iter().map(|link| link.dropped.iter().sum::<u64>()).sum::<u64>(), 0);
    assert_eq!((first + second, record.flows.iter().map(|flow| flow.marked).sum::<u64>()), (seen, seen));
}
