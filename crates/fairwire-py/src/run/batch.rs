//! Many runs on all cores: laws times seeds times replications.

use super::interrupt::interruptible;
use super::reference::Reference;
use super::settings::setting;
use fairwire_results::{Plan, Record, RunOutcome, SummaryInput, measures, summarise};
use fairwire_scenario::{LawChoice, Scenario};
use fairwire_sim::{Detail, NetworkPlan, PlanError, RingPlan, simulate_network_watched, simulate_watched};
use pyo3::prelude::*;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Instant;

/// One run to do.
pub struct Job {
    pub scenario: Scenario,
    pub law: LawChoice,
    pub run: u64,
}

/// What holds for all runs.
#[derive(Clone, Copy)]
pub struct Terms {
    /// Whether to keep links, queues and what laws show.
    pub detail: Detail,
    /// Whether to audit the invariants all along.
    pub check: bool,
    /// How many runs at a time; 0 for as many as there are cores.
    pub threads: usize,
}

/// A run, and what was simulated.
pub struct Finished {
    pub plan: Plan,
    pub outcome: RunOutcome,
}

/// Progress of one run in thousandths.
type Progress = AtomicU32;

/// Does all jobs, in order of the list whatever ended first. `progress` is called
/// with the part that is done, from 0 to 1.
pub fn simulate(
    py: Python<'_>,
    jobs: &[Job],
    terms: Terms,
    reference: &Reference,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<Finished>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(terms.threads.min(jobs.len())).build();
    let pool = pool.map_err(|error| setting(format!("threads: {error}")))?;
    let done: Vec<Progress> = jobs.iter().map(|_| Progress::new(0)).collect();
    let work = |stop: &AtomicBool| {
        let one = |(job, done): (&Job, &Progress)| simulate_one(job, terms, reference, done, stop);
        pool.install(|| jobs.par_iter().zip(&done).map(one).collect::<Result<Vec<_>, PlanError>>())
    };
    let tell = |py: Python<'_>| match &progress {
        Some(call) => call.call1(py, (part_done(&done),)).map(drop),
        None => Ok(()),
    };
    let finished = interruptible(py, work, tell)?.map_err(|error| setting(error.to_string()))?;
    if let Some(call) = &progress {
        call.call1(py, (1.0,))?;
    }
    Ok(finished.into_iter().flatten().collect())
}

fn part_done(done: &[Progress]) -> f64 {
    let thousandths: f64 = done.iter().map(|part| f64::from(part.load(Ordering::Relaxed))).sum();
    thousandths / 1_000.0 / done.len().max(1) as f64
}

/// What a job simulates.
fn plan(job: &Job, terms: Terms) -> Option<Plan> {
    let (scenario, Terms { detail, check, .. }) = (job.scenario.under(&job.law), terms);
    let ring = scenario.ring_plan(job.run).map(|plan| Plan::Ring(RingPlan { detail, check, ..plan }));
    let network = || scenario.network_plan(job.run).map(|plan| Plan::Network(NetworkPlan { detail, check, ..plan }));
    ring.or_else(network)
}

/// One run; nothing if it was stopped.
fn simulate_one(
    job: &Job,
    terms: Terms,
    reference: &Reference,
    done: &Progress,
    stop: &AtomicBool,
) -> Result<Option<Finished>, PlanError> {
    let Some(plan) = plan(job, terms) else { return Ok(None) };
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let started = Instant::now();
    let watch = &mut |fraction: f64| {
        done.store((fraction * 1_000.0) as u32, Ordering::Relaxed);
        !stop.load(Ordering::Relaxed)
    };
    let record = match (&plan, &job.law) {
        (Plan::Ring(plan), LawChoice::Ring(law)) => Record::Ring(simulate_watched(plan, law, watch)?),
        (Plan::Network(plan), LawChoice::Queue(_)) => Record::Network(simulate_network_watched(plan, watch)?),
        _ => return Ok(None),
    };
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    done.store(1_000, Ordering::Relaxed);
    let law = job.law.about().name;
    let mut summary = summarise(&SummaryInput {
        plan: &plan,
        record: &record,
        allocation: &reference.allocation,
        law,
        seed: plan.seed(),
        run: job.run,
        wall_s: started.elapsed().as_secs_f64(),
    });
    if let (Plan::Ring(plan), Record::Ring(record)) = (&plan, &record) {
        summary.protection = measures::event_summaries(plan, record, &plan.phases(), &reference.after_events);
    }
    Ok(Some(Finished { plan, outcome: RunOutcome { law: law.to_owned(), summary, record } }))
}
