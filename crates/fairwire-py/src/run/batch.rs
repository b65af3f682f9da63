//! A batch on as many threads as asked for, told of and stopped from Python.

use super::interrupt::interruptible;
use super::settings::setting;
use crate::ring_law::Trouble;
use crate::threads::a_pool;
use fairwire_results::RunOutcome;
use fairwire_runs::{Batch, FinishedRun, Promises, Reference, Verdict, worst};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Progress of one run in thousandths.
type Progress = AtomicU32;

/// Runs, and what became of the scenario's promises.
pub struct Judged {
    pub runs: Vec<RunOutcome>,
    pub verdicts: Vec<Verdict>,
}

/// Does all runs, `threads` at a time, or as many as there are cores for 0. `progress` is called with
/// the part that is done, from 0 to 1. What a law in Python raises stops all runs, and is raised here.
pub fn simulate(
    py: Python<'_>,
    batch: &Batch,
    threads: usize,
    reference: &Reference,
    promises: &Promises<'_>,
    trouble: &Trouble,
    progress: Option<Py<PyAny>>,
) -> PyResult<Judged> {
    let pool = a_pool(threads.min(batch.len()))?;
    let done: Vec<Progress> = (0..batch.len()).map(|_| Progress::new(0)).collect();
    let judge = |run: FinishedRun| {
        let verdicts = promises.judge_own(batch, &run);
        (run.outcome, verdicts)
    };
    let work = |stop: &AtomicBool| {
        let watch = |run: usize, fraction: f64| {
            done[run].store((fraction * 1_000.0) as u32, Ordering::Relaxed);
            !stop.load(Ordering::Relaxed) && !trouble.has_come()
        };
        pool.install(|| batch.simulate(reference, watch, judge))
    };
    let tell = |py: Python<'_>| match &progress {
        Some(call) => call.call1(py, (part_done(&done),)).map(drop),
        None => Ok(()),
    };
    let finished = interruptible(py, work, tell, Some(trouble))?;
    trouble.raise()?;
    let finished = finished.map_err(|error| setting(error.to_string()))?;
    if let Some(call) = &progress {
        call.call1(py, (1.0,))?;
    }
    let (runs, verdicts): (_, Vec<_>) = finished.into_iter().unzip();
    Ok(Judged { runs, verdicts: worst(verdicts) })
}

fn part_done(done: &[Progress]) -> f64 {
    let thousandths: f64 = done.iter().map(|part| f64::from(part.load(Ordering::Relaxed))).sum();
    thousandths / 1_000.0 / done.len().max(1) as f64
}
