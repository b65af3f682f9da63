//! Spans are cut and stations fall silent under load: sources steer, nothing is
//! counted twice or forgotten, and rates are fair again.

use crate::common::*;
use fairwire_core::{BitRate, Bytes, Instant, RandomStream, Ringlet, ServiceClass, Span, StationId, Streams};
use fairwire_laws::protection::{Params, ProtectionMode};
use fairwire_plan::*;
use fairwire_sim::*;
use rand::RngExt;

/// The plan with protection that waits 50 ms before a span is used again.
fn protected(plan: RingPlan, events: Vec<RingEvent>) -> RingPlan {
    let params = Params { wait_to_restore: Span::from_millis(50), ..Params::default() };
    RingPlan { protection: Some(ProtectionPlan { params, events }), ..plan }
}

fn settled_at(record: &RunRecord) -> Instant {
    record.topology.iter().filter(|change| change.settled).map(|change| change.t).max().unwrap()
}

#[test]
fn protection_of_a_ring_where_nothing_happens_takes_almost_nothing() {
    let flows = vec![shortest(1, 4, 8, Arrivals::Greedy), shortest(2, 4, 8, Arrivals::Greedy)];
    let plain = RingPlan { flows, duration: Span::from_millis(200), warmup: Span::from_millis(100), ..ring(8) };
    let with = run(&protected(plain.clone(), Vec::new()), &law("dvsr"));
    let without = run(&plain, &law("dvsr"));
    for flow in 0..2 {
        let (with, without) = (rate_bps(&with, flow), rate_bps(&without, flow));
        assert!((with / without - 1.0).abs() < 0.01, "{with} beside {without}");
    }
    assert!(with.topology.is_empty());
    assert!(with.flows.iter().all(|flow| flow.lost == 0));
}

/// Four senders to one hub over two links: a cut moves two of them to the other
/// side, where four then share what two had before.
#[test]
fn rates_are_fair_again_after_a_cut_and_after_its_mend() {
    let senders = [5, 6, 7, 9, 10];
    let flows = senders.map(|from| shortest(from, 8, 16, Arrivals::Greedy)).to_vec();
    let plain = RingPlan { flows, duration: Span::from_millis(400), ..ring(16) };
    let events = vec![event(ms(100), RingChange::Cut(StationId(6))), event(ms(200), RingChange::Restore(StationId(6)))];
    let record = run(&protected(plain, events), &law("dvsr"));
    let capacity = 622e6;
    let due = [
        (80, 100, [3.0, 3.0, 3.0, 2.0, 2.0]),  // before
        (150, 200, [4.0, 4.0, 1.0, 4.0, 4.0]), // cut
        (320, 400, [3.0, 3.0, 3.0, 2.0, 2.0]), // mended, and used again after 50 ms
    ];
    for (from, to, shares) in due {
        for (flow, share) in shares.into_iter().enumerate() {
            let ratio = rate_between(&record, flow, from, to) * share / capacity;
            assert!((ratio - 1.0).abs() < 0.05, "sender {} has {ratio} of its due from {from} ms", senders[flow]);
        }
    }
    for flow in &record.flows {
        let silence = flow.longest_silence(ms(100), Instant::NEVER, record.window);
        assert!(silence < Span::from_millis(20), "{silence}");
    }
    assert!(record.flows[0].lost > 0 && record.flows[2].lost == 0);
    assert!(settled_at(&record) < ms(300));
}

