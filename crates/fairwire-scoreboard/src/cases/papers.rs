//! The papers' scenarios without TCP whose flows all send throughout the measured half, so that
//! their means have fair rates to be compared with.

use crate::ScoreError;
use fairwire_scenario::Scenario;

macro_rules! shipped {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../scenarios/papers/", $name, ".toml")))),+]
    };
}

/// Names and texts.
pub const PAPERS: &[(&str, &str)] = shipped![
    "parking-lot",
    "parallel-parking-lot",
    "two-exit",
    "upstream-parallel",
    "fig5",
    "convergence",
    "convergence-long-ring",
    "parking-lot-pareto",
    "two-flow-am",
    "two-flow-cm",
    "ecm-unequal",
    "ecm-twenty-stations",
    "ecm-two-domains",
    "ecm-weights",
    "ecm-classes",
];

/// The scenario called `name` in the list.
///
/// # Errors
/// [`ScoreError::Scenario`] if it does not read.
pub fn paper(name: &str, text: &str) -> Result<(Scenario, String), ScoreError> {
    match Scenario::parse(name, text) {
        Ok(scenario) => Ok((scenario, text.to_owned())),
        Err(errors) => Err(ScoreError::Scenario { case: name.to_owned(), message: errors.to_string() }),
    }
}
