//! The result folder: everything about some runs of one scenario, or nothing.

use crate::error::ResultsError;
use crate::leftovers;
use crate::manifest::Manifest;
use crate::place::{MANIFEST, Standing, recordings, standing};
use crate::plan::Plan;
use crate::replace::replace_folder;
use crate::report::RunOutcome;
use crate::tables::{Chunk, TableFormat, every_table, tables_of, write_table, write_tables};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

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
    /// When they had ended.
    pub ended: SystemTime,
    /// Where packets came from, unless they were simulated.
    pub driver: Option<&'a str>,
    /// What real runs say of themselves.
    pub real: &'a [serde_json::Value],
    /// Further files, by name: `arrivals-….fwa`, `capture-….pcapng`.
    pub files: &'a [(&'a str, &'a File)],
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
/// [`ResultsError::Older`] if it is one and `replace` is not set, [`ResultsError::Recorded`] if it holds recordings that are not
/// among the files of the new one, [`ResultsError::Link`] if a symbolic link is there; otherwise what the file
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
    let stays = |path: &Path| {
        let mut files =
            contents.files.iter().filter(|(name, _)| path.file_name().is_some_and(|called| called == *name));
        files.any(|(_, file)| is_alike(file, path).unwrap_or(false))
    };
    let fill = |partial: &Path| fill(partial, contents, &goes_on).and_then(|()| goes_on());
    whole_or_not(folder, contents.replace, &stays, fill)
}

/// A result folder without its tables, so that it can be kept elsewhere and written later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pages {
    /// Its files by name.
    pub files: Vec<(String, Vec<u8>)>,
    /// The tables that belong to it, by name.
    pub tables: Vec<String>,
}

impl Pages {
    /// Those of a folder that is not written.
    ///
    /// # Errors
    /// What an encoder or, for further files, the file system says.
    pub fn of(contents: &RunFolder<'_>) -> Result<Self, ResultsError> {
        let mut files: Vec<(String, Vec<u8>)> =
            texts(contents)?.into_iter().map(|(name, text)| (name.to_owned(), text.into_bytes())).collect();
        for (name, mut file) in contents.files.iter().copied() {
            let mut bytes = Vec::new();
            file.rewind().and_then(|()| file.read_to_end(&mut bytes)).map_err(ResultsError::io(name))?;
            files.push((name.to_owned(), bytes));
        }
        Ok(Self { files, tables: tables_of(contents.plan).iter().map(|&table| table.to_owned()).collect() })
    }

    /// Writes the folder, with the rows of each of its tables, as [`write`] does.
    ///
    /// # Errors
    /// As [`write`].
    pub fn write<C: Iterator<Item = Chunk>>(
        &self,
        folder: &Path,
        format: TableFormat,
        replace: bool,
        mut rows: impl FnMut(&str) -> C,
    ) -> Result<(), ResultsError> {
        let stays = |path: &Path| {
            let mut files =
                self.files.iter().filter(|(name, _)| path.file_name().is_some_and(|called| called == &name[..]));
            files.any(|(_, bytes)| fs::read(path).is_ok_and(|there| there == *bytes))
        };
        whole_or_not(folder, replace, &stays, |partial| {
            let put = |(name, bytes): &(String, Vec<u8>)| {
                let path = partial.join(name);
                fs::write(&path, bytes).map_err(ResultsError::io(&path))
            };
            self.files.iter().try_for_each(put)?;
            let mut kept = every_table().filter(|table| self.tables.iter().any(|kept| kept == table));
            kept.try_for_each(|table| write_table(partial, format, table, rows(table)))
        })
    }
}

/// Has `fill` fill a hidden folder beside `folder`, which then takes its name; or leaves nothing.
fn whole_or_not(
    folder: &Path,
    replace: bool,
    stays: &dyn Fn(&Path) -> bool,
    fill: impl FnOnce(&Path) -> Result<(), ResultsError>,
) -> Result<(), ResultsError> {
    let partial = sibling(folder, "partial")?;
    check_place(folder, replace, stays)?;
    if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs::create_dir_all(parent).map_err(ResultsError::io(parent))?;
    }
    leftovers::clear(folder);
    // People know the folder, not the hidden one beside it.
    fs::create_dir(&partial).map_err(ResultsError::io(folder))?;
    let _at_work = leftovers::hold(&partial);
    let written = fill(&partial).and_then(|()| move_into_place(&partial, folder, replace, stays));
    if written.is_ok() {
        leftovers::clear(folder);
    }
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_dir_all(&partial);
    }
    written
}

