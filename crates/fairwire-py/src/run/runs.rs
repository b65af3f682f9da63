//! Finished runs as Python holds them.

use super::batch::{Judged, simulate};
use super::rows;
use super::settings::{self, setting, with_duration, with_seeds};
use crate::allocate::parse;
use crate::errors;
use crate::scenario::{json, read};
use crate::table::Table;
use fairwire_plan::Detail;
use fairwire_results::{RunOutcome, RunSummary, TableFormat};
use fairwire_runs::{Batch, Cautions, Folder, Promises, Reference, Verdict, in_words};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Runs of one scenario: under each law, with each seed, each replication.
#[pyclass(frozen, module = "fairwire._native")]
pub struct Runs {
    batch: Batch,
    text: String,
    reference: Reference,
    runs: Vec<RunOutcome>,
    verdicts: Vec<Verdict>,
    wall_s: f64,
}

/// Simulates a scenario.
#[pyfunction]
#[pyo3(signature = (name, text, laws, seeds, replications, duration, criterion, full, check, threads, progress))]
#[allow(clippy::too_many_arguments, reason = "the settings of a run; Python calls them by name")]
pub fn run(
    py: Python<'_>,
    name: &str,
    text: String,
    laws: Option<Vec<Bound<'_, PyAny>>>,
    seeds: Option<Vec<u64>>,
    replications: Option<u64>,
    duration: Option<&str>,
    criterion: Option<&str>,
    full: bool,
    check: bool,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Runs> {
    let mut scenario = with_duration(read(name, &text)?, duration)?;
    if let Some(replications) = replications {
        scenario = scenario.with_replications(replications).map_err(|error| setting(error.to_string()))?;
    }
    let criterion = criterion.map_or_else(|| Ok(scenario.run_criterion()), parse)?;
    let trouble = Arc::default();
    let laws = settings::laws(&scenario, laws, &trouble)?;
    // One law alone is the one that the promises are about.
    if let [law] = &laws[..] {
        scenario = scenario.under(law);
    }
    let batch = Batch {
        runs: 0..scenario.replications(),
        seeded: with_seeds(&scenario, seeds)?,
        laws,
        engine: None,
        detail: if full { Detail::Full } else { Detail::Summary },
        check,
    };
    let solve = || Ok((Reference::solve(&scenario, criterion, true)?, Promises::new(&scenario)?));
    let (reference, promises) = py.detach(solve).map_err(|error| errors::alloc(&error))?;
    let started = Instant::now();
    let Judged { runs, verdicts } = simulate(py, &batch, threads, &reference, &promises, &trouble, progress)?;
    Ok(Runs { batch, text, reference, runs, verdicts, wall_s: started.elapsed().as_secs_f64() })
}

#[pymethods]
impl Runs {
    /// The scenario's title.
    #[getter]
    fn title(&self) -> &str {
        self.batch.scenario().title()
    }

    /// The criterion behind the fair rates.
    #[getter]
    fn criterion(&self) -> &'static str {
        self.reference.criterion()
    }

    /// How long all runs together took, in seconds.
    #[getter]
    fn wall_s(&self) -> f64 {
        self.wall_s
    }

    fn __len__(&self) -> usize {
        self.runs.len()
    }

    /// The runs in numbers, as JSON: `"runs"` of `fairwire run --json`.
    #[getter]
    fn summaries_json(&self) -> PyResult<String> {
        let summaries: Vec<&RunSummary> = self.summaries().collect();
        json(&summaries)
    }

    /// What became of the scenario's promises, as JSON: `"expect"` of `fairwire run --json`.
    #[getter]
    fn promises_json(&self) -> PyResult<String> {
        json(&self.verdicts)
    }

    /// What to know before trusting the numbers.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        Cautions::of(&self.batch, &self.reference, self.summaries()).all()
    }

    /// One of the tables of `columns()`.
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<Table> {
        py.detach(|| rows::table(name, &self.batch.plan(), &self.runs))
    }

    /// Writes a result folder: manifest, scenario, tables and report.
    fn save(&self, py: Python<'_>, folder: PathBuf, csv: bool, replace: bool) -> PyResult<()> {
        let contents = Folder {
            batch: &self.batch,
            text: &self.text,
            reference: &self.reference,
            runs: &self.runs,
            promises: &in_words(&self.verdicts, self.reference.criterion()),
            format: if csv { TableFormat::Csv } else { TableFormat::Parquet },
            warnings: &self.warnings(),
            wall_s: self.wall_s,
        };
        py.detach(|| contents.write(&folder, replace)).map_err(|error| errors::results(&error))
    }
}

impl Runs {
    fn summaries(&self) -> impl Iterator<Item = &RunSummary> + Clone {
        self.runs.iter().map(|run| &run.summary)
    }
}

/// Table, name, unit and meaning of every column of every table.
#[pyfunction]
pub fn columns() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
    let told = fairwire_results::columns().into_iter();
    told.map(|column| (column.table, column.name, column.unit, column.meaning)).collect()
}
