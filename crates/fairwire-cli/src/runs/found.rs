//! What a batch of runs has shown, and what is left of it.

use super::How;
use super::answer::{Answer, Violation};
use super::options::RunOptions;
use super::{capture, folder, in_detail};
use crate::outside::help_with_violation;
use crate::real::{self, Carried};
use crate::source::Source;
use fairwire_plan::PlanError;
use fairwire_results::{LawSummary, Record, RunOutcome, RunSummary, law_summaries};
use fairwire_runs::{Batch, Cautions, FinishedRun, Folder, Promises, Reference, Verdict, in_words, worst};
use fairwire_terminal::{CliError, Interrupt, Outcome, Progress, output, text, warn};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

/// What a batch of runs has shown.
pub struct BatchOutcome {
    runs: Vec<JudgedRun>,
    /// How many runs there were to do.
    asked: usize,
    /// The worst verdict on each promise.
    pub verdicts: Vec<Verdict>,
    violations: Vec<Violation>,
    cautions: Cautions,
    wall_s: f64,
    ended: SystemTime,
    interrupt: Interrupt,
    /// Whether the user stopped while results were written.
    is_given_up: bool,
    /// What only real runs have.
    pub carried: Carried,
}

/// What is left of a run once it has been judged.
struct JudgedRun {
    summary: RunSummary,
    /// Only where a folder is going to be written.
    record: Option<Record>,
    verdicts: Vec<Verdict>,
}

impl BatchOutcome {
    /// Runs the batch and judges it.
    pub fn run(options: &RunOptions, batch: &Batch, reference: &Reference, how: &How<'_>) -> Result<Self, CliError> {
        let scenario = batch.scenario();
        let promises = Promises::new(scenario).map_err(|error| CliError::unsolved(scenario, error))?;
        let interrupt = Interrupt::listen()?;
        let progress = Progress::new(batch.len());
        let started = Instant::now();
        let watch = |run: usize, fraction: f64| {
            progress.tell(run, fraction);
            !interrupt.is_raised()
        };
        output::detail(|| in_detail::of_batch(batch));
        let keep = |run: FinishedRun| {
            output::detail(|| in_detail::of_run(&run.outcome.summary));
            JudgedRun {
                verdicts: promises.judge_own(batch, &run),
                summary: run.outcome.summary,
                record: (!options.no_folder).then_some(run.outcome.record),
            }
        };
        let wrong = |error: PlanError| CliError::bad_input(error.to_string(), "change the scenario");
        let (mut carried, runs) = match how {
            How::Simulated => (Carried::default(), batch.simulate(reference, watch, keep).map_err(wrong)?),
            How::Captured(capture) => {
                let (files, runs) = capture::simulate(batch, reference, capture, &watch)?;
                (Carried { files, ..Carried::default() }, runs.into_iter().map(keep).collect())
            }
            How::Real(home, real, capture) => {
                let what = (!options.no_folder, *capture);
                let (mut carried, runs) = real::carry(home, real, batch, reference, (&interrupt, &progress), what)?;
                if real.simulates() && !interrupt.is_raised() {
                    let twin = batch.simulate(reference, watch, |run| run.outcome.summary);
                    carried.simulated = twin.map_err(wrong)?;
                }
                (carried, runs.into_iter().map(keep).collect())
            }
            How::Replayed(replay) => {
                let (carried, runs) = real::replay(replay, batch, reference, &watch)?;
                (carried, runs.into_iter().map(keep).collect())
            }
        };
        drop(progress);
        let (wall_s, ended) = (started.elapsed().as_secs_f64(), SystemTime::now());
        // Of a run that is not to be believed nothing is held against promises.
        let verdicts = runs.iter().map(|kept: &JudgedRun| kept.verdicts.clone());
        let verdicts = if carried.is_invalid() { Vec::new() } else { worst(verdicts) };
        let violations = runs.iter().flat_map(|kept| Violation::of(&kept.summary)).collect();
        let mut cautions = Cautions::of(batch, reference, runs.iter().map(|kept| &kept.summary));
        cautions.runs.append(&mut carried.cautions);
        let asked = batch.len();
        Ok(Self { runs, asked, verdicts, violations, cautions, wall_s, ended, interrupt, is_given_up: false, carried })
    }

    fn is_interrupted(&self) -> bool {
        self.lacks_runs() || self.is_given_up
    }

    /// Whether the user stopped before all runs had come to their end.
    fn lacks_runs(&self) -> bool {
        self.runs.len() < self.asked || self.carried.is_stopped()
    }

