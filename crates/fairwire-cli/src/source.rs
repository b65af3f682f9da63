//! Scenario files, read from disk or from stdin.

use crate::error::{CliError, tell_finding};
use fairwire_scenario::Scenario;
use miette::Severity;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A file and what is in it.
#[derive(Debug)]
pub struct Source {
    /// The path as given; `-` is stdin.
    pub path: PathBuf,
    /// The text.
    pub text: String,
}

impl Source {
    /// Reads a file, or stdin for `-`.
    ///
    /// # Errors
    /// [`CliError::BadInput`] if it cannot be read as text.
    pub fn read(path: &Path) -> Result<Self, CliError> {
        Self::read_or(path, "name a scenario file; `fairwire scenario new parking-lot` writes one to start from")
    }

    /// Reads a file of any kind, or stdin for `-`; `help` says what to name instead of one that cannot be read.
    ///
    /// # Errors
    /// As [`Source::read`].
    pub fn read_or(path: &Path, help: &str) -> Result<Self, CliError> {
        let text = if path == Path::new("-") {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).map(|_| text)
        } else {
            std::fs::read_to_string(path)
        };
        let text = text.map_err(|error| CliError::file("read", path, &error, help))?;
        Ok(Self { path: path.to_owned(), text })
    }

    /// The name that messages use.
    pub fn name(&self) -> String {
        if self.path == Path::new("-") { "<stdin>".to_owned() } else { self.path.display().to_string() }
    }

    /// What the file is called without folder and ending.
    pub fn stem(&self) -> String {
        let stem = self.path.file_stem().filter(|stem| *stem != "-");
        stem.map_or_else(|| "stdin".to_owned(), |stem| stem.to_string_lossy().into_owned())
    }

    /// The scenario in the file; what is probably not meant is told on stderr.
    ///
    /// # Errors
    /// All mistakes in it.
    pub fn scenario(&self) -> Result<Scenario, CliError> {
        let scenario = Scenario::parse(&self.name(), &self.text)?;
        for warning in scenario.warnings() {
            tell_finding(Severity::Warning, &self.name(), &self.text, warning);
        }
        Ok(scenario)
    }
}
