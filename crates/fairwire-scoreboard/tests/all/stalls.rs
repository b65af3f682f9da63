//! Laws that are called late, or stand still for a while, share links as if they were called in time.

use fairwire_core::Span;
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::{ControlPlan, Detail, RingPlan, WakeUps};
use fairwire_scoreboard::Case;
use fairwire_sim::simulate;
use rayon::prelude::*;

/// How laws are called late, and how far a flow's share may be off then, as a part of the link.
fn stalls(together: bool) -> [(&'static str, WakeUps, f64); 3] {
    let wake_ups = |late, stall, every| WakeUps {
        late: Span::from_micros(late),
        stall: Span::from_millis(stall),
        every: Span::from_millis(every),
        together,
    };
    [
        ("late by up to 66 us", wake_ups(66, 0, 0), 0.01),
        ("4 ms each 100 ms", wake_ups(0, 4, 100), 0.02),
        ("50 ms each second", wake_ups(0, 50, 1_000), 0.05),
    ]
}

/// The part of a link that each flow gets.
fn shares(plan: &RingPlan, law: &RingLawChoice) -> Vec<f64> {
    let record = simulate(plan, law).unwrap();
    assert!(record.violations.is_empty(), "{:?}", record.violations);
    let measured_s = (record.duration - record.warmup).as_secs_f64();
    let link_bps = plan.links[0][0].capacity.as_bps_f64();
    record.flows.iter().map(|flow| flow.measured_bytes as f64 * 8.0 / measured_s / link_bps).collect()
}

/// What is simulated of each case: enough stalls to tell, few packets.
const DURATION: Span = Span::from_millis(3_000);
/// Stations of the largest random ring.
const STATIONS: u16 = 24;

/// The parking lot, Fig. 5, and the first ten random rings that are not too large, and of which 200 laps are not too long.
fn cases() -> Vec<Case> {
    let papers = ["parking-lot", "fig5"].map(|name| Case::named(name).unwrap());
    let rings = (0..).map(|number| Case::named(&format!("ring-{number}")).unwrap());
    let fits =
        |case: &Case| case.scenario.ring().is_some_and(|ring| ring.lap() * 200 < DURATION && ring.stations <= STATIONS);
    papers.into_iter().chain(rings.filter(fits).take(10)).collect()
}

fn plan(case: &Case, law: &RingLawChoice, seed: u64) -> RingPlan {
    let mut plan = case.plan(law).unwrap();
    (plan.duration, plan.warmup, plan.seed) = (DURATION, Span::from_nanos(DURATION.as_nanos() / 3), seed);
    plan
}

/// No flow's share may be further from what it is where the law is called in time than the kind of lateness allows.
fn hold(names: &[&str], stalls: &[(&str, WakeUps, f64)]) {
    let cases = cases();
    for name in names {
        let law = RingLawChoice::by_name(name).unwrap();
        let usual: Vec<Vec<f64>> = cases.par_iter().map(|case| shares(&plan(case, &law, 1), &law)).collect();
        for &(what, wake_ups, within) in stalls {
            let change = |(case, usual): (&Case, &Vec<f64>)| {
                let late = shares(&late(plan(case, &law, 1), wake_ups), &law);
                usual.iter().zip(&late).map(|(usual, late)| (usual - late).abs()).fold(0.0, f64::max)
            };
            let changes: Vec<f64> = cases.par_iter().zip(&usual).map(change).collect();
            for (case, change) in cases.iter().zip(changes) {
                assert!(change <= within, "{name}, {what}, {}: a share is off by {change}", case.id);
            }
        }
    }
}

fn late(plan: RingPlan, wake_ups: WakeUps) -> RingPlan {
    RingPlan { control: ControlPlan { wake_ups: Some(wake_ups), ..ControlPlan::default() }, ..plan }
}

/// Laws that come to rest: a run tells what each flow gets.
#[test]
fn shares_are_those_of_laws_that_are_called_in_time() {
    hold(&["dvsr", "dvsr-plus", "fifo"], &stalls(true));
}

/// Where each station has a process of its own, dvsr's frame waits for whoever stands still, and is given up now and then.
#[test]
fn shares_are_the_same_where_each_station_stands_still_by_itself() {
    hold(&["dvsr", "dvsr-plus"], &stalls(false));
}

/// Seeds of the runs whose mean tells what a flow gets under a law that swings.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=8;

/// By flow: the mean of its shares over the seeds, and their standard error.
fn over_seeds(run: impl Fn(u64) -> Vec<f64> + Sync) -> Vec<(f64, f64)> {
    let runs: Vec<Vec<f64>> = SEEDS.map(run).collect();
    let count = runs.len() as f64;
    let of_flow = |flow: usize| {
        let mean = runs.iter().map(|shares| shares[flow]).sum::<f64>() / count;
        let squares: f64 = runs.iter().map(|shares| (shares[flow] - mean).powi(2)).sum();
        (mean, (squares / (count - 1.0) / count).sqrt())
    };
    (0..runs[0].len()).map(of_flow).collect()
}

/// Tells all figures, in points of the link: how far the mean over seeds moves under late calls, of the flow that moves most;
/// and two standard errors of that difference.
/// `cargo test --release -p fairwire-scoreboard --test stalls -- --ignored --nocapture`.
#[test]
#[ignore = "tells figures, and takes minutes"]
fn figures() {
    let cases = cases();
    println!("{}", cases.iter().map(|case| case.id.as_str()).collect::<Vec<_>>().join(" "));
    for about in RingLawChoice::ALL {
        let law = RingLawChoice::by_name(about.name).unwrap();
        let usual: Vec<Vec<(f64, f64)>> =
            cases.par_iter().map(|case| over_seeds(|seed| shares(&plan(case, &law, seed), &law))).collect();
        for (what, wake_ups, within) in stalls(std::env::var("APART").is_err()) {
            let moved = |(case, usual): (&Case, &Vec<(f64, f64)>)| {
                let late = over_seeds(|seed| shares(&late(plan(case, &law, seed), wake_ups), &law));
                let flows = usual.iter().zip(&late);
                let moves = flows.map(|(usual, late)| ((usual.0 - late.0).abs(), 2.0 * usual.1.hypot(late.1)));
                moves.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, 0.0))
            };
            let moves: Vec<(f64, f64)> = cases.par_iter().zip(&usual).map(moved).collect();
            let shown: Vec<String> =
                moves.iter().map(|(by, error)| format!("{:.2}±{:.2}", by * 100.0, error * 100.0)).collect();
            let surely_more = moves.iter().any(|(by, error)| by - error > within);
            let more = moves.iter().any(|(by, _)| *by > within);
            let verdict = if surely_more {
                "too much"
            } else if more {
                "perhaps too much"
            } else {
                ""
            };
            println!("{}, {what}: {} {verdict}", about.name, shown.join(" "));
        }
    }
}

