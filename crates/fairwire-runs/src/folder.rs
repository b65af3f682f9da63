//! The result folder of a batch.

use crate::batch::Batch;
use crate::reference::Reference;
use fairwire_results::{
    Pages, Plan, Promise, ReportInput, ResultsError, RunFolder, RunOutcome, TableFormat, render, scenario_hash,
};
use serde_json::Value;
use std::fs::File;
use std::path::Path;
use std::time::SystemTime;

/// What a folder is made of.
#[derive(Debug)]
pub struct Folder<'a> {
    /// What was run.
    pub batch: &'a Batch,
    /// The file that was run, as it was written.
    pub text: &'a str,
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
    /// How long all of it took, in seconds.
    pub wall_s: f64,
    /// When it had ended.
    pub ended: SystemTime,
    /// Where packets came from, unless they were simulated.
    pub driver: Option<&'a str>,
    /// What real runs say of themselves.
    pub real: &'a [Value],
    /// Further files, by name.
    pub files: &'a [(&'a str, &'a File)],
}

impl Folder<'_> {
    /// The scenario with every default filled in.
    ///
    /// # Errors
    /// [`ResultsError`] if it cannot be written as JSON.
    pub fn scenario(&self) -> Result<Value, ResultsError> {
        Ok(serde_json::to_value(self.batch.scenario())?)
    }

    /// Writes manifest, scenario, tables and report, all of it or nothing; an older result folder
    /// gives way if `replace` is set.
    ///
    /// # Errors
    /// As [`fairwire_results::write`].
    pub fn write(&self, at: &Path, replace: bool) -> Result<(), ResultsError> {
        self.write_while(at, replace, &|| true)
    }

    /// As [`Folder::write`], asking now and then whether the folder is still `wanted`.
    ///
    /// # Errors
    /// As [`fairwire_results::write_while`].
    pub fn write_while(&self, at: &Path, replace: bool, wanted: &dyn Fn() -> bool) -> Result<(), ResultsError> {
        self.contents(replace, |folder| fairwire_results::write_while(at, folder, wanted))
    }

    /// All of it but the tables, to be written later.
    ///
    /// # Errors
    /// As [`Pages::of`].
    pub fn pages(&self) -> Result<Pages, ResultsError> {
        self.contents(false, Pages::of)
    }

    /// The page of the runs.
    ///
    /// # Errors
    /// As [`Folder::scenario`].
    pub fn report(&self) -> Result<String, ResultsError> {
        let scenario = self.batch.scenario();
        Ok(render(&ReportInput {
            title: scenario.title(),
            description: scenario.description().unwrap_or_default(),
            scenario_text: self.text,
            scenario_sha256: &scenario_hash(&self.scenario()?),
            plan: &self.batch.plan(),
            allocation: &self.reference.allocation,
            problem: &self.reference.problem,
            runs: self.runs,
            promises: self.promises,
        }))
    }

    fn contents<T>(
        &self,
        replace: bool,
        take: impl FnOnce(&RunFolder<'_>) -> Result<T, ResultsError>,
    ) -> Result<T, ResultsError> {
        let scenario = self.scenario()?;
        let plan: Plan = self.batch.plan();
        let report = self.report()?;
        take(&RunFolder {
            title: self.batch.scenario().title(),
            scenario: &scenario,
            scenario_text: self.text,
            plan: &plan,
            runs: self.runs,
            format: self.format,
            report: Some(&report),
            versions: &[],
            warnings: self.warnings,
            wall_s: self.wall_s,
            ended: self.ended,
            driver: self.driver,
            real: self.real,
            files: self.files,
            replace,
        })
    }
}
