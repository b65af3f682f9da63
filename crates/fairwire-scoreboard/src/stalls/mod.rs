//! How laws bear it that they are called late.
//!
//! Each law runs on two papers' scenarios and ten random rings: called in time, and late in three ways. What is told is how
//! far a flow's share of its link moves. Under a law that swings a single run is a lottery, so that the same seeds run with and
//! without, and as many of them as it takes to tell the mean of their difference from what is allowed.

mod compare;
mod moves;
mod table;

pub use compare::{LEAST_STALL_SEEDS, MOST_STALL_SEEDS, StallRun, StallScore};
pub use moves::Verdict;
pub use table::stall_table;

use crate::{Case, ScoreError};
use fairwire_core::{Instant, Span};
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::{ControlPlan, RingPlan, WakeUps};
use fairwire_sim::simulate_watched;

/// A way of being called late.
#[derive(Clone, Copy, Debug)]
pub struct Stalls {
    /// In words.
    pub name: &'static str,
    /// Which.
    pub wake_ups: WakeUps,
    /// How far a flow's share may move, as a part of its link.
    pub within: f64,
}

/// Laws begin at random times up to this, an aging interval of 802.17: timers of stations that are switched on by hand are not in step.
const BEGIN: Span = Span::from_micros(100);

/// Every law is called in time.
const IN_TIME: WakeUps =
    WakeUps { late: Span::ZERO, stall: Span::ZERO, every: Span::ZERO, together: true, begin: BEGIN };

/// The three ways; all laws of a ring stand still `together`, or each by itself.
pub fn stalls(together: bool) -> [Stalls; 3] {
    let of = |name, [late_us, stall_ms, every_ms]: [u64; 3], within| Stalls {
        name,
        wake_ups: WakeUps {
            late: Span::from_micros(late_us),
            stall: Span::from_millis(stall_ms),
            every: Span::from_millis(every_ms),
            together,
            begin: BEGIN,
        },
        within,
    };
    [
        of("late by up to 66 us", [66, 0, 0], 0.01),
        of("4 ms each 100 ms", [0, 4, 100], 0.02),
        of("50 ms each second", [0, 50, 1_000], 0.05),
    ]
}

/// What is simulated of each case, a third of it before anything is measured: enough stalls to tell, few packets.
pub const STALLED: Span = Span::from_millis(3_000);
/// Stations of the largest random ring.
const STATIONS: u16 = 24;
/// Random rings.
const RINGS: usize = 10;

/// The parking lot, Fig. 5 of [dvsr], and the first ten random rings that are not too large, and of which 200 laps are not too
/// long.
///
/// # Errors
/// [`ScoreError`] if one of them cannot be made.
pub fn stall_cases() -> Result<Vec<Case>, ScoreError> {
    let papers = ["parking-lot", "fig5"].into_iter().map(Case::named);
    let rings = (0..).map(|number| Case::named(&format!("ring-{number}")));
    let fits = |case: &Result<Case, ScoreError>| {
        let ring = case.as_ref().ok().and_then(|case| case.scenario.ring());
        ring.is_none_or(|ring| ring.lap() * 200 < STALLED && ring.stations <= STATIONS)
    };
    papers.chain(rings.filter(fits).take(RINGS)).collect()
}

/// A run of a case whose laws are called late, or in time; none if the case is no ring. Flows that last as long as the case last
/// as long as the run.
pub fn stall_plan(case: &Case, law: &RingLawChoice, seed: u64, late: Option<WakeUps>) -> Option<RingPlan> {
    let mut plan = case.plan(law)?;
    let (case_ends, ends) = (Instant::ZERO + plan.duration, Instant::ZERO + STALLED);
    plan.flows.iter_mut().filter(|flow| flow.stop == case_ends).for_each(|flow| flow.stop = flow.stop.max(ends));
    (plan.duration, plan.warmup, plan.seed) = (STALLED, Span::from_nanos(STALLED.as_nanos() / 3), seed);
    plan.control = ControlPlan { wake_ups: Some(late.unwrap_or(IN_TIME)), ..ControlPlan::default() };
    Some(plan)
}

/// The part of a link that each flow gets; none if `watch` stopped the run.
///
/// # Errors
/// [`ScoreError`] if the run fails.
pub fn shares(
    case: &Case,
    law: &RingLawChoice,
    plan: &RingPlan,
    watch: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Vec<f64>>, ScoreError> {
    let name = law.about().name;
    let record = simulate_watched(plan, law, &mut |_| watch());
    let record = record.map_err(|source| ScoreError::Plan { case: case.id.clone(), law: name, source })?;
    if !watch() {
        return Ok(None);
    }
    if let Some(violation) = record.violations.first() {
        return Err(ScoreError::Invariant { case: case.id.clone(), law: name, violation: violation.clone() });
    }
    let measured_s = (record.duration - record.warmup).as_secs_f64();
    let link_bps = plan.links[0][0].capacity.as_bps_f64();
    Ok(Some(record.flows.iter().map(|flow| flow.measured_bytes as f64 * 8.0 / measured_s / link_bps).collect()))
}
