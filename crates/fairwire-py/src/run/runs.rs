//! Finished runs as Python holds them.

use super::batch::{Judged, simulate};
use super::interrupt::{abandonable, heeding};
use super::rows;
use super::settings::{self, setting, with_duration, with_seeds};
use crate::allocate::parse;
use crate::errors;
use crate::ring_law::Trouble;
use crate::scenario::{FEW_FLOWS, json, read};
use crate::table::Table;
use crate::threads::pool;
use fairwire_alloc::{Criterion, Heeded};
use fairwire_plan::Detail;
use fairwire_results::{Pages, RunOutcome, RunSummary, TableFormat};
use fairwire_runs::{Batch, Cautions, Folder, Promises, Reference, Verdict, in_words};
use fairwire_scenario::Scenario;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

/// Runs of one scenario: under each law, with each seed, each replication.
#[pyclass(frozen, module = "fairwire._native")]
pub struct Runs {
    pub(super) batch: Batch,
    pub(super) text: String,
    pub(super) reference: Reference,
    pub(super) runs: Vec<RunOutcome>,
    pub(super) verdicts: Vec<Verdict>,
    pub(super) wall_s: f64,
    pub(super) ended: SystemTime,
    /// Where packets came from, unless they were simulated, and what to know of that.
    pub(super) driver: Option<&'static str>,
    pub(super) cautions: Vec<String>,
    /// Further files of a result folder: their names there, and where they are.
    pub(super) files: Vec<(String, PathBuf)>,
}

/// A file by its name.
type NamedBytes<'py> = (String, Bound<'py, PyBytes>);

/// What may be set beside a scenario.
pub struct Settings {
    /// Names, and classes of Python.
    pub laws: Option<Vec<Py<PyAny>>>,
    /// What laws in Python raise.
    pub trouble: Arc<Trouble>,
    pub seeds: Option<Vec<u64>>,
    pub replications: Option<u64>,
    pub duration: Option<String>,
    pub criterion: Option<String>,
    pub full: bool,
    pub check: bool,
}

/// What there is to run, and what would be fair.
pub fn prepare(py: Python<'_>, name: &str, text: &str, settings: &Settings) -> PyResult<(Batch, Reference)> {
    let mut scenario = with_duration(read(name, text)?, settings.duration.as_deref())?;
    if let Some(replications) = settings.replications {
        scenario = scenario.with_replications(replications).map_err(|error| setting(error.to_string()))?;
    }
    let criterion = settings.criterion.as_deref().map_or_else(|| Ok(scenario.criterion()), parse)?;
    let laws = settings::laws(py, &scenario, settings.laws.as_deref(), &settings.trouble)?;
    // One law alone is the one that the promises are about.
    if let [law] = &laws[..] {
        scenario = scenario.under(law);
    }
    let batch = Batch {
        runs: 0..scenario.replications(),
        seeded: with_seeds(&scenario, settings.seeds.clone())?,
        laws,
        engine: None,
        detail: if settings.full { Detail::Full } else { Detail::Summary },
        check: settings.check,
    };
    let reference = reference(py, &scenario, criterion)?;
    Ok((batch, reference))
}

/// What would be fair, for runs to be held against.
pub fn reference(py: Python<'_>, scenario: &Scenario, criterion: Criterion) -> PyResult<Reference> {
    let solved = if scenario.flows().len() <= FEW_FLOWS && scenario.changes().len() < 2 {
        py.detach(|| Reference::solve(scenario, criterion, true))
    } else {
        let (pool, scenario) = (pool()?, scenario.clone());
        abandonable(py, move || {
            let heeded = Heeded::here();
            pool.install(|| heeded.within(|| Reference::solve(&scenario, criterion, true)))
        })?
    };
    solved.map_err(|error| errors::alloc(&error))
}

/// What the scenario promises, with the fair rates that this is about.
pub fn promises<'a>(py: Python<'_>, scenario: &'a Scenario) -> PyResult<Promises<'a>> {
    let solve = || Promises::new(scenario);
    let solved = if scenario.flows().len() <= FEW_FLOWS { py.detach(solve) } else { heeding(py, solve)? };
    solved.map_err(|error| errors::alloc(&error))
}

