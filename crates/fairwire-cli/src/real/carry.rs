//! Carries real packets through all runs of a batch, one after the other.

use super::answer::{Carried, RealAnswer};
use super::journal::{Header, Kept};
use super::{RealOptions, refusal};
use fairwire_core::Instant;
use fairwire_net::{Home, Stage};
use fairwire_runs::{Batch, FinishedRun, Reference};
use fairwire_terminal::{CliError, Interrupt, Progress};
use std::time;

/// Runs the batch for real: what is left of it, and the runs. After an interrupt the present run is kept as far as it came,
/// and the others are left out. `keeps` says whether arrivals are to be written down.
///
/// # Errors
/// What the environment lacks, or what cannot be carried.
pub fn carry(
    home: &Home,
    options: &RealOptions,
    batch: &Batch,
    reference: &Reference,
    (interrupt, progress, keeps): (&Interrupt, &Progress, bool),
) -> Result<(Carried, Vec<FinishedRun>), CliError> {
    let mut carried = Carried { by: "real", ..Carried::default() };
    let mut runs = Vec::new();
    for (number, job) in batch.jobs().into_iter().enumerate() {
        if interrupt.is_raised() {
            break;
        }
        let unfit = |error: fairwire_plan::PlanError| CliError::bad_input(error.to_string(), "leave out `--real`");
        let mut run = batch.carried(job).map_err(unfit)?;
        let options = options.of_run();
        let check = options.check_links.then(|| batch.carried(job)).transpose().map_err(unfit)?;
        let header = Header::of(batch, job);
        let kept = if keeps { Some(Kept::begin(&header)?) } else { None };
        let (kept, journal) = kept.map_or((None, None), |(kept, journal)| (Some(kept), Some(journal)));
        let started = time::Instant::now();
        let end = batch.scenario().run().duration.as_secs_f64();
        let stop = |now: Instant| {
            progress.tell(number, now.as_secs_f64() / end);
            interrupt.is_raised()
        };
        let stage = Stage::set(home, &run).map_err(|error| refusal(&error))?;
        let outcome = stage.run(&mut run, check, &options, journal, &stop).map_err(|error| refusal(&error))?;
        drop(stage);
        if fairwire_sim::Steps::now(&run) == Instant::ZERO {
            break;
        }
        let finished = batch.finish_carried(job, run, &outcome.tcp, reference, started.elapsed().as_secs_f64());
        let Header { law, seed, run, .. } = header;
        carried.real.push(RealAnswer { law, seed, run, fidelity: outcome.fidelity, stopped: outcome.stopped });
        carried.caution(outcome.cautions);
        carried.journals.extend(kept);
        runs.push(finished);
    }
    Ok((carried, runs))
}
