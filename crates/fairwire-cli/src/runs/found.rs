//! What a batch of runs has shown, and what is left of it.

use super::answer::{Answer, Violation};
use super::batch::{Batch, FinishedRun, Reference};
use super::folder::{self, Contents};
use super::interrupt::Interrupt;
use super::options::RunOptions;
use super::promises::{self, Promises, Verdict};
use crate::error::{CliError, Outcome, warn};
use crate::output;
use crate::source::Source;
use crate::text;
use fairwire_alloc::Uniqueness;
use fairwire_results::{LawSummary, Record, RunOutcome, RunSummary, law_summaries};
use fairwire_scenario::Scenario;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What a batch of runs has shown.
pub struct Found {
    runs: Vec<Kept>,
    /// The worst verdict on each promise.
    pub verdicts: Vec<Verdict>,
    violations: Vec<Violation>,
    /// What to think of the fair rates that runs are compared with.
    cautions: Vec<String>,
    warnings: Vec<String>,
    interrupted: bool,
    wall_s: f64,
}

/// What is left of a run once it has been judged.
struct Kept {
    summary: RunSummary,
    /// Only where a folder is going to be written.
    record: Option<Record>,
    verdicts: Vec<Verdict>,
}

impl Found {
    /// Runs the batch and judges it; promises count for the law at position `judged`.
    pub fn simulate(
        options: &RunOptions,
        batch: &Batch,
        reference: &Reference,
        judged: Option<usize>,
    ) -> Result<Self, CliError> {
        let promises = Promises::new(&batch.scenario)?;
        let interrupt = Interrupt::listen()?;
        let started = Instant::now();
        let runs = batch.simulate(reference, &interrupt, |run: FinishedRun| Kept {
            verdicts: if judged == Some(run.law) { promises.judge(&run) } else { Vec::new() },
            summary: run.summary,
            record: (!options.no_folder).then_some(run.record),
        })?;
        let wall_s = started.elapsed().as_secs_f64();
        let interrupted = runs.len() < batch.len();
        let verdicts = runs.iter().map(|kept| kept.verdicts.clone()).filter(|verdicts| !verdicts.is_empty());
        let verdicts = promises::worst(verdicts);
        let violations: Vec<Violation> = runs.iter().flat_map(|kept| Violation::of(&kept.summary)).collect();
        let mut warnings: Vec<String> =
            batch.scenario.warnings().iter().map(|warning| warning.message.clone()).collect();
        let summaries = runs.iter().map(|kept| &kept.summary);
        let laws: Vec<&str> = batch.laws.iter().map(|law| law.about().name).collect();
        let mut cautions = batch.scenario.cautions(&laws);
        let others = [
            unjudged(&batch.scenario, &promises, judged),
            several_fair(reference),
            nothing_arrived(&batch.scenario, summaries),
        ];
        cautions.extend(others.into_iter().flatten());
        warnings.extend(cautions.iter().cloned());
        if interrupted {
            warnings.push(format!("stopped by the user after {} of {}", runs.len(), text::count(batch.len(), "run")));
        }
        if !violations.is_empty() {
            warnings.push(format!(
                "{} of the simulator broken: do not trust these numbers",
                text::count(violations.len(), "invariant")
            ));
        }
        Ok(Self { runs, verdicts, violations, cautions, warnings, interrupted, wall_s })
    }

    /// The runs in numbers.
    pub fn summaries(&self) -> Vec<&RunSummary> {
        self.runs.iter().map(|kept| &kept.summary).collect()
    }

    /// Means and intervals a law; none where each law ran once.
    pub fn over_replications(&self, batch: &Batch) -> Vec<LawSummary> {
        if batch.len() > batch.laws.len() { law_summaries(&self.summaries()) } else { Vec::new() }
    }