/// An error once a folder is not wanted any more.
pub(crate) type GoesOn<'a> = &'a dyn Fn() -> Result<(), ResultsError>;

fn fill(partial: &Path, contents: &RunFolder<'_>, goes_on: GoesOn<'_>) -> Result<(), ResultsError> {
    for (name, text) in texts(contents)? {
        goes_on()?;
        let path = partial.join(name);
        fs::write(&path, text).map_err(ResultsError::io(&path))?;
    }
    write_tables(partial, contents.format, contents.plan, contents.runs, goes_on)?;
    contents.files.iter().try_for_each(|(name, file)| copy(file, &partial.join(name), goes_on))
}

/// The files of text, by name.
fn texts(contents: &RunFolder<'_>) -> Result<Vec<(&'static str, String)>, ResultsError> {
    let mut manifest = serde_json::to_string_pretty(&Manifest::of(contents))?;
    manifest.push('\n');
    let report = contents.report.map(|report| ("report.html", report.to_owned()));
    Ok([(MANIFEST, manifest), ("scenario.toml", contents.scenario_text.to_owned())].into_iter().chain(report).collect())
}

/// Bytes that are copied at a time.
const PIECE: u64 = 1 << 24;

/// Copies a file from its beginning.
fn copy(mut from: &File, path: &Path, goes_on: GoesOn<'_>) -> Result<(), ResultsError> {
    from.rewind().map_err(ResultsError::io(path))?;
    let mut to = File::create_new(path).map_err(ResultsError::io(path))?;
    loop {
        goes_on()?;
        let copied = io::copy(&mut from.take(PIECE), &mut to).map_err(ResultsError::io(path))?;
        if copied < PIECE {
            return Ok(());
        }
    }
}

/// Whether two files hold the same bytes.
fn is_alike(mut file: &File, path: &Path) -> io::Result<bool> {
    let other = File::open(path)?;
    if file.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    file.rewind()?;
    let (ours, theirs) = (BufReader::new(file).bytes(), BufReader::new(other).bytes());
    for (ours, theirs) in ours.zip(theirs) {
        if ours? != theirs? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a result folder could be written at `folder`, found out before a long run. `stays` tells of a recording in it whether
/// the new folder has it, too.
///
/// # Errors
/// As [`write`].
pub fn check_place(folder: &Path, replace: bool, stays: &dyn Fn(&Path) -> bool) -> Result<(), ResultsError> {
    sibling(folder, "partial")?;
    // Of one to an older result the folder takes the place.
    if folder.is_symlink() && !folder.join(MANIFEST).is_file() {
        return Err(ResultsError::Link(folder.to_owned()));
    }
    match standing(folder).map_err(ResultsError::io(folder))? {
        Standing::Free => Ok(()),
        Standing::Older if replace => {
            let recorded = recordings(folder).map_err(ResultsError::io(folder))?;
            let lost = recorded.into_iter().find(|name| !stays(&folder.join(name)));
            lost.map_or(Ok(()), |name| Err(ResultsError::Recorded(folder.to_owned(), name)))
        }
        Standing::Older => Err(ResultsError::Older(folder.to_owned())),
        Standing::Foreign(name) => Err(ResultsError::Occupied(folder.to_owned(), name)),
    }
}

fn move_into_place(
    partial: &Path,
    folder: &Path,
    replace: bool,
    stays: &dyn Fn(&Path) -> bool,
) -> Result<(), ResultsError> {
    if !folder.join(MANIFEST).is_file() {
        match fs::rename(partial, folder) {
            // Another process was faster: its folder is an older one now.
            Err(_) if folder.join(MANIFEST).is_file() => {}
            moved => return moved.map_err(ResultsError::io(folder)),
        }
    }
    // What has come there meanwhile is not lost either.
    check_place(folder, replace, stays)?;
    let old = sibling(folder, "old")?;
    // Others that find it aside leave it to us.
    let _at_work = leftovers::hold(folder);
    replace_folder(partial, folder, &old).map_err(ResultsError::io(folder))
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
