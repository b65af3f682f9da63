//! What a report is made of.

use crate::measures::Reference;
use crate::plan::Plan;
use crate::record::Record;
use crate::summary::RunSummary;
use fairwire_alloc::{Allocation, Problem};

/// One run with its summary.
#[derive(Clone, Debug, PartialEq)]
pub struct RunOutcome {
    /// The law that ran.
    pub law: String,
    /// The run in numbers.
    pub summary: RunSummary,
    /// What the run left behind.
    pub record: Record,
}

/// A promise of the scenario, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promise {
    /// What it is about, as the scenario writes it.
    pub about: String,
    /// The law whose runs it was held against; empty where none ran.
    pub law: String,
    /// What was promised.
    pub expected: String,
    /// What was measured.
    pub measured: String,
    /// Whether it was kept.
    pub kept: bool,
}

/// What a report is made of.
#[derive(Clone, Copy, Debug)]
pub struct ReportInput<'a> {
    /// The scenario's title.
    pub title: &'a str,
    /// What the scenario is about; may be empty.
    pub description: &'a str,
    /// The scenario as it was written.
    pub scenario_text: &'a str,
    /// Hash of the resolved scenario, from [`crate::scenario_hash`]; may be empty.
    pub scenario_sha256: &'a str,
    /// What was run, whatever the law.
    pub plan: &'a Plan,
    /// The fair rates, one a flow in the order of the plan.
    pub allocation: &'a Allocation,
    /// The problem behind them: names of links and nodes.
    pub problem: &'a Problem,
    /// The runs: laws times replications, in the order to show them. Of each
    /// law the first run is drawn over time; numbers are means over all.
    pub runs: &'a [RunOutcome],
    /// What became of the scenario's promises; empty if it makes none.
    pub promises: &'a [Promise],
}

impl ReportInput<'_> {
    /// What mean rates are held against, one a flow: what the runs were, which is a mean where fair rates change on the way.
    pub(super) fn references(&self) -> Vec<Reference> {
        let of_runs = self.runs.first().map(|run| run.summary.flows.iter().map(Reference::from).collect());
        of_runs.unwrap_or_else(|| self.allocation.flows.iter().map(Reference::from).collect())
    }
}
