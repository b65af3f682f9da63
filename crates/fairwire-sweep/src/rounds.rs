//! What to run next: decided between rounds, by what is known of runs 0 to n − 1 of each point and of nothing else.

use crate::error::SweepError;
use crate::estimate::{Estimate, estimate};
use crate::plan::{Columns, Part, Plan, Point, Rule};
use crate::store::{RunLine, Store};
use fairwire_scenario::HalfWidth;
use std::ops::Range;

/// Runs of one point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The point, by its position.
    pub point: usize,
    /// The replications.
    pub runs: Range<u64>,
}

impl Job {
    /// How many runs that is.
    pub fn count(&self) -> u64 {
        self.runs.end - self.runs.start
    }
}

/// Why a point has no more runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    /// It has as many as there are replications.
    #[default]
    Replications,
    /// Its interval is narrow enough.
    HalfWidth,
    /// It has as many as there may be, and its interval is still too wide.
    Most,
}

impl Stop {
    /// In a word, for tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Replications => "replications",
            Self::HalfWidth => "half-width",
            Self::Most => "most",
        }
    }
}

/// How far every point is.
#[derive(Debug)]
pub struct Rounds {
    part: Option<Part>,
    points: Vec<State>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    /// So many runs are wanted.
    runs: u64,
    stop: Option<Stop>,
}

impl Rounds {
    /// Nothing is decided yet. Of a part only its points are looked at.
    pub fn new(plan: &Plan, part: Option<Part>) -> Self {
        let first = |replications: u64| match plan.rule {
            Rule::Replications => replications,
            Rule::Until { first, .. } => first,
        };
        let points = plan.points.iter().map(|point| State { runs: first(point.replications), stop: None });
        Self { part, points: points.collect() }
    }

    /// The runs of the next round that are not known yet; empty once every point has enough. What is known is decided about at
    /// once, again and again, so that an interrupted sweep comes to where it was.
    ///
    /// # Errors
    /// If what is known cannot be read.
    pub fn next(&mut self, plan: &Plan, store: &Store) -> Result<Vec<Job>, SweepError> {
        let mut wanted = vec![0; plan.slots];
        let mut jobs = Vec::new();
        for (point, state) in self.points.iter_mut().enumerate() {
            if self.part.is_some_and(|part| !part.has(point)) {
                continue;
            }
            let Point { key, slot, .. } = plan.points[point];
            while state.stop.is_none() && store.knows(key, 0..state.runs) {
                match decide(plan.rule, state.runs, || judged(plan, store, point, state.runs))? {
                    Decision::Stop(stop) => state.stop = Some(stop),
                    Decision::Until(runs) => state.runs = runs,
                }
            }
            if state.stop.is_none() {
                // Another point that comes to the same has asked for some of them already.
                let wanted = &mut wanted[slot as usize];
                jobs.extend(store.missing(key, *wanted..state.runs).into_iter().map(|runs| Job { point, runs }));
                *wanted = state.runs.max(*wanted);
            }
        }
        Ok(jobs)
    }

    /// How many runs a point has, and why no more; none while that is open.
    pub fn ended(&self, point: usize) -> Option<(u64, Stop)> {
        let state = self.points[point];
        state.stop.map(|stop| (state.runs, stop))
    }

    /// How many runs there are at least, over all points.
    pub fn runs(&self) -> u64 {
        let own = self.points.iter().enumerate().filter(|(point, _)| self.part.is_none_or(|part| part.has(*point)));
        own.map(|(_, state)| state.runs).sum()
    }
}

/// What follows from some runs of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    Stop(Stop),
    /// So many runs are wanted.
    Until(u64),
}