#[test]
fn nothing_is_sent_to_a_lost_station_until_it_is_back() {
    let flows =
        vec![shortest(2, 5, 8, cbr(50_000_000)), shortest(2, 6, 8, cbr(50_000_000)), flow(5, 7, Arrivals::Greedy)];
    let plain = RingPlan { flows, duration: Span::from_millis(500), ..ring(8) };
    let events = vec![
        event(ms(100), RingChange::StationDown(StationId(5))),
        event(ms(300), RingChange::StationUp(StationId(5))),
    ];
    let record = run(&protected(plain, events), &law("fifo"));
    let [to_lost, beyond, from_lost] = &record.flows[..] else { panic!("three flows") };
    assert!(beyond.longest_silence(ms(100), Instant::NEVER, record.window) < Span::from_millis(10));
    for flow in [to_lost, from_lost] {
        let silence = flow.longest_silence(ms(100), Instant::NEVER, record.window);
        assert!(silence >= Span::from_millis(195) && silence < Span::from_millis(320), "{silence}");
        // What is sent before anybody knows: no more than a few milliseconds' worth.
        assert!(flow.lost > 0 && flow.lost < 622_000 * 10 / 8_000, "{} lost", flow.lost);
    }
    assert!(rate_between(&record, 0, 450, 500) > 49e6, "it is sent to again");
}

/// What waits for a lost station asks for nothing: four stations that sent to it, too, share a link equally then.
#[test]
fn what_is_held_for_a_lost_station_leaves_its_part_to_others() {
    let to_lost = [2, 3, 4, 5, 6, 7].map(|from| flow(from, 8, Arrivals::Greedy));
    let beside = [2, 3].map(|from| flow(from, 7, Arrivals::Greedy));
    let among = [5, 6].map(|from| flow(from, 7, cbr(300_000_000)));
    let mut flows = [to_lost.as_slice(), &beside, &among].concat();
    // Else packets lock in phase, and who asks for what is not told apart.
    flows.iter_mut().filter_map(|flow| flow.offer.datagrams_mut()).for_each(|traffic| traffic.size_jitter = 0.05);
    let plain = RingPlan { flows, duration: Span::from_millis(600), ..ring(16) };
    // Whether what is held seems to wait hangs on what the laws saw last, and so on the moment.
    for (name, lost_at) in ["dvsr", "dvsr-plus"].iter().flat_map(|name| (40..240).step_by(20).map(move |at| (name, at)))
    {
        let lost = event(ms(lost_at), RingChange::StationDown(StationId(8)));
        let record = run(&protected(plain.clone(), vec![lost]), &law(name));
        for flow in 6..10 {
            let ratio = rate_between(&record, flow, 400, 600) * 4.0 / 622e6;
            assert!((ratio - 1.0).abs() < 0.02, "{name}, lost at {lost_at} ms: flow {flow} has {ratio} of its due");
        }
    }
}

/// dvsr-plus begins from half of equal parts, waits for full queues and counts who is there; its
/// ledger turns round at the open ends. On 24 stations of which each sends to another one.
#[test]
fn dvsr_plus_is_fair_again_soon_on_a_loaded_ring() {
    let stations = 24;
    for number in 0..6 {
        let mut draw: RandomStream = Streams::new(24, number).component("loaded");
        let flows: Vec<_> = (0..stations)
            .map(|from| shortest(from, (from + draw.random_range(1..stations)) % stations, stations, Arrivals::Greedy))
            .collect();
        let plain = RingPlan { flows, duration: Span::from_millis(250), ..ring(24) };
        let span = StationId(draw.random_range(0..stations));
        let record = run(&protected(plain.clone(), vec![event(ms(60), RingChange::Cut(span))]), &law("dvsr-plus"));
        let settled = (settled_at(&record).as_nanos() / 1_000_000) as usize;
        // Ten laps of 2.4 ms later every flow has what it will have in the long run.
        let (soon, late) = (settled + 24, settled + 24 + 60);
        for flow in 0..usize::from(stations) {
            let (got, due) = (rate_between(&record, flow, soon, late), rate_between(&record, flow, late, 250));
            assert!((got / due - 1.0).abs() < 0.05, "ring {number}, flow {flow}: {got} where {due} is due");
        }
    }
}

