//! Simulating: what `run` and `compare` have in common.

mod answer;
mod capture;
mod folder;
mod found;
mod in_detail;
mod law_runs;
mod network_tables;
mod options;
mod rate_tables;
mod shown;
mod verdict_table;

pub use capture::{Capture, CaptureOptions};
pub use law_runs::LawRuns;
pub use network_tables::network_tables;
pub use options::{Format, RunOptions, criterion, law};
pub use rate_tables::{ChangeTable, rate_tables};
pub use shown::measures;
pub use verdict_table::verdict_table;

use crate::real::{self, RealOptions};
use crate::source::Source;
use fairwire_core::Span;
use fairwire_net::Home;
use fairwire_runs::{Batch, Reference, Replay};
use fairwire_terminal::{CliError, Outcome, output, text};
use found::BatchOutcome;
use std::path::Path;
use std::time::Instant;

/// How runs come about.
pub enum How<'a> {
    /// Simulated, side by side.
    Simulated,
    /// Simulated, one after the other, with some links captured.
    Captured(&'a Capture<'a>),
    /// With real packets, one after the other; some links may be captured.
    Real(&'a Home, &'a RealOptions, Option<&'a Capture<'a>>),
    /// With packets that were written down.
    Replayed(&'a Replay),
}

impl<'a> How<'a> {
    /// For real in a place of the process's own, if it has entered one.
    pub fn of(home: Option<&'a Home>, options: &'a RealOptions, capture: Option<&'a Capture<'a>>) -> Self {
        match (home, capture) {
            (Some(home), capture) => Self::Real(home, options, capture),
            (None, Some(capture)) => Self::Captured(capture),
            (None, None) => Self::Simulated,
        }
    }

    /// Whether a recording that stands in the way is in the folder of these runs, too.
    fn keeps(&self, batch: &Batch, file: &Path) -> bool {
        matches!(self, Self::Replayed(replay) if replay.keeps(batch, file))
    }

    /// What it does to simulated or real time.
    const fn word(&self) -> &'static str {
        match self {
            Self::Simulated | Self::Captured(_) => "simulated",
            Self::Real(..) => "of real packets",
            Self::Replayed(_) => "of real packets, replayed",
        }
    }
}

/// Runs the batch, keeps its folder unless told otherwise, and answers.
///
/// `show` draws the tables for people.
///
/// # Errors
/// What kept the runs from being done or kept.
pub fn answer(
    options: &RunOptions,
    source: &Source,
    batch: &Batch,
    how: &How<'_>,
    show: impl Fn(&[LawRuns<'_>]) -> String,
) -> Result<Outcome, CliError> {
    match &options.out {
        Some(out) => folder::check_place(out, &|file| how.keeps(batch, file))?,
        None if !options.no_folder => folder::check_usual_place()?,
        None => {}
    }
    output::detail(|| folder::place_in_words(options.out.as_deref(), options.no_folder));
    let started = Instant::now();
    let scenario = batch.scenario();
    let criterion = options.criterion.unwrap_or_else(|| scenario.criterion());
    let reference = Reference::solve(scenario, criterion, !options.no_folder)
        .map_err(|error| CliError::unsolved(scenario, error))?;
    output::detail(|| in_detail::of_reference(&reference, started.elapsed()));
    let mut found = BatchOutcome::run(options, batch, &reference, how)?;
    // A full disk does not take the answer away.
    let (folder, not_kept) = match found.keep(options, source, batch, &reference) {
        Ok(folder) => (folder, None),
        Err(error) => (None, Some(error)),
    };
    if options.json {
        found.print_json(source, batch, &reference, folder.as_deref())?;
    } else if !found.summaries().is_empty() {
        let tables = show(&LawRuns::group(&batch.laws, &found.summaries(), &found.carried.simulated));
        let headline = headline(batch, &reference, how, &found.carried.cut_short);
        let real = real::show(&found.carried.real);
        let verdicts = verdict_table(&found.verdicts, reference.criterion());
        output::print_page(&format!("{headline}\n\n{tables}{verdicts}{real}"))?;
    }
    found.tell(folder.as_deref());
    match not_kept {
        Some(error) => Err(CliError::Answered(Box::new(error))),
        None => Ok(found.outcome(options)),
    }
}

/// What the tables are about, in three lines; `cut_short` is where runs ended that were stopped.
fn headline(batch: &Batch, reference: &Reference, how: &How<'_>, cut_short: &[fairwire_core::Instant]) -> String {
    let word = how.word();
    let run = batch.scenario().run();
    let warmup = if run.warmup == Span::ZERO { String::new() } else { format!(", measured after {}", run.warmup) };
    let replications = match batch.runs.end - batch.runs.start {
        1 if batch.runs.start == 0 => String::new(),
        1 => format!(", run {}", batch.runs.start),
        several => format!(", means of {several} runs"),
    };
    let lasted = match cut_short.iter().min() {
        None => run.duration.to_string(),
        Some(end) if batch.len() == 1 => format!("{} of {}", text::time(end.as_nanos() as f64), run.duration),
        Some(end) => format!("{} to {}", text::time(end.as_nanos() as f64), run.duration),
    };
    let interrupted = if cut_short.is_empty() { "" } else { ", interrupted" };
    let criterion = reference.allocation.criterion;
    let phase = match reference.after_events.is_empty() {
        false => "; of the intact ring, before any event",
        true if reference.is_mean() => ", on average over the measured time",
        true => "",
    };
    format!(
        "{}\n{lasted} {word}{interrupted}{warmup}, seed {}{replications}\nfair means {}{phase}",
        batch.scenario().title(),
        run.seed,
        batch.scenario().fair_words(criterion)
    )
}