/// The rule: a function of what runs 0 to `runs` − 1 came to.
fn decide(
    rule: Rule,
    runs: u64,
    judged: impl FnOnce() -> Result<Vec<Estimate>, SweepError>,
) -> Result<Decision, SweepError> {
    let Rule::Until { half_width, most, .. } = rule else { return Ok(Decision::Stop(Stop::Replications)) };
    let is_known = |estimate: &Estimate| match (estimate.mean, estimate.half_width, half_width) {
        (Some(mean), Some(half), HalfWidth::OfMean(part)) => half <= part * mean.abs(),
        (Some(_), Some(half), HalfWidth::Absolute(width)) => half <= width,
        _ => false,
    };
    Ok(if judged()?.iter().all(is_known) {
        Decision::Stop(Stop::HalfWidth)
    } else if runs >= most {
        Decision::Stop(Stop::Most)
    } else {
        Decision::Until((runs + runs.div_ceil(2)).min(most))
    })
}

/// What the deciding numbers come to over the first runs of a point.
fn judged(plan: &Plan, store: &Store, point: usize, runs: u64) -> Result<Vec<Estimate>, SweepError> {
    let lines = store.lines(plan.points[point].key, 0..runs)?;
    let Columns { columns, deciding } = plan.columns(point);
    Ok(deciding.iter().map(|&column| estimate(columns[column].kind, &sample(&lines, column))).collect())
}

/// The values of one number, run by run. A run that broke an invariant has none: it is marked, not averaged.
pub(crate) fn sample(lines: &[RunLine], column: usize) -> Vec<Option<f64>> {
    lines.iter().map(|line| if line.broken > 0 { None } else { line.values.get(column).copied().flatten() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Kind;

    const RULE: Rule = Rule::Until { half_width: HalfWidth::Absolute(1.0), first: 10, most: 40 };

    fn decided(runs: u64, values: &[f64]) -> Decision {
        let values: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
        decide(RULE, runs, || Ok(vec![estimate(Kind::Mean, &values)])).unwrap()
    }

    #[test]
    fn a_point_goes_on_by_half_until_its_interval_is_narrow_or_there_are_too_many() {
        let narrow = [5.0, 5.1, 4.9, 5.0];
        let wide = [0.0, 50.0, 10.0, 90.0];
        assert_eq!(decided(10, &narrow), Decision::Stop(Stop::HalfWidth));
        assert_eq!(decided(10, &wide), Decision::Until(15));
        assert_eq!(decided(15, &wide), Decision::Until(23));
        assert_eq!(decided(35, &wide), Decision::Until(40));
        assert_eq!(decided(40, &wide), Decision::Stop(Stop::Most));
        assert_eq!(decided(40, &narrow), Decision::Stop(Stop::HalfWidth));
    }

    /// Half-widths of 2.6 % and 65 % of the mean, in whatever unit.
    #[test]
    fn a_part_of_the_mean_grows_with_the_mean() {
        let of_mean = Rule::Until { half_width: HalfWidth::OfMean(0.1), first: 10, most: 40 };
        for unit in [1e-6, 1.0, 1e6] {
            let decided = |values: [f64; 4]| {
                let values = values.map(|value| Some(value * unit));
                decide(of_mean, 10, || Ok(vec![estimate(Kind::Mean, &values)])).unwrap()
            };
            assert_eq!(decided([98.0, 100.0, 102.0, 100.0]), Decision::Stop(Stop::HalfWidth));
            assert_eq!(decided([50.0, 100.0, 150.0, 100.0]), Decision::Until(15));
        }
    }

    #[test]
    fn what_has_no_interval_is_not_known() {
        let nothing = decide(RULE, 10, || Ok(vec![estimate(Kind::Mean, &[None; 10])])).unwrap();
        assert_eq!(nothing, Decision::Until(15));
        let of_mean = Rule::Until { half_width: HalfWidth::OfMean(0.5), first: 10, most: 40 };
        let zero = decide(of_mean, 10, || Ok(vec![estimate(Kind::Mean, &[Some(0.0); 10])])).unwrap();
        assert_eq!(zero, Decision::Stop(Stop::HalfWidth), "always zero is known exactly");
        assert_eq!(decide(Rule::Replications, 3, || panic!("not asked")).unwrap(), Decision::Stop(Stop::Replications));
    }
}