    /// Writes the result folder, unless there is to be none, and tells where it is.
    pub fn keep(
        &mut self,
        options: &RunOptions,
        source: &Source,
        batch: &Batch,
        reference: &Reference,
    ) -> Result<Option<PathBuf>, CliError> {
        let outcome = |kept: &mut Kept| {
            let record = kept.record.take()?;
            Some(RunOutcome { law: kept.summary.law.clone(), summary: kept.summary.clone(), record })
        };
        let runs: Vec<RunOutcome> = self.runs.iter_mut().filter_map(outcome).collect();
        if runs.is_empty() {
            return Ok(None);
        }
        let contents = Contents {
            source,
            batch,
            reference,
            runs: &runs,
            promises: &promises::in_words(&self.verdicts, reference.allocation.criterion.name()),
            format: options.format(),
            warnings: &self.warnings,
            wall_s: self.wall_s,
        };
        folder::write(options.out.as_deref(), &contents).map(Some)
    }

    /// Answers programs.
    pub fn print_json(
        &self,
        source: &Source,
        batch: &Batch,
        reference: &Reference,
        folder: Option<&Path>,
    ) -> Result<(), CliError> {
        output::print_json(&Answer {
            scenario: batch.scenario.title(),
            file: &source.name(),
            criterion: reference.allocation.criterion.name(),
            runs: &self.summaries(),
            summary: &self.over_replications(batch),
            expect: &self.verdicts,
            violations: &self.violations,
            interrupted: self.interrupted,
            warnings: &self.warnings,
            folder: folder.map(|folder| folder.display().to_string()),
            report: folder.map(|folder| folder.join("report.html").display().to_string()),
        })
    }

    /// Tells people how it went and where to look.
    pub fn tell(&self, batch: &Batch, folder: Option<&Path>) {
        self.cautions.iter().for_each(|caution| output::note(caution));
        for violation in &self.violations {
            warn(
                &format!("{}, run {}: {}", violation.law, violation.run, violation.what),
                "this is a mistake of the simulator; please report it with the scenario",
            );
        }
        if self.interrupted {
            let help = match self.runs.len() {
                0 => "nothing is kept; `--duration` makes runs shorter",
                _ => "what is shown and kept covers the finished runs",
            };
            warn(&format!("stopped after {} of {}", self.runs.len(), text::count(batch.len(), "run")), help);
        }
        if self.runs.is_empty() {
            return;
        }
        let hops: u64 = self.runs.iter().map(|kept| kept.summary.packet_hops).sum();
        let runs = text::count(self.runs.len(), "run");
        let speed = text::number(hops as f64 / self.wall_s.max(1e-9) / 1e6, 3);
        output::note(&format!("{runs} in {}: {speed} million packet-hops a second", text::time(self.wall_s * 1e9)));
        if let Some(folder) = folder {
            output::note(&format!("report: {}", folder.join("report.html").display()));
        }
    }

    /// How the call ends.
    pub fn outcome(&self, options: &RunOptions) -> Outcome {
        if self.interrupted {
            return Outcome::Interrupted;
        }
        let is_sound = self.violations.is_empty() || !options.check;
        Outcome::fine_if(is_sound && self.verdicts.iter().all(|verdict| verdict.ok))
    }
}

/// What to think of promises that were held against nothing.
fn unjudged(scenario: &Scenario, promises: &Promises<'_>, judged: Option<usize>) -> Option<String> {
    let own = scenario.own_law().map_or("none", |law| law.about().name);
    (judged.is_none() && !promises.are_none())
        .then(|| format!("the scenario's promises are about its own law ({own}), which did not run: none was checked"))
}

/// What a ratio means where more than one set of rates is fair, or may be.
fn several_fair(reference: &Reference) -> Option<String> {
    let known = match reference.allocation.unique {
        Uniqueness::Yes => return None,
        Uniqueness::No => "other rates are fair, too",
        Uniqueness::NotDecided => "it is not decided whether other rates are fair, too",
    };
    Some(format!("{known}: a rate within what is known to be fair for its flow has ratio 1"))
}

/// What to think of a run that is too short for its ways.
fn nothing_arrived<'a>(scenario: &Scenario, runs: impl IntoIterator<Item = &'a RunSummary>) -> Option<String> {
    let is_silent = |run: &RunSummary| run.flows.iter().all(|flow| flow.delivered == 0);
    runs.into_iter().any(is_silent).then(|| {
        format!("no packet arrived in {}: where the way takes that long, raise `duration`", scenario.run().duration)
    })
}
