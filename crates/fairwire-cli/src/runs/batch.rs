//! Several runs of one scenario: laws times replications.

use super::interrupt::Interrupt;
use super::progress::Progress;
use super::promises::solve_references;
use crate::error::CliError;
use fairwire_alloc::{AllocError, Allocation, Criterion, FlowRate, Limit, LinkLoad, Problem};
use fairwire_results::{Plan, Record, RunSummary, SummaryInput, measures, summarise};
use fairwire_scenario::{LawChoice, Scenario};
use fairwire_sim::{
    Detail, EnginePath, NetworkEngine, NetworkPlan, PlanError, RingPlan, simulate_network_watched, simulate_watched,
};
use rayon::prelude::*;
use std::ops::Range;
use std::time::Instant;

/// What to run.
#[derive(Debug)]
pub struct Batch {
    /// The scenario; its law is replaced by each of `laws` in turn.
    pub scenario: Scenario,
    /// The laws, at least one.
    pub laws: Vec<LawChoice>,
    /// The replications.
    pub runs: Range<u64>,
    /// The engine path, if not the scenario's own.
    pub engine: Option<EnginePath>,
    /// Whether to keep links, queues and what laws show.
    pub detail: Detail,
    /// Whether to audit the invariants all along.
    pub check: bool,
}

/// The fair rates, and the problem behind them.
#[derive(Debug)]
pub struct Reference {
    /// Who competes for what.
    pub problem: Problem,
    /// What each should get; on a ring where events happen, while it is intact.
    pub allocation: Allocation,
    /// What each should get after every event, in the order of [`RingPlan::phases`].
    pub after_events: Vec<Vec<measures::Reference>>,
}

/// A run that came to its end.
#[derive(Debug)]
pub struct FinishedRun {
    /// The position of its law in [`Batch::laws`].
    pub law: usize,
    /// What was simulated.
    pub plan: Plan,
    /// The run in numbers.
    pub summary: RunSummary,
    /// What the run left behind.
    pub record: Record,
}

impl Reference {
    /// Solves the scenario under `criterion`, or its usual one; with `why`, also
    /// in words, which on large scenarios takes more room than the rates.
    ///
    /// # Errors
    /// If no fair rates can be found.
    pub fn solve(scenario: &Scenario, criterion: Option<Criterion>, why: bool) -> Result<Self, CliError> {
        let problem = scenario.offered_problem();
        let criterion = criterion.unwrap_or_else(|| scenario.run_criterion());
        let allocation =
            if why { scenario.fair_allocation(criterion) } else { without_words(scenario, &problem, criterion) };
        let allocation = allocation.map_err(|error| CliError::unsolved(scenario, error))?;
        let phases = scenario.ring_plan(0).map(|plan| plan.phases()).unwrap_or_default();
        let solved = phases.iter().map(|phase| solve_references(&scenario.after(phase), criterion));
        let after_events = solved.collect::<Result<_, _>>()?;
        Ok(Self { problem, allocation, after_events })
    }
}

/// The fair rates and the links that hold flows, without the sentences.
fn without_words(scenario: &Scenario, problem: &Problem, criterion: Criterion) -> Result<Allocation, AllocError> {
    let rates = scenario.fair_rates(criterion)?;
    let mut links = vec![LinkLoad { load_bps: 0.0 }; problem.links.len()];
    for (flow, rate_bps) in problem.flows.iter().zip(&rates.rates_bps) {
        flow.route.iter().for_each(|&link| links[link].load_bps += rate_bps);
    }
    let limit = |flow: usize| match rates.bottleneck[flow] {
        None => Limit::Demand,
        Some(link) => Limit::Link { link, why: String::new(), sharers: Vec::new() },
    };
    let flow = |flow: usize| FlowRate {
        rate_bps: rates.rates_bps[flow],
        low_bps: rates.low_bps[flow],
        high_bps: rates.high_bps[flow],
        limited_by: limit(flow),
    };
    let flows = (0..problem.flows.len()).map(flow).collect();
    Ok(Allocation { criterion, unique: rates.unique, flows, links })
}

