//! What a scoreboard leaves in its folder beside what it keeps.

use crate::page::{page, picture};
use crate::{Score, ScoreError, Summary};
use serde::Serialize;
use std::fs;
use std::path::Path;

/// Writes `scoreboard.html`, `scoreboard.svg`, `scoreboard.json` and `scores.csv`,
/// each whole or not at all; no picture if there is nothing to draw.
///
/// # Errors
/// [`ScoreError::Io`] or [`ScoreError::Csv`] if one cannot be written.
pub fn write(folder: &Path, summary: &Summary, scores: &[Score]) -> Result<(), ScoreError> {
    replace(&folder.join("scoreboard.html"), page(summary, scores).as_bytes())?;
    let svg = folder.join("scoreboard.svg");
    match picture(summary, scores) {
        picture if !picture.is_empty() => replace(&svg, picture.as_bytes())?,
        // One of other cases that lies there would mislead.
        _ if svg.exists() => fs::remove_file(&svg).map_err(ScoreError::io("remove", &svg))?,
        _ => {}
    }
    let json = folder.join("scoreboard.json");
    let text = serde_json::to_vec_pretty(summary).map_err(|error| ScoreError::io("write", &json)(error.into()))?;
    replace(&json, &text)?;
    let csv = folder.join("scores.csv");
    let text = rows(scores).map_err(|source| ScoreError::Csv { path: csv.clone(), source })?;
    replace(&csv, &text)
}

/// A file that is there is complete.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), ScoreError> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    fs::write(&beside, bytes).map_err(ScoreError::io("write", path))?;
    fs::rename(&beside, path).map_err(ScoreError::io("write", path))
}

/// One row of `scores.csv`: serde's flattening and CSV do not go together.
#[derive(Serialize)]
struct Row<'a> {
    case: &'a str,
    group: crate::Group,
    law: &'a str,
    stations: usize,
    flows: usize,
    unique: crate::Unique,
    largest_error: f64,
    p95_error: f64,
    laps_to_fair_5: Option<f64>,
    laps_to_fair_1: Option<f64>,
    swing: f64,
    utilisation_lost: f64,
    transit_loss: f64,
    delay_p50_laps: Option<f64>,
    delay_p95_laps: Option<f64>,
    delay_p99_laps: Option<f64>,
    control: f64,
}

fn rows(scores: &[Score]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for Score { case, group, law, stations, flows, unique, measured, .. } in scores {
        writer.serialize(Row {
            case,
            group: *group,
            law,
            stations: *stations,
            flows: *flows,
            unique: *unique,
            largest_error: measured.largest_error,
            p95_error: measured.p95_error,
            laps_to_fair_5: measured.laps_to_fair_5,
            laps_to_fair_1: measured.laps_to_fair_1,
            swing: measured.swing,
            utilisation_lost: measured.utilisation_lost,
            transit_loss: measured.transit_loss,
            delay_p50_laps: measured.delay_p50_laps,
            delay_p95_laps: measured.delay_p95_laps,
            delay_p99_laps: measured.delay_p99_laps,
            control: measured.control,
        })?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}