/// A flow of class A0 steers to the ringlet that others fill: its rate is reserved for it there,
/// and best effort is kept out of it also while it is silent.
#[test]
fn what_class_a0_has_reserved_steers_along() {
    let reserved = BitRate::from_bps(200_000_000);
    let voice = FlowPlan {
        class: ServiceClass::A0,
        guaranteed: reserved,
        stop: ms(150),
        ..shortest(6, 8, 16, cbr(200_000_000))
    };
    let flows = vec![voice, shortest(3, 15, 16, Arrivals::Greedy), shortest(2, 14, 16, Arrivals::Greedy)];
    let law = law("rpr-aggressive-stq");
    let transit =
        TransitPlan { datapath: law.needs().datapath, primary_buffer: Bytes::new(10_000), ..ring(16).transit };
    let plain = RingPlan { flows, transit, duration: Span::from_millis(250), ..ring(16) };
    let record = run(&protected(plain, vec![event(ms(60), RingChange::Cut(StationId(7)))]), &law);
    let voice = rate_between(&record, 0, 90, 148);
    assert!((voice / 200e6 - 1.0).abs() < 0.02, "class A0 gets {voice}");
    for (from, to) in [(100, 148), (190, 250)] {
        let others = rate_between(&record, 1, from, to) + rate_between(&record, 2, from, to);
        assert!(others < 424e6, "best effort takes {others} from {from} ms on");
    }
    let before = rate_between(&record, 1, 30, 58) + rate_between(&record, 2, 30, 58);
    assert!(before > 450e6, "nothing is reserved on that ringlet before: {before}");
}

/// A random ring of flows, and cuts, mends and losses.
fn random_plan_with_events(number: u64) -> (RingPlan, fairwire_laws::ring::RingLawChoice) {
    let mut draw: RandomStream = Streams::new(802, number).component("protection");
    let (mut plan, law) = random_steerable_plan(&mut draw, |_| true, Span::from_millis(40));
    let changes =
        [RingChange::Cut, RingChange::Cut, RingChange::Restore, RingChange::StationDown, RingChange::StationUp];
    let events = random_events(&mut draw, plan.stations.len(), 5, &changes, 30_000_000);
    let params = Params { wait_to_restore: Span::from_millis(4), stability: Span::from_millis(3), ..Params::default() };
    plan.protection = Some(ProtectionPlan { params, events });
    (plan, law)
}

#[test]
fn packets_are_conserved_and_both_ways_through_time_agree() {
    let (mut lost, mut again) = (0, 0);
    for number in 0..40 {
        let (plan, law) = random_plan_with_events(number);
        if plan.validate().is_err() {
            continue;
        }
        let record = run_both(&plan, &law, &format!("plan {number}"));
        let books: Vec<_> = record.violations.iter().filter(|violation| violation.contains("packets")).collect();
        assert!(books.is_empty(), "plan {number}: {books:?}");
        lost += record.flows.iter().map(|flow| flow.lost).sum::<u64>();
        again += record.flows.iter().map(|flow| flow.retransmitted).sum::<u64>();
    }
    assert!(lost > 1_000, "cuts cost something: {lost}");
    assert!(again > 1_000, "TCP sent {again} segments again");
}

/// Random cuts, mends and losses on a loaded ring of 16, every other flow in strict order: no packet
/// of these comes after a later one, while others are overtaken.
#[test]
fn strict_order_is_kept_whatever_happens() {
    let (mut relaxed, mut discarded) = (0, 0);
    for number in 0..24 {
        let mut draw: RandomStream = Streams::new(17, number).component("order");
        let (plan, law) = troubled_ring(&mut draw, number, Span::from_millis(200), [110, 140], protected);
        let record = run_both(&plan, &law, &format!("ring {number}"));
        for (flow, counts) in plan.flows.iter().zip(&record.flows) {
            if flow.strict_order {
                assert_eq!(counts.reordered, 0, "ring {number}, flow {}", flow.name);
                discarded += counts.discarded;
            } else {
                assert_eq!(counts.discarded, 0);
                relaxed += counts.reordered;
            }
        }
    }
    assert!(discarded > 1_000, "order has its price: {discarded} discarded");
    assert!(relaxed > 1_000, "others are overtaken: {relaxed}");
}

