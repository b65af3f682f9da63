//! Several runs of one scenario: laws times seeds times replications.

use crate::reference::Reference;
use crate::simulation::Simulation;
use fairwire_core::Instant;
use fairwire_plan::{Detail, EnginePath, NetworkEngine, NetworkPlan, PlanError, RingPlan};
use fairwire_results::{Plan, Record, RunOutcome, SummaryInput, measures, summarise};
use fairwire_scenario::{LawChoice, Scenario};
use fairwire_sim::{simulate_whole, simulate_whole_network};
use rayon::prelude::*;
use std::ops::Range;
use std::time::Instant as Clock;

/// What to run.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The scenario once for each seed, at least one; they differ in nothing else. The law is
    /// replaced by each of `laws` in turn.
    pub seeded: Vec<Scenario>,
    /// The laws, at least one; of the ring, or of the network's queues.
    pub laws: Vec<LawChoice>,
    /// The replications.
    pub runs: Range<u64>,
    /// The way through time, if not the scenario's own.
    pub engine: Option<EnginePath>,
    /// Whether to keep links, queues and what laws show.
    pub detail: Detail,
    /// Whether to audit the invariants all along.
    pub check: bool,
}

/// Laws in their order, each once: what is asked for twice runs once, for its runs would be the same.
pub fn once_each(laws: impl IntoIterator<Item = LawChoice>) -> Vec<LawChoice> {
    let mut once = Vec::new();
    for law in laws {
        if !once.contains(&law) {
            once.push(law);
        }
    }
    once
}

/// What a replication of a scenario simulates under its own law.
pub fn plan_of(scenario: &Scenario, run: u64) -> Plan {
    match (scenario.ring_plan(run), scenario.network_plan(run)) {
        (Some(plan), _) => plan.into(),
        (None, Some(plan)) => plan.into(),
        (None, None) => unreachable!("a scenario has a ring or a network"),
    }
}

/// A run that came to its end.
#[derive(Debug)]
pub struct FinishedRun {
    /// The position of its law in [`Batch::laws`].
    pub law: usize,
    /// What was simulated.
    pub plan: Plan,
    /// The run in numbers, and what it left behind.
    pub outcome: RunOutcome,
}

/// One run to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// The position of its law in [`Batch::laws`].
    pub law: usize,
    /// The position of its seed in [`Batch::seeded`].
    pub seed: usize,
    /// The replication.
    pub run: u64,
}

impl Batch {
    /// The scenario, with the first of the seeds.
    pub fn scenario(&self) -> &Scenario {
        &self.seeded[0]
    }

    /// The names of its flows, in the order of the plans.
    pub fn flow_names(&self) -> Vec<String> {
        self.scenario().flows().iter().map(|flow| flow.name.clone()).collect()
    }

    /// How many runs there are.
    pub fn len(&self) -> usize {
        self.laws.len() * self.seeded.len() * (self.runs.end - self.runs.start) as usize
    }

    /// Whether there is nothing to run.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The position of the law that the scenario's promises are about: its own. None if that does not run.
    pub fn judged(&self) -> Option<usize> {
        let own = self.scenario().own_law()?;
        self.laws.iter().position(|law| *law == own)
    }

    /// What the first run simulates, which tells what all have in common.
    pub fn plan(&self) -> Plan {
        self.plan_under(0)
    }

    /// The same under the law at that position.
    pub(crate) fn plan_under(&self, law: usize) -> Plan {
        self.plan_of(Job { law, seed: 0, run: self.runs.start })
    }

    /// Runs all of it on all cores of rayon's pool, and hands each run that came to its end to `finish`.
    /// The answers are in order of law, seed and replication, whatever ended first.
    ///
    /// `watch` is told, now and then, how far the run at which position has come, from 0 to 1; where it
    /// answers `false` that run is cut short and left out.
    ///
    /// # Errors
    /// A plan that cannot be run.
    pub fn simulate<T: Send>(
        &self,
        reference: &Reference,
        watch: impl Fn(usize, f64) -> bool + Sync,
        finish: impl Fn(FinishedRun) -> T + Sync,
    ) -> Result<Vec<T>, PlanError> {
        let jobs = self.jobs();
        let simulate = |(index, &job): (usize, &Job)| {
            let finished = self.simulate_one(job, reference, &mut |fraction| watch(index, fraction));
            finished.map(|finished| finished.map(&finish))
        };
        // One run alone needs no thread but this one.
        let finished: Result<Vec<Option<T>>, PlanError> = if jobs.len() == 1 {
            jobs.iter().enumerate().map(simulate).collect()
        } else {
            jobs.par_iter().enumerate().map(simulate).collect()
        };
        Ok(finished?.into_iter().flatten().collect())
    }

