//! Scenario files, read from disk or from stdin.

use crate::settings::Setting;
use fairwire_scenario::{Diagnostic, Diagnostics, Scenario};
use fairwire_terminal::{CliError, Severity, output, tell_finding, text, warn};
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;
use std::time::{Duration, Instant};

/// No file is read that is larger. A hundred thousand flows take a tenth of it; a device that never ends does not.
const MOST_BYTES: usize = 64 << 20;

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
        let mut source = Self { path: path.to_owned(), text: String::new() };
        let bytes = if path == Path::new("-") {
            read_bounded(std::io::stdin())
        } else {
            File::open(path).and_then(read_bounded)
        };
        let bytes = bytes.map_err(|error| CliError::file("read", path, &error, help))?;
        if bytes.len() > MOST_BYTES {
            let message = format!("{} has more than {} MiB", source.name(), MOST_BYTES >> 20);
            return Err(CliError::bad_input(message, help));
        }
        output::detail(|| format!("read {}: {} bytes", source.name(), text::grouped(bytes.len() as u64)));
        source.text = String::from_utf8(bytes).map_err(|error| not_text(&source.name(), &error))?;
        Ok(source)
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
        self.scenario_as_set(&[])
    }

    /// The same with other values under some keys.
    ///
    /// # Errors
    /// All mistakes in both.
    pub fn scenario_as_set(&self, settings: &[Setting]) -> Result<Scenario, CliError> {
        let scenario = self.scenario_with(settings)?;
        check_points(&scenario).map_err(|mistakes| self.mistaken(mistakes, settings))?;
        Ok(scenario)
    }

    /// The same; points of its sweep are not looked at.
    ///
    /// # Errors
    /// All mistakes in both.
    pub fn scenario_with(&self, settings: &[Setting]) -> Result<Scenario, CliError> {
        let started = Instant::now();
        let scenario = Scenario::parse_with(&self.name(), &self.text, settings)
            .map_err(|mistakes| self.mistaken(mistakes, settings))?;
        for warning in scenario.warnings() {
            if is_beside(warning, settings) {
                warn(&format!("--set: {}", warning.message), &warning.help);
            } else {
                tell_finding(Severity::Warning, &self.name(), &self.text, warning);
            }
        }
        output::detail(|| self.in_words(&scenario, settings, started.elapsed()));
        Ok(scenario)
    }
}

impl Source {
    /// What is wrong: in `settings`, where a mistake stands in no line of the file, else in the file.
    pub fn mistaken(&self, mistakes: Diagnostics, settings: &[Setting]) -> CliError {
        let with_first = |count: usize| Scenario::parse_with(&self.name(), &self.text, &settings[..count]).err();
        let of_file: Vec<Diagnostic> = with_first(0).map(|errors| errors.items).unwrap_or_default();
        let is_of_file = |mistake: &Diagnostic| of_file.iter().any(|other| other.message == mistake.message);
        let mut beside = mistakes.items.iter().filter(|mistake| is_beside(mistake, settings) && !is_of_file(mistake));
        let Some(mistake) = beside.next() else { return mistakes.into() };
        // The first without which all was well is to blame.
        let culprit = match settings {
            [only] => Some(only),
            _ if of_file.is_empty() => {
                (0..settings.len()).find(|&nth| with_first(nth + 1).is_some()).map(|nth| &settings[nth])
            }
            _ => None,
        };
        let set = culprit.map_or_else(String::new, |(key, value)| format!(" {key}={value}"));
        CliError::bad_input(format!("--set{set}: {}", mistake.message), mistake.help.clone())
    }

    /// What was read, for those who want to know what is being done.
    fn in_words(&self, scenario: &Scenario, settings: &[Setting], took: Duration) -> String {
        let flows = text::count(scenario.flows().len(), "flow");
        let kind = if scenario.is_ring() { "a ring" } else { "a network" };
        let set = match settings.len() {
            0 => String::new(),
            several => format!(", {} set by options", text::count(several, "key")),
        };
        let took = text::time(took.as_nanos() as f64);
        format!("{} is {kind} with {flows}{set}, checked in {took}", self.name())
    }
}

/// Points that one thread has checked before others would have begun.
const FEW: usize = 256;

/// Every point of the scenario's sweep, on all cores if there are many. Without a sweep the scenario is the only point, and good.
///
/// # Errors
/// What is wrong with the first wrong one.
pub fn check_points(scenario: &Scenario) -> Result<(), Diagnostics> {
    if scenario.sweep().is_empty() {
        return Ok(());
    }
    let sweep = scenario.sweep_points()?;
    if sweep.len() <= FEW {
        return sweep.check();
    }
    let wrong = (0..sweep.len()).into_par_iter().find_map_first(|point| sweep.point(point).err());
    wrong.map_or(Ok(()), Err)
}

/// Whether a finding stands in no line of the file, but may in one of `settings`.
fn is_beside(finding: &Diagnostic, settings: &[Setting]) -> bool {
    !settings.is_empty() && finding.span == (0..0)
}

/// What most files have, so that they are read at once.
const USUAL_BYTES: usize = 8 << 10;

/// Reads all there is, or a byte more than may be.
fn read_bounded(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(USUAL_BYTES);
    from.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Says where a file is something else than text.
fn not_text(name: &str, error: &FromUtf8Error) -> CliError {
    let (before, rest) = error.as_bytes().split_at(error.utf8_error().valid_up_to());
    let lines = before.split(|byte| *byte == b'\n');
    let (line, column) =
        lines.fold((0, 0), |(line, _), text| (line + 1, String::from_utf8_lossy(text).chars().count() + 1));
    let byte = rest.first().copied().unwrap_or_default();
    let message = format!("{name}:{line}:{column}: the byte {byte:#04x} is no part of text in UTF-8");
    CliError::bad_input(message, "save the file as UTF-8")
}