    /// What the reader should know before trusting the numbers.
    fn warnings(&self) -> Vec<String> {
        let given_up = self.is_given_up.then(|| "stopped by the user while results were written".to_owned());
        let stopped = self.lacks_runs().then(|| format!("stopped by the user {}", self.stopped_where()));
        self.cautions.all().into_iter().chain(stopped).chain(given_up).collect()
    }

    /// Where the user stopped, in words.
    fn stopped_where(&self) -> String {
        let (runs, asked) = (self.runs.len(), self.asked);
        match self.carried.real.iter().find(|run| run.stopped) {
            Some(run) => format!("{} into run {runs} of {asked}", text::time(run.reached_ns as f64)),
            None => format!("after {runs} of {}", text::count(asked, "run")),
        }
    }

    /// Whether the user stopped, or had stopped what took place once more.
    fn is_cut_short(&self) -> bool {
        self.is_interrupted() || !self.carried.cut_short.is_empty()
    }

    /// The runs in numbers.
    pub fn summaries(&self) -> Vec<&RunSummary> {
        self.runs.iter().map(|kept| &kept.summary).collect()
    }

    /// Means and intervals a law; none where each law ran once.
    pub fn over_replications(&self, batch: &Batch) -> Vec<LawSummary> {
        if batch.len() > batch.laws.len() { law_summaries(&self.summaries()) } else { Vec::new() }
    }

    /// Writes the result folder, unless there is to be none, and tells where it is. Who stops meanwhile keeps nothing; who has
    /// stopped before keeps what is there.
    pub fn keep(
        &mut self,
        options: &RunOptions,
        source: &Source,
        batch: &Batch,
        reference: &Reference,
    ) -> Result<Option<PathBuf>, CliError> {
        let outcome = |kept: &mut JudgedRun| {
            let record = kept.record.take()?;
            Some(RunOutcome { law: kept.summary.law.clone(), summary: kept.summary.clone(), record })
        };
        let runs: Vec<RunOutcome> = self.runs.iter_mut().filter_map(outcome).collect();
        if runs.is_empty() {
            return Ok(None);
        }
        let real = self.carried.real.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>();
        let real = real.map_err(|error| CliError::Output(error.into()))?;
        let files: Vec<_> = self.carried.files.iter().map(|kept| (kept.name.as_str(), &kept.file)).collect();
        let contents = Folder {
            batch,
            text: &source.text,
            reference,
            runs: &runs,
            promises: &in_words(&self.verdicts, reference.criterion()),
            format: options.format(),
            warnings: &self.warnings(),
            wall_s: self.wall_s,
            ended: self.ended,
            driver: self.carried.driver(),
            real: &real,
            files: &files,
        };
        let started = Instant::now();
        let lacks_runs = self.lacks_runs();
        let wanted = || lacks_runs || !self.interrupt.is_raised();
        let folder = folder::write(options.out.as_deref(), source, &contents, &wanted)?;
        let Some(folder) = folder else {
            self.is_given_up = true;
            return Ok(None);
        };
        output::detail(|| format!("wrote {} in {}", folder.display(), text::time(started.elapsed().as_nanos() as f64)));
        Ok(Some(folder))
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
            scenario: batch.scenario().title(),
            file: &source.name(),
            criterion: reference.criterion(),
            runs: &self.summaries(),
            summary: &self.over_replications(batch),
            expect: &self.verdicts,
            violations: &self.violations,
            driver: self.carried.driver(),
            real: &self.carried.real,
            simulated: &self.carried.simulated,
            interrupted: self.is_cut_short(),
            warnings: &self.warnings(),
            folder: folder.map(|folder| folder.display().to_string()),
            report: folder.map(|folder| folder.join("report.html").display().to_string()),
        })
    }

    /// Tells people how it went and where to look.
    pub fn tell(&self, folder: Option<&Path>) {
        self.cautions.runs.iter().for_each(|caution| output::note(caution));
        for violation in &self.violations {
            warn(
                &format!("{}, run {}: {}", violation.law, violation.run, violation.what),
                &help_with_violation(&violation.law),
            );
        }
        if self.is_given_up {
            warn("stopped while results were written", "nothing is kept; `--no-folder` only shows them");
        }
        if self.lacks_runs() {
            let help = match self.runs.len() {
                0 => "nothing is kept; `--duration` makes runs shorter",
                _ if self.carried.is_stopped() => "what is shown and kept ends there",
                _ => "what is shown and kept covers the finished runs",
            };
            warn(&format!("stopped {}", self.stopped_where()), help);
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
        if self.is_interrupted() {
            return Outcome::Interrupted;
        }
        let is_sound = self.violations.is_empty() || !options.check;
        Outcome::fine_if(is_sound && !self.carried.is_invalid() && self.verdicts.iter().all(|verdict| verdict.ok))
    }
}
