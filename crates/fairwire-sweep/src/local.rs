//! Does jobs on all cores of this machine.

use crate::error::SweepError;
use crate::plan::Plan;
use crate::rounds::Job;
use crate::store::Store;
use crate::work::{Work, work};
use rayon::prelude::*;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Pieces of work for each thread: as many as keep all busy to the end.
const PIECES_A_THREAD: u64 = 16;

/// Does all runs of `jobs` in rayon's pool, and keeps each in `store` as it ends.
///
/// `watch` is told how many runs have ended since it was told last, and how much was done, in runs: of runs that go on a part. Once
/// it answers `false`, what is running is given up. The answer is whether all was done.
///
/// # Errors
/// The first point that cannot be run, or a run that cannot be kept.
pub fn fill(
    plan: &Plan,
    jobs: &[Job],
    store: &Store,
    watch: &(dyn Fn(u64, f64) -> bool + Sync),
) -> Result<bool, SweepError> {
    let all: u64 = jobs.iter().map(Job::count).sum();
    let pieces = rayon::current_num_threads() as u64 * PIECES_A_THREAD;
    let pieces: Vec<Job> = jobs.iter().flat_map(|job| cut(job, (all / pieces).max(1))).collect();
    let goes_on = AtomicBool::new(true);
    let done = pieces.par_iter().try_for_each(|job| {
        if !goes_on.load(Ordering::Relaxed) {
            return Ok(());
        }
        let scenario = plan.scenario(job.point)?;
        let key = plan.points[job.point].key;
        let told = Cell::new(0.0);
        let mut look = |done: f64| goes_on.load(Ordering::Relaxed) && watch(0, done - told.replace(done));
        let mut keep = |ended| {
            store.keep(&ended)?;
            if !watch(1, 1.0 - told.replace(0.0)) {
                goes_on.store(false, Ordering::Relaxed);
            }
            Ok(())
        };
        let runs = Work { key, runs: job.runs.clone(), with_series: store.has_series() };
        let finished = work(&scenario, runs, &mut look, &mut keep);
        let finished = finished.map_err(|failure| failure.at(job.point, || plan.named(job.point)))?;
        if !finished {
            goes_on.store(false, Ordering::Relaxed);
        }
        Ok(())
    });
    done.map(|()| goes_on.load(Ordering::Relaxed))
}

/// Pieces of at most `most` runs.
fn cut(job: &Job, most: u64) -> impl Iterator<Item = Job> {
    let (point, runs) = (job.point, job.runs.clone());
    let starts = runs.clone().step_by(usize::try_from(most).unwrap_or(usize::MAX));
    starts.map(move |start| Job { point, runs: start..runs.end.min(start.saturating_add(most)) })
}

/// What a run takes on one core, tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// Seconds, on average.
    pub run_s: f64,
    /// At how many points.
    pub points: usize,
}

/// How long is tried, at all points together.
const TRYING: Duration = Duration::from_secs(10);

/// Tries `points`, at most `most` of them, which lie all over; nothing is kept. It takes some ten seconds at most: a run that
/// takes more than its part of them is given up, and its time follows from how far it came. Once `goes_on` answers `false` all
/// is given up, and what was tried tells nothing.
///
/// # Errors
/// If one cannot be run.
pub fn try_some(plan: &Plan, points: &[usize], most: usize, goes_on: &dyn Fn() -> bool) -> Result<Tried, SweepError> {
    let tried = points.len().min(most);
    let mut all_s = 0.0;
    for number in (0..tried).take_while(|_| goes_on()) {
        all_s += time_one(plan, points[number * points.len() / tried], TRYING / tried as u32, goes_on)?;
    }
    Ok(Tried { run_s: all_s / tried.max(1) as f64, points: tried })
}

/// How many seconds the first run of a point takes on one core, with all that comes with it. After `patience` it is given up.
fn time_one(plan: &Plan, point: usize, patience: Duration, goes_on: &dyn Fn() -> bool) -> Result<f64, SweepError> {
    let started = Instant::now();
    let scenario = plan.scenario(point)?;
    let key = plan.points[point].key;
    let first = Work { key, runs: 0..1, with_series: plan.with_series };
    // How long it took until the run began, and how far the run came.
    let (mut before, mut part) = (Duration::ZERO, 1.0);
    let mut watch = |done: f64| {
        if done == 0.0 {
            before = started.elapsed();
        } else if started.elapsed() > before + patience {
            part = done;
        }
        part == 1.0 && goes_on()
    };
    let done = work(&scenario, first, &mut watch, &mut |_| Ok(()));
    done.map_err(|failure| failure.at(point, || plan.named(point)))?;
    Ok(before.as_secs_f64() + (started.elapsed() - before).as_secs_f64() / part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_scenario::Scenario;

    #[test]
    fn a_run_that_takes_long_is_given_up_and_its_time_is_told_all_the_same() {
        let text = r#"schema = 1
            run = { duration = "10 h" }
            sweep = { "ring.stations" = [6, 7] }
            [ring]
            stations = 6
            capacity = "622 Mb/s"
            span-delay = "0.1 ms"
            law = { name = "dvsr" }
            [[flow]]
            name = "a"
            from = [0, 1]
            to = 5
            "#;
        let scenario = Scenario::parse("ring.toml", text).unwrap();
        let plan = Plan::new(scenario.sweep_points().unwrap()).unwrap();
        let started = Instant::now();
        let run_s = time_one(&plan, 0, Duration::from_millis(20), &|| true).unwrap();
        assert!(run_s > 20.0 * started.elapsed().as_secs_f64(), "{run_s} s");
    }
}
