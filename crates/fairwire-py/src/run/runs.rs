//! Finished runs as Python holds them.

use super::batch::{Finished, Job, Terms, simulate};
use super::reference::Reference;
use super::rows;
use super::settings::{laws, setting, with_duration, with_seeds};
use crate::allocate::parse;
use crate::errors;
use crate::scenario::{json, read};
use crate::table::Table;
use fairwire_results::{ReportInput, RunFolder, RunOutcome, RunSummary, TableFormat, render, scenario_hash};
use fairwire_scenario::Scenario;
use fairwire_sim::Detail;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::time::Instant;

/// Runs of one scenario: under each law, with each seed, each replication.
#[pyclass(frozen, module = "fairwire._native")]
pub struct Runs {
    scenario: Scenario,
    text: String,
    reference: Reference,
    runs: Vec<Finished>,
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
    laws: Option<Vec<String>>,
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
    let jobs = jobs(&scenario, laws, seeds)?;
    let reference = Reference::solve(py, &scenario, criterion)?;
    let terms = Terms { detail: if full { Detail::Full } else { Detail::Summary }, check, threads };
    let started = Instant::now();
    let runs = simulate(py, &jobs, terms, &reference, progress)?;
    Ok(Runs { scenario, text, reference, runs, wall_s: started.elapsed().as_secs_f64() })
}

fn jobs(scenario: &Scenario, names: Option<Vec<String>>, seeds: Option<Vec<u64>>) -> PyResult<Vec<Job>> {
    let laws = laws(scenario, names)?;
    let seeded = with_seeds(scenario, seeds)?;
    let mut jobs = Vec::new();
    for law in &laws {
        for scenario in &seeded {
            let job = |run| Job { scenario: scenario.clone(), law: law.clone(), run };
            jobs.extend((0..scenario.replications()).map(job));
        }
    }
    Ok(jobs)
}

#[pymethods]
impl Runs {
    /// The scenario's title.
    #[getter]
    fn title(&self) -> &str {
        self.scenario.title()
    }

    /// The criterion behind the fair rates.
    #[getter]
    fn criterion(&self) -> &'static str {
        self.reference.allocation.criterion.name()
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
        let summaries: Vec<&RunSummary> = self.runs.iter().map(|run| &run.outcome.summary).collect();
        json(&summaries)
    }

    /// What to know before trusting the numbers.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        let mut laws: Vec<&str> = self.runs.iter().map(|run| run.outcome.law.as_str()).collect();
        laws.dedup();
        let mut warnings: Vec<String> =
            self.scenario.warnings().iter().map(|warning| warning.message.clone()).collect();
        warnings.extend(self.scenario.cautions(&laws));
        let broken: usize = self.runs.iter().map(|run| run.outcome.summary.violations.len()).sum();
        if broken > 0 {
            let invariants = fairwire_alloc::text::count(broken, "invariant");
            warnings.push(format!("{invariants} of the simulator broken: do not trust these numbers"));
        }
        warnings
    }

    /// One of the tables of `columns()`.
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<Table> {
        py.detach(|| rows::table(name, &self.runs))
    }

    /// Writes a result folder: manifest, scenario, tables and report.
    fn save(&self, py: Python<'_>, folder: PathBuf, csv: bool, replace: bool) -> PyResult<()> {
        let scenario = serde_json::to_value(&self.scenario).map_err(|error| setting(error.to_string()))?;
        let Some(first) = self.runs.first() else { return Err(setting("there is no run to save".to_owned())) };
        let warnings = self.warnings();
        py.detach(|| {
            let runs: Vec<RunOutcome> = self.runs.iter().map(|run| run.outcome.clone()).collect();
            let report = render(&ReportInput {
                title: self.scenario.title(),
                description: self.scenario.description().unwrap_or_default(),
                scenario_text: &self.text,
                scenario_sha256: &scenario_hash(&scenario),
                plan: &first.plan,
                allocation: &self.reference.allocation,
                problem: &self.reference.problem,
                runs: &runs,
                promises: &[],
            });
            fairwire_results::write(
                &folder,
                &RunFolder {
                    title: self.scenario.title(),
                    scenario: &scenario,
                    scenario_text: &self.text,
                    plan: &first.plan,
                    runs: &runs,
                    format: if csv { TableFormat::Csv } else { TableFormat::Parquet },
                    report: Some(&report),
                    versions: &[],
                    warnings: &warnings,
                    wall_s: self.wall_s,
                    replace,
                },
            )
        })
        .map_err(|error| errors::results(&error))
    }
}

/// Table, name, unit and meaning of every column of every table.
#[pyfunction]
pub fn columns() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
    let told = fairwire_results::columns().into_iter();
    told.map(|column| (column.table, column.name, column.unit, column.meaning)).collect()
}
