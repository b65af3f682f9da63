//! What would change if …: two solves and what lies between them.

mod change;

pub use change::Change;

use crate::{AllocError, Ceiling, Criterion, Problem, Rates, Terms, solve_rates_with_terms};
use change::Changed;

/// What holds a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// A full link, by index.
    Link(usize),
    /// It has all that it may have, and this is why not more.
    Ceiling(Ceiling),
}

/// One flow before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowOutcome {
    /// Name of the flow.
    pub id: String,
    /// Rate before, bit/s; `None` for a flow that was added.
    pub before_bps: Option<f64>,
    /// Rate after, bit/s; `None` for a flow that is gone.
    pub after_bps: Option<f64>,
    /// What held it before.
    pub held_before: Option<Holder>,
    /// What holds it after.
    pub held_after: Option<Holder>,
}

impl FlowOutcome {
    /// What the flow gains, bit/s; negative for a loss.
    pub fn gain_bps(&self) -> f64 {
        self.after_bps.unwrap_or(0.0) - self.before_bps.unwrap_or(0.0)
    }

    /// Whether it comes, goes, is held by something else, or has another rate by more than rounding.
    pub fn is_changed(&self) -> bool {
        const ROUNDING: f64 = 1e-6;
        let largest = self.before_bps.unwrap_or(0.0).max(self.after_bps.unwrap_or(0.0));
        let comes_or_goes = self.before_bps.is_some() != self.after_bps.is_some();
        comes_or_goes || self.is_moved() || self.gain_bps().abs() > ROUNDING * largest
    }

    /// Whether something else holds the flow now.
    pub fn is_moved(&self) -> bool {
        self.held_before.is_some() && self.held_after.is_some() && self.held_before != self.held_after
    }
}

/// One link before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkOutcome {
    /// Name of the link.
    pub id: String,
    /// Capacity before, bit/s.
    pub capacity_before_bps: f64,
    /// Capacity after, bit/s; `None` for a lost link.
    pub capacity_after_bps: Option<f64>,
    /// Load before, bit/s.
    pub before_bps: f64,
    /// Load after, bit/s; zero for a lost link.
    pub after_bps: f64,
    /// Number of flows that the link held before.
    pub holds_before: usize,
    /// Number of flows that it holds after.
    pub holds_after: usize,
}

/// All that changes of itself when something is changed.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIf {
    /// Every flow of the problem as it is, then those added, in order.
    pub flows: Vec<FlowOutcome>,
    /// Every link of the problem as it is.
    pub links: Vec<LinkOutcome>,
    /// The changed problem; what is gone is left out of it, so its indices
    /// are its own.
    pub problem: Problem,
    /// The terms of the changed problem.
    pub terms: Terms,
    /// The rates of the changed problem.
    pub rates: Rates,
}

impl WhatIf {
    /// Indices in [`Self::flows`] of those that something else holds now.
    pub fn moved(&self) -> Vec<usize> {
        (0..self.flows.len()).filter(|&flow| self.flows[flow].is_moved()).collect()
    }
}

/// Solves a problem as it is and with all `changes` made together, and
/// compares.
///
/// # Errors
/// As [`crate::solve_with_terms`] for either problem, and
/// [`AllocError::UnknownChange`] for an index that does not exist.
pub fn what_if(
    problem: &Problem,
    terms: &Terms,
    criterion: Criterion,
    changes: &[Change],
) -> Result<WhatIf, AllocError> {
    let before = solve_rates_with_terms(problem, terms, criterion)?;
    let mut changed = Changed::new(problem, terms);
    changes.iter().try_for_each(|change| changed.make(change))?;
    let Changed { problem: after_problem, terms: after_terms, flow_now, link_now } = changed.without_the_gone();
    let after = solve_rates_with_terms(&after_problem, &after_terms, criterion)?;

    let link_was: Vec<usize> = {
        let mut was = vec![0; after_problem.links.len()];
        link_now.iter().enumerate().for_each(|(old, now)| now.iter().for_each(|&now| was[now] = old));
        was
    };
    let holder = |problem: &Problem, terms: &Terms, rates: &Rates, flow: usize| match rates.bottleneck[flow] {
        Some(link) => Holder::Link(link),
        None => Holder::Ceiling(terms.ceiling(problem, flow).1),
    };
    let flows = flow_now.iter().enumerate().map(|(old, now)| {
        let was_there = old < problem.flows.len();
        FlowOutcome {
            id: match now {
                Some(now) => after_problem.flows[*now].id.clone(),
                None => problem.flows.get(old).map_or_else(String::new, |flow| flow.id.clone()),
            },
            before_bps: was_there.then(|| before.rates_bps[old]),
            after_bps: now.map(|now| after.rates_bps[now]),
            held_before: was_there.then(|| holder(problem, terms, &before, old)),
            held_after: now.map(|now| match holder(&after_problem, &after_terms, &after, now) {
                Holder::Link(link) => Holder::Link(link_was[link]),
                ceiling => ceiling,
            }),
        }
    });
    let (loads_before, loads_after) = (loads(problem, &before), loads(&after_problem, &after));
    let held = |rates: &Rates, link: usize| rates.bottleneck.iter().filter(|&&held| held == Some(link)).count();
    let links = problem.links.iter().enumerate().map(|(old, link)| LinkOutcome {
        id: link.id.clone(),
        capacity_before_bps: link.capacity_bps,
        capacity_after_bps: link_now[old].map(|now| after_problem.links[now].capacity_bps),
        before_bps: loads_before[old],
        after_bps: link_now[old].map_or(0.0, |now| loads_after[now]),
        holds_before: held(&before, old),
        holds_after: link_now[old].map_or(0, |now| held(&after, now)),
    });
    Ok(WhatIf {
        flows: flows.collect(),
        links: links.collect(),
        problem: after_problem,
        terms: after_terms,
        rates: after,
    })
}

fn loads(problem: &Problem, rates: &Rates) -> Vec<f64> {
    let mut loads = vec![0.0; problem.links.len()];
    for (flow, rate) in problem.flows.iter().zip(&rates.rates_bps) {
        flow.route.iter().for_each(|&link| loads[link] += rate);
    }
    loads
}
