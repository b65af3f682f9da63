//! `--what-if`: what proposed changes would do.

use super::answer::CheckAnswer;
use crate::error::CliError;
use crate::table::TextTable;
use crate::text;
use fairwire_alloc::{Ceiling, Criterion, FlowOutcome, Holder, LinkOutcome, Problem, WhatIf};
use fairwire_scenario::{Proposal, Scenario};
use serde::Serialize;
use std::fmt::Write;

/// A proposal with its answer.
pub struct Worked {
    pub proposal: Proposal,
    pub outcome: WhatIf,
    pub check: CheckAnswer,
}

impl Worked {
    /// Reads a proposal and works out what it would do.
    ///
    /// # Errors
    /// What cannot be read, and what cannot be solved.
    pub fn read(scenario: &Scenario, criterion: Criterion, text: &str) -> Result<Self, CliError> {
        let in_it = |message: String| format!("--what-if \"{text}\": {message}");
        let proposal =
            scenario.proposal(text).map_err(|error| CliError::bad_input(in_it(error.message), error.help))?;
        let outcome = proposal.what_if(scenario, criterion).map_err(|error| match scenario.fair_rates(criterion) {
            // The scenario as it is cannot be solved either: that comes first.
            Err(error) => CliError::unsolved(scenario, error),
            Ok(_) => CliError::bad_input(in_it(error.to_string()), "propose less, or ask under another criterion"),
        })?;
        let check = CheckAnswer::of(&outcome.problem, &outcome.terms, criterion, &outcome.rates.rates_bps);
        Ok(Self { proposal, outcome, check })
    }
}

/// An answer to `--what-if` as JSON; names are never changed, only added.
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
    pub check: CheckAnswer,
}

#[derive(Debug, Serialize)]
pub struct FlowChange<'a> {
    pub id: &'a str,
    /// None for a new flow.
    pub before_bps: Option<f64>,
    /// None for a flow that is gone.
    pub after_bps: Option<f64>,
    pub gain_bps: f64,
    pub held_before: Option<HolderAnswer<'a>>,
    pub held_after: Option<HolderAnswer<'a>>,
    /// Whether anything of it changes.
    #[serde(skip)]
    pub changed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HolderAnswer<'a> {
    /// `link`, `demand`, `peak` or `supported`.
    pub kind: &'static str,
    pub link: Option<&'a str>,
}

#[derive(Debug, Serialize)]
pub struct LinkChange<'a> {
    pub id: &'a str,
    pub capacity_before_bps: f64,
    /// None for a lost link.
    pub capacity_after_bps: Option<f64>,
    pub load_before_bps: f64,
    pub load_after_bps: f64,
    /// How many flows it held.
    pub holds_before: usize,
    pub holds_after: usize,
}

impl<'a> WhatIfAnswer<'a> {
    /// The answer, with the names of the problem as it is.
    pub fn new(problem: &'a Problem, worked: &'a Worked) -> Self {
        let holder = |held: Holder| match held {
            Holder::Link(link) => HolderAnswer { kind: "link", link: Some(&problem.links[link].id) },
            Holder::Ceiling(Ceiling::Demand) => HolderAnswer { kind: "demand", link: None },
            Holder::Ceiling(Ceiling::Peak) => HolderAnswer { kind: "peak", link: None },
            Holder::Ceiling(Ceiling::Supported) => HolderAnswer { kind: "supported", link: None },
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
            change: worked.proposal.text(),
            said: worked.proposal.said(),
            flows: worked.outcome.flows.iter().map(flow).collect(),
            links: worked.outcome.links.iter().map(link).collect(),
            unique: worked.outcome.rates.unique.to_string(),
            check: worked.check.clone(),
        }
    }

    /// The answer for people.
    pub fn show(&self) -> String {
        let mut page = format!("\nwhat if {}?\n", self.said.join("; "));
        let changed: Vec<&FlowChange<'_>> = self.flows.iter().filter(|flow| flow.changed).collect();
        if changed.is_empty() {
            page.push_str("  no rate changes, and no flow is held by something else\n");
        } else {
            let _ = write!(page, "\n{}", flow_table(&changed));
            let _ = writeln!(page, "\ngain: {}", sum(&changed, |gain| gain.max(0.0)));
            let _ = writeln!(page, "lose: {}", sum(&changed, |gain| (-gain).max(0.0)));
            let _ = writeln!(page, "as before: {}", text::count(self.flows.len() - changed.len(), "flow"));
            let _ = writeln!(page, "bottlenecks: {}", self.moved());
        }
        if self.unique != "yes" {
            let _ = writeln!(
                page,
                "unique: {} (other rates may be fair too; these are the ones to compare with)",
                self.unique
            );
        }
        if let Some(why) = &self.check.why {
            let _ = writeln!(page, "check of the rates after it: NOT FAIR: {why}");
        }
        page
    }

    /// Which links hold more or fewer flows than before.
    fn moved(&self) -> String {
        let flows = |count: usize| text::count(count, "flow");
        let told = self.links.iter().filter(|link| link.holds_before != link.holds_after).map(|link| {
            let LinkChange { id, holds_before, holds_after, .. } = link;
            match (holds_before, holds_after) {
                (before, 0) if link.capacity_after_bps.is_none() => {
                    format!("{id}, which held {}, is lost", flows(*before))
                }
                (before, 0) => format!("{id} holds nobody any more, {} before", flows(*before)),
                (0, after) => format!("{id} holds {} now, nobody before", flows(*after)),
                (before, after) => format!("{id} holds {} now, {before} before", flows(*after)),
            }
        });
        let told: Vec<String> = told.collect();
        if told.is_empty() { "each holds as many flows as before".to_owned() } else { told.join("; ") }
    }
}

fn flow_table(flows: &[&FlowChange<'_>]) -> TextTable {
    let mut table = TextTable::new(&["flow", ">before", ">after", ">gain", "held by"]);
    for flow in flows {
        let gain = if flow.gain_bps > 0.0 { "+" } else { "" };
        table.row([
            flow.id.to_owned(),
            flow.before_bps.map_or_else(|| "new".to_owned(), text::rate),
            flow.after_bps.map_or_else(|| "gone".to_owned(), text::rate),
            format!("{gain}{}", text::rate(flow.gain_bps)),
            match (flow.held_before.map(HolderAnswer::name), flow.held_after.map(HolderAnswer::name)) {
                (Some(before), Some(after)) if before != after => format!("{after}, no longer {before}"),
                (_, after) => after.unwrap_or_default().to_owned(),
            },
        ]);
    }
    table
}

impl<'a> HolderAnswer<'a> {
    fn name(self) -> &'a str {
        self.link.unwrap_or(self.kind)
    }
}

/// How many flows gain (or lose), and how much together.
fn sum(flows: &[&FlowChange<'_>], part: impl Fn(f64) -> f64) -> String {
    let parts: Vec<f64> = flows.iter().map(|flow| part(flow.gain_bps)).filter(|part| *part > 0.0).collect();
    match parts.len() {
        0 => "nobody".to_owned(),
        1 => format!("1 flow, {}", text::rate(parts[0])),
        count => format!("{count} flows, {} together", text::rate(parts.iter().sum())),
    }
}
