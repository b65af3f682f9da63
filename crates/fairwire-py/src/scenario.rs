//! Scenarios from Python: read, check, resolve.

use crate::errors;
use fairwire_scenario::Scenario;
use pyo3::prelude::*;

/// The rates of so many flows are solved before anybody presses Ctrl-C; a thread of their own would take longer to begin.
pub const FEW_FLOWS: usize = 200;

/// Reads a scenario; `name` is told back in errors.
pub fn read(name: &str, text: &str) -> PyResult<Scenario> {
    Scenario::parse(name, text).map_err(|diagnostics| errors::scenario(&diagnostics))
}

/// Warnings about a scenario: message, label, help, line and column of each.
///
/// Raises ScenarioError with all mistakes if there are any.
#[pyfunction]
pub fn check(name: &str, text: &str) -> PyResult<Vec<errors::Finding>> {
    Ok(read(name, text)?.warnings().iter().map(errors::finding).collect())
}

/// The scenario with every default filled in, as JSON.
#[pyfunction]
pub fn resolve(name: &str, text: &str) -> PyResult<String> {
    json(&read(name, text)?)
}

/// JSON of anything of ours; what cannot be written is our mistake.
pub fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))
}

/// The one of `known` that `word` is probably a slip of, if any.
#[pyfunction]
pub fn nearest(word: &str, known: Vec<String>) -> Option<String> {
    fairwire_scenario::nearest(word, known.iter().map(String::as_str)).map(str::to_owned)
}
