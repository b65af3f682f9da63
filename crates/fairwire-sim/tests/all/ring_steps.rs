//! A ring can be taken through time in any pieces, looked at, and fed, and stays the same.

use crate::common::{burst, cbr, flow, law, random_events, random_plan, random_steerable_plan, ring, run, tcp};
use fairwire_core::{Bytes, Instant, RandomStream, Span, StationId, Streams};
use fairwire_laws::protection::{Params, ProtectionMode};
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::*;
use fairwire_sim::*;
use rand::RngExt;
use std::collections::BTreeMap;

const PLANS: u64 = 180;
const WAYS: [EnginePath; 2] = [EnginePath::Windows, EnginePath::Events];

/// Random rings: every sixth has protection, and spans and stations that fail.
fn plan(number: u64) -> (RingPlan, RingLawChoice) {
    if number % 6 != 5 {
        return random_plan(number);
    }
    let mut draw = Streams::new(number, 7).component("protected");
    // What circulates on shorter rings would take most of the test's time.
    let fits = |plan: &RingPlan| plan.lap() > Span::from_micros(50);
    let (mut plan, law) = random_steerable_plan(&mut draw, fits, Span::from_millis(25));
    let changes = [RingChange::Cut, RingChange::Restore, RingChange::StationDown, RingChange::StationUp];
    let events = random_events(&mut draw, plan.stations.len(), 4, &changes, 20_000_000);
    let mode = [ProtectionMode::Steer, ProtectionMode::Wrap][number as usize / 6 % 2];
    let params = Params { mode, wait_to_restore: Span::from_millis(3), ..Params::default() };
    plan.protection = Some(ProtectionPlan { params, events });
    if number % 12 == 5 {
        plan.flows.iter_mut().for_each(|flow| flow.strict_order = true);
    }
    if mode == ProtectionMode::Wrap {
        crate::common::best_effort(&mut plan.flows);
    }
    (plan, law)
}

fn begin(plan: &RingPlan, engine: EnginePath, law: &RingLawChoice, fed: bool) -> RingSimulation {
    let plan = RingPlan { engine, ..plan.clone() };
    if fed { RingSimulation::fed(plan, law) } else { RingSimulation::new(plan, law) }.expect("a sound plan")
}

/// Instants up to the end of a run, some of them one after the other, or the same.
fn random_steps(draw: &mut RandomStream, plan: &RingPlan) -> Vec<Instant> {
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
        let (plan, law) = plan(number);
        let whole = simulate(&plan, &law).unwrap();
        let mut draw = Streams::new(number, 1).component("steps");
        for (way, fed) in WAYS.into_iter().zip([number % 2 == 0, number % 2 == 1]) {
            let mut simulation = begin(&plan, way, &law, fed);
            for step in random_steps(&mut draw, &plan) {
                simulation.advance(step);
                assert!(simulation.now() >= step.min(simulation.end()));
                if draw.random_bool(0.5) {
                    simulation.view();
                }
            }
            simulation.advance(Instant::NEVER);
            assert!(simulation.is_over());
            assert!(simulation.into_record() == whole, "plan {number}, {way:?}, fed: {fed}");
        }
    }
}

#[test]
fn both_ways_look_the_same_at_every_instant() {
    let (mut waiting, mut in_stations, mut limited) = (0, 0, 0);
    for number in 0..PLANS / 2 {
        let (plan, law) = plan(number);
        let mut draw = Streams::new(number, 2).component("steps");
        let [mut windows, mut events] = WAYS.map(|way| begin(&plan, way, &law, false));
        for step in random_steps(&mut draw, &plan) {
            // One of them comes there in two steps.
            windows.advance(Instant::from_nanos(step.as_nanos() / 2));
            windows.advance(step);
            events.advance(step);
            let view = windows.view();
            assert!(view == events.view(), "plan {number} at {step}");
            waiting += view.links.iter().map(|link| link.waiting_packets).sum::<u64>();
            in_stations += view.queues.iter().map(|queue| queue.waiting_packets).sum::<u64>();
            limited += view.limits.iter().filter(|limit| limit.rate.is_some()).count();
        }
    }
    assert!(waiting > 1_000 && in_stations > 1_000 && limited > 1_000, "{waiting}, {in_stations}, {limited}");
}

