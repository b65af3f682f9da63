//! What the matrix leaves in its folder beside the runs.

use super::cases::Case;
use super::matrix::Run;
use super::page::page;
use super::summary::Summary;
use crate::ScoreError;
use crate::files::replace;
use serde::Serialize;
use std::path::Path;

/// Writes `aqm.html`, `aqm.json`, `runs.csv` and `flows.csv`, each whole or not at all.
///
/// # Errors
/// [`ScoreError::Io`] or [`ScoreError::Csv`] if one cannot be written.
pub fn write(folder: &Path, cases: &[Case], summary: &Summary, runs: &[Run]) -> Result<(), ScoreError> {
    replace(&folder.join("aqm.html"), page(cases, summary).as_bytes())?;
    let json = folder.join("aqm.json");
    let text = serde_json::to_vec_pretty(summary).map_err(|error| ScoreError::io("write", &json)(error.into()))?;
    replace(&json, &text)?;
    table(&folder.join("runs.csv"), runs.iter().map(RunRow::of))?;
    table(&folder.join("flows.csv"), runs.iter().flat_map(|run| flow_rows(cases, run)))
}

/// One row of `runs.csv`: serde's flattening and CSV do not go together.
#[derive(Serialize)]
struct RunRow<'a> {
    case: &'a str,
    law: &'a str,
    seed: u64,
    goodput_bps: f64,
    utilisation: f64,
    jain: f64,
    largest_shortfall: f64,
    mean_shortfall: f64,
    queue_mean_ns: f64,
    queue_p50_ns: f64,
    queue_p95_ns: f64,
    queue_p99_ns: f64,
    loss: f64,
    marked: f64,
}

impl<'a> RunRow<'a> {
    fn of(run: &'a Run) -> Self {
        let measured = &run.measured;
        Self {
            case: &run.case,
            law: &run.law,
            seed: run.seed,
            goodput_bps: measured.goodput_bps,
            utilisation: measured.utilisation,
            jain: measured.jain,
            largest_shortfall: measured.largest_shortfall,
            mean_shortfall: measured.mean_shortfall,
            queue_mean_ns: measured.queue_mean_ns,
            queue_p50_ns: measured.queue_p50_ns,
            queue_p95_ns: measured.queue_p95_ns,
            queue_p99_ns: measured.queue_p99_ns,
            loss: measured.loss,
            marked: measured.marked,
        }
    }
}

/// One row of `flows.csv`.
#[derive(Serialize)]
struct FlowRow<'a> {
    case: &'a str,
    law: &'a str,
    seed: u64,
    flow: &'a str,
    goodput_bps: f64,
}

fn flow_rows<'a>(cases: &'a [Case], run: &'a Run) -> impl Iterator<Item = FlowRow<'a>> {
    let flows = cases.iter().find(|case| case.id == run.case).map(|case| case.scenario.flows()).unwrap_or_default();
    flows.iter().zip(&run.measured.flows_bps).map(|(flow, goodput_bps)| FlowRow {
        case: &run.case,
        law: &run.law,
        seed: run.seed,
        flow: &flow.name,
        goodput_bps: *goodput_bps,
    })
}

fn table<T: Serialize>(path: &Path, rows: impl Iterator<Item = T>) -> Result<(), ScoreError> {
    let refused = |source| ScoreError::Csv { path: path.to_owned(), source };
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).map_err(refused)?;
    }
    let bytes = writer.into_inner().map_err(|error| refused(error.into_error().into()))?;
    replace(path, &bytes)
}