/// Simulates a scenario.
#[pyfunction]
#[pyo3(signature = (name, text, laws, seeds, replications, duration, criterion, full, check, threads, progress))]
#[allow(clippy::too_many_arguments, reason = "the settings of a run; Python calls them by name")]
pub fn run(
    py: Python<'_>,
    name: &str,
    text: String,
    laws: Option<Vec<Py<PyAny>>>,
    seeds: Option<Vec<u64>>,
    replications: Option<u64>,
    duration: Option<String>,
    criterion: Option<String>,
    full: bool,
    check: bool,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Runs> {
    let settings = Settings { laws, trouble: Arc::default(), seeds, replications, duration, criterion, full, check };
    let (batch, reference) = prepare(py, name, &text, &settings)?;
    let promises = promises(py, batch.scenario())?;
    let started = Instant::now();
    let Judged { runs, verdicts } = simulate(py, &batch, threads, &reference, &promises, &settings.trouble, progress)?;
    let (wall_s, ended) = (started.elapsed().as_secs_f64(), SystemTime::now());
    drop(promises);
    let (driver, cautions, files) = (None, Vec::new(), Vec::new());
    Ok(Runs { batch, text, reference, runs, verdicts, wall_s, ended, driver, cautions, files })
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
        let cautions = Cautions::of(&self.batch, &self.reference, self.summaries()).all();
        cautions.into_iter().chain(self.cautions.iter().cloned()).collect()
    }

    /// One of the tables of `columns()`.
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<Table> {
        py.detach(|| rows::table(name, &self.batch.plan(), &self.runs))
    }

    /// Writes a result folder: manifest, scenario, tables and report.
    fn save(&self, py: Python<'_>, folder: PathBuf, csv: bool, replace: bool) -> PyResult<()> {
        self.contents(csv, |contents| {
            py.detach(|| contents.write(&folder, replace)).map_err(|error| errors::results(&error))
        })
    }

    /// What a result folder holds beside its tables: files by name; and the names of the tables that belong to it.
    fn pages<'py>(&self, py: Python<'py>) -> PyResult<(Vec<NamedBytes<'py>>, Vec<String>)> {
        let pages =
            self.contents(false, |contents| py.detach(|| contents.pages()).map_err(|error| errors::results(&error)))?;
        let file = |(name, bytes): (String, Vec<u8>)| (name, PyBytes::new(py, &bytes));
        Ok((pages.files.into_iter().map(file).collect(), pages.tables))
    }
}

impl Runs {
    fn summaries(&self) -> impl Iterator<Item = &RunSummary> + Clone {
        self.runs.iter().map(|run| &run.summary)
    }

    /// Hands what a result folder is made of to `take`.
    fn contents<T>(&self, csv: bool, take: impl FnOnce(&Folder<'_>) -> PyResult<T>) -> PyResult<T> {
        let open = |(name, path): &(String, PathBuf)| File::open(path).map(|file| (name.clone(), file));
        let files: Vec<(String, File)> = self.files.iter().map(open).collect::<Result<_, _>>()?;
        let files: Vec<(&str, &File)> = files.iter().map(|(name, file)| (name.as_str(), file)).collect();
        take(&Folder {
            batch: &self.batch,
            text: &self.text,
            reference: &self.reference,
            runs: &self.runs,
            promises: &in_words(&self.verdicts, self.reference.criterion()),
            format: format(csv),
            warnings: &self.warnings(),
            wall_s: self.wall_s,
            ended: self.ended,
            driver: self.driver,
            real: &[],
            files: &files,
        })
    }
}

fn format(csv: bool) -> TableFormat {
    if csv { TableFormat::Csv } else { TableFormat::Parquet }
}

/// Writes a result folder of its pages, as [`Runs::pages`] gives them, and its tables by name.
#[pyfunction]
pub fn save_pages(
    py: Python<'_>,
    folder: PathBuf,
    files: Vec<(String, PyBackedBytes)>,
    tables: Vec<(String, Py<Table>)>,
    csv: bool,
    replace: bool,
) -> PyResult<()> {
    let files = files.into_iter().map(|(name, bytes)| (name, bytes.to_vec())).collect();
    let pages = Pages { files, tables: tables.iter().map(|(name, _)| name.clone()).collect() };
    let rows = |name: &str| {
        let table = tables.iter().find(|(known, _)| known == name);
        table.map(|(_, table)| rows::chunks(table.get())).into_iter().flatten()
    };
    py.detach(|| pages.write(&folder, format(csv), replace, rows)).map_err(|error| errors::results(&error))
}

/// Table, name, unit and meaning of every column of every table.
#[pyfunction]
pub fn columns() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
    let told = fairwire_results::columns().into_iter();
    told.map(|column| (column.table, column.name, column.unit, column.meaning)).collect()
}