#[test]
fn ending_early_is_as_if_the_plan_were_shorter() {
    for number in 0..PLANS / 3 {
        let (plan, law) = plan(number);
        let at = Span::from_nanos(plan.warmup.as_nanos() + (plan.duration - plan.warmup).as_nanos() / 3);
        let shorter = simulate(&RingPlan { duration: at, ..plan.clone() }, &law).unwrap();
        for way in WAYS {
            let mut simulation = begin(&plan, way, &law, false);
            simulation.advance(Instant::ZERO + at);
            let view = simulation.view();
            for (seen, recorded) in view.flows.iter().zip(&shorter.flows) {
                assert_eq!((seen.offered, seen.refused), (recorded.offered, recorded.refused));
                assert_eq!((seen.entered, seen.delivered), (recorded.entered, recorded.delivered));
            }
            assert!(simulation.into_record() == shorter, "plan {number}");
        }
    }
}

/// Packets for flows of datagrams, in order of time.
fn random_packets(draw: &mut RandomStream, plan: &RingPlan) -> Vec<(usize, BroughtPacket)> {
    let takers: Vec<_> = (0..plan.flows.len()).filter(|flow| plan.flows[*flow].offer.datagrams().is_some()).collect();
    if takers.is_empty() {
        return Vec::new();
    }
    let largest = plan.flows.iter().map(|flow| flow.offer.largest_packet()).max().unwrap_or(Bytes::new(1)).get();
    let end = plan.duration.as_nanos();
    let burst = draw.random_range(0..end);
    let mut packets: Vec<_> = (0..draw.random_range(1..200))
        .map(|number| {
            let at = if draw.random_bool(0.3) { burst } else { draw.random_range(0..end) };
            let size_bytes = [1, largest / 2, largest][draw.random_range(0..3)].max(1) as u16;
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

/// Brings packets, all at first or each when its time has come, and takes what is handed back on the way.
fn feed(
    mut simulation: RingSimulation,
    packets: &[(usize, BroughtPacket)],
    at_first: bool,
) -> (RunRecord, Vec<Delivery>, usize) {
    let mut packets = packets.iter().peekable();
    let mut deliveries = Vec::new();
    while !simulation.is_over() {
        let now = simulation.now();
        while let Some((flow, packet)) = packets.next_if(|(_, packet)| at_first || packet.at <= now) {
            simulation.inject(*flow, *packet).expect("it is in time");
        }
        simulation.advance(packets.peek().map_or(Instant::NEVER, |(_, packet)| packet.at));
        deliveries.extend(simulation.deliveries());
    }
    let outstanding = simulation.outstanding();
    (simulation.into_record(), deliveries, outstanding)
}

#[test]
fn what_is_brought_comes_back_once_and_the_same_however_it_is_brought() {
    let mut fates = BTreeMap::new();
    for number in 0..PLANS {
        let (plan, law) = plan(number);
        let mut draw = Streams::new(number, 3).component("packets");
        let packets = random_packets(&mut draw, &plan);
        let [windows, events] = WAYS.map(|way| begin(&plan, way, &law, true));
        let (record, deliveries, outstanding) = feed(windows, &packets, true);
        let balanced = |wrong: &&String| ["packets", "taken in", "sent"].iter().any(|kind| wrong.contains(kind));
        assert_eq!(record.violations.iter().filter(balanced).count(), 0, "plan {number}: {:?}", record.violations);
        let again = feed(events, &packets, false);
        assert!(deliveries == again.1, "plan {number}");
        assert!((record, outstanding) == (again.0, again.2), "plan {number}");
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
    }
    for fate in [Fate::Arrived, Fate::Refused, Fate::Dropped, Fate::Lost, Fate::Discarded] {
        assert!(fates.get(&fate).is_some_and(|count| *count > 5), "{fates:?}");
    }
}

#[test]
fn what_a_source_makes_gives_the_same_record_when_it_is_written_down_and_brought() {
    for name in RingLawChoice::ALL.iter().map(|about| about.name) {
        let mut plan = ring(5);
        plan.flows = vec![flow(0, 2, cbr(400_000_000)), flow(1, 3, Arrivals::Greedy), flow(1, 4, cbr(100_000_000))];
        let law = law(name);
        if law.needs().limits_together {
            plan.transit.datapath = fairwire_laws::ring::Datapath::TransitFirst;
        }
        let made = run(&plan, &law);
        // 1000 bytes at 400 Mb/s are 20 us.
        let written: Vec<_> = (0..500)
            .map(|number| {
                (
                    0,
                    BroughtPacket {
                        number,
                        size_bytes: 1_000,
                        at: Instant::from_nanos(number * 20_000),
                        ..BroughtPacket::default()
                    },
                )
            })
            .collect();
        plan.flows[0].start = Instant::NEVER;
        for way in WAYS {
            let (record, deliveries, _) = feed(begin(&plan, way, &law, true), &written, true);
            assert!(record == made, "{name}, {way:?}: as if the source had made them");
            let arrived = deliveries.iter().filter(|delivery| delivery.fate == Fate::Arrived).count();
            assert_eq!(arrived as u64, made.flows[0].delivered);
        }
    }
}

#[test]
fn what_cannot_be_taken_is_refused_in_words() {
    let mut plan = ring(4);
    plan.flows = vec![flow(0, 2, cbr(4_000_000)), crate::common::connections(1, 3, tcp("reno", Work::Unlimited))];
    let packet =
        |at| BroughtPacket { number: 3, size_bytes: 100, at: Instant::from_nanos(at), ..BroughtPacket::default() };
    let law = law("fifo");
    assert_eq!(begin(&plan, EnginePath::Auto, &law, false).inject(0, packet(0)), Err(BringError::NotFed));
    let mut simulation = begin(&plan, EnginePath::Auto, &law, true);
    simulation.advance(Instant::from_nanos(5_000));
    assert!(simulation.inject(0, packet(5_000)).is_ok());
    let refused = [
        simulation.inject(2, packet(5_000)),
        simulation.inject(1, packet(5_000)),
        simulation.inject(0, packet(4_999)),
        simulation.inject(0, BroughtPacket { size_bytes: 1_001, ..packet(5_000) }),
    ];
    let words: Vec<_> = refused.into_iter().map(|answer| answer.unwrap_err().to_string()).collect();
    assert_eq!(
        words,
        [
            "there is no flow 2: the plan has 2, counted from 0",
            "flow tcp 1-3 is made of TCP connections, which send what their senders decide; bring packets to a flow of \
             datagrams",
            "packet 3 is to be sent at 4999 ns; the simulation stands at 5 us and ends at 10 ms",
            "packet 3 has 1001 bytes, and the largest packet of this ring has 1000",
        ]
    );
}

#[test]
fn a_view_tells_what_waits_and_what_has_arrived() {
    let mut plan = ring(4);
    // Ten packets come up at once; a link sends one in 12.86 us.
    plan.flows = vec![burst(0, 1, 0, 10), flow(2, 3, cbr(1_000_000))];
    plan.flows[1].start = Instant::NEVER;
    let mut simulation = begin(&plan, EnginePath::Auto, &law("fifo"), true);
    simulation.advance(Instant::from_nanos(30_000));
    let view = simulation.view();
    let (link, flow) = (&view.links[0], &view.flows[0]);
    assert_eq!((link.station, link.waiting_packets, link.waiting_bytes, link.sent), (StationId(0), 7, 7_000, 3));
    assert_eq!((flow.offered, flow.entered, flow.delivered), (10, 10, 0));
    // It arrives at 112.86 us.
    simulation.advance(Instant::from_nanos(112_862));
    assert_eq!(simulation.view().flows[0].delivered_bytes, 1_000);
    simulation
        .inject(
            1,
            BroughtPacket { number: 8, size_bytes: 500, at: Instant::from_nanos(200_000), ..BroughtPacket::default() },
        )
        .unwrap();
    simulation.advance(Instant::from_nanos(250_000));
    assert_eq!((simulation.deliveries(), simulation.outstanding()), (Vec::new(), 1));
    simulation.advance(Instant::NEVER);
    let back = simulation.deliveries();
    assert_eq!((back[0].fate, back[0].packet.number, back[0].at.as_nanos()), (Fate::Arrived, 8, 306_430));
}
