//! What the board leaves in its folder beside the runs.

use super::contest::Run;
use super::page::page;
use super::picture::picture;
use super::summary::Summary;
use crate::ScoreError;
use crate::files::replace;
use serde::Serialize;
use std::path::Path;

/// Writes `rates.html`, `rates.svg`, `rates.json` and `responses.csv`, each whole or not at all.
///
/// # Errors
/// [`ScoreError::Io`] or [`ScoreError::Csv`] if one cannot be written.
pub fn write(folder: &Path, summary: &Summary, runs: &[Run]) -> Result<(), ScoreError> {
    replace(&folder.join("rates.html"), page(summary, runs).as_bytes())?;
    replace(&folder.join("rates.svg"), picture(runs).as_bytes())?;
    let json = folder.join("rates.json");
    let text = serde_json::to_vec_pretty(summary).map_err(|error| ScoreError::io("write", &json)(error.into()))?;
    replace(&json, &text)?;
    let csv = folder.join("responses.csv");
    let text = rows(runs).map_err(|source| ScoreError::Csv { path: csv.clone(), source })?;
    replace(&csv, &text)
}

/// One row of `responses.csv`: serde's flattening and CSV do not go together.
#[derive(Serialize)]
struct Row<'a> {
    case: &'a str,
    flows: usize,
    falls: bool,
    lossy: bool,
    entrant: &'a str,
    change: usize,
    loops: Option<f64>,
    ms: Option<f64>,
    error: f64,
    queue_beyond_flows: f64,
    sent: u64,
    dropped: u64,
    control: f64,
}

fn rows(runs: &[Run]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for Run { case, flows, falls, lossy, entrant, measured, .. } in runs {
        for (change, response) in measured.responses.iter().enumerate() {
            writer.serialize(Row {
                case,
                flows: *flows,
                falls: *falls,
                lossy: *lossy,
                entrant,
                change,
                loops: response.loops,
                ms: response.ms,
                error: response.error,
                queue_beyond_flows: measured.queue_beyond_flows,
                sent: measured.sent,
                dropped: measured.dropped,
                control: measured.control,
            })?;
        }
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}
