//! The result folder: everything about some runs of one scenario, or nothing.

use crate::error::ResultsError;
use crate::leftovers;
use crate::manifest::Manifest;
use crate::place::{MANIFEST, Standing, standing};
use crate::plan::Plan;
use crate::report::RunOutcome;
use crate::tables::{TableFormat, write_tables};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

/// What goes into a result folder.
#[derive(Clone, Copy, Debug)]
pub struct RunFolder<'a> {
    /// The scenario's title.
    pub title: &'a str,
    /// The scenario with every default filled in.
    pub scenario: &'a serde_json::Value,
    /// The scenario as it was written.
    pub scenario_text: &'a str,
    /// What was run, whatever the law.
    pub plan: &'a Plan,
    /// The runs: laws times replications.
    pub runs: &'a [RunOutcome],
    /// How to write the tables.
    pub format: TableFormat,
    /// The report, from [`crate::render`]; none leaves it out.
    pub report: Option<&'a str>,
    /// Versions of other software that took part, as (name, version).
    pub versions: &'a [(String, String)],
    /// What the reader should know before trusting the numbers.
    pub warnings: &'a [String],
    /// How long all runs together took, in seconds.
    pub wall_s: f64,
    /// Where packets came from, unless they were simulated.
    pub driver: Option<&'a str>,
    /// What real runs say of themselves.
    pub real: &'a [serde_json::Value],
    /// Further files, by name: `arrivals-….fwa`, `capture-….pcapng`.
    pub files: &'a [(&'a str, &'a fs::File)],
    /// Whether an older result folder may be replaced.
    pub replace: bool,
}

/// Writes a result folder: `manifest.json`, `scenario.toml`, the tables of
/// [`crate::columns`] and `report.html`.
///
/// All files are written to a hidden folder beside `folder`, which then takes
/// its name, so that a folder that is there is complete. Missing parents are made.
///
/// # Errors
/// [`ResultsError::Occupied`] if `folder` exists and is neither empty nor a result folder with nothing else in it,
/// [`ResultsError::Older`] if it is one and `replace` is not set, [`ResultsError::Link`] if a symbolic link is there; otherwise what the file
/// system or an encoder says. Nothing is left behind; what a process left that was killed while it wrote, the next one that
/// writes a folder of that name removes.
pub fn write(folder: &Path, contents: &RunFolder<'_>) -> Result<(), ResultsError> {
    write_while(folder, contents, &|| true)
}

/// As [`write`], asking now and then whether the folder is still `wanted`.
///
/// # Errors
/// As [`write`], and [`ResultsError::Stopped`] as soon as it is not.
pub fn write_while(folder: &Path, contents: &RunFolder<'_>, wanted: &dyn Fn() -> bool) -> Result<(), ResultsError> {
    let goes_on = || if wanted() { Ok(()) } else { Err(ResultsError::Stopped(folder.to_owned())) };
    let partial = sibling(folder, "partial")?;
    check_place(folder, contents.replace)?;
    if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs::create_dir_all(parent).map_err(ResultsError::io(parent))?;
    }
    leftovers::clear(folder);
    // People know the folder, not the hidden one beside it.
    fs::create_dir(&partial).map_err(ResultsError::io(folder))?;
    let _at_work = leftovers::hold(&partial);
    let filled = fill(&partial, contents, &goes_on).and_then(|()| goes_on());
    let written = filled.and_then(|()| move_into_place(&partial, folder));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_dir_all(&partial);
    }
    written
}

/// An error once a folder is not wanted any more.
pub(crate) type GoesOn<'a> = &'a dyn Fn() -> Result<(), ResultsError>;

fn fill(partial: &Path, contents: &RunFolder<'_>, goes_on: GoesOn<'_>) -> Result<(), ResultsError> {
    let put = |name: &str, text: &str| {
        goes_on()?;
        let path = partial.join(name);
        fs::write(&path, text).map_err(ResultsError::io(&path))
    };
    let mut manifest = serde_json::to_string_pretty(&Manifest::of(contents))?;
    manifest.push('\n');
    put(MANIFEST, &manifest)?;
    put("scenario.toml", contents.scenario_text)?;
    write_tables(partial, contents.format, contents.plan, contents.runs, goes_on)?;
    for (name, file) in contents.files {
        let path = partial.join(name);
        copy(file, &path, goes_on)?;
    }
    contents.report.map_or(Ok(()), |report| put("report.html", report))
}

/// Bytes that are copied at a time.
const PIECE: u64 = 1 << 24;

/// Copies a file from its beginning.
fn copy(mut from: &fs::File, path: &Path, goes_on: GoesOn<'_>) -> Result<(), ResultsError> {
    from.rewind().map_err(ResultsError::io(path))?;
    let mut to = fs::File::create_new(path).map_err(ResultsError::io(path))?;
    loop {
        goes_on()?;
        let copied = io::copy(&mut from.take(PIECE), &mut to).map_err(ResultsError::io(path))?;
        if copied < PIECE {
            return Ok(());
        }
    }
}

/// Whether a result folder could be written at `folder`, found out before a long run.
///
/// # Errors
/// As [`write`].
pub fn check_place(folder: &Path, replace: bool) -> Result<(), ResultsError> {
    sibling(folder, "partial")?;
    // Of one to an older result the folder takes the place.
    if folder.is_symlink() && !folder.join(MANIFEST).is_file() {
        return Err(ResultsError::Link(folder.to_owned()));
    }
    match standing(folder).map_err(ResultsError::io(folder))? {
        Standing::Free => Ok(()),
        Standing::Older if replace => Ok(()),
        Standing::Older => Err(ResultsError::Older(folder.to_owned())),
        Standing::Foreign(name) => Err(ResultsError::Occupied(folder.to_owned(), name)),
    }
}

fn move_into_place(partial: &Path, folder: &Path) -> Result<(), ResultsError> {
    if !folder.join(MANIFEST).is_file() {
        return fs::rename(partial, folder).map_err(ResultsError::io(folder));
    }
    let old = sibling(folder, "old")?;
    fs::rename(folder, &old).map_err(ResultsError::io(folder))?;
    if let Err(error) = fs::rename(partial, folder) {
        let _ = fs::rename(&old, folder);
        return Err(ResultsError::io(folder)(error));
    }
    fs::remove_dir_all(&old).map_err(ResultsError::io(&old))
}

/// A hidden name beside `folder` that no other process uses.
fn sibling(folder: &Path, what: &str) -> Result<PathBuf, ResultsError> {
    let mut hidden = hidden_name(folder, what).ok_or_else(|| ResultsError::NoName(folder.to_owned()))?;
    hidden.push(std::process::id().to_string());
    Ok(folder.with_file_name(hidden))
}

/// How the names of such folders begin.
pub(crate) fn hidden_name(folder: &Path, what: &str) -> Option<OsString> {
    let mut hidden = OsString::from(".");
    hidden.push(folder.file_name()?);
    hidden.push(format!(".{what}-"));
    Some(hidden)
}
