//! `--dry-run`: how much there is to do.

use fairwire_sweep::{Plan, Rule, SweepError, Tried, try_some};
use serde::Serialize;

/// Points of which a run is done to see how long it takes.
const MOST_TRIED: usize = 16;

/// How much there is to do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Forecast {
    /// Points of the sweep.
    pub points: usize,
    /// Runs at least.
    pub runs_least: u64,
    /// Runs at most.
    pub runs_most: u64,
    /// Runs that the folder has already.
    pub known: u64,
    /// What the first run of some points took on one core, on average, in seconds.
    pub run_s: f64,
    /// How many points that were.
    pub tried: usize,
    /// How many runs go on at a time.
    pub threads: usize,
    /// How long those take that are still to be done, at least, in seconds.
    pub least_s: f64,
    /// The same at most.
    pub most_s: f64,
}

/// Tries points all over the sweep; nothing is kept. `known` runs need not be done any more.
pub fn forecast(plan: &Plan, known: u64) -> Result<Forecast, SweepError> {
    let points = plan.points.len();
    let all: Vec<usize> = (0..points).collect();
    let Tried { run_s, points: tried } = try_some(plan, &all, MOST_TRIED, &|| true)?;
    let count = |runs: u64| runs * points as u64;
    let (runs_least, runs_most) = match plan.rule {
        Rule::Replications => {
            let runs = plan.points.iter().map(|point| point.replications).sum();
            (runs, runs)
        }
        Rule::Until { first, most, .. } => (count(first), count(most)),
    };
    let threads = rayon::current_num_threads();
    let takes = |runs: u64| runs.saturating_sub(known) as f64 * run_s / threads as f64;
    Ok(Forecast {
        points,
        runs_least,
        runs_most,
        known,
        run_s,
        tried,
        threads,
        least_s: takes(runs_least),
        most_s: takes(runs_most),
    })
}