    /// Begins the first of its runs, to be taken through time by hand. [`Batch::finish`] sums it up.
    ///
    /// # Errors
    /// A plan that cannot be run.
    pub fn begin(&self) -> Result<Simulation, PlanError> {
        let law = &self.laws[0];
        Simulation::new(self.plan(), law)
    }

    /// Ends a run that [`Batch::begin`] has begun where it stands, and sums it up as if it had been planned to end there.
    /// It took `wall_s` seconds on this machine.
    pub fn finish(&self, simulation: Simulation, reference: &Reference, wall_s: f64) -> FinishedRun {
        let job = Job { law: 0, seed: 0, run: self.runs.start };
        let (plan, record) = simulation.into_record();
        self.sum_up(job, plan, record, reference, wall_s)
    }

    /// All runs to do, in order of law, seed and replication.
    pub fn jobs(&self) -> Vec<Job> {
        let of_seed = |law, seed| self.runs.clone().map(move |run| Job { law, seed, run });
        let of_law = |law| (0..self.seeded.len()).flat_map(move |seed| of_seed(law, seed));
        (0..self.laws.len()).flat_map(of_law).collect()
    }

    /// What one run simulates: stations are as the scenario says, or as the law is described for.
    pub(crate) fn plan_of(&self, job: Job) -> Plan {
        let Self { engine, detail, check, .. } = *self;
        match plan_of(&self.seeded[job.seed].under(&self.laws[job.law]), job.run) {
            Plan::Ring(plan) => Plan::Ring(RingPlan { engine: engine.unwrap_or(plan.engine), detail, check, ..plan }),
            Plan::Network(plan) => {
                Plan::Network(NetworkPlan { engine: engine.map_or(plan.engine, network_engine), detail, check, ..plan })
            }
        }
    }

    /// Runs one of its jobs on this thread; none if `watch`, which is told how far it is, cut it short.
    ///
    /// # Errors
    /// A plan that cannot be run.
    pub fn simulate_one(
        &self,
        job: Job,
        reference: &Reference,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Option<FinishedRun>, PlanError> {
        let started = Clock::now();
        self.simulate_one_by(job, reference, &|| started.elapsed().as_secs_f64(), watch)
    }

    /// As [`Batch::simulate_one`], where `clock` tells the time in seconds.
    ///
    /// # Errors
    /// A plan that cannot be run.
    pub fn simulate_one_by(
        &self,
        job: Job,
        reference: &Reference,
        clock: &dyn Fn() -> f64,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Option<FinishedRun>, PlanError> {
        if !watch(0.0) {
            return Ok(None);
        }
        let plan = self.plan_of(job);
        let law = &self.laws[job.law];
        let begun_s = clock();
        let Some(record) = simulate(&plan, law, watch)? else { return Ok(None) };
        Ok(Some(self.sum_up(job, plan, record, reference, clock() - begun_s)))
    }

    pub(crate) fn sum_up(
        &self,
        job: Job,
        plan: Plan,
        record: Record,
        reference: &Reference,
        wall_s: f64,
    ) -> FinishedRun {
        let law = &self.laws[job.law];
        let mut summary = summarise(&SummaryInput {
            plan: &plan,
            record: &record,
            allocation: reference.aim(),
            law: law.about().name,
            seed: plan.seed(),
            run: job.run,
            wall_s,
        });
        if let (Plan::Ring(plan), Record::Ring(record)) = (&plan, &record) {
            let mut phases = plan.phases();
            for phase in &mut phases {
                // From the next change on other rates are fair.
                let next = reference.changes.iter().map(|change| change.at).find(|at| *at > phase.acts_at);
                phase.until = phase.until.min(next.unwrap_or(Instant::NEVER));
            }
            summary.protection = measures::event_summaries(plan, record, &phases, &reference.after_events);
        }
        summary.follow_changes(&plan, &record, &reference.changes);
        let outcome = RunOutcome { law: law.about().name.to_owned(), summary, record };
        FinishedRun { law: job.law, plan, outcome }
    }
}

/// Runs one plan, unless `watch` cuts it short; a queue's law is part of it.
fn simulate(plan: &Plan, law: &LawChoice, watch: &mut dyn FnMut(f64) -> bool) -> Result<Option<Record>, PlanError> {
    Ok(match (plan, law) {
        (Plan::Ring(plan), LawChoice::Ring(law)) => simulate_whole(plan, law, watch)?.map(Record::Ring),
        (Plan::Ring(_), LawChoice::Queue(_) | LawChoice::Rate(_)) => unreachable!("a ring runs under a law of rings"),
        (Plan::Network(plan), _) => simulate_whole_network(plan, watch)?.map(Record::Network),
    })
}

/// Windows of time are for rings.
fn network_engine(engine: EnginePath) -> NetworkEngine {
    match engine {
        EnginePath::Events => NetworkEngine::Events,
        EnginePath::Auto | EnginePath::Windows => NetworkEngine::Ahead,
    }
}
