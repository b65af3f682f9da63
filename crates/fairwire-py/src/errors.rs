//! Errors of the workspace as exceptions of `fairwire.errors`: one family.

use fairwire_alloc::AllocError;
use fairwire_results::ResultsError;
use fairwire_scenario::{Diagnostic, Diagnostics};
use pyo3::PyErr;
use pyo3::exceptions::PyRuntimeError;

pyo3::import_exception!(fairwire.errors, ArgumentTypeError);
pyo3::import_exception!(fairwire.errors, CriterionError);
pyo3::import_exception!(fairwire.errors, FolderError);
pyo3::import_exception!(fairwire.errors, NoSuchIndexError);
pyo3::import_exception!(fairwire.errors, ProblemError);
pyo3::import_exception!(fairwire.errors, ScenarioError);
pyo3::import_exception!(fairwire.errors, SettingError);
pyo3::import_exception!(fairwire.errors, SolveError);
pyo3::import_exception!(fairwire.errors, SweepError);

/// One finding as Python gets it: message, label, help, line, column.
pub type Finding = (String, String, String, usize, usize);

/// A finding in the order in which `fairwire.Finding` takes its parts.
pub fn finding(item: &Diagnostic) -> Finding {
    (item.message.clone(), item.label.clone(), item.help.clone(), item.line, item.column)
}

/// A scenario with mistakes.
pub fn scenario(diagnostics: &Diagnostics) -> PyErr {
    let findings: Vec<Finding> = diagnostics.items.iter().map(finding).collect();
    ScenarioError::new_err((diagnostics.to_string(), diagnostics.file_name.clone(), diagnostics.text.clone(), findings))
}

/// A problem that was refused or could not be solved.
pub fn alloc(error: &AllocError) -> PyErr {
    let message = error.to_string();
    match error {
        AllocError::UnknownCriterion { .. } => CriterionError::new_err(message),
        AllocError::NotCertified { .. } => SolveError::new_err(message),
        AllocError::InfeasibleMinimums { link, flows: names, .. }
        | AllocError::InfeasibleIngressMinimums { link, ingresses: names, .. } => {
            ProblemError::new_err((message, kind(error), link.clone(), names.clone()))
        }
        _ => ProblemError::new_err((message, kind(error))),
    }
}

/// What ought not to have happened, as what `except Exception` holds.
pub fn defect(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("this is a defect of fairwire, please report it: {what}"))
}

/// A result folder that could not be written.
pub fn results(error: &ResultsError) -> PyErr {
    FolderError::new_err(error.to_string())
}

/// The name of the mistake in kebab case: `repeated-link`.
fn kind(error: &AllocError) -> String {
    let text = format!("{error:?}");
    let name = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let mut kebab = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.extend(c.to_lowercase());
    }
    kebab
}
