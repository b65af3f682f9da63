//! Links of a ring that carry more or less from some time on.

use crate::common::{cbr, flow, law, random_events, random_plan, random_steerable_plan, rate_between, ring, run};
use fairwire_core::{BitRate, Instant, RandomStream, Ringlet, ServiceClass, Span, StationId, Streams};
use fairwire_laws::protection::{Params, ProtectionMode};
use fairwire_laws::ring::{Datapath, RingLawChoice};
use fairwire_plan::*;
use fairwire_sim::*;
use rand::RngExt;

fn ms(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

/// The link of ringlet 0 that leaves station `from` carries so many Mb/s from then on.
fn change(at_ms: u64, from: u16, mbps: u64) -> CapacityChange {
    CapacityChange { at: ms(at_ms), ringlet: Ringlet::Zero, from: StationId(from), capacity: BitRate::from_mbps(mbps) }
}

/// Two stations send without end over the link that leaves station 2, which carries 622 Mb/s, then 311, then 933.
fn two_senders(law: &RingLawChoice) -> RingPlan {
    let mut plan = ring(8);
    plan.transit.datapath = law.needs().datapath;
    plan.flows = vec![flow(1, 4, Arrivals::Greedy), flow(2, 4, Arrivals::Greedy)];
    plan.links[0].iter_mut().for_each(|link| link.capacity = BitRate::from_mbps(1_244));
    plan.links[0][2].capacity = BitRate::from_mbps(622);
    plan.duration = Span::from_millis(600);
    plan.capacity_changes = vec![change(400, 2, 933), change(200, 2, 311)];
    plan
}

#[test]
fn a_link_carries_what_it_carries_then_and_laws_share_that() {
    for about in RingLawChoice::ALL {
        let law = law(about.name);
        let record = run(&two_senders(&law), &law);
        for (from, to, capacity) in [(100, 200, 622e6), (300, 400, 311e6), (500, 600, 933e6)] {
            let rates = [0, 1].map(|flow| rate_between(&record, flow, from, to));
            let used = (rates[0] + rates[1]) / capacity;
            assert!(used < 1.001, "{} uses {used} from {from} ms on", about.name);
            // Others swing, or leave some of a link unused, at any capacity.
            if ["dvsr", "dvsr-plus", "fifo"].contains(&about.name) {
                assert!(used > 0.98, "{} uses {used} from {from} ms on", about.name);
            }
            if ["dvsr", "dvsr-plus"].contains(&about.name) {
                let ratios = rates.map(|rate| rate / capacity * 2.0);
                assert!(ratios.iter().all(|ratio| (ratio - 1.0).abs() < 0.03), "{}: {ratios:?}", about.name);
            }
        }
    }
}

/// 1000 bytes take 1 ms at 8 Mb/s, and half of that at 16.
#[test]
fn what_is_being_sent_is_sent_to_its_end_as_it_began() {
    let mut plan = ring(4);
    plan.links[0].iter_mut().for_each(|link| (link.capacity, link.delay) = (BitRate::from_mbps(8), Span::ZERO));
    plan.flows = vec![flow(0, 1, cbr(1_000))];
    plan.flows[0].start = ms(9);
    plan.capacity_changes = vec![CapacityChange { at: Instant::from_nanos(1_500_000), ..change(0, 0, 16) }];
    let mut simulation = RingSimulation::fed(plan, &law("fifo")).unwrap();
    for number in 0..3 {
        let packet = BroughtPacket { number, size_bytes: 1_000, at: ms(1), ..BroughtPacket::default() };
        simulation.inject(0, packet).unwrap();
    }
    simulation.advance(ms(9));
    let arrived: Vec<u64> = simulation.deliveries().iter().map(|delivery| delivery.at.as_nanos()).collect();
    assert_eq!(arrived, [2_000_000, 2_500_000, 3_000_000]);
}

/// Class A0 has what it has reserved at any capacity, and what is left of the link is shared.
#[test]
fn what_is_reserved_stays_reserved() {
    for name in ["dvsr-plus", "rpr-aggressive"] {
        let law = law(name);
        let mut plan = two_senders(&law);
        plan.transit.datapath = Datapath::DualQueue;
        let reserved = FlowPlan {
            name: "reserved".to_owned(),
            class: ServiceClass::A0,
            guaranteed: BitRate::from_mbps(100),
            ..flow(0, 5, cbr(100_000_000))
        };
        plan.flows.push(reserved);
        let record = run(&plan, &law);
        for (from, to, capacity) in [(100, 200, 622e6), (300, 400, 311e6), (500, 600, 933e6)] {
            let rates = [0, 1, 2].map(|flow| rate_between(&record, flow, from, to));
            assert!((rates[2] / 100e6 - 1.0).abs() < 0.01, "{name}: {rates:?} from {from} ms on");
            assert!(rates.iter().sum::<f64>() < 1.001 * capacity, "{name}: {rates:?} from {from} ms on");
        }
    }
}

/// Random rings: every third has protection, and spans and stations that fail.
fn plan(number: u64) -> (RingPlan, RingLawChoice) {
    if number % 3 != 2 {
        return random_plan(number);
    }
    let mut draw = Streams::new(number, 11).component("protected");
    let fits = |plan: &RingPlan| plan.lap() > Span::from_micros(50);
    let (mut plan, law) = random_steerable_plan(&mut draw, fits, Span::from_millis(25));
    let changes = [RingChange::Cut, RingChange::Restore, RingChange::StationDown, RingChange::StationUp];
    let events = random_events(&mut draw, plan.stations.len(), 4, &changes, 20_000_000);
    let mode = [ProtectionMode::Steer, ProtectionMode::Wrap][number as usize / 3 % 2];
    let params = Params { mode, wait_to_restore: Span::from_millis(3), ..Params::default() };
    plan.protection = Some(ProtectionPlan { params, events });
    if mode == ProtectionMode::Wrap {
        crate::common::best_effort(&mut plan.flows);
    }
    (plan, law)
}

/// Up to six links have some other capacity, from four fifths of the first one on: all that is reserved still fits.
fn random_changes(draw: &mut RandomStream, plan: &RingPlan) -> Vec<CapacityChange> {
    let change = |draw: &mut RandomStream| {
        let (ringlet, from) = (Ringlet::BOTH[draw.random_range(0..2)], draw.random_range(0..plan.stations.len()));
        let slowest = plan.links[ringlet.index()].iter().map(|link| link.capacity.as_bps()).min().unwrap_or(1);
        CapacityChange {
            at: Instant::from_nanos(draw.random_range(0..plan.duration.as_nanos())),
            ringlet,
            from: StationId(from as u16),
            capacity: BitRate::from_bps(draw.random_range(slowest * 4 / 5..slowest * 3)),
        }
    };
    (0..draw.random_range(1..=6)).map(|_| change(draw)).collect()
}

#[test]
fn both_ways_through_time_agree_and_nothing_changes_before_its_time() {
    let mut changed = 0;
    for number in 0..150 {
        let (plan, law) = plan(number);
        let mut draw = Streams::new(number, 12).component("capacities");
        let capacity_changes = random_changes(&mut draw, &plan);
        let mut with = RingPlan { capacity_changes, ..plan.clone() };
        if with.validate().is_err() {
            // What is reserved, or rows of the tables, would not fit.
            with.capacity_changes.iter_mut().for_each(|change| {
                change.capacity = plan.links[change.ringlet.index()][change.from.index()].capacity;
            });
        }
        let [windows, events] =
            [EnginePath::Windows, EnginePath::Events].map(|engine| RingPlan { engine, ..with.clone() });
        let record = run(&windows, &law);
        assert!(record == run(&events, &law), "ring {number} under {}", law.about().name);
        changed += u64::from(record.flows != run(&plan, &law).flows);
        let mut steps: Vec<u64> = (0..8).map(|_| draw.random_range(0..plan.duration.as_nanos())).collect();
        steps.sort_unstable();
        let mut stepped = RingSimulation::new(windows, &law).unwrap();
        steps.into_iter().for_each(|at| stepped.advance(Instant::from_nanos(at)));
        stepped.advance(stepped.end());
        assert!(stepped.into_record() == record, "ring {number} in steps");
        let first = with.capacity_changes.iter().map(|change| change.at).min().unwrap_or(Instant::NEVER);
        let [mut with, mut without] = [with, plan].map(|plan| RingSimulation::new(plan, &law).unwrap());
        with.advance(first);
        without.advance(first);
        assert!(with.view().flows == without.view().flows, "ring {number} before");
    }
    assert!(changed > 80, "only {changed} runs became others");
}

#[test]
fn what_is_not_there_or_carries_nothing_is_refused() {
    let mut plan = two_senders(&law("dvsr"));
    plan.capacity_changes = vec![change(1, 8, 5)];
    let wrong = PlanError::Range("the capacity of link r0:8 is to change, and there is none".to_owned());
    assert_eq!(plan.validate(), Err(wrong));
    plan.capacity_changes = vec![change(1, 7, 0)];
    assert_eq!(plan.validate(), Err(PlanError::Range("link r0:7 is to have no capacity".to_owned())));
}
