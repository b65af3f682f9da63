//! What a sweep leaves in its folder: tables, report, scenario, manifest and series, and journals while it lasts.
//!
//! Files are written beside their places and moved there when all are whole. Until then, and should anything happen in between, the
//! journal has every run, so that the next call writes the same again.

use crate::error::SweepError;
use crate::key::BUILD;
use crate::plan::Plan;
use crate::records::{is_of, path_of};
use crate::report::report;
use crate::result::Answer;
use crate::rounds::Rounds;
use crate::series::{self, SeriesLine};
use crate::store::{RunLine, Store};
use crate::tables::write_tables;
use fairwire_scenario::SweepAxis;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

const MANIFEST: &str = "manifest.json";
pub(crate) const RUNS: &str = "runs.parquet";
pub(crate) const POINTS: &str = "points.parquet";
pub(crate) const PAIRS: &str = "pairs.parquet";
/// All files but the journals.
const FILES: [&str; 6] = [RUNS, POINTS, PAIRS, "report.html", "scenario.toml", MANIFEST];
/// The folder of the series of runs.
pub(crate) const SERIES: &str = "series";
/// What files are called until all are whole.
const PARTIAL: &str = ".partial";
/// The layout of the folder; grows when something is renamed or removed.
const LAYOUT: u32 = 1;

/// A sweep that has come to its end.
#[derive(Debug)]
pub struct Finished {
    /// What it came to.
    pub answer: Answer,
    /// Its folder.
    pub folder: PathBuf,
    /// The report in it.
    pub report: PathBuf,
    /// The folder of series in it, if they were asked for.
    pub series: Option<PathBuf>,
}

/// Looks whether a folder can be read whose runs are to be taken in, before anything is written.
///
/// # Errors
/// [`SweepError::Io`] if it cannot.
pub fn check_part(folder: &Path) -> Result<(), SweepError> {
    fs::read_dir(folder).map(drop).map_err(SweepError::io("read", folder))
}

/// Finds out before long work whether a sweep can be kept in `folder`.
///
/// # Errors
/// [`SweepError::Foreign`] if it holds files that no sweep has left there, [`SweepError::Io`] if no folder can be there.
pub fn check_place(folder: &Path) -> Result<(), SweepError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        // A folder can be made, but not where a link leads nowhere.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !folder.is_symlink() => return Ok(()),
        Err(error) => return Err(SweepError::io("read", folder)(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry.map_err(SweepError::io("read", folder))?.file_name().to_string_lossy().into_owned());
    }
    let is_ours = |name: &&String| {
        let whole = name.strip_suffix(PARTIAL).unwrap_or(name);
        FILES.contains(&whole) || whole == SERIES || is_of::<RunLine>(name) || is_of::<SeriesLine>(name)
    };
    for name in names.iter().filter(|name| name.strip_suffix(PARTIAL).unwrap_or(name) == SERIES) {
        if let Some(stranger) = series::stranger(&folder.join(name))? {
            let stranger = stranger.strip_prefix(folder).unwrap_or(&stranger).display().to_string();
            return Err(SweepError::Foreign { path: folder.to_owned(), stranger });
        }
    }
    // A result folder of runs has a manifest and a table `runs`, too, and others beside them.
    match names.iter().filter(|name| !is_ours(name)).min() {
        None if names.iter().any(|name| name == MANIFEST) && manifest(folder).is_none() => {
            Err(SweepError::Foreign { path: folder.to_owned(), stranger: MANIFEST.to_owned() })
        }
        None => Ok(()),
        Some(stranger) => Err(SweepError::Foreign { path: folder.to_owned(), stranger: stranger.clone() }),
    }
}

/// Finds out whether a sweep in `folder` could be written, and leaves everything as it was. Not for parts that share a folder:
/// another one may be at work in a folder that is made and removed here.
///
/// # Errors
/// [`SweepError::Io`], as [`Store::open`] would say it.
pub fn check_writable(folder: &Path) -> Result<(), SweepError> {
    let missing: Vec<&Path> =
        folder.ancestors().take_while(|above| !above.as_os_str().is_empty() && !above.exists()).collect();
    let made = fs::create_dir_all(folder).map_err(SweepError::io("make", folder));
    let probe = folder.join(format!(".fairwire-probe-{}", std::process::id()));
    let written = made.and_then(|()| {
        let journal = path_of::<RunLine>(folder, None);
        fs::write(&probe, "").and_then(|()| fs::remove_file(&probe)).map_err(SweepError::io("open", journal))
    });
    // The innermost comes first.
    missing.iter().for_each(|made| drop(fs::remove_dir(made)));
    written
}

/// The manifest of a sweep, if there is one.
pub(crate) fn manifest(folder: &Path) -> Option<Value> {
    manifest_called(folder, MANIFEST)
}

