//! A network can be taken through time in any pieces, looked at, and fed, and stays the same.

use crate::network_common::{cbr, flow, link, network, random_network, run};
use fairwire_core::{BitRate, Instant, RandomStream, Span, Streams};
use fairwire_plan::*;
use fairwire_sim::*;
use rand::RngExt;

const PLANS: u64 = 300;

fn engines(plan: &NetworkPlan) -> [NetworkPlan; 2] {
    [NetworkEngine::Ahead, NetworkEngine::Events].map(|engine| NetworkPlan { engine, ..plan.clone() })
}

/// Instants up to the end of a run, some of them one after the other, or the same.
fn random_steps(draw: &mut RandomStream, plan: &NetworkPlan) -> Vec<Instant> {
    let end = plan.duration.as_nanos();
    let mut steps: Vec<_> = (0..draw.random_range(1..25)).map(|_| draw.random_range(0..=end)).collect();
    steps.push(steps[0] + 1);
    steps.push(steps[0]);
    steps.sort_unstable();
    steps.into_iter().map(Instant::from_nanos).collect()
}

#[test]
fn any_pieces_give_the_record_of_one_run() {
    for number in 0..PLANS {
        let plan = random_network(number);
        let whole = run(&plan);
        let mut draw = Streams::new(number, 1).component("steps");
        for plan in engines(&plan) {
            let mut simulation = NetworkSimulation::new(plan).expect("a sound plan");
            for step in random_steps(&mut draw, simulation.plan()) {
                simulation.advance(step);
                assert!(simulation.now() >= step.min(simulation.end()));
                if draw.random_bool(0.5) {
                    simulation.view();
                }
            }
            simulation.advance(Instant::NEVER);
            assert!(simulation.is_over());
            assert!(simulation.into_record() == whole, "plan {number}");
        }
    }
}

#[test]
fn both_engines_look_the_same_at_every_instant() {
    let (mut waiting, mut in_flight) = (0, 0);
    for number in 0..PLANS / 2 {
        let plan = random_network(number);
        let mut draw = Streams::new(number, 2).component("steps");
        let steps = random_steps(&mut draw, &plan);
        let [mut ahead, mut events] = engines(&plan).map(|plan| NetworkSimulation::new(plan).expect("a sound plan"));
        for step in steps {
            // One of them comes there in two steps.
            ahead.advance(Instant::from_nanos(step.as_nanos() / 2));
            ahead.advance(step);
            events.advance(step);
            let view = ahead.view();
            assert!(view == events.view(), "plan {number} at {step}");
            waiting += view.links.iter().map(|link| link.waiting_packets).sum::<u32>();
            in_flight += view.flows.iter().map(|flow| flow.in_flight).sum::<u64>();
        }
    }
    assert!(waiting > 1_000 && in_flight > 1_000, "{waiting} packets waited and {in_flight} were under way");
}

#[test]
fn ending_early_is_as_if_the_plan_were_shorter() {
    for number in 0..PLANS / 3 {
        let plan = random_network(number);
        if plan.flows.iter().any(|flow| flow.activity.is_some()) {
            continue; // Its periods are drawn for the whole run.
        }
        let at = Span::from_nanos(plan.warmup.as_nanos() + (plan.duration - plan.warmup).as_nanos() / 3);
        let shorter = run(&NetworkPlan { duration: at, ..plan.clone() });
        for plan in engines(&plan) {
            let mut simulation = NetworkSimulation::new(plan).expect("a sound plan");
            simulation.advance(Instant::ZERO + at);
            assert_eq!(simulation.view().flows[0].arrived, shorter.flows[0].arrived);
            assert!(simulation.into_record() == shorter, "plan {number}");
        }
    }
}

/// Packets for flows of datagrams, in order of time.
fn random_packets(draw: &mut RandomStream, plan: &NetworkPlan) -> Vec<(usize, BroughtPacket)> {
    let takers: Vec<_> = (0..plan.flows.len()).filter(|flow| plan.flows[*flow].offer.datagrams().is_some()).collect();
    if takers.is_empty() {
        return Vec::new();
    }
    let end = plan.duration.as_nanos();
    let burst = draw.random_range(0..end);
    let mut packets: Vec<_> = (0..draw.random_range(1..400))
        .map(|number| {
            let at = if draw.random_bool(0.3) { burst } else { draw.random_range(0..end) };
            let size_bytes = [40, 1_000, 1_500, 65_535][draw.random_range(0..4)];
            let packet = BroughtPacket {
                number: 1 << 40 | number,
                size_bytes,
                at: Instant::from_nanos(at),
                ..BroughtPacket::default()
            };
            (takers[draw.random_range(0..takers.len())], packet)
        })
        .collect();
    packets.sort_by_key(|(_, packet)| packet.at);
    packets
}

