//! Laws that are called late, or stand still for a while, share links as if they were called in time.

use fairwire_core::{Instant, Span};
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::{Detail, WakeUps};
use fairwire_scoreboard::{Case, STALLED, Stalls, shares, stall_cases, stall_plan, stalls};
use fairwire_sim::simulate;
use rayon::prelude::*;
use std::sync::LazyLock;

/// The parking lot, Fig. 5, and every second random ring: `fairwire-bench fairness --stalls` runs all, many times.
fn cases() -> Vec<Case> {
    let is_run = |(number, _): &(usize, Case)| *number < 2 || number % 2 == 0;
    stall_cases().unwrap().into_iter().enumerate().filter(is_run).map(|(_, case)| case).collect()
}

fn shares_of(case: &Case, law: &RingLawChoice, late: Option<WakeUps>) -> Vec<f64> {
    shares(case, law, &stall_plan(case, law, 1, late).unwrap(), &|| true).unwrap().unwrap()
}

/// Laws that come to rest, so that a run tells what each flow gets.
const RESTING: [&str; 3] = ["dvsr", "dvsr-plus", "fifo"];

/// The shares of flows where such a law is called in time, case by case; two tests ask for them.
static IN_TIME: LazyLock<Vec<Vec<Vec<f64>>>> = LazyLock::new(|| {
    let cases = cases();
    let of_law = |name| {
        let law = RingLawChoice::by_name(name).unwrap();
        cases.par_iter().map(|case| shares_of(case, &law, None)).collect()
    };
    RESTING.map(of_law).into()
});

/// No flow's share may be further from what it is where the law is called in time than the kind of lateness allows.
fn hold(names: &[&str], stalls: &[Stalls]) {
    let cases = cases();
    for (name, usual) in RESTING.iter().zip(&*IN_TIME).filter(|(name, _)| names.contains(name)) {
        let law = RingLawChoice::by_name(name).unwrap();
        for Stalls { name: what, wake_ups, within } in stalls {
            let change = |(case, usual): (&Case, &Vec<f64>)| {
                let late = shares_of(case, &law, Some(*wake_ups));
                usual.iter().zip(&late).map(|(usual, late)| (usual - late).abs()).fold(0.0, f64::max)
            };
            let changes: Vec<f64> = cases.par_iter().zip(usual).map(change).collect();
            for (case, change) in cases.iter().zip(changes) {
                assert!(change <= *within, "{name}, {what}, {}: a share is off by {change}", case.id);
            }
        }
    }
}

/// What is measured after a flow has ended tells nothing of it.
#[test]
fn all_flows_last_as_long_as_runs_are_measured() {
    let law = RingLawChoice::by_name("fifo").unwrap();
    for case in stall_cases().unwrap() {
        let plan = stall_plan(&case, &law, 1, None).unwrap();
        assert_eq!(plan.duration, STALLED);
        let ended = plan.flows.iter().find(|flow| flow.stop < Instant::ZERO + STALLED);
        assert!(ended.is_none(), "{}: {ended:?}", case.id);
    }
}

#[test]
fn shares_are_those_of_laws_that_are_called_in_time() {
    hold(&RESTING, &stalls(true));
}

/// Where each station has a process of its own, dvsr's frame waits for whoever stands still, and is given up now and then.
#[test]
fn shares_are_the_same_where_each_station_stands_still_by_itself() {
    hold(&["dvsr", "dvsr-plus"], &stalls(false));
}

/// On links that are used by half nobody is ever congested; nor where a packet comes now and then. Laws to which no link is
/// congested or not show nothing of that.
#[test]
fn a_stall_by_itself_congests_nobody() {
    let case = Case::named("parking-lot").unwrap();
    let laws = RingLawChoice::ALL.iter().map(|about| RingLawChoice::by_name(about.name).unwrap());
    let jobs: Vec<(RingLawChoice, f64)> = laws.flat_map(|law| [0.125, 1e-3].map(|part| (law.clone(), part))).collect();
    let judges = |(law, part): &(RingLawChoice, f64)| {
        let (name, mut judges) = (law.about().name, false);
        for Stalls { name: what, wake_ups, .. } in stalls(true) {
            let mut plan = stall_plan(&case, law, 1, Some(wake_ups)).unwrap();
            (plan.warmup, plan.duration) = (Span::ZERO, Span::from_millis(200) + wake_ups.every * 2);
            plan.window = Span::from_micros(100);
            plan.detail = Detail::Full;
            for flow in &mut plan.flows {
                let rate = plan.links[0][0].capacity.scaled(*part);
                let traffic = flow.offer.datagrams_mut().expect("it is made of datagrams");
                traffic.arrivals = fairwire_plan::Arrivals::Cbr { rate, jitter: 0.0 };
            }
            let record = simulate(&plan, law).unwrap();
            let congested = |law: &&fairwire_plan::LawSample| law.name == "congested" && law.value > 0.0;
            let count = record.laws.iter().filter(congested).count();
            let shown = record.laws.iter().filter(|law| law.name == "congested").count();
            assert!(shown == 0 || shown > 1_000, "{name} shows {shown} intervals");
            assert_eq!(count, 0, "{name}, {what}: of {shown} intervals, {part} of the link each");
            judges |= shown > 0;
        }
        judges
    };
    let judged = jobs.par_iter().filter(|job| judges(job)).count();
    // Those of the packet ring do.
    assert!(judged >= 16, "{judged} of {} tell whether links are congested", jobs.len());
}