/// One cut on a ring of 64 whose law starves nobody, every station sending without end to another at
/// random: the worst silence of any flow, in whole milliseconds.
fn worst_silence(number: u64, law_name: &str) -> Span {
    let mut draw = Streams::new(64, number).component("cuts");
    let (stations, law) = (64, law(law_name));
    let cut_at = Instant::from_nanos(draw.random_range(80_000_000..90_000_000));
    let span = StationId(draw.random_range(0..stations));
    let flows = (0..stations).map(|from| {
        let to = (from + draw.random_range(1..stations)) % stations;
        shortest(from, to, stations, Arrivals::Greedy)
    });
    let flows = flows.collect();
    let plain = RingPlan { flows, duration: Span::from_millis(150), check: false, ..ring(64) };
    let transit = TransitPlan { datapath: law.needs().datapath, overflow: Overflow::Hold, ..plain.transit };
    let plan = protected(RingPlan { transit, ..plain }, vec![event(cut_at, RingChange::Cut(span))]);
    let record = run(&plan, &law);
    assert_eq!(record.topology.iter().filter(|change| change.settled).count(), 64);
    record.flows.iter().map(|flow| flow.longest_silence(cut_at, Instant::NEVER, record.window)).max().unwrap()
}

/// Rows are a millisecond long, and a silence is longer than its whole rows by less than two.
fn assert_short(cuts: std::ops::Range<u64>) {
    for number in cuts {
        let silence = worst_silence(number, "dvsr-plus");
        assert!(silence + Span::from_millis(2) < Span::from_millis(50), "cut {number}: {silence}");
    }
}

#[test]
fn no_flow_is_silent_for_fifty_milliseconds_after_a_cut() {
    assert_short(0..3);
}

#[test]
#[ignore = "takes minutes"]
fn no_flow_is_silent_for_fifty_milliseconds_after_any_of_a_hundred_cuts() {
    assert_short(0..100);
}

/// What `plan.phases()` tells beforehand is what stations do: where a phase has lasted, each flow that has a way
/// delivers what it offers, and each other one nothing.
fn assert_phases_are_true(plan: &RingPlan, record: &RunRecord, name: &str) {
    for phase in plan.phases().iter().filter(|phase| phase.acts_at < phase.until) {
        let until = phase.until.as_nanos() / 1_000_000;
        let from = phase.acts_at.as_nanos() / 1_000_000 + 30;
        assert!(from + 5 <= until, "{name}: the phase is too short to be seen");
        for (flow, way) in phase.ways.iter().enumerate() {
            let rate = rate_between(record, flow, from as usize, until as usize);
            let due = if way.is_some() { 10e6 } else { 0.0 };
            let at = phase.acts_at.as_nanos() / 1_000_000;
            assert!((rate - due).abs() < 1e6, "{name}: flow {flow} after {at} ms gets {rate}, not {due}");
        }
    }
}

/// One of two cuts is mended while the other stands, before and after it, and never restored; both are; and two
/// stations that were lost come back.
#[test]
fn stations_use_what_is_mended_when_their_plan_says_so() {
    use RingChange::{Cut, Restore, StationDown, StationUp};
    let flows: Vec<_> = (0..8).map(|from| flow(from, (from + 3) % 8, cbr(10_000_000))).collect();
    let plain = RingPlan { flows, duration: Span::from_millis(300), ..ring(8) };
    let (two, six) = (StationId(2), StationId(6));
    let both = [event(ms(40), Cut(two)), event(ms(40), Cut(six))];
    let cases = [
        ("one mended", [&both[..], &[event(ms(120), Restore(two))]].concat()),
        ("both mended", [&both[..], &[event(ms(120), Restore(six)), event(ms(200), Restore(two))]].concat()),
        ("mended, then cut", vec![event(ms(40), Cut(two)), event(ms(120), Restore(two)), event(ms(160), Cut(six))]),
        ("too short", vec![event(ms(40), Cut(two)), event(ms(41), Restore(two))]),
        (
            "two lost",
            vec![
                event(ms(40), StationDown(two)),
                event(ms(80), StationDown(six)),
                event(ms(130), StationUp(two)),
                event(ms(190), StationUp(six)),
            ],
        ),
    ];
    let modes = [ProtectionMode::Steer, ProtectionMode::Wrap];
    for (name, events) in cases {
        for (mode, revertive) in modes.into_iter().flat_map(|mode| [(mode, true), (mode, false)]) {
            let mut plan = protected(plain.clone(), events.clone());
            let params = &mut plan.protection.as_mut().unwrap().params;
            (params.mode, params.revertive) = (mode, revertive);
            let name = format!("{name}, {mode:?}, revertive {revertive}");
            let record = run(&plan, &law("fifo"));
            assert_phases_are_true(&plan, &record, &name);
            assert_changes_are_told(&plan, &record, &name);
        }
    }
}

