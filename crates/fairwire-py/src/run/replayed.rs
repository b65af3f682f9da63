//! `fairwire.replay`: the packets of a real run once more.

use super::interrupt::interruptible;
use super::runs::Runs;
use super::settings::{self, setting};
use crate::errors;
use crate::ring_law::Trouble;
use crate::scenario::read;
use fairwire_plan::Detail;
use fairwire_runs::{Arrivals, ArrivalsError, Batch, Promises, Reference, Verdict, read_arrivals, worst};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Brings the arrivals of a folder again, to the laws that ran or to others.
#[pyfunction]
#[pyo3(signature = (folder, laws))]
pub fn replay(py: Python<'_>, folder: PathBuf, laws: Option<Vec<Py<PyAny>>>) -> PyResult<Runs> {
    let arrivals = read_arrivals(&folder).map_err(|error| unreadable(&error))?;
    let place = folder.join("scenario.toml");
    let text = std::fs::read_to_string(&place)
        .map_err(|error| errors::FolderError::new_err(format!("cannot read {}: {error}", place.display())))?;
    let first = &arrivals[0].header;
    let scenario = read(&place.to_string_lossy(), &text)?;
    let scenario = scenario.with_seed(first.seed).map_err(|error| setting(error.to_string()))?;
    let mut scenario = scenario.with_duration(first.duration()).map_err(|error| setting(error.to_string()))?;
    let trouble: Arc<Trouble> = Arc::default();
    let names = match laws {
        Some(laws) => laws,
        None => {
            let names = Arrivals::laws(&arrivals).into_iter();
            names.map(|name| Ok(name.into_pyobject(py)?.into_any().unbind())).collect::<PyResult<_>>()?
        }
    };
    let laws = settings::laws(py, &scenario, Some(&names), &trouble)?;
    if let [law] = &laws[..] {
        scenario = scenario.under(law);
    }
    let criterion = scenario.criterion();
    let runs = Arrivals::runs(&arrivals);
    let batch = Batch { runs, seeded: vec![scenario], laws, engine: None, detail: Detail::Full, check: false };
    let solve = || Reference::solve(batch.scenario(), criterion, true);
    let reference = py.detach(solve).map_err(|error| errors::alloc(&error))?;
    let promises = py.detach(|| Promises::new(batch.scenario())).map_err(|error| errors::alloc(&error))?;
    let started = Instant::now();
    let work = |stop: &AtomicBool| -> Result<_, ArrivalsError> {
        let mut all = Vec::new();
        for job in batch.jobs() {
            let mut watch = |_| !stop.load(Ordering::Relaxed) && !trouble.has_come();
            all.extend(batch.replay(job, &arrivals, &reference, &mut watch)?);
        }
        Ok(all)
    };
    let replayed = interruptible(py, work, |_| Ok(()))?;
    trouble.raise()?;
    let (judged, mut verdicts) = (batch.judged(), Vec::<Vec<Verdict>>::new());
    let (mut finished, mut cautions, mut files) = (Vec::new(), Vec::new(), Vec::new());
    for replayed in replayed.map_err(|error| unreadable(&error))? {
        if judged == Some(replayed.run.law) {
            verdicts.push(promises.judge(&replayed.run));
        }
        for caution in replayed.cautions {
            if !cautions.contains(&caution) {
                cautions.push(caution);
            }
        }
        files.extend(replayed.own.map(|own| (own.header.arrivals_name(), own.path.clone())));
        finished.push(replayed.run.outcome);
    }
    let verdicts = worst(verdicts.into_iter().filter(|verdicts| !verdicts.is_empty()));
    drop(promises);
    let wall_s = started.elapsed().as_secs_f64();
    Ok(Runs { batch, text, reference, runs: finished, verdicts, wall_s, driver: Some("replay"), cautions, files })
}

fn unreadable(error: &ArrivalsError) -> PyErr {
    errors::FolderError::new_err(format!("{error}; {}", error.help()))
}