/// Brings packets, each so long before its time, and takes what is handed back on the way.
fn feed(
    plan: NetworkPlan,
    packets: &[(usize, BroughtPacket)],
    ahead: Span,
    most: Span,
) -> (NetworkRecord, Vec<Delivery>, usize) {
    let mut simulation = NetworkSimulation::new(plan).expect("a sound plan");
    let mut packets = packets.iter().peekable();
    let mut deliveries = Vec::new();
    while !simulation.is_over() {
        let now = simulation.now();
        while let Some((flow, packet)) = packets.next_if(|(_, packet)| packet.at <= now + ahead) {
            simulation.inject(*flow, *packet).expect("it is in time");
        }
        let brings_at = |packet: &BroughtPacket| packet.at.as_nanos().saturating_sub(ahead.as_nanos());
        let next = packets.peek().map_or(Instant::NEVER, |(_, packet)| Instant::from_nanos(brings_at(packet)));
        simulation.advance(next.max(now + Span::from_nanos(1)).min(now + most));
        deliveries.extend(simulation.deliveries());
    }
    let outstanding = simulation.outstanding();
    (simulation.into_record(), deliveries, outstanding)
}

#[test]
fn what_is_brought_comes_back_once_and_the_same_however_it_is_brought() {
    let mut fates = std::collections::BTreeMap::new();
    for number in 0..PLANS {
        let plan = random_network(number);
        let mut draw = Streams::new(number, 3).component("packets");
        let packets = random_packets(&mut draw, &plan);
        let none = run(&plan);
        let [at_first, on_the_way] = engines(&plan);
        let (record, deliveries, outstanding) =
            feed(at_first, &packets, Span::from_secs_f64(1e6), Span::from_secs_f64(1e6));
        assert_eq!(record.violations, Vec::<String>::new());
        let again = feed(on_the_way, &packets, Span::ZERO, Span::from_millis(70));
        assert!((record.clone(), deliveries.clone(), outstanding) == again, "plan {number}");
        assert_eq!(deliveries.len() + outstanding, packets.len());
        assert!(deliveries.is_sorted_by_key(|delivery| delivery.at));
        let mut numbers: Vec<_> = deliveries.iter().map(|delivery| delivery.packet.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), deliveries.len(), "none comes back twice");
        for delivery in &deliveries {
            assert!(packets.contains(&(delivery.flow, delivery.packet)) && delivery.at >= delivery.packet.at);
            *fates.entry(delivery.fate).or_insert(0) += 1;
        }
        let sent = |record: &NetworkRecord| record.flows.iter().map(|flow| flow.sent).sum::<u64>();
        if plan.flows.iter().all(|flow| flow.offer.tcp().is_none()) {
            assert_eq!(sent(&record), sent(&none) + packets.len() as u64);
        }
    }
    for fate in [Fate::Arrived, Fate::Dropped, Fate::Evicted, Fate::Lost] {
        assert!(fates.get(&fate).is_some_and(|count| *count > 20), "{fates:?}");
    }
}

#[test]
fn what_a_source_makes_gives_the_same_record_when_it_is_written_down_and_brought() {
    let mut plan = network(3);
    plan.links = vec![link(0, 1, 10, Span::from_millis(2)), link(1, 2, 5, Span::from_millis(3))];
    plan.flows = vec![flow("a", &[0, 1], &[], cbr(4_000, 0.0)), flow("b", &[0], &[], cbr(9_000, 0.3))];
    let made = run(&plan);
    // 1000 bytes at 4 Mb/s are 2 ms.
    let written: Vec<_> = (0..500)
        .map(|number| BroughtPacket {
            number,
            size_bytes: 1_000,
            at: Instant::from_nanos(number * 2_000_000),
            ..BroughtPacket::default()
        })
        .collect();
    plan.flows[0].start = Instant::NEVER;
    let mut simulation = NetworkSimulation::new(plan).unwrap();
    written.iter().for_each(|packet| simulation.inject(0, *packet).unwrap());
    simulation.advance(Instant::NEVER);
    let arrived = simulation.deliveries().iter().filter(|delivery| delivery.fate == Fate::Arrived).count();
    let record = simulation.into_record();
    assert!(record == made, "as if the source had made them");
    assert_eq!(arrived as u64, made.flows[0].arrived);
}

