//! Control messages that get lost, and laws that are called late: whatever the plan, both ways through time give the same
//! record, books balance, and nothing changes that should not.

use crate::common::{flow, law, random_events, random_plan, random_steerable_plan, ring, run, run_both};
use fairwire_core::{Instant, RandomStream, Ringlet, Span, StationId, Streams};
use fairwire_laws::protection::{Params, ProtectionMode};
use fairwire_laws::ring::{RingLawChoice, dvsr};
use fairwire_plan::*;
use fairwire_sim::simulate;
use rand::RngExt;

const PLANS: u64 = 200;

/// What may go wrong with the control of `plan`.
fn random_control(draw: &mut RandomStream, plan: &RingPlan) -> ControlPlan {
    let lost = |draw: &mut RandomStream| LostFrame {
        at: Instant::from_nanos(draw.random_range(0..plan.duration.as_nanos())),
        ringlet: Ringlet::BOTH[draw.random_range(0..2)],
        from: StationId(draw.random_range(0..plan.stations.len() as u16)),
    };
    let times = [1_000, 66_000, 400_000];
    let stall = Span::from_nanos([0, times[draw.random_range(0..3)]][draw.random_range(0..2)]);
    let wake_ups = WakeUps {
        late: Span::from_nanos([0, 1, times[draw.random_range(0..3)]][draw.random_range(0..3)]),
        stall,
        every: stall + Span::from_nanos(times[draw.random_range(0..3)]),
        together: draw.random_bool(0.5),
        begin: Span::from_nanos([0, 1, times[draw.random_range(0..3)]][draw.random_range(0..3)]),
    };
    ControlPlan {
        loss: [0.0, 0.01, 0.3][draw.random_range(0..3)],
        lost: (0..draw.random_range(0..4)).map(|_| lost(draw)).collect(),
        wake_ups: draw.random_bool(0.7).then_some(wake_ups),
    }
}

#[test]
fn windows_and_events_give_the_same_record() {
    let mut changed = 0;
    for number in 0..PLANS {
        let (plan, law) = random_plan(number);
        let mut draw = Streams::new(21, number).component("control");
        let control = random_control(&mut draw, &plan);
        let plan = RingPlan { control, ..plan };
        let on = |engine, detail, check| simulate(&RingPlan { engine, detail, check, ..plan.clone() }, &law).unwrap();
        let windows = on(EnginePath::Windows, Detail::Full, true);
        assert!(windows.violations.is_empty(), "plan {number}: {:?}", windows.violations);
        let events = on(EnginePath::Events, Detail::Full, true);
        assert!(windows == events, "plan {number}");
        let [summary, unchecked] = [true, false].map(|check| on(EnginePath::Windows, Detail::Summary, check));
        assert!(summary == unchecked, "plan {number}");
        assert!(unchecked == on(EnginePath::Events, Detail::Summary, false), "plan {number}");
        let untroubled = RingPlan { control: ControlPlan::default(), ..plan.clone() };
        changed += u64::from(simulate(&untroubled, &law).unwrap() != summary);
    }
    assert!(changed > PLANS / 4, "only {changed} plans were run another way");
}

#[test]
fn rings_that_protect_themselves_do_so_both_ways_alike() {
    for number in 0..PLANS / 4 {
        let mut draw = Streams::new(22, number).component("protected");
        let fits = |plan: &RingPlan| plan.links.iter().flatten().all(|link| link.delay > Span::ZERO);
        let (plan, law) = random_steerable_plan(&mut draw, fits, Span::from_millis(30));
        let changes = [RingChange::Cut, RingChange::Restore, RingChange::StationDown, RingChange::StationUp];
        let events = random_events(&mut draw, plan.stations.len(), 4, &changes, 25_000_000);
        let mode = if number % 2 == 0 { ProtectionMode::Steer } else { ProtectionMode::Wrap };
        let params = Params { mode, wait_to_restore: Span::from_millis(1), ..Params::default() };
        let control = random_control(&mut draw, &plan);
        let plan = RingPlan { control, protection: Some(ProtectionPlan { params, events }), ..plan };
        if plan.validate().is_ok() {
            run_both(&plan, &law, &format!("plan {number}"));
        }
    }
}

#[test]
fn what_loses_nothing_and_is_never_late_changes_nothing() {
    for number in 0..PLANS / 4 {
        let (plan, law) = random_plan(number);
        let harmless = ControlPlan {
            loss: 1e-15,
            lost: vec![LostFrame { at: Instant::NEVER, ringlet: Ringlet::One, from: StationId(0) }],
            wake_ups: Some(WakeUps {
                late: Span::ZERO,
                stall: Span::ZERO,
                every: Span::ZERO,
                together: true,
                begin: Span::ZERO,
            }),
        };
        let record = simulate(&plan, &law).unwrap();
        assert!(record == simulate(&RingPlan { control: harmless, ..plan }, &law).unwrap(), "plan {number}");
    }
}

