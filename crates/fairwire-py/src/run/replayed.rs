//! `fairwire.replay`: the packets of a real run once more.

use super::interrupt::interruptible;
use super::runs::{Runs, promises, reference};
use super::settings::{self, setting};
use crate::errors;
use crate::ring_law::Trouble;
use crate::scenario::read;
use fairwire_plan::Detail;
use fairwire_runs::{ArrivalsError, Replay, Replayed, worst};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime};

/// Brings the arrivals of a folder again, to the laws that ran or to others.
#[pyfunction]
#[pyo3(signature = (folder, laws))]
pub fn replay(py: Python<'_>, folder: PathBuf, laws: Option<Vec<Py<PyAny>>>) -> PyResult<Runs> {
    let replay = Replay::read(&folder).map_err(|error| unreadable(&error))?;
    let place = folder.join("scenario.toml");
    let text = std::fs::read_to_string(&place)
        .map_err(|error| errors::FolderError::new_err(format!("cannot read {}: {error}", place.display())))?;
    let scenario = replay.scenario(&read(&place.to_string_lossy(), &text)?);
    let scenario = scenario.map_err(|error| setting(error.to_string()))?;
    let trouble: Arc<Trouble> = Arc::default();
    let names = match laws {
        Some(laws) => laws,
        None => {
            let names = replay.laws().into_iter();
            names.map(|name| Ok(name.into_pyobject(py)?.into_any().unbind())).collect::<PyResult<_>>()?
        }
    };
    let laws = settings::laws(py, &scenario, Some(&names), &trouble)?;
    let batch = replay.batch(scenario, laws, Detail::Full);
    let reference = reference(py, batch.scenario(), batch.scenario().criterion())?;
    let promised = promises(py, batch.scenario())?;
    let started = Instant::now();
    let work = |stop: &AtomicBool| {
        let watch = |_: usize, _: f64| !stop.load(Ordering::Relaxed) && !trouble.has_come();
        replay.run(&batch, &reference, &watch)
    };
    let replayed = interruptible(py, work, |_| Ok(()), Some(&trouble))?;
    trouble.raise()?;
    let Replayed { runs, cautions, own, .. } = replayed.map_err(|error| unreadable(&error))?;
    let verdicts = worst(runs.iter().map(|run| promised.judge_own(&batch, run)));
    drop(promised);
    let runs = runs.into_iter().map(|run| run.outcome).collect();
    let files = own.into_iter().map(|own| (own.header.arrivals_name(), own.path.clone())).collect();
    let (wall_s, ended) = (started.elapsed().as_secs_f64(), SystemTime::now());
    Ok(Runs { batch, text, reference, runs, verdicts, wall_s, ended, driver: Some(Replay::DRIVER), cautions, files })
}

fn unreadable(error: &ArrivalsError) -> PyErr {
    errors::FolderError::new_err(format!("{error}; {}", error.help()))
}
