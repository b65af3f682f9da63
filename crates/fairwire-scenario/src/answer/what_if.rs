//! What proposed changes would do, as programs get it.

use super::Check;
use crate::Proposal;
use fairwire_alloc::{FlowOutcome, Holder, LinkOutcome, Problem, WhatIf};
use serde::Serialize;

/// What a proposal would do; names are never changed, only added.
#[derive(Debug, Serialize)]
pub struct WhatIfAnswer<'a> {
    /// The changes as they were written.
    pub change: &'a str,
    /// Every change in a sentence.
    pub said: &'a [String],
    /// Every flow of the scenario, then new ones.
    pub flows: Vec<FlowChange<'a>>,
    /// Every link of the scenario.
    pub links: Vec<LinkChange<'a>>,
    /// Whether other rates are fair too after the changes.
    pub unique: String,
    /// Of the rates after the changes.
    pub check: Check,
}

/// One flow before and after.
#[derive(Debug, Serialize)]
pub struct FlowChange<'a> {
    /// Its name.
    pub id: &'a str,
    /// None for a new flow.
    pub before_bps: Option<f64>,
    /// None for a flow that is gone.
    pub after_bps: Option<f64>,
    /// Negative for a loss.
    pub gain_bps: f64,
    /// What holds it as things are.
    pub held_before: Option<HolderAnswer<'a>>,
    /// What holds it after the changes.
    pub held_after: Option<HolderAnswer<'a>>,
    /// Whether it comes, goes, is held by something else, or has another rate by more than rounding.
    pub changed: bool,
}

/// What holds a flow.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HolderAnswer<'a> {
    /// `link`, `demand`, `peak` or `supported`.
    pub kind: &'static str,
    /// The link, if it is one.
    pub link: Option<&'a str>,
}

/// One link before and after.
#[derive(Debug, Serialize)]
pub struct LinkChange<'a> {
    /// Its name.
    pub id: &'a str,
    /// Its capacity, bit/s.
    pub capacity_before_bps: f64,
    /// None for a lost link.
    pub capacity_after_bps: Option<f64>,
    /// The sum of the rates over it.
    pub load_before_bps: f64,
    /// The same after the changes.
    pub load_after_bps: f64,
    /// How many flows it held.
    pub holds_before: usize,
    /// How many it holds.
    pub holds_after: usize,
}

impl<'a> WhatIfAnswer<'a> {
    /// The answer, with the names of the problem as it is.
    pub fn new(problem: &'a Problem, proposal: &'a Proposal, outcome: &'a WhatIf, check: Check) -> Self {
        let holder = |held: Holder| match held {
            Holder::Link(link) => HolderAnswer { kind: "link", link: Some(&problem.links[link].id) },
            Holder::Ceiling(ceiling) => HolderAnswer { kind: ceiling.name(), link: None },
        };
        let flow = |flow: &'a FlowOutcome| FlowChange {
            id: &flow.id,
            before_bps: flow.before_bps,
            after_bps: flow.after_bps,
            gain_bps: flow.gain_bps(),
            held_before: flow.held_before.map(holder),
            held_after: flow.held_after.map(holder),
            changed: flow.is_changed(),
        };
        let link = |link: &'a LinkOutcome| LinkChange {
            id: &link.id,
            capacity_before_bps: link.capacity_before_bps,
            capacity_after_bps: link.capacity_after_bps,
            load_before_bps: link.before_bps.max(0.0),
            load_after_bps: link.after_bps.max(0.0),
            holds_before: link.holds_before,
            holds_after: link.holds_after,
        };
        Self {
            change: proposal.text(),
            said: proposal.said(),
            flows: outcome.flows.iter().map(flow).collect(),
            links: outcome.links.iter().map(link).collect(),
            unique: outcome.rates.unique.to_string(),
            check,
        }
    }
}