/// On links that are used by half nobody is ever congested.
#[test]
fn a_stall_by_itself_congests_nobody() {
    let case = Case::named("parking-lot").unwrap();
    for name in ["rpr-aggressive", "rpr-conservative", "rpr-aggressive-stq", "rpr-conservative-original"] {
        let law = RingLawChoice::by_name(name).unwrap();
        for (what, wake_ups, _) in stalls(true) {
            let mut plan = plan(&case, &law, 1);
            plan.duration = Span::from_millis(2_200);
            plan.window = Span::from_micros(100);
            plan.detail = Detail::Full;
            for flow in &mut plan.flows {
                let rate = plan.links[0][0].capacity.scaled(0.125);
                let traffic = flow.offer.datagrams_mut().expect("it is made of datagrams");
                traffic.arrivals = fairwire_plan::Arrivals::Cbr { rate, jitter: 0.0 };
            }
            plan.control.wake_ups = Some(wake_ups);
            let record = simulate(&plan, &law).unwrap();
            let congested = |law: &&fairwire_plan::LawSample| law.name == "congested" && law.value > 0.0;
            let count = record.laws.iter().filter(congested).count();
            let shown = record.laws.iter().filter(|law| law.name == "congested").count();
            assert!(shown > 1_000, "{name} shows {shown} intervals");
            assert_eq!(count, 0, "{name}, {what}: of {shown} intervals");
        }
    }
}
