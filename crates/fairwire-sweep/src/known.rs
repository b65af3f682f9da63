//! Runs that an earlier sweep has left in its tables.

use crate::error::SweepError;
use crate::folder::{RUNS, SERIES, is_as_written, manifest};
use crate::frame::{self, Frame};
use crate::key::{BUILD, Key};
use crate::plan::Plan;
use crate::question::Column;
use crate::records::Records;
use crate::rounds::Rounds;
use crate::series;
use crate::store::{RunLine, Store};
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::Path;

/// Takes the runs of an earlier sweep in `folder` over into the store: those of its points that this sweep has, too.
///
/// # Errors
/// If its table cannot be read, or the store not be written.
pub fn take_over(folder: &Path, plan: &Plan, store: &Store) -> Result<u64, SweepError> {
    let mut taken = 0;
    let is_known = |key, run| store.knows_line(key, run);
    let is_there = read(folder, plan, &is_known, &mut |lines| {
        taken += lines.len() as u64;
        store.keep_all(&lines)
    })?;
    if is_there && store.has_series() {
        take_over_series(folder, plan, store)?;
    }
    Ok(taken)
}

/// How many runs of the plan `folder` has, in its table and in its journals, which others may be writing. Nothing is written.
///
/// # Errors
/// If they cannot be read.
pub fn known_in(folder: &Path, plan: &Plan) -> Result<u64, SweepError> {
    if !folder.is_dir() {
        return Ok(0);
    }
    let runs = Records::<RunLine>::peek(folder, plan.points.iter().map(|point| point.key))?;
    let mut known = runs.known();
    let is_known = |key, run| runs.knows(key, run..run + 1);
    read(folder, plan, &is_known, &mut |lines| {
        known += lines.len() as u64;
        Ok(())
    })?;
    Ok(known)
}

/// Hands on the runs of an earlier sweep that are not known yet, piece by piece; whether there was one of this build.
fn read(
    folder: &Path,
    plan: &Plan,
    is_known: &dyn Fn(Key, u64) -> bool,
    take: &mut dyn FnMut(Vec<RunLine>) -> Result<(), SweepError>,
) -> Result<bool, SweepError> {
    let path = folder.join(RUNS);
    let damaged = |why: String| SweepError::Damaged { path: path.clone(), why };
    if !path.is_file() || manifest(folder).is_none_or(|told| told["build"] != BUILD) {
        return Ok(false);
    }
    if !is_as_written(folder, RUNS)? {
        return Err(damaged("its checksum is not that in the manifest".to_owned()));
    }
    let points: BTreeMap<Key, u32> = plan.points.iter().map(|point| (point.key, point.asked)).collect();
    let read = frame::read(&path, |frame| take(lines_of(&frame, plan, &points, is_known)));
    read.map_err(|error| match error {
        // What the system refuses is of another kind.
        SweepError::Io { path: of, source, .. } if of == path && source.kind() == ErrorKind::Other => {
            damaged(source.to_string())
        }
        other => other,
    })?;
    Ok(true)
}

/// Where nothing is left to run, and the folder has the series of just these runs, they stay as they are. Else they are kept with
/// all others, to be written anew.
fn take_over_series(folder: &Path, plan: &Plan, store: &Store) -> Result<(), SweepError> {
    let files = folder.join(SERIES);
    store.series_are_written(true);
    let mut rounds = Rounds::new(plan, None);
    let told = manifest(folder).and_then(|told| Some(told["series"]["digest"].as_str()?.to_owned()));
    let is_whole = files.is_dir() && rounds.next(plan, store)?.is_empty();
    if !is_whole || told != Some(series::digest(plan, &rounds)) {
        store.series_are_written(false);
        store.series_to_write().map_or(Ok(()), |known| series::take_over(&files, known))?;
    }
    Ok(())
}

/// The rows of a table of runs that are not known yet.
fn lines_of(
    frame: &Frame,
    plan: &Plan,
    points: &BTreeMap<Key, u32>,
    is_known: &dyn Fn(Key, u64) -> bool,
) -> Vec<RunLine> {
    let columns = |columns: &[Column]| columns.iter().map(|column| frame.get(&column.name)).collect::<Vec<_>>();
    let values: Vec<_> = plan.asked.iter().map(|asked| columns(&asked.columns)).collect();
    let (Some(keys), Some(runs)) = (frame.get("key"), frame.get("run")) else { return Vec::new() };
    let line = |row: usize| {
        let key = Key::parse(&keys.text(row)?)?;
        let asked = points.get(&key)?;
        let run = u64::try_from(runs.whole(row)?).ok()?;
        if is_known(key, run) {
            return None;
        }
        let count = |name: &str| frame.get(name).and_then(|data| data.whole(row)).unwrap_or(0).cast_unsigned();
        Some(RunLine {
            key,
            run,
            broken: count("broken"),
            warning: frame.get("warning").and_then(|data| data.text(row)).map(|text| text.to_string()),
            hops: count("packet_hops"),
            values: values[*asked as usize].iter().map(|data| data.and_then(|data| data.number(row))).collect(),
        })
    };
    // Points may come to the same: each run is taken once.
    let mut seen = BTreeSet::new();
    (0..frame.len()).filter_map(line).filter(|line| seen.insert((line.key, line.run))).collect()
}
