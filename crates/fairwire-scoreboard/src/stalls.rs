//! How laws bear it that they are called late.
//!
//! Each law runs on two papers' scenarios and ten random rings: called in time, and late in three ways. What is told is how
//! far a flow's share of its link moves. Under a law that swings a single run is a lottery, so that means over seeds are
//! compared, and two standard errors of their difference stand beside.

use crate::tables::Table;
use crate::{Board, Case, ScoreError};
use fairwire_core::Span;
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::{ControlPlan, RingPlan, WakeUps};
use fairwire_sim::simulate_watched;
use rayon::prelude::*;
use serde::Serialize;

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

/// The three ways; all laws of a ring stand still `together`, or each by itself.
pub fn stalls(together: bool) -> [Stalls; 3] {
    let of = |name, [late_us, stall_ms, every_ms]: [u64; 3], within| Stalls {
        name,
        wake_ups: WakeUps {
            late: Span::from_micros(late_us),
            stall: Span::from_millis(stall_ms),
            every: Span::from_millis(every_ms),
            together,
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
/// Seeds of the runs whose mean tells what a flow gets.
pub const STALL_SEEDS: std::ops::RangeInclusive<u64> = 1..=8;

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

/// A run of a case whose laws are called late, or in time; none if the case is no ring.
pub fn stall_plan(case: &Case, law: &RingLawChoice, seed: u64, late: Option<WakeUps>) -> Option<RingPlan> {
    let mut plan = case.plan(law)?;
    (plan.duration, plan.warmup, plan.seed) = (STALLED, Span::from_nanos(STALLED.as_nanos() / 3), seed);
    plan.control = ControlPlan { wake_ups: late, ..ControlPlan::default() };
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

/// What being called late did to one law on one case.
#[derive(Clone, Debug, Serialize)]
pub struct StallScore {
    /// The case.
    pub case: String,
    /// The law.
    pub law: String,
    /// How it was called late.
    pub stalls: &'static str,
    /// How far a share may move, as a part of the link.
    pub within: f64,
    /// How far the mean share moved of the flow that moved most.
    pub moved: f64,
    /// Two standard errors of that.
    pub error: f64,
}

impl Board {
    /// Runs every law on [`stall_cases`], called in time and late, on all cores. When `watch` answers `false` what is running
    /// is given up, and what is finished is returned.
    ///
    /// # Errors
    /// The first run that fails.
    pub fn stalls(&self, watch: &(dyn Fn() -> bool + Sync)) -> Result<Vec<StallScore>, ScoreError> {
        let cases = stall_cases()?;
        let jobs: Vec<(&RingLawChoice, &Case)> =
            self.laws.iter().flat_map(|law| cases.iter().map(move |case| (law, case))).collect();
        let scores: Result<Vec<Vec<StallScore>>, ScoreError> =
            jobs.par_iter().map(|(law, case)| score(case, law, watch)).collect();
        Ok(scores?.into_iter().flatten().collect())
    }
}

fn score(case: &Case, law: &RingLawChoice, watch: &(dyn Fn() -> bool + Sync)) -> Result<Vec<StallScore>, ScoreError> {
    let means = |late: Option<WakeUps>| {
        let mut runs = Vec::new();
        for seed in STALL_SEEDS {
            let Some(plan) = stall_plan(case, law, seed, late) else { return Ok::<_, ScoreError>(None) };
            match shares(case, law, &plan, watch)? {
                Some(shares) => runs.push(shares),
                None => return Ok(None),
            }
        }
        Ok(Some(means_of(&runs)))
    };
    let Some(usual) = means(None)? else { return Ok(Vec::new()) };
    let mut scores = Vec::new();
    for Stalls { name, wake_ups, within } in stalls(true) {
        let Some(late) = means(Some(wake_ups))? else { break };
        let moves =
            usual.iter().zip(&late).map(|(usual, late)| ((usual.0 - late.0).abs(), 2.0 * usual.1.hypot(late.1)));
        let (moved, error) = moves.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, 0.0));
        let law = law.about().name.to_owned();
        scores.push(StallScore { case: case.id.clone(), law, stalls: name, within, moved, error });
    }
    Ok(scores)
}

/// By flow: the mean of its shares over the runs, and the standard error of that.
fn means_of(runs: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let count = runs.len() as f64;
    let of_flow = |flow: usize| {
        let mean = runs.iter().map(|shares| shares[flow]).sum::<f64>() / count;
        let squares: f64 = runs.iter().map(|shares| (shares[flow] - mean).powi(2)).sum();
        (mean, (squares / (count - 1.0) / count).sqrt())
    };
    (0..runs.first().map_or(0, Vec::len)).map(of_flow).collect()
}

/// The table: in points of the link, the largest move over the cases, and on how many of them it is more than allowed.
pub fn stall_table(scores: &[StallScore]) -> Table {
    let mut laws: Vec<&str> = Vec::new();
    for score in scores {
        if !laws.contains(&score.law.as_str()) {
            laws.push(&score.law);
        }
    }
    let ways = stalls(true);
    let row = |law: &&str| {
        let of = |way: &Stalls| {
            let own: Vec<&StallScore> =
                scores.iter().filter(|score| score.law == **law && score.stalls == way.name).collect();
            cell(&own)
        };
        std::iter::once((*law).to_owned()).chain(ways.iter().map(of)).collect()
    };
    let mut cases: Vec<&str> = scores.iter().map(|score| score.case.as_str()).collect();
    cases.sort_unstable();
    cases.dedup();
    let allowed = |way: &Stalls| format!(">{} ({:.0})", way.name, 100.0 * way.within);
    Table {
        title: format!(
            "{} cases: how far the mean share over {} seeds moves where laws are called late, in points of the link",
            cases.len(),
            STALL_SEEDS.count()
        ),
        header: std::iter::once("law".to_owned()).chain(ways.iter().map(allowed)).collect(),
        rows: laws.iter().map(row).collect(),
    }
}

/// The largest move; and of how many cases it is above what is allowed, and surely so.
fn cell(scores: &[&StallScore]) -> String {
    let Some(worst) = scores.iter().max_by(|a, b| a.moved.total_cmp(&b.moved)) else { return "–".to_owned() };
    let moved = format!("{:.2} ± {:.2}", 100.0 * worst.moved, 100.0 * worst.error);
    let above = |bar: f64| scores.iter().filter(|score| score.moved - bar * score.error > score.within).count();
    match (above(0.0), above(1.0)) {
        (0, _) => moved,
        (more, surely) => format!("{moved}, more on {more}, surely on {surely}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(moved: f64, error: f64) -> StallScore {
        let (case, law) = (String::new(), String::new());
        StallScore { case, law, stalls: "", within: 0.02, moved, error }
    }

    #[test]
    fn cells_tell_the_largest_move_and_who_moves_too_far() {
        let scores = [score(0.01, 0.001), score(0.025, 0.01), score(0.03, 0.005)];
        assert_eq!(cell(&scores.iter().collect::<Vec<_>>()), "3.00 ± 0.50, more on 2, surely on 1");
        assert_eq!(cell(&[&scores[0]]), "1.00 ± 0.10");
        assert_eq!(cell(&[]), "–");
    }

    #[test]
    fn means_have_errors() {
        let means = means_of(&[vec![0.25, 0.5], vec![0.75, 0.5]]);
        assert_eq!(means, [(0.5, 0.25), (0.5, 0.0)]);
    }
}
