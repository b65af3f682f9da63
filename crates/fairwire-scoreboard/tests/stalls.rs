//! Laws that are called late, or stand still for a while, share links as if they were called in time.

use fairwire_core::Span;
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::{ControlPlan, RingPlan, WakeUps};
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
const DURATION: Span = Span::from_millis(4_000);

/// The parking lot, Fig. 5, and the first ten random rings of which 300 laps are not too long.
fn cases() -> Vec<Case> {
    let papers = ["parking-lot", "fig5"].map(|name| Case::named(name).unwrap());
    let rings = (0..).map(|number| Case::named(&format!("ring-{number}")).unwrap());
    let fits = |case: &Case| case.scenario.ring().is_some_and(|ring| ring.lap() * 300 < DURATION);
    papers.into_iter().chain(rings.filter(fits).take(10)).collect()
}

/// The largest change of a flow's share.
fn change(case: &Case, law: &RingLawChoice, wake_ups: WakeUps) -> f64 {
    let mut plan = case.plan(law).unwrap();
    (plan.duration, plan.warmup) = (DURATION, Span::from_nanos(DURATION.as_nanos() / 2));
    let control = ControlPlan { wake_ups: Some(wake_ups), ..ControlPlan::default() };
    let (usual, late) = (shares(&plan, law), shares(&RingPlan { control, ..plan.clone() }, law));
    usual.iter().zip(late).map(|(usual, late)| (usual - late).abs()).fold(0.0, f64::max)
}

#[test]
fn figures() {
    let together = std::env::var("APART").is_err();
    let cases = cases();
    println!("{:?}", cases.iter().map(|case| &case.id).collect::<Vec<_>>());
    for about in RingLawChoice::ALL {
        let law = RingLawChoice::by_name(about.name).unwrap();
        for (what, wake_ups, within) in stalls(together) {
            let changes: Vec<f64> = cases.par_iter().map(|case| change(case, &law, wake_ups)).collect();
            let shown: Vec<String> = changes.iter().map(|change| format!("{:.2}", change * 100.0)).collect();
            let worst = changes.iter().copied().fold(0.0, f64::max);
            println!("{} {what}: {} {}", about.name, shown.join(" "), if worst > within { "TOO MUCH" } else { "" });
        }
    }
}