impl Batch {
    /// What one run simulates under the law at position `law`: stations are as the
    /// scenario says, or as the law is described for.
    pub fn plan(&self, law: usize, run: u64) -> Plan {
        let scenario = self.scenario.under(&self.laws[law]);
        match (scenario.ring_plan(run), scenario.network_plan(run)) {
            (Some(plan), _) => Plan::Ring(RingPlan {
                engine: self.engine.unwrap_or(plan.engine),
                detail: self.detail,
                check: self.check,
                ..plan
            }),
            (None, Some(plan)) => Plan::Network(NetworkPlan {
                engine: self.engine.map_or(plan.engine, network_engine),
                detail: self.detail,
                check: self.check,
                ..plan
            }),
            (None, None) => unreachable!("a scenario has a ring or a network"),
        }
    }

    /// How many runs there are.
    pub fn len(&self) -> usize {
        self.laws.len() * (self.runs.end - self.runs.start) as usize
    }

    /// Runs all of it on all cores, and hands each run that came to its end to
    /// `finish`. The answers are in order of law and replication, whatever ended
    /// first; runs that were cut short are left out.
    ///
    /// # Errors
    /// A plan that cannot be run.
    pub fn simulate<T: Send>(
        &self,
        reference: &Reference,
        interrupt: &Interrupt,
        finish: impl Fn(FinishedRun) -> T + Sync,
    ) -> Result<Vec<T>, CliError> {
        let progress = Progress::new(self.len());
        let jobs: Vec<(usize, u64)> =
            (0..self.laws.len()).flat_map(|law| self.runs.clone().map(move |run| (law, run))).collect();
        let simulate = |(index, &(law, run)): (usize, &(usize, u64))| {
            let finished = self.simulate_one(law, run, reference, &mut |fraction| {
                progress.tell(index, fraction);
                !interrupt.is_raised()
            });
            finished.map(|finished| finished.map(&finish))
        };
        // One run alone needs no thread but this one.
        let finished: Result<Vec<Option<T>>, CliError> = if jobs.len() == 1 {
            jobs.iter().enumerate().map(simulate).collect()
        } else {
            jobs.par_iter().enumerate().map(simulate).collect()
        };
        Ok(finished?.into_iter().flatten().collect())
    }

    fn simulate_one(
        &self,
        law: usize,
        run: u64,
        reference: &Reference,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Option<FinishedRun>, CliError> {
        if !watch(0.0) {
            return Ok(None);
        }
        let plan = self.plan(law, run);
        let choice = &self.laws[law];
        let started = Instant::now();
        let mut was_cut = false;
        let record = simulate(&plan, choice, &mut |fraction| {
            was_cut = !watch(fraction);
            !was_cut
        })
        .map_err(|error| CliError::bad_input(error.to_string(), "change the scenario"))?;
        if was_cut {
            return Ok(None);
        }
        let mut summary = summarise(&SummaryInput {
            plan: &plan,
            record: &record,
            allocation: &reference.allocation,
            law: choice.about().name,
            seed: plan.seed(),
            run,
            wall_s: started.elapsed().as_secs_f64(),
        });
        if let (Plan::Ring(plan), Record::Ring(record)) = (&plan, &record) {
            summary.protection = measures::event_summaries(plan, record, &plan.phases(), &reference.after_events);
        }
        Ok(Some(FinishedRun { law, plan, summary, record }))
    }
}

/// Runs one plan; a queue's law is part of it.
fn simulate(plan: &Plan, law: &LawChoice, watch: &mut dyn FnMut(f64) -> bool) -> Result<Record, PlanError> {
    match (plan, law) {
        (Plan::Ring(plan), LawChoice::Ring(law)) => simulate_watched(plan, law, watch).map(Record::Ring),
        (Plan::Ring(_), LawChoice::Queue(_)) => unreachable!("a ring runs under a law of rings"),
        (Plan::Network(plan), _) => simulate_network_watched(plan, watch).map(Record::Network),
    }
}

/// Windows of time are for rings.
fn network_engine(engine: EnginePath) -> NetworkEngine {
    match engine {
        EnginePath::Events => NetworkEngine::Events,
        EnginePath::Auto | EnginePath::Windows => NetworkEngine::Ahead,
    }
}
