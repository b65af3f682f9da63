//! `fairwire.allocate`: the fair rates of a scenario.

use crate::answer::{flow_table, link_table};
use crate::errors;
use crate::run::{abandonable, promises};
use crate::scenario::{FEW_FLOWS, json, read};
use crate::table::{Again, Table};
use fairwire_alloc::{Allocation, Criterion, Problem, Terms};
use fairwire_runs::Verdict;
use fairwire_scenario::FairAllocation;
use fairwire_scenario::answer::{Answer, Check};
use pyo3::prelude::*;
use serde::Serialize;
use std::sync::Arc;

/// Fair rates with their reasons.
#[pyclass(frozen, module = "fairwire._native")]
pub struct Allocated {
    /// The answer as JSON, in the shape of `fairwire allocate --json`.
    #[pyo3(get)]
    json: String,
    /// A row a flow.
    #[pyo3(get)]
    flows: Py<Table>,
    /// A row a link.
    #[pyo3(get)]
    links: Py<Table>,
}

/// An answer with what only scenarios have.
#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    fair: Answer<'a>,
    /// The scenario's promises about fair rates.
    expect: Vec<Verdict>,
}

impl Allocated {
    /// What Python gets of an answer.
    fn new(py: Python<'_>, whole: &Whole<'_>) -> PyResult<Self> {
        Ok(Self {
            json: json(whole)?,
            flows: Py::new(py, flow_table(&whole.fair)?)?,
            links: Py::new(py, link_table(&whole.fair)?)?,
        })
    }

    /// The answer to a problem made of arrays, and what the checker says of it.
    pub fn of_problem(
        py: Python<'_>,
        problem: &Problem,
        terms: &Terms,
        allocation: &Allocation,
        check: Check,
    ) -> PyResult<Self> {
        let fair = Answer::of_problem(problem, terms, allocation, check);
        Self::new(py, &Whole { fair, expect: Vec::new() })
    }
}

/// The answer as JSON, and the tables of flows and links.
type Parts = (String, Py<Table>, Py<Table>);

#[pymethods]
impl Allocated {
    /// How a pickle makes it again.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Again<'py, Parts>> {
        let again = py.import("fairwire._native")?.getattr("allocated_of")?;
        Ok((again, (self.json.clone(), self.flows.clone_ref(py), self.links.clone_ref(py))))
    }
}

/// Fair rates that were pickled.
#[pyfunction]
pub fn allocated_of(json: String, flows: Py<Table>, links: Py<Table>) -> Allocated {
    Allocated { json, flows, links }
}

/// The fair rates of a scenario under `criterion`, or its own.
#[pyfunction]
#[pyo3(signature = (name, text, criterion=None))]
pub fn allocate(py: Python<'_>, name: &str, text: &str, criterion: Option<&str>) -> PyResult<Allocated> {
    let scenario = read(name, text)?;
    let scenario = Arc::new(scenario.to_be_shared().into_owned());
    let criterion = criterion.map_or_else(|| Ok(scenario.criterion()), parse)?;
    let solve = {
        let scenario = Arc::clone(&scenario);
        move || scenario.checked_allocation(criterion)
    };
    let solved = if scenario.flows().len() <= FEW_FLOWS { py.detach(solve) } else { abandonable(py, solve)? };
    let FairAllocation { allocation, check } = solved.map_err(|error| errors::alloc(&error))?;
    let promised = promises(py, &scenario)?;
    let offered = scenario.offered_problem();
    let fair = Answer::of_scenario(&scenario, &offered, &allocation, check);
    Allocated::new(py, &Whole { fair, expect: promised.judge_fair_rates() })
}

/// What the checker says of the allocation of a problem made of arrays.
pub fn judge(problem: &Problem, terms: &Terms, allocation: &Allocation) -> Check {
    let rates: Vec<f64> = allocation.flows.iter().map(|flow| flow.rate_bps).collect();
    Check::of(problem, terms, allocation.criterion, &rates)
}

/// The names of all criteria.
#[pyfunction]
pub fn criteria() -> Vec<&'static str> {
    Criterion::ALL.iter().map(|criterion| criterion.name()).collect()
}

/// The criterion called `name`.
pub fn parse(name: &str) -> PyResult<Criterion> {
    fairwire_scenario::criterion_called(name).map_err(|error| errors::CriterionError::new_err(error.with_help()))
}
