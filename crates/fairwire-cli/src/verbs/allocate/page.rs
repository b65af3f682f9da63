//! `--html FILE`: all of it as a page with a picture.

use super::answer::Answer;
use super::what_if::Worked;
use crate::source::Source;
use fairwire_alloc::{Allocation, Problem, Sensitivity};
use fairwire_results::{AllocationPage, ProposedChange, render_allocation};
use fairwire_runs::plan_of;
use fairwire_scenario::Scenario;
use fairwire_terminal::{CliError, output};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Where the page goes.
pub struct Target(PathBuf);

/// What the page is made of.
pub struct Parts<'a> {
    pub scenario: &'a Scenario,
    pub source: &'a Source,
    pub problem: &'a Problem,
    pub allocation: &'a Allocation,
    pub answer: &'a Answer<'a>,
    pub worked: &'a [Worked],
    pub worth: Option<&'a [Sensitivity]>,
}

impl Target {
    /// A page may take the place of a page, and of nothing else.
    ///
    /// # Errors
    /// [`CliError::BadInput`] if something else is there, or nothing can be written.
    pub fn new(path: &Path) -> Result<Self, CliError> {
        const BEGINNING: &str = "<!doctype html>";
        let mut there = Vec::new();
        let read = File::open(path).and_then(|file| file.take(BEGINNING.len() as u64).read_to_end(&mut there));
        match read {
            Ok(1..) if !there.eq_ignore_ascii_case(BEGINNING.as_bytes()) => Err(CliError::bad_input(
                format!("{} is there and is no page", path.display()),
                "name another file for the page, or move that one away",
            )),
            _ => output::check_file_place(path).map(|()| Self(path.to_owned())),
        }
    }

    /// Draws and writes the page.
    ///
    /// # Errors
    /// [`CliError::Missing`] if it cannot be written.
    pub fn write(&self, parts: &Parts<'_>) -> Result<(), CliError> {
        output::write_file(&self.0, &draw(parts))
    }
}

fn draw(parts: &Parts<'_>) -> String {
    let Parts { scenario, source, problem, allocation, answer, worked, worth } = parts;
    let satisfied = (0..problem.flows.len()).map(|flow| scenario.why_satisfied(flow));
    let satisfied: Vec<(String, String)> =
        satisfied.map(|satisfied| (satisfied.kind().to_owned(), satisfied.why())).collect();
    let proposals: Vec<ProposedChange<'_>> = worked
        .iter()
        .map(|worked| ProposedChange {
            said: worked.proposal.said(),
            outcome: &worked.outcome,
            violation: worked.check.why.as_deref(),
        })
        .collect();
    render_allocation(&AllocationPage {
        title: scenario.title(),
        description: scenario.description().unwrap_or_default(),
        scenario_text: &source.text,
        plan: &plan_of(scenario, 0),
        problem,
        allocation,
        satisfied: &satisfied,
        violation: answer.fair.check.why.as_deref(),
        proposals: &proposals,
        sensitivities: *worth,
    })
}
