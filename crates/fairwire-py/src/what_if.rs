//! `fairwire.what_if` and `fairwire.sensitivities`: what changes to a scenario would do.

use crate::allocate::parse;
use crate::answer::at_ceiling;
use crate::errors;
use crate::scenario::{json, read};
use fairwire_alloc::{Criterion, Holder, Sensitivity, WhatIf};
use fairwire_scenario::{Proposal, Scenario};
use pyo3::prelude::*;
use serde::Serialize;

/// The answer; keys are those of `what_if` in `fairwire allocate --json`.
#[derive(Serialize)]
struct Answer<'a> {
    scenario: &'a str,
    criterion: &'static str,
    change: &'a str,
    said: &'a [String],
    flows: Vec<FlowChange<'a>>,
    links: Vec<LinkChange<'a>>,
}

#[derive(Serialize)]
struct FlowChange<'a> {
    id: &'a str,
    before_bps: Option<f64>,
    after_bps: Option<f64>,
    gain_bps: f64,
    held_before: Option<Held<'a>>,
    held_after: Option<Held<'a>>,
}

#[derive(Serialize)]
struct Held<'a> {
    kind: &'static str,
    link: Option<&'a str>,
}

#[derive(Serialize)]
struct LinkChange<'a> {
    id: &'a str,
    capacity_before_bps: f64,
    capacity_after_bps: Option<f64>,
    load_before_bps: f64,
    load_after_bps: f64,
    holds_before: usize,
    holds_after: usize,
}

/// What capacity on a link is worth, to all and to each flow, with names.
type Worth = (String, f64, f64, Vec<(String, f64)>, Vec<(String, f64)>);

/// What `change` would do to the fair rates of a scenario, as JSON.
#[pyfunction]
#[pyo3(signature = (name, text, change, criterion=None))]
pub fn what_if(py: Python<'_>, name: &str, text: &str, change: &str, criterion: Option<&str>) -> PyResult<String> {
    let scenario = read(name, text)?;
    let criterion = criterion.map_or_else(|| Ok(scenario.usual_criterion()), parse)?;
    let proposal = scenario
        .proposal(change)
        .map_err(|error| errors::SettingError::new_err(format!("{}; {}", error.message, error.help)))?;
    let outcome = py.detach(|| proposal.what_if(&scenario, criterion)).map_err(|error| errors::alloc(&error))?;
    json(&answer(&scenario, criterion, &proposal, &outcome))
}

/// What capacity is worth on every full link of a scenario, as [`fairwire_alloc::sensitivities`]
/// tells it, with names.
#[pyfunction]
#[pyo3(signature = (name, text, criterion=None))]
pub fn sensitivities(py: Python<'_>, name: &str, text: &str, criterion: Option<&str>) -> PyResult<Vec<Worth>> {
    let scenario = read(name, text)?;
    let criterion = criterion.map_or_else(|| Ok(scenario.usual_criterion()), parse)?;
    let (problem, terms) = (scenario.problem(), scenario.terms());
    let found = py.detach(|| fairwire_alloc::sensitivities(&problem, &terms, criterion));
    let named = |parts: Vec<(usize, f64)>| {
        parts.into_iter().map(|(flow, part)| (problem.flows[flow].id.clone(), part)).collect::<Vec<_>>()
    };
    let worth = |worth: Sensitivity| {
        let link = problem.links[worth.link].id.clone();
        (link, worth.total_up, worth.total_down, named(worth.up), named(worth.down))
    };
    Ok(found.map_err(|error| errors::alloc(&error))?.into_iter().map(worth).collect())
}

fn answer<'a>(scenario: &'a Scenario, criterion: Criterion, proposal: &'a Proposal, outcome: &'a WhatIf) -> Answer<'a> {
    let held = |holder: Option<Holder>| {
        holder.map(|holder| match holder {
            Holder::Link(link) => Held { kind: "link", link: Some(&outcome.links[link].id) },
            Holder::Ceiling(ceiling) => Held { kind: at_ceiling(ceiling, 0.0).0, link: None },
        })
    };
    let flows = outcome.flows.iter().map(|flow| FlowChange {
        id: &flow.id,
        before_bps: flow.before_bps,
        after_bps: flow.after_bps,
        gain_bps: flow.gain_bps(),
        held_before: held(flow.held_before),
        held_after: held(flow.held_after),
    });
    let links = outcome.links.iter().map(|link| LinkChange {
        id: &link.id,
        capacity_before_bps: link.capacity_before_bps,
        capacity_after_bps: link.capacity_after_bps,
        load_before_bps: link.before_bps.max(0.0),
        load_after_bps: link.after_bps.max(0.0),
        holds_before: link.holds_before,
        holds_after: link.holds_after,
    });
    Answer {
        scenario: scenario.title(),
        criterion: criterion.name(),
        change: proposal.text(),
        said: proposal.said(),
        flows: flows.collect(),
        links: links.collect(),
    }
}