/// Stations find the ring changed soon after each effect that the plan says they notice, and at no other time.
fn assert_changes_are_told(plan: &RingPlan, record: &RunRecord, name: &str) {
    let told: Vec<_> = plan.phases().iter().filter(|phase| phase.noticed).map(|phase| phase.acts_at).collect();
    let found: Vec<_> = record.topology.iter().filter(|change| !change.settled).map(|change| change.t).collect();
    let is_soon_after = |found: &Instant, told: &Instant| *found >= *told && *found < *told + Span::from_millis(30);
    for told in &told {
        assert!(found.iter().any(|found| is_soon_after(found, told)), "{name}: nobody notices at {told:?}");
    }
    for found in &found {
        assert!(told.iter().any(|told| is_soon_after(found, told)), "{name}: noticed at {found:?}");
    }
}

#[test]
fn what_is_not_simulated_is_refused() {
    let error = |change: &dyn Fn(&mut RingPlan)| {
        let mut plan = protected(RingPlan { flows: vec![flow(0, 2, cbr(1_000))], ..ring(4) }, Vec::new());
        change(&mut plan);
        plan.validate().unwrap_err().to_string()
    };
    assert!(
        error(&|plan| plan.station_queues = StationQueues::Single).contains("a station queue for each destination")
    );
    let both = |plan: &mut RingPlan| {
        plan.flows.push(FlowPlan { ringlet: Ringlet::One, name: "other".to_owned(), ..flow(0, 2, cbr(1_000)) });
    };
    assert_eq!(error(&both), "with protection flows 0-2 and other have to take the same ringlet");
    let one = |plan: &mut RingPlan| {
        plan.flows.push(FlowPlan { strict_order: true, name: "other".to_owned(), ..flow(0, 2, cbr(1_000)) });
    };
    assert_eq!(
        error(&one),
        "with protection flows 0-2 and other share a station queue: either both are in strict order or none, \
         and either both may be wrapped or none"
    );
    let off = |plan: &mut RingPlan| {
        plan.protection.as_mut().unwrap().events.push(event(ms(1), RingChange::Cut(StationId(4))));
    };
    assert_eq!(error(&off), "an event at station 4, which is not on the ring");
}

/// A law that is made anew says nothing for a lap: until then some station may not know the ring as it is now.
#[test]
fn laws_begin_a_lap_after_the_topology_has_settled() {
    let flows = vec![shortest(1, 4, 8, Arrivals::Greedy), shortest(2, 4, 8, Arrivals::Greedy)];
    let plain = RingPlan { flows, duration: Span::from_millis(100), ..ring(8) };
    let plan = protected(plain, vec![event(ms(50), RingChange::Cut(StationId(6)))]);
    let lap = plan.lap();
    let mut simulation = RingSimulation::new(plan, &law("dvsr")).unwrap();
    let links = (0..8).flat_map(|from| Ringlet::BOTH.map(|ringlet| (ringlet, StationId(from))));
    simulation.capture(&links.collect::<Vec<_>>());
    simulation.advance(Instant::NEVER);
    let seen = simulation.captured();
    let record = simulation.into_record();
    let settled_at = |station: u16| {
        let of_its = |change: &&TopologyChange| change.settled && change.station == StationId(station);
        record.topology.iter().rfind(of_its).unwrap().t
    };
    let settled = (0..8).map(settled_at).min().unwrap();
    let says = |seen: &&Captured| matches!(seen.content, CapturedContent::Message(_)) && seen.at > settled;
    assert_eq!(seen.iter().find(says).map(|seen| seen.at), Some(settled + lap));
}
