//! Does runs of one point.

use crate::error::SweepError;
use crate::key::Key;
use crate::question::{Asked, broken};
use crate::series::SeriesLine;
use crate::store::RunLine;
use fairwire_alloc::AllocError;
use fairwire_plan::{Detail, PlanError};
use fairwire_runs::{Batch, Cautions, FinishedRun, Job as BatchJob, Reference};
use fairwire_scenario::Scenario;
use std::ops::Range;

/// Why runs of a point could not be done.
pub(crate) enum Failure {
    Unsolved(AllocError),
    Plan(PlanError),
    Kept(SweepError),
}

impl Failure {
    /// The same with the point that it is about.
    pub fn at(self, point: usize, set: impl FnOnce() -> String) -> SweepError {
        match self {
            Self::Unsolved(source) => SweepError::Unsolved { point, set: set(), source },
            Self::Plan(source) => SweepError::Plan { point, set: set(), source },
            Self::Kept(error) => error,
        }
    }
}

/// A run that came to its end.
#[derive(Debug)]
pub(crate) struct EndedRun {
    /// What it came to.
    pub line: RunLine,
    /// Its series, if they were asked for.
    pub series: Option<SeriesLine>,
}

/// Which runs of a point to do.
pub(crate) struct Work {
    /// What they are known by.
    pub key: Key,
    /// The replications.
    pub runs: Range<u64>,
    /// Whether their series are wanted, too.
    pub with_series: bool,
}

/// Does runs of a scenario under its own law, one after the other, and hands each to `keep`.
///
/// `watch` is told how far a run is, from 0 to 1; once it answers `false` the run is given up, and the answer is `false`.
pub(crate) fn work(
    scenario: &Scenario,
    Work { key, runs, with_series }: Work,
    watch: &mut dyn FnMut(f64) -> bool,
    keep: &mut dyn FnMut(EndedRun) -> Result<(), SweepError>,
) -> Result<bool, Failure> {
    let asked = Asked::of(scenario);
    let Some(law) = scenario.own_law() else { return Ok(true) };
    let reference = Reference::solve(scenario, scenario.criterion(), false).map_err(Failure::Unsolved)?;
    let meter = asked.meter(scenario).map_err(Failure::Unsolved)?;
    let batch = Batch {
        seeded: vec![scenario.clone()],
        laws: vec![law],
        runs: runs.clone(),
        engine: None,
        detail: Detail::Summary,
        check: false,
    };
    for run in runs {
        let job = BatchJob { law: 0, seed: 0, run };
        let Some(finished) = batch.simulate_one(job, &reference, watch).map_err(Failure::Plan)? else {
            return Ok(false);
        };
        let line = line(key, &batch, &asked.read(&meter, &finished), &finished);
        let series = with_series.then(|| SeriesLine::of(key, &finished));
        keep(EndedRun { line, series }).map_err(Failure::Kept)?;
    }
    Ok(true)
}

fn line(key: Key, batch: &Batch, values: &[Option<f64>], finished: &FinishedRun) -> RunLine {
    let summary = &finished.outcome.summary;
    let warnings = Cautions::of_run(batch, summary);
    RunLine {
        key,
        run: summary.run,
        broken: broken(summary),
        warning: (!warnings.is_empty()).then(|| warnings.join("; ")),
        hops: summary.packet_hops,
        values: values.to_vec(),
    }
}
