//! What all scores come to, law by law.

use crate::{Estimate, Group, Lead, Measured, Score, Unique, estimate, mean, median};
use serde::Serialize;

/// A swing above this part of the fair rate is not quiet.
const QUIET: f64 = 0.05;

/// The scoreboard.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Random rings that have scores of every law.
    pub rings: usize,
    /// Of these, rings whose fair rates are not proved to be the only ones.
    pub rings_not_decided: usize,
    /// One entry a law.
    pub laws: Vec<LawSummary>,
    /// The law that leads over all cases, and where others are better; none if there is nobody to compare with.
    pub lead: Option<Lead>,
}

/// One law over the random rings; each number with its bootstrap interval over
/// rings. Times and swings that never end are infinite, which JSON has as null.
#[derive(Clone, Debug, Serialize)]
pub struct LawSummary {
    /// The law.
    pub law: String,
    /// Share of rings with every flow within 5 % of its fair rate.
    pub within_5: Option<Estimate>,
    /// Share of rings with every flow within 1 %.
    pub within_1: Option<Estimate>,
    /// The share within 5 % of the rings whose fair rates are proved to be the only ones.
    pub within_5_decided: Option<Estimate>,
    /// The share within 1 % of those.
    pub within_1_decided: Option<Estimate>,
    /// Share of rings whose largest swing is at most 5 % of the fair rate.
    pub quiet: Option<Estimate>,
    /// Median over rings of the largest error over flows.
    pub largest_error: Option<Estimate>,
    /// Median over rings of the 95th percentile of the error over flows.
    pub p95_error: Option<Estimate>,
    /// Median over rings of the laps until fair within 5 % for good.
    pub laps_to_fair_5: Option<Estimate>,
    /// Median over rings of the laps until fair within 1 % for good.
    pub laps_to_fair_1: Option<Estimate>,
    /// Median over rings of the largest swing.
    pub swing: Option<Estimate>,
    /// Mean over rings.
    pub utilisation_lost: Option<Estimate>,
    /// Mean over rings.
    pub transit_loss: Option<Estimate>,
    /// Mean over rings of the median delay beyond propagation, in laps.
    pub delay_p50_laps: Option<Estimate>,
    /// Mean over rings of its 95th percentile.
    pub delay_p95_laps: Option<Estimate>,
    /// Mean over rings of its 99th percentile.
    pub delay_p99_laps: Option<Estimate>,
    /// Mean over rings of the control share.
    pub control: Option<Estimate>,
}

impl Summary {
    /// Sums up scores. An unfinished scoreboard counts only the rings that every
    /// law has run, so that all laws are compared on the same ones.
    pub fn of(scores: &[Score]) -> Self {
        let mut laws: Vec<&str> = Vec::new();
        for score in scores {
            if !laws.contains(&score.law.as_str()) {
                laws.push(&score.law);
            }
        }
        let whole = whole_rings(scores, laws.len());
        let of_law = |law: &&str| {
            let own: Vec<&Score> = whole.iter().copied().filter(|score| score.law == **law).collect();
            LawSummary::of(law, &own)
        };
        let first: Vec<&Score> =
            whole.iter().copied().filter(|score| Some(&score.law.as_str()) == laws.first()).collect();
        Self {
            rings: first.len(),
            rings_not_decided: first.iter().filter(|score| score.unique == Unique::NotDecided).count(),
            laws: laws.iter().map(of_law).collect(),
            lead: Lead::among(&laws, scores),
        }
    }
}

/// Scores case by case, of those that every one of `laws` laws has run. Scores of one case are neighbours.
pub(crate) fn whole_cases(scores: &[Score], laws: usize) -> impl Iterator<Item = &[Score]> {
    scores.chunk_by(|a, b| a.case == b.case).filter(move |case| case.len() == laws)
}

/// Scores of the random rings that every one of `laws` laws has run.
pub(crate) fn whole_rings(scores: &[Score], laws: usize) -> Vec<&Score> {
    whole_cases(scores, laws).filter(|case| case[0].group == Group::RandomRing).flatten().collect()
}

impl LawSummary {
    fn of(law: &str, scores: &[&Score]) -> Self {
        let values = |of: &dyn Fn(&Measured) -> Option<f64>| -> Vec<f64> {
            scores.iter().filter_map(|score| of(&score.measured)).collect()
        };
        let share = |of: &dyn Fn(&Measured) -> bool| estimate(&values(&|m| Some(f64::from(u8::from(of(m))))), mean);
        let middle = |of: &dyn Fn(&Measured) -> Option<f64>| estimate(&values(of), median);
        let average = |of: &dyn Fn(&Measured) -> Option<f64>| estimate(&values(of), mean);
        let decided = |within: f64| {
            let scores = scores.iter().filter(|score| score.unique != Unique::NotDecided);
            let sample: Vec<f64> =
                scores.map(|score| f64::from(u8::from(score.measured.largest_error <= within))).collect();
            estimate(&sample, mean)
        };
        let laps = |time: Option<f64>| Some(time.unwrap_or(f64::INFINITY));
        Self {
            law: law.to_owned(),
            within_5: share(&|m| m.largest_error <= 0.05),
            within_1: share(&|m| m.largest_error <= 0.01),
            within_5_decided: decided(0.05),
            within_1_decided: decided(0.01),
            quiet: share(&|m| m.swing <= QUIET),
            largest_error: middle(&|m| Some(m.largest_error)),
            p95_error: middle(&|m| Some(m.p95_error)),
            laps_to_fair_5: middle(&|m| laps(m.laps_to_fair_5)),
            laps_to_fair_1: middle(&|m| laps(m.laps_to_fair_1)),
            swing: middle(&|m| Some(m.swing)),
            utilisation_lost: average(&|m| Some(m.utilisation_lost)),
            transit_loss: average(&|m| Some(m.transit_loss)),
            delay_p50_laps: average(&|m| m.delay_p50_laps),
            delay_p95_laps: average(&|m| m.delay_p95_laps),
            delay_p99_laps: average(&|m| m.delay_p99_laps),
            control: average(&|m| Some(m.control)),
        }
    }
}
