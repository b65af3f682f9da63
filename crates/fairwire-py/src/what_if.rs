//! `fairwire.what_if` and `fairwire.sensitivities`: what changes to a scenario would do.

use crate::allocate::parse;
use crate::errors;
use crate::run::abandonable;
use crate::scenario::{FEW_FLOWS, json, read};
use fairwire_alloc::Sensitivity;
use fairwire_scenario::answer::{Check, WhatIfAnswer};
use pyo3::prelude::*;
use serde::Serialize;

/// The answer: an entry of `what_if` in `fairwire allocate --json`, and what it is about.
#[derive(Serialize)]
struct Answer<'a> {
    scenario: &'a str,
    criterion: &'static str,
    #[serde(flatten)]
    what_if: WhatIfAnswer<'a>,
}

/// What capacity on a link is worth, to all and to each flow, with names.
type Worth = (String, f64, f64, Vec<(String, f64)>, Vec<(String, f64)>);

/// What `change` would do to the fair rates of a scenario, as JSON.
#[pyfunction]
#[pyo3(signature = (name, text, change, criterion=None))]
pub fn what_if(py: Python<'_>, name: &str, text: &str, change: &str, criterion: Option<&str>) -> PyResult<String> {
    let scenario = read(name, text)?;
    let proposal = scenario
        .proposal(change)
        .map_err(|error| errors::SettingError::new_err(format!("{}; {}", error.message, error.help)))?;
    let criterion = criterion.map_or_else(|| Ok(proposal.criterion(&scenario)), parse)?;
    let few = scenario.flows().len() <= FEW_FLOWS;
    let solve = {
        let (scenario, proposal) = (scenario.clone(), proposal.clone());
        move || {
            let outcome = proposal.what_if(&scenario, criterion)?;
            let check = Check::of(&outcome.problem, &outcome.terms, criterion, &outcome.rates.rates_bps);
            Ok((outcome, check))
        }
    };
    let solved = if few { py.detach(solve) } else { abandonable(py, solve)? };
    let (outcome, check) = solved.map_err(|error| errors::alloc(&error))?;
    let offered = scenario.offered_problem();
    let what_if = WhatIfAnswer::new(&offered, &proposal, &outcome, check);
    json(&Answer { scenario: scenario.title(), criterion: criterion.name(), what_if })
}

/// What capacity is worth on every full link of a scenario, as [`fairwire_alloc::sensitivities`]
/// tells it, with names.
#[pyfunction]
#[pyo3(signature = (name, text, criterion=None))]
pub fn sensitivities(py: Python<'_>, name: &str, text: &str, criterion: Option<&str>) -> PyResult<Vec<Worth>> {
    let scenario = read(name, text)?;
    let criterion = criterion.map_or_else(|| Ok(scenario.criterion()), parse)?;
    let (problem, terms) = (scenario.problem(), scenario.terms());
    let few = problem.flows.len() <= FEW_FLOWS;
    let solve = move || (fairwire_alloc::sensitivities(&problem, &terms, criterion), problem);
    let (found, problem) = if few { py.detach(solve) } else { abandonable(py, solve)? };
    let named = |parts: Vec<(usize, f64)>| {
        parts.into_iter().map(|(flow, part)| (problem.flows[flow].id.clone(), part)).collect::<Vec<_>>()
    };
    let worth = |worth: Sensitivity| {
        let link = problem.links[worth.link].id.clone();
        (link, worth.total_up, worth.total_down, named(worth.up), named(worth.down))
    };
    Ok(found.map_err(|error| errors::alloc(&error))?.into_iter().map(worth).collect())
}
