//! The fair rates that runs are held against.

use crate::errors;
use fairwire_alloc::{AllocError, Allocation, Criterion, Problem};
use fairwire_results::measures;
use fairwire_scenario::Scenario;
use pyo3::{PyResult, Python};

/// Fair rates of a scenario.
pub struct Reference {
    /// Who competes for what.
    pub problem: Problem,
    /// What each should get; on a ring where events happen, while it is intact.
    pub allocation: Allocation,
    /// What each should get after every event.
    pub after_events: Vec<Vec<measures::Reference>>,
}

impl Reference {
    pub fn solve(py: Python<'_>, scenario: &Scenario, criterion: Criterion) -> PyResult<Self> {
        py.detach(|| solve_all(scenario, criterion)).map_err(|error| errors::alloc(&error))
    }
}

fn solve_all(scenario: &Scenario, criterion: Criterion) -> Result<Reference, AllocError> {
    let allocation = scenario.fair_allocation(criterion)?;
    let phases = scenario.ring_plan(0).map(|plan| plan.phases()).unwrap_or_default();
    let after = phases.iter().map(|phase| references(&scenario.after(phase), criterion));
    let after_events = after.collect::<Result<_, _>>()?;
    Ok(Reference { problem: scenario.offered_problem(), allocation, after_events })
}

/// The fair rates of all flows, what is guaranteed included.
fn references(scenario: &Scenario, criterion: Criterion) -> Result<Vec<measures::Reference>, AllocError> {
    let rates = scenario.fair_rates(criterion)?;
    let all = rates.rates_bps.iter().zip(&rates.low_bps).zip(&rates.high_bps);
    let reference = |((&rate_bps, &low_bps), &high_bps)| measures::Reference { rate_bps, low_bps, high_bps };
    Ok(all.map(reference).collect())
}
