//! What `fairwire sweep` answers to programs.

use fairwire_sweep::Answer;
use serde::Serialize;

/// A sweep that has come to its end; names are never changed, only added.
#[derive(Debug, Serialize)]
pub struct SweepAnswer<'a> {
    /// The scenario's title.
    pub scenario: &'a str,
    /// The file it was read from.
    pub file: &'a str,
    /// The build that ran it.
    pub build: &'a str,
    /// What it came to.
    #[serde(flatten)]
    pub answer: &'a Answer,
    /// Runs that were done now.
    pub done: u64,
    /// Whether runs are missing because the user stopped.
    pub interrupted: bool,
    /// The folder with all tables.
    pub folder: String,
    /// The report in it.
    pub report: String,
    /// The folder of series in it; none unless they were asked for.
    pub series: Option<String>,
}

/// A sweep that is not at its end: stopped, or a part.
#[derive(Debug, Serialize)]
pub struct StoppedAnswer<'a> {
    /// The scenario's title.
    pub scenario: &'a str,
    /// The file it was read from.
    pub file: &'a str,
    /// The build that ran it.
    pub build: &'a str,
    /// Runs that were done now.
    pub done: u64,
    /// Runs that are known.
    pub known: u64,
    /// Whether the user stopped it.
    pub interrupted: bool,
    /// The folder with the journal.
    pub folder: String,
}
