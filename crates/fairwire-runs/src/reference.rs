//! The fair rates that runs are held against.

use fairwire_alloc::{AllocError, Allocation, Criterion, FlowRate, Heeded, Limit, LinkLoad, Problem, Rates};
use fairwire_core::Instant;
use fairwire_plan::Phase;
use fairwire_results::measures;
use fairwire_scenario::{Scenario, Step};
use rayon::prelude::*;
use std::sync::Arc;

/// Changes are followed where they make no more fair rates than this, over all flows.
const MOST_RATES: usize = 1_000_000;

/// The fair rates of a scenario, and the problem behind them.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Who competes for what.
    pub problem: Problem,
    /// What each should get; on a ring where events happen, while it is intact.
    pub allocation: Allocation,
    /// What each should get after every event, in the order of [`fairwire_plan::RingPlan::phases`].
    pub after_events: Vec<Vec<measures::Reference>>,
    /// What changes on the way, and what each should get from then on; empty where that is too much to tell.
    pub changes: Vec<measures::Change>,
    /// What each should get once all has changed, where switches tell rates: what times to fair are about.
    in_the_end: Option<Allocation>,
}

impl Reference {
    /// Solves the scenario under `criterion`; with `why`, also in words, which on large
    /// scenarios takes more room than the rates.
    ///
    /// # Errors
    /// If no fair rates can be found.
    pub fn solve(scenario: &Scenario, criterion: Criterion, why: bool) -> Result<Self, AllocError> {
        let solve = |scenario: &Scenario| {
            let problem = scenario.offered_problem();
            let allocation =
                if why { scenario.fair_allocation(criterion)? } else { without_words(scenario, &problem, criterion)? };
            Ok((problem, allocation))
        };
        let (problem, allocation) = solve(&scenario.to_be_shared())?;
        let phases = scenario.ring_plan(0).map(|plan| plan.phases()).unwrap_or_default();
        let after = |phase: &Phase| fair_rates(&scenario.changed_by(phase.acts_at).after(phase), criterion);
        let after_events = phases.iter().map(after).collect::<Result<_, _>>()?;
        let changes = changes_of(scenario, &phases, criterion)?;
        let in_the_end = match scenario.tells_rates() {
            true => Some(without_words(&scenario.in_the_end(), &problem, criterion)?),
            false => None,
        };
        Ok(Self { problem, allocation, after_events, changes, in_the_end })
    }

    /// What a run is to arrive at.
    pub(crate) fn aim(&self) -> &Allocation {
        self.in_the_end.as_ref().unwrap_or(&self.allocation)
    }

    /// Whether mean rates are held against the mean of what is fair, as flows come and go.
    pub fn is_mean(&self) -> bool {
        self.in_the_end.is_some() && self.changes.iter().any(|change| change.at > Instant::ZERO)
    }

    /// The name of the criterion.
    pub fn criterion(&self) -> &'static str {
        self.allocation.criterion.name()
    }
}

/// Whether so many changes of a scenario are not too many to tell what is fair after each.
pub(crate) fn can_follow(scenario: &Scenario, changes: usize) -> bool {
    changes.saturating_mul(scenario.flows().len()) <= MOST_RATES
}

/// What changes on the way, and what is fair from then on; nothing where that is too much to tell.
///
/// # Errors
/// If no fair rates can be found.
pub(crate) fn changes(scenario: &Scenario, criterion: Criterion) -> Result<Vec<measures::Change>, AllocError> {
    changes_of(scenario, &[], criterion)
}

/// The same. On a ring where spans and stations fail, flows go the ways that are left at that time, and the
/// next failure has other fair rates.
fn changes_of(
    scenario: &Scenario,
    phases: &[Phase],
    criterion: Criterion,
) -> Result<Vec<measures::Change>, AllocError> {
    let told = scenario.changes();
    if !can_follow(scenario, told.len()) {
        return Ok(Vec::new());
    }
    let change = |(number, step): (usize, &Step)| {
        let at = step.at;
        let next = told.get(number + 1).map_or(Instant::NEVER, |next| next.at);
        let failures = phases.iter().map(|phase| phase.acts_at).filter(|acts_at| *acts_at > at);
        let until = failures.fold(next, Instant::min);
        let changed = scenario.changed_by(at);
        let last = phases.iter().filter(|phase| phase.acts_at <= at).max_by_key(|phase| phase.acts_at);
        let then = last.map_or(changed.clone(), |phase| changed.after(phase));
        let rates = then.fair_rates(criterion)?;
        Ok(measures::Change {
            at,
            events: step.events.clone(),
            until,
            references: references(&rates),
            on: (0..then.flows().len()).map(|flow| scenario.is_on(flow, at)).collect(),
            held_by: rates.bottleneck,
            starts: step.starts.iter().map(|&flow| (flow, at + scenario.flows()[flow].start_jitter)).collect(),
        })
    };
    // One alone needs no thread but this one.
    match told.len() < 2 {
        true => told.iter().enumerate().map(change).collect(),
        false => {
            let heeded = Heeded::here();
            told.par_iter().enumerate().map(|step| heeded.within(|| change(step))).collect()
        }
    }
}

/// The fair rates of all flows, in their order, what is guaranteed included.
///
/// # Errors
/// If no fair rates can be found.
pub fn fair_rates(scenario: &Scenario, criterion: Criterion) -> Result<Vec<measures::Reference>, AllocError> {
    Ok(references(&scenario.fair_rates(criterion)?))
}

fn references(rates: &Rates) -> Vec<measures::Reference> {
    let all = rates.rates_bps.iter().zip(&rates.low_bps).zip(&rates.high_bps);
    let reference = |((&rate_bps, &low_bps), &high_bps)| measures::Reference { rate_bps, low_bps, high_bps };
    all.map(reference).collect()
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
        Some(link) => Limit::Link { link, why: String::new(), sharers: Arc::default() },
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
