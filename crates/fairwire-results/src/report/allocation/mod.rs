//! The page of an allocation: what is fair, why, what would change, and what capacity is worth.

mod rates;
mod what_if;
mod worth;

use super::html::{document, lead};
use super::scene::Scene;
use super::tints::{MOST_WITH_OWN_TINT, Tint, highlight};
use super::{topology, why};
use crate::plan::Plan;
use fairwire_alloc::{Allocation, Problem, Sensitivity, Uniqueness, WhatIf};
use maud::{Markup, html};

/// What the page of an allocation is made of.
#[derive(Clone, Copy, Debug)]
pub struct AllocationPage<'a> {
    /// The scenario's title.
    pub title: &'a str,
    /// What the scenario is about; may be empty.
    pub description: &'a str,
    /// The scenario as it was written.
    pub scenario_text: &'a str,
    /// What flows run on.
    pub plan: &'a Plan,
    /// Names of links and nodes, whole capacities, and what flows can use.
    pub problem: &'a Problem,
    /// The fair rates, one a flow in the order of the plan.
    pub allocation: &'a Allocation,
    /// What holds each flow that no link holds: `demand`, `peak` or `supported`, and a sentence.
    pub satisfied: &'a [(String, String)],
    /// What the checker has against the rates; none where they are fair.
    pub violation: Option<&'a str>,
    /// Answers to "what if".
    pub proposals: &'a [ProposedChange<'a>],
    /// What a little more or less of each full link is worth; none if nobody asked.
    pub sensitivities: Option<&'a [Sensitivity]>,
}

/// A change, and what it would do.
#[derive(Clone, Copy, Debug)]
pub struct ProposedChange<'a> {
    /// What changes, a sentence each.
    pub said: &'a [String],
    /// Rates and loads before and after.
    pub outcome: &'a WhatIf,
    /// What the checker has against the rates after it; none where they are fair.
    pub violation: Option<&'a str>,
}

/// The allocation as one HTML page that needs nothing else.
pub fn render_allocation(page: &AllocationPage<'_>) -> String {
    let mut scene = Scene::new(page.plan, page.problem, page.allocation, |plan| tints(plan.flows.len(), page));
    scene.satisfied = page.satisfied;
    let body = html! {
        (header(page, &scene))
        (topology::section(&scene, &[]))
        (rates::section(&scene))
        (why::section(&scene))
        @if !page.proposals.is_empty() { (what_if::section(&scene, page.proposals)) }
        @if let Some(sensitivities) = page.sensitivities { (worth::section(&scene, sensitivities)) }
        @if !page.scenario_text.is_empty() {
            section #how {
                h2 { "What was asked" }
                details { summary { "The scenario" } pre tabindex="0" role="group" aria-label="The scenario" { (page.scenario_text) } }
            }
        }
    };
    document(page.title, &body)
}

/// Its own colour for each flow; of many, those that get least stand out.
fn tints(flows: usize, page: &AllocationPage<'_>) -> Vec<Tint> {
    if flows <= MOST_WITH_OWN_TINT {
        return (0..flows).map(Tint::nth).collect();
    }
    highlight(page.allocation.flows.iter().map(|flow| -flow.rate_bps).collect())
}

/// Title, description, and what kind of fair this is.
fn header(page: &AllocationPage<'_>, scene: &Scene<'_>) -> Markup {
    let (class, word, sentence) = match page.violation {
        Some(violation) => ("no", "not fair", format!("The checker says: {violation}.")),
        None => ("yes", "fair", checked(page.allocation.unique).to_owned()),
    };
    html! {
        header {
            h1 { (page.title) }
            (lead(page.description))
            ul.verdicts {
                li class=(class) {
                    span.vl { (scene.criterion) }
                    span.vm { (word) }
                    span.vs { (sentence) }
                }
            }
        }
    }
}

fn checked(unique: Uniqueness) -> &'static str {
    match unique {
        Uniqueness::Yes => "Checked by code that shares nothing with the solver; no other rates are fair.",
        Uniqueness::No => "Checked by code that shares nothing with the solver; other rates are fair, too.",
        Uniqueness::NotDecided => {
            "Checked by code that shares nothing with the solver; whether other rates are fair, too, was not decided."
        }
    }
}