fn manifest_called(folder: &Path, name: &str) -> Option<Value> {
    let told: Value = serde_json::from_slice(&fs::read(folder.join(name)).ok()?).ok()?;
    (told["kind"] == "sweep").then_some(told)
}

/// Where the manifest tells the checksums of files, by name.
const CHECKSUMS: &str = "sha256";

/// Whether a file has the checksum that a manifest tells of it: that of the folder, or that of a call which was killed before it
/// could put its own in place. Manifests of earlier versions tell none.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn is_as_written(folder: &Path, name: &str) -> Result<bool, SweepError> {
    let manifests = [MANIFEST.to_owned(), format!("{MANIFEST}{PARTIAL}")];
    let told = manifests.iter().map(|manifest| manifest_called(folder, manifest));
    let told: Vec<Option<String>> = told.map(|told| Some(told?[CHECKSUMS][name].as_str()?.to_owned())).collect();
    if told[0].is_none() {
        return Ok(true);
    }
    let sum = Some(checksum(&folder.join(name))?);
    Ok(told.contains(&sum))
}

fn checksum(path: &Path) -> Result<String, SweepError> {
    let mut reader = BufReader::new(File::open(path).map_err(SweepError::io("open", path))?);
    let mut hash = Sha256::new();
    loop {
        let piece = reader.fill_buf().map_err(SweepError::io("read", path))?;
        if piece.is_empty() {
            return Ok(hex(&hash.finalize()));
        }
        hash.update(piece);
        let length = piece.len();
        reader.consume(length);
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes everything, and removes the journals; what stands there already and would be the same is left alone.
///
/// # Errors
/// If something cannot be written. Then the journals stay, and nothing is lost.
pub fn finish(plan: &Plan, rounds: &Rounds, store: Store, wall_s: f64) -> Result<Finished, SweepError> {
    let folder = store.folder().to_owned();
    let partial = |name: &str| folder.join(format!("{name}{PARTIAL}"));
    let answer = write_tables(plan, rounds, &store, &partial)?;
    let put = |name: &str, text: &str| {
        let path = partial(name);
        let write = || {
            fs::write(&path, text)?;
            File::open(&path)?.sync_all()
        };
        write().map_err(SweepError::io("write", &path))
    };
    put("report.html", &report(plan, &answer))?;
    put("scenario.toml", plan.sweep.file().1)?;
    let mut told = told(plan, &answer, wall_s);
    told[CHECKSUMS] = json!({ RUNS: checksum(&partial(RUNS))? });
    let series = folder.join(SERIES);
    told["series"] = if store.has_series() {
        json!({ "digest": series::digest(plan, rounds) })
    } else {
        // Those of an earlier call stay, and what they are stays known.
        manifest(&folder).map_or(Value::Null, |mut before| before["series"].take())
    };
    if let Some(known) = store.series_to_write() {
        series::write(plan, rounds, known, &partial(SERIES))?;
    }
    put(MANIFEST, &(serde_json::to_string_pretty(&told).unwrap_or_default() + "\n"))?;
    if store.series_to_write().is_some() {
        if series.is_dir() {
            fs::remove_dir_all(&series).map_err(SweepError::io("remove", &series))?;
        }
        fs::rename(partial(SERIES), &series).map_err(SweepError::io("write", &series))?;
    }
    for name in FILES {
        let (from, to) = (partial(name), folder.join(name));
        fs::rename(&from, &to).map_err(SweepError::io("write", &to))?;
    }
    let series = store.has_series().then_some(series);
    store.remove()?;
    Ok(Finished { answer, report: folder.join("report.html"), series, folder })
}

/// What the manifest tells.
fn told(plan: &Plan, answer: &Answer, wall_s: f64) -> Value {
    let axis = |axis: &SweepAxis| json!({ "key": axis.key, "unit": axis.unit.name(), "values": axis.values.len() });
    let digest = Sha256::digest(plan.sweep.file().1.as_bytes());
    json!({
        "kind": "sweep",
        "layout": LAYOUT,
        "title": plan.sweep.base().title(),
        "build": BUILD,
        "scenario_sha256": hex(&digest),
        "axes": plan.sweep.axes().iter().map(axis).collect::<Vec<_>>(),
        "points": plan.points.len(),
        "runs": answer.runs,
        "broken_runs": answer.broken_runs,
        "warnings": answer.warnings,
        "versions": { "fairwire": env!("CARGO_PKG_VERSION") },
        "host": {
            "os": std::env::consts::OS,
            "arch": std::env::consts::ARCH,
            "cpus": std::thread::available_parallelism().ok().map(usize::from),
        },
        "written_unix_s": SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        "wall_s": wall_s,
    })
}