#[test]
fn what_cannot_be_taken_is_refused_in_words() {
    let mut plan = network(2);
    plan.links = vec![link(0, 1, 10, Span::from_millis(2)), link(1, 0, 10, Span::from_millis(2))];
    plan.flows = vec![
        flow("datagrams", &[0], &[], cbr(4_000, 0.0)),
        flow("connections", &[0], &[1], crate::network_common::tcp("reno", Work::Unlimited)),
    ];
    let mut simulation = NetworkSimulation::new(plan).unwrap();
    simulation.advance(Instant::from_nanos(5_000));
    let packet =
        |at| BroughtPacket { number: 3, size_bytes: 100, at: Instant::from_nanos(at), ..BroughtPacket::default() };
    assert!(simulation.inject(0, packet(5_000)).is_ok());
    let refused = [
        simulation.inject(2, packet(5_000)),
        simulation.inject(1, packet(5_000)),
        simulation.inject(0, packet(4_999)),
        simulation.inject(0, packet(1_000_000_000)),
        simulation.inject(0, BroughtPacket { size_bytes: 0, ..packet(5_000) }),
    ];
    let words: Vec<_> = refused.into_iter().map(|answer| answer.unwrap_err().to_string()).collect();
    assert_eq!(
        words,
        [
            "there is no flow 2: the plan has 2, counted from 0",
            "flow connections is made of TCP connections, which send what their senders decide; bring packets to a flow \
             of datagrams",
            "packet 3 is to be sent at 4999 ns; the simulation stands at 5 us and ends at 1 s",
            "packet 3 is to be sent at 1 s; the simulation stands at 5 us and ends at 1 s",
            "packet 3 has no bytes; it needs at least 1",
        ]
    );
}

#[test]
fn a_view_tells_what_waits_and_what_is_under_way() {
    let mut plan = network(2);
    plan.links = vec![link(0, 1, 8, Span::from_millis(10))];
    plan.links[0].changes = vec![LinkChange { at: Instant::from_nanos(900_000_000), capacity: BitRate::from_mbps(16) }];
    plan.flows = vec![flow("brought", &[0], &[], cbr(1_000, 0.0))];
    plan.flows[0].start = Instant::NEVER;
    let mut simulation = NetworkSimulation::new(plan).unwrap();
    // A packet takes 1 ms: at 2.5 ms two were sent, the third is being sent, and two wait.
    for number in 0..5 {
        simulation
            .inject(0, BroughtPacket { number, size_bytes: 1_000, at: Instant::ZERO, ..BroughtPacket::default() })
            .unwrap();
    }
    simulation.advance(Instant::from_nanos(2_500_000));
    let view = simulation.view();
    let (link, flow) = (&view.links[0], &view.flows[0]);
    assert_eq!((link.waiting_packets, link.waiting_bytes, link.arrived, link.sent), (2, 2_000, 5, 3));
    assert_eq!((flow.sent, flow.arrived, flow.in_flight, flow.delivered_bytes), (5, 0, 5, 0));
    assert_eq!((link.capacity, simulation.outstanding()), (BitRate::from_mbps(8), 5));
    // The first arrives at 11 ms, the second at 12 ms: the time of a view is the first that has not been simulated.
    simulation.advance(Instant::from_nanos(12_000_000));
    assert_eq!((simulation.deliveries().len(), simulation.view().flows[0].delivered_bytes), (1, 1_000));
    simulation.advance(Instant::from_nanos(12_000_001));
    assert_eq!(simulation.deliveries()[0].at.as_nanos(), 12_000_000);
    simulation.advance(Instant::NEVER);
    assert_eq!(simulation.view().links[0].capacity, BitRate::from_mbps(16));
}

#[test]
fn a_simulation_can_be_moved_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<NetworkSimulation>();
}
