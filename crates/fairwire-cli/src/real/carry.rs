//! Carries real packets through all runs of a batch, one after the other.

use super::answer::{Carried, RealAnswer};
use super::journal::UnnamedFile;
use super::{RealOptions, refusal};
use crate::runs::Capture;
use fairwire_core::Instant;
use fairwire_net::{Home, Stage, Written};
use fairwire_runs::{Batch, FinishedRun, Reference, RunHeader, add_new};
use fairwire_terminal::{CliError, Interrupt, Progress};
use std::time;

/// Runs the batch for real: what is left of it, and the runs. After an interrupt the present run is kept as far as it came,
/// and the others are left out. `keeps` says whether arrivals are to be written down, and `capture` which links are captured.
///
/// # Errors
/// What the environment lacks, or what cannot be carried.
pub fn carry(
    home: &Home,
    options: &RealOptions,
    batch: &Batch,
    reference: &Reference,
    (interrupt, progress): (&Interrupt, &Progress),
    (keeps, capture): (bool, Option<&Capture<'_>>),
) -> Result<(Carried, Vec<FinishedRun>), CliError> {
    let mut carried = Carried { by: "real", ..Carried::default() };
    let mut runs = Vec::new();
    for (number, job) in batch.jobs().into_iter().enumerate() {
        if interrupt.is_raised() {
            break;
        }
        let unfit = |error: fairwire_plan::PlanError| CliError::bad_input(error.to_string(), "leave out `--real`");
        let begun = if options.has_guests() { batch.carried_open(job) } else { batch.carried(job) };
        let mut run = begun.map_err(unfit)?;
        let options = options.of_run();
        let header = RunHeader::of(batch, job);
        let kept = if keeps { Some(UnnamedFile::begin(&header)?) } else { None };
        let (kept, journal) = kept.map_or((None, None), |(kept, journal)| (Some(kept), Some(journal)));
        let captured = capture.map(|capture| capture.begin(batch, job)).transpose()?;
        let (captured, writer) = captured.map_or((None, None), |(kept, writer)| (Some(kept), Some(writer)));
        if let Some(capture) = capture {
            capture.links().begin(&mut run);
        }
        let written = Written { journal, capture: writer };
        let started = time::Instant::now();
        let end = batch.scenario().run().duration.as_secs_f64();
        let stop = |now: Instant| {
            progress.tell(number, now.as_secs_f64() / end);
            interrupt.is_raised()
        };
        let stage = Stage::set(home, &run).map_err(|error| refusal(&error))?;
        let outcome = stage.run(&mut run, &options, written, &stop).map_err(|error| refusal(&error))?;
        #[allow(clippy::drop_non_drop, reason = "elsewhere than on Linux a stage holds nothing")]
        drop(stage);
        let reached = fairwire_sim::Steps::now(&run);
        if reached == Instant::ZERO {
            break;
        }
        let (finished, other) =
            batch.finish_carried(job, run, &outcome.tcp, reference, started.elapsed().as_secs_f64());
        let RunHeader { law, seed, run, .. } = header;
        let fairwire_net::Outcome { fidelity, pauses, stopped, cautions, .. } = outcome;
        carried.cut_short.extend(stopped.then_some(reached));
        let reached_ns = reached.as_nanos();
        carried.real.push(RealAnswer { law, seed, run, fidelity, pauses, other, stopped, reached_ns });
        add_new(&mut carried.cautions, cautions);
        carried.files.extend(kept);
        if let (Some(capture), Some(captured)) = (capture, captured) {
            carried.files.extend(capture.place(captured)?);
        }
        runs.push(finished);
    }
    Ok((carried, runs))
}
