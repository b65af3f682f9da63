//! What `run` and `compare` answer to programs.

use crate::real::RealAnswer;
use fairwire_results::{LawSummary, RunSummary};
use fairwire_runs::Verdict;
use serde::Serialize;

/// The answer as JSON; names are never changed, only added.
#[derive(Debug, Serialize)]
pub struct Answer<'a> {
    /// The scenario's title.
    pub scenario: &'a str,
    /// The file it was read from.
    pub file: &'a str,
    /// What fair means here.
    pub criterion: &'a str,
    /// The runs, by law and replication.
    pub runs: &'a [&'a RunSummary],
    /// Means over the replications of each law with their 95 % intervals; left out
    /// where each law ran once.
    #[serde(skip_serializing_if = "<[LawSummary]>::is_empty")]
    pub summary: &'a [LawSummary],
    /// Each promise of the scenario against the run that came nearest to breaking it.
    pub expect: &'a [Verdict],
    /// Broken invariants of the simulator, over all runs.
    pub violations: &'a [Violation],
    /// Where packets came from: `real`, or `replay`; left out where all was simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<&'static str>,
    /// How real each of the runs was; left out where none was.
    #[serde(skip_serializing_if = "<[RealAnswer]>::is_empty")]
    pub real: &'a [RealAnswer],
    /// The same runs, simulated; left out where that was not asked for, or the runs are simulated.
    #[serde(skip_serializing_if = "<[RunSummary]>::is_empty")]
    pub simulated: &'a [RunSummary],
    /// Whether runs are missing because the user stopped.
    pub interrupted: bool,
    /// What the reader should know before trusting the numbers.
    pub warnings: &'a [String],
    /// The result folder; none if none was kept.
    pub folder: Option<String>,
    /// The report in it.
    pub report: Option<String>,
}

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The law that ran.
    pub law: String,
    /// The replication.
    pub run: u64,
    /// What is broken, in words.
    pub what: String,
}

impl Violation {
    /// All of one run.
    pub fn of(summary: &RunSummary) -> Vec<Self> {
        let violation = |what: &String| Self { law: summary.law.clone(), run: summary.run, what: what.clone() };
        summary.violations.iter().map(violation).collect()
    }
}
