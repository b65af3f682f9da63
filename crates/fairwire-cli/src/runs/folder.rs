//! The result folder of a batch: where it goes and what goes in.

use super::batch::{Batch, Reference};
use crate::error::CliError;
use crate::source::Source;
use fairwire_results::{Promise, ReportInput, RunFolder, RunOutcome, TableFormat, render, scenario_hash};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Where results are kept unless told otherwise.
const RUNS: &str = "runs";

/// What a folder is made of.
pub struct Contents<'a> {
    /// The file that was run.
    pub source: &'a Source,
    /// What was run.
    pub batch: &'a Batch,
    /// What is fair.
    pub reference: &'a Reference,
    /// The runs that came to their end.
    pub runs: &'a [RunOutcome],
    /// What became of the scenario's promises.
    pub promises: &'a [Promise],
    /// How to write tables.
    pub format: TableFormat,
    /// What the reader should know before trusting the numbers.
    pub warnings: &'a [String],
    /// How long all of it took.
    pub wall_s: f64,
}

/// Finds out before a long run that its folder could not be written after it.
///
/// # Errors
/// [`CliError::BadInput`] with the reason.
pub fn check_place(folder: &Path) -> Result<(), CliError> {
    fairwire_results::check_place(folder, true)?;
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let help = "name another place with `--out DIR`, or keep no folder with `--no-folder`";
    std::fs::create_dir_all(parent).map_err(|error| CliError::file("write", parent, &error, help))
}

/// Writes the folder and tells its path.
///
/// # Errors
/// If it cannot be written; nothing is left behind then.
pub fn write(out: Option<&Path>, contents: &Contents<'_>) -> Result<PathBuf, CliError> {
    let batch = contents.batch;
    let scenario = resolved(batch)?;
    let folder = out.map_or_else(|| usual_place(contents, &scenario), Path::to_owned);
    let plan = batch.plan(0, batch.runs.start);
    let report = render(&ReportInput {
        title: batch.scenario.title(),
        description: batch.scenario.description().unwrap_or_default(),
        scenario_text: &contents.source.text,
        scenario_sha256: &scenario_hash(&scenario),
        plan: &plan,
        allocation: &contents.reference.allocation,
        problem: &contents.reference.problem,
        runs: contents.runs,
        promises: contents.promises,
    });
    fairwire_results::write(
        &folder,
        &RunFolder {
            title: batch.scenario.title(),
            scenario: &scenario,
            scenario_text: &contents.source.text,
            plan: &plan,
            runs: contents.runs,
            format: contents.format,
            report: Some(&report),
            versions: &[],
            warnings: contents.warnings,
            wall_s: contents.wall_s,
            replace: true,
        },
    )?;
    Ok(folder)
}

fn resolved(batch: &Batch) -> Result<Value, CliError> {
    serde_json::to_value(&batch.scenario)
        .map_err(|error| CliError::bad_input(format!("the scenario cannot be written as JSON: {error}"), "report this"))
}

/// `runs/FILE-LAW-HASH`: the same question goes to the same place, and another
/// question to another.
fn usual_place(contents: &Contents<'_>, scenario: &Value) -> PathBuf {
    let laws: Vec<&str> = contents.batch.laws.iter().map(|law| law.about().name).collect();
    let runs: Vec<_> = contents.runs.iter().map(|run| (&run.law, run.summary.seed, run.summary.run)).collect();
    let question = json!({
        "scenario": scenario,
        "text": contents.source.text,
        "runs": runs,
        "criterion": contents.reference.allocation.criterion.name(),
        "format": format!("{:?}", contents.format),
    });
    let what = if let [law] = laws[..] { law } else { "compare" };
    let hash = scenario_hash(&question);
    Path::new(RUNS).join(format!("{}-{what}-{}", contents.source.stem(), &hash[..8]))
}