#[test]
fn a_law_that_says_nothing_does_not_mind() {
    let flows = vec![flow(0, 2, Arrivals::Greedy), flow(1, 2, Arrivals::Greedy)];
    let plan = RingPlan { flows, ..ring(4) };
    let control = ControlPlan { loss: 0.5, ..ControlPlan::default() };
    assert_eq!(run(&plan, &law("fifo")), run(&RingPlan { control, ..plan.clone() }, &law("fifo")));
}

/// A frame that circulates: one lap of four hops in 0.4 ms, or until it is lost.
#[test]
fn a_lost_frame_takes_its_time_and_does_not_arrive() {
    let flows = vec![flow(0, 2, Arrivals::Greedy)];
    let lap = Span::from_micros(410);
    let plan = RingPlan { flows, duration: lap, ..ring(4) };
    // One each lap that is not over before this one is.
    let dvsr = RingLawChoice::dvsr(dvsr::Params { min_interval: Span::from_millis(5), ..dvsr::Params::default() });
    let hops = |at_us: u64, from: u16, ringlet: Ringlet| {
        let at = Instant::ZERO + Span::from_micros(at_us);
        let lost = vec![LostFrame { at, ringlet, from: StationId(from) }];
        let control = ControlPlan { lost, ..ControlPlan::default() };
        run(&RingPlan { control, ..plan.clone() }, &dvsr).control_hops
    };
    assert_eq!(run(&plan, &dvsr).control_hops, 4);
    // It leaves station 0 at once, station 3 after 0.1 ms and so on.
    assert_eq!(hops(0, 0, Ringlet::One), 1);
    assert_eq!(hops(50, 0, Ringlet::One), 4, "it has left");
    assert_eq!(hops(50, 3, Ringlet::One), 2);
    assert_eq!(hops(100, 2, Ringlet::One), 3);
    assert_eq!(hops(0, 0, Ringlet::Zero), 4, "another way");
}

/// Of so many messages with a probability of one in ten.
#[test]
fn messages_are_lost_as_often_as_told() {
    let dvsr = RingLawChoice::dvsr(dvsr::Params { signalling: dvsr::Signalling::PerNode, ..dvsr::Params::default() });
    let plan = RingPlan { flows: vec![flow(0, 2, Arrivals::Greedy)], duration: Span::from_millis(200), ..ring(16) };
    let hops = |loss: f64| {
        let control = ControlPlan { loss, ..ControlPlan::default() };
        run(&RingPlan { control, ..plan.clone() }, &dvsr).control_hops as f64
    };
    // A note that takes up to 15 hops takes each with 0.9 times the probability of the one before.
    let expected: f64 = (0..15).map(|hops| 0.9f64.powi(hops)).sum::<f64>() / 15.0;
    let measured = hops(0.1) / hops(0.0);
    assert!((measured - expected).abs() < 0.02 * expected, "{measured} in place of {expected}");
}

/// Laws of 802.17 look at their links once an aging interval of 0.1 ms from their begin on.
#[test]
fn laws_begin_one_after_the_other_where_told() {
    let first_looks = |begin: Option<Span>| {
        let late = |begin| WakeUps { late: Span::ZERO, stall: Span::ZERO, every: Span::ZERO, together: true, begin };
        let control = ControlPlan { wake_ups: begin.map(late), ..ControlPlan::default() };
        let flows = (0..8).map(|from| flow(from, (from + 1) % 8, Arrivals::Greedy)).collect();
        let plan = RingPlan { flows, control, detail: Detail::Full, duration: Span::from_millis(1), ..ring(8) };
        let record = run(&plan, &law("rpr-aggressive"));
        let first = |station| {
            record
                .laws
                .iter()
                .filter(|sample| (sample.ringlet, sample.station) == (Ringlet::Zero, StationId(station)))
                .map(|sample| sample.t)
                .min()
        };
        (0..8).map(|station| first(station).expect("each law shows what it does")).collect::<Vec<Instant>>()
    };
    let in_step = first_looks(None);
    assert!(in_step.iter().all(|at| *at == in_step[0]), "{in_step:?}");
    let mut spread = first_looks(Some(Span::from_micros(80)));
    spread.sort_unstable();
    spread.dedup();
    let until = in_step[0] + Span::from_micros(80);
    assert!(spread.len() == 8 && spread.iter().all(|at| (in_step[0]..=until).contains(at)), "{spread:?}");
}

#[test]
fn plans_that_make_no_sense_are_refused() {
    let plan = |control| RingPlan { control, ..ring(4) };
    let error = |control| simulate(&plan(control), &law("dvsr")).unwrap_err().to_string();
    let usual = ControlPlan::default;
    assert!(error(ControlPlan { loss: 1.0, ..usual() }).contains("below 1"));
    assert!(error(ControlPlan { loss: f64::NAN, ..usual() }).contains("below 1"));
    let lost = vec![LostFrame { at: Instant::ZERO, ringlet: Ringlet::One, from: StationId(4) }];
    assert!(error(ControlPlan { lost, ..usual() }).contains("not on the ring"));
    let stall = Span::from_millis(2);
    let wake_ups = Some(WakeUps { late: Span::ZERO, stall, every: stall, together: true, begin: Span::ZERO });
    assert!(error(ControlPlan { wake_ups, ..usual() }).contains("from one stall to the next"));
}
