//! `--what-if`: what proposed changes would do.

use fairwire_alloc::{Criterion, Problem, WhatIf};
use fairwire_scenario::answer::{Check, FlowChange, HolderAnswer, LinkChange, WhatIfAnswer};
use fairwire_scenario::{Proposal, Scenario};
use fairwire_terminal::{CliError, TextTable, text};
use std::fmt::Write;

/// A proposal with its answer.
pub struct Worked {
    pub proposal: Proposal,
    pub outcome: WhatIf,
    pub check: Check,
    /// What fair means before and after.
    pub criterion: Criterion,
}

impl Worked {
    /// Reads a proposal and works out what it would do.
    ///
    /// # Errors
    /// What cannot be read, and what cannot be solved.
    pub fn read(scenario: &Scenario, criterion: Option<Criterion>, text: &str) -> Result<Self, CliError> {
        let in_it = |message: String| format!("--what-if \"{text}\": {message}");
        let proposal =
            scenario.proposal(text).map_err(|error| CliError::bad_input(in_it(error.message), error.help))?;
        let criterion = criterion.unwrap_or_else(|| proposal.criterion(scenario));
        let outcome = proposal.what_if(scenario, criterion).map_err(|error| match scenario.fair_rates(criterion) {
            // The scenario as it is cannot be solved either: that comes first.
            Err(error) => CliError::unsolved(scenario, error),
            Ok(_) => CliError::bad_input(in_it(error.to_string()), "propose less, or ask under another criterion"),
        })?;
        let check = Check::of(&outcome.problem, &outcome.terms, criterion, &outcome.rates.rates_bps);
        Ok(Self { proposal, outcome, check, criterion })
    }

    /// The answer, with the names of `problem`, which is the one as it is.
    pub fn answer<'a>(&'a self, problem: &'a Problem) -> WhatIfAnswer<'a> {
        WhatIfAnswer::new(problem, &self.proposal, &self.outcome, self.check.clone())
    }
}

/// The answer for people.
pub fn show(answer: &WhatIfAnswer<'_>) -> String {
    let mut page = format!("\nwhat if {}?\n", answer.said.join("; "));
    let changed: Vec<&FlowChange<'_>> = answer.flows.iter().filter(|flow| flow.changed).collect();
    if changed.is_empty() {
        page.push_str("  no rate changes, and no flow is held by something else\n");
    } else {
        let _ = write!(page, "\n{}", flow_table(&changed));
        let _ = writeln!(page, "\ngain: {}", sum(&changed, |gain| gain.max(0.0)));
        let _ = writeln!(page, "lose: {}", sum(&changed, |gain| (-gain).max(0.0)));
        let _ = writeln!(page, "as before: {}", text::count(answer.flows.len() - changed.len(), "flow"));
        let _ = writeln!(page, "bottlenecks: {}", moved(&answer.links));
    }
    if answer.unique != "yes" {
        let _ = writeln!(
            page,
            "unique: {} (other rates may be fair too; these are the ones to compare with)",
            answer.unique
        );
    }
    if let Some(why) = &answer.check.why {
        let _ = writeln!(page, "check of the rates after it: NOT FAIR: {why}");
    }
    page
}

/// Which links hold more or fewer flows than before.
fn moved(links: &[LinkChange<'_>]) -> String {
    let flows = |count: usize| text::count(count, "flow");
    let told = links.iter().filter(|link| link.holds_before != link.holds_after).map(|link| {
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

fn flow_table(flows: &[&FlowChange<'_>]) -> TextTable {
    let mut table = TextTable::new(&["flow", ">before", ">after", ">gain", "held by"]);
    for flow in flows {
        let gain = if flow.gain_bps > 0.0 { "+" } else { "" };
        table.row([
            flow.id.to_owned(),
            flow.before_bps.map_or_else(|| "new".to_owned(), text::rate),
            flow.after_bps.map_or_else(|| "gone".to_owned(), text::rate),
            format!("{gain}{}", text::rate(flow.gain_bps)),
            match (flow.held_before.map(name), flow.held_after.map(name)) {
                (Some(before), Some(after)) if before != after => format!("{after}, no longer {before}"),
                (_, after) => after.unwrap_or_default().to_owned(),
            },
        ]);
    }
    table
}

fn name<'a>(holder: HolderAnswer<'a>) -> &'a str {
    holder.link.unwrap_or(holder.kind)
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
