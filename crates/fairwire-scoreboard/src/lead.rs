//! Which law leads, and where another one is better.

use crate::summary::whole_cases;
use crate::{Measured, Score};
use serde::Serialize;

/// The law that leads, and what others have to say to that.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lead {
    /// The law that is nearest to the fair rates, or as near as the nearest, on the most cases; of several the first.
    pub law: String,
    /// Cases of every group that have scores of every law.
    pub cases: usize,
    /// Of these, those on which no law is nearer.
    pub nearest: usize,
    /// One entry for each other law and each measure.
    pub others: Vec<Other>,
}

/// Another law beside the one that leads, by one measure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Other {
    /// The other law.
    pub law: String,
    /// The measure, as scores name it.
    pub measure: &'static str,
    /// Cases on which the other law is better, which is less, by this measure.
    pub better: usize,
    /// By how much at most; infinite, which JSON has as null, where only the other law ever gets there. None if it
    /// never is better.
    pub most: Option<f64>,
    /// The case where it is that; of several the first.
    pub case: Option<String>,
}

/// A measure of which less is better, and its name.
type Measure = (&'static str, fn(&Measured) -> Option<f64>);

const MEASURES: [Measure; 11] = [
    ("largest_error", |measured| Some(measured.largest_error)),
    ("p95_error", |measured| Some(measured.p95_error)),
    ("laps_to_fair_5", |measured| Some(measured.laps_to_fair_5.unwrap_or(f64::INFINITY))),
    ("laps_to_fair_1", |measured| Some(measured.laps_to_fair_1.unwrap_or(f64::INFINITY))),
    ("swing", |measured| Some(measured.swing)),
    ("utilisation_lost", |measured| Some(measured.utilisation_lost)),
    ("transit_loss", |measured| Some(measured.transit_loss)),
    ("delay_p50_laps", |measured| measured.delay_p50_laps),
    ("delay_p95_laps", |measured| measured.delay_p95_laps),
    ("delay_p99_laps", |measured| measured.delay_p99_laps),
    ("control", |measured| Some(measured.control)),
];

impl Lead {
    /// Of these laws; none if nobody is there to compare with.
    pub(crate) fn among(laws: &[&str], scores: &[Score]) -> Option<Self> {
        let cases: Vec<&[Score]> = whole_cases(scores, laws.len()).collect();
        if laws.len() < 2 || cases.is_empty() {
            return None;
        }
        let nearest = |law: &&str| cases.iter().filter(|case| is_nearest(law, case)).count();
        let first = laws.iter().rev().max_by_key(|law| nearest(law))?;
        let others = laws.iter().filter(|law| *law != first);
        let beside = |other: &&str| MEASURES.map(|measure| Other::beside(first, other, measure, &cases));
        Some(Self {
            law: (*first).to_owned(),
            cases: cases.len(),
            nearest: nearest(first),
            others: others.flat_map(beside).collect(),
        })
    }

    /// What `law` has to say by `measure`.
    pub(crate) fn other(&self, law: &str, measure: &str) -> Option<&Other> {
        self.others.iter().find(|other| other.law == law && other.measure == measure)
    }
}

impl Other {
    fn beside(first: &str, other: &str, (measure, value): Measure, cases: &[&[Score]]) -> Self {
        let ahead = cases.iter().filter_map(|case| {
            let [own, others] = [first, other].map(|law| of_law(law, case).and_then(|score| value(&score.measured)));
            let (own, others) = (own?, others?);
            (others < own).then(|| (own - others, &case[0].case))
        });
        let ahead: Vec<_> = ahead.collect();
        let most = ahead.iter().rev().max_by(|a, b| a.0.total_cmp(&b.0));
        Self {
            law: other.to_owned(),
            measure,
            better: ahead.len(),
            most: most.map(|(by, _)| *by),
            case: most.map(|(_, case)| (*case).clone()),
        }
    }
}

fn of_law<'a>(law: &str, case: &'a [Score]) -> Option<&'a Score> {
    case.iter().find(|score| score.law == law)
}

fn is_nearest(law: &str, case: &[Score]) -> bool {
    let least = case.iter().map(|score| score.measured.largest_error).fold(f64::INFINITY, f64::min);
    of_law(law, case).is_some_and(|score| score.measured.largest_error <= least)
}
