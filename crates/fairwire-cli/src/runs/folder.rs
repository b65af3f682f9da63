//! The result folder of a batch: where it goes.

use crate::source::Source;
use fairwire_results::{ResultsError, recordings, scenario_hash};
use fairwire_runs::Folder;
use fairwire_terminal::CliError;
use serde_json::json;
use std::io;
use std::iter;
use std::path::{Path, PathBuf};

const NAME_ANOTHER: &str = "name another place with `--out DIR`, or keep no folder with `--no-folder`";

/// Where results are kept unless told otherwise.
const RUNS: &str = "runs";

/// Finds out before a long run that its folder could not be written after it. `stays` tells of a recording that is there
/// whether the new folder will have it, too.
///
/// # Errors
/// [`CliError::BadInput`] with the reason.
pub fn check_place(folder: &Path, stays: &dyn Fn(&Path) -> bool) -> Result<(), CliError> {
    fairwire_results::check_place(folder, true, stays)?;
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent)
        .and_then(|()| try_writing(parent))
        .map_err(|error| CliError::file("write", parent, &error, NAME_ANOTHER))
}

/// The same where no place is named: folders go into `runs`.
///
/// # Errors
/// As [`check_place`].
pub fn check_usual_place() -> Result<(), CliError> {
    let runs = Path::new(RUNS);
    let there = if runs.is_dir() { runs } else { Path::new(".") };
    try_writing(there).map_err(|error| CliError::file("write", runs, &error, NAME_ANOTHER))
}

/// Where results will go, before there are any.
pub fn place_in_words(out: Option<&Path>, no_folder: bool) -> String {
    match out {
        Some(out) => format!("results will go to {}", out.display()),
        None if no_folder => "no results are kept".to_owned(),
        None => format!("results will go to a folder of their own in {RUNS}"),
    }
}

/// Whether a folder can be made in `parent`.
fn try_writing(parent: &Path) -> io::Result<()> {
    let probe = parent.join(format!(".fairwire-probe-{}", std::process::id()));
    std::fs::create_dir(&probe)?;
    std::fs::remove_dir(&probe)
}

/// Writes the folder, an older one at its place gives way, and tells its path; none as soon as it is not `wanted` any more.
///
/// # Errors
/// If it cannot be written. Unless its path is told nothing is left behind.
pub fn write(
    out: Option<&Path>,
    source: &Source,
    folder: &Folder<'_>,
    wanted: &dyn Fn() -> bool,
) -> Result<Option<PathBuf>, CliError> {
    let place = out.map_or_else(|| usual_place(source, folder), |out| Ok(out.to_owned()))?;
    match folder.write_while(&place, true, wanted) {
        Ok(()) => Ok(Some(place)),
        Err(ResultsError::Stopped(_)) => Ok(None),
        Err(error) => Err(CliError::Missing { message: error.to_string(), help: NAME_ANOTHER.to_owned() }),
    }
}

/// `runs/FILE-LAW-HASH`: the same question goes to the same place, and another question to another. Real packets cannot be
/// recorded again: where some are there the place has a number behind it.
fn usual_place(source: &Source, folder: &Folder<'_>) -> Result<PathBuf, CliError> {
    let laws: Vec<&str> = folder.batch.laws.iter().map(|law| law.about().name).collect();
    let runs: Vec<_> = folder.runs.iter().map(|run| (&run.law, run.summary.seed, run.summary.run)).collect();
    let mut question = json!({
        "scenario": folder.scenario()?,
        "text": folder.text,
        "runs": runs,
        "criterion": folder.reference.criterion(),
        "format": format!("{:?}", folder.format),
    });
    // What was simulated was always named without.
    if let Some(driver) = folder.driver {
        question["driver"] = json!(driver);
    }
    let what = if let [law] = laws[..] { law } else { "compare" };
    let hash = scenario_hash(&question);
    let name = format!("{}-{what}-{}", source.stem(), &hash[..8]);
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut places = iter::once(name.clone()).chain(numbered).map(|name| Path::new(RUNS).join(name));
    let is_free = |place: &PathBuf| recordings(place).map_or(true, |recorded| recorded.is_empty());
    Ok(places.find(is_free).unwrap_or_else(|| Path::new(RUNS).join(name)))
}
