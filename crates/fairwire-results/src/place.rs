//! What is already where a result folder is to be.

use crate::tables::columns;
use serde_json::Value;
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::Path;

/// The file that makes a folder a result folder.
pub(crate) const MANIFEST: &str = "manifest.json";

/// Files of every result folder beside the tables.
const OTHERS: [&str; 3] = [MANIFEST, "scenario.toml", "report.html"];

/// What is already where a result folder is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing, or an empty folder.
    Free,
    /// An older result folder, with nothing else in it.
    Older,
    /// Something that is not to be touched; the name of what shows it.
    Foreign(String),
}

/// What is already at `folder`.
///
/// # Errors
/// If that cannot be read.
pub(crate) fn standing(folder: &Path) -> io::Result<Standing> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Standing::Free),
        Err(error) if error.kind() == ErrorKind::NotADirectory => return Ok(foreign(folder.as_os_str())),
        Err(error) => return Err(error),
    };
    let names: Vec<_> = entries.map(|entry| entry.map(|entry| entry.file_name())).collect::<Result<_, _>>()?;
    if names.is_empty() {
        return Ok(Standing::Free);
    }
    let stranger = names.iter().filter(|name| !is_ours(name)).min();
    Ok(match stranger {
        Some(stranger) => foreign(stranger),
        None if tells_of_runs(&folder.join(MANIFEST)) => Standing::Older,
        None => foreign(names.iter().min().map_or(OsStr::new(""), |name| name)),
    })
}

fn foreign(name: &OsStr) -> Standing {
    Standing::Foreign(name.to_string_lossy().into_owned())
}

/// Files of a result folder that cannot be made again, by name: real packets as they were recorded, and captures beside them.
/// None where there is no folder.
///
/// # Errors
/// If it cannot be read.
pub fn recordings(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry?.file_name().into_string().ok().filter(|name| is_journal(name) || is_capture(name)));
    }
    // What was simulated can be captured again.
    if !names.iter().any(|name| is_journal(name)) {
        names.clear();
    }
    names.sort();
    Ok(names)
}

fn is_journal(name: &str) -> bool {
    name.starts_with("arrivals-") && name.ends_with(".fwa")
}

fn is_capture(name: &str) -> bool {
    name.starts_with("capture-") && name.ends_with(".pcapng")
}

/// Whether a result folder may hold a file of this name.
fn is_ours(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let is_table = |stem: &str| columns().iter().any(|column| column.table == stem);
    is_journal(name)
        || is_capture(name)
        || OTHERS.contains(&name)
        || matches!(name.rsplit_once('.'), Some((stem, "parquet" | "csv")) if is_table(stem))
}

/// Whether a manifest is one of ours: others give files this name, too.
fn tells_of_runs(manifest: &Path) -> bool {
    let told: Option<Value> = std::fs::read(manifest).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    told.is_some_and(|told| told["layout"].is_u64() && told["versions"]["fairwire"].is_string())
}
