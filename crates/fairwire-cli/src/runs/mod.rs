//! Simulating: what `run` and `compare` have in common.

mod answer;
mod batch;
mod folder;
mod found;
mod interrupt;
mod law_runs;
mod network_tables;
mod options;
mod progress;
mod promises;
mod shown;

pub use batch::{Batch, Reference};
pub use interrupt::Interrupt;
pub use law_runs::LawRuns;
pub use network_tables::network_tables;
pub use options::{RunOptions, criterion, law};
pub use progress::Progress;
pub use promises::{Promises, Verdict, solve_references, verdict_table};
pub use shown::measures;

use crate::error::{CliError, Outcome};
use crate::output;
use crate::source::Source;
use fairwire_core::Span;
use found::Found;

/// Simulates the batch, keeps its folder unless told otherwise, and answers.
///
/// Promises are held against runs of the law at position `judged` in the batch;
/// `show` draws the tables for people.
///
/// # Errors
/// What kept the runs from being done or kept.
pub fn answer(
    options: &RunOptions,
    source: &Source,
    batch: &Batch,
    judged: Option<usize>,
    show: impl Fn(&[LawRuns<'_>]) -> String,
) -> Result<Outcome, CliError> {
    if let Some(out) = &options.out {
        folder::check_place(out)?;
    }
    let reference = Reference::solve(&batch.scenario, options.criterion, !options.no_folder)?;
    let mut found = Found::simulate(options, batch, &reference, judged)?;
    let folder = found.keep(options, source, batch, &reference)?;
    if options.json {
        found.print_json(source, batch, &reference, folder.as_deref())?;
    } else if !found.summaries().is_empty() {
        let tables = show(&LawRuns::group(&batch.laws, &found.summaries()));
        let headline = headline(batch, &reference);
        let verdicts = promises::verdict_table(&found.verdicts, reference.allocation.criterion.name());
        output::print(&format!("{headline}\n\n{tables}{verdicts}"))?;
    }
    found.tell(batch, folder.as_deref());
    Ok(found.outcome(options))
}

/// What the tables are about, in two lines.
fn headline(batch: &Batch, reference: &Reference) -> String {
    let run = batch.scenario.run();
    let warmup = if run.warmup == Span::ZERO { String::new() } else { format!(", measured after {}", run.warmup) };
    let replications = match batch.runs.end - batch.runs.start {
        1 if batch.runs.start == 0 => String::new(),
        1 => format!(", run {}", batch.runs.start),
        several => format!(", means of {several} runs"),
    };
    let criterion = reference.allocation.criterion;
    let phase = if reference.after_events.is_empty() { "" } else { " rates of the intact ring, before any event" };
    format!(
        "{}\n{} simulated{warmup}, seed {}{replications}; fair means {criterion}{phase}",
        batch.scenario.title(),
        run.duration,
        run.seed
    )
}
