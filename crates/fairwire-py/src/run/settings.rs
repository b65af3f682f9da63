//! What is asked of a scenario, as scenarios to run.

use crate::errors::SettingError;
use fairwire_core::Span;
use fairwire_scenario::{LawChoice, Scenario};
use pyo3::PyResult;

/// The scenario under another duration, if one is given.
pub fn with_duration(scenario: Scenario, duration: Option<&str>) -> PyResult<Scenario> {
    let Some(text) = duration else { return Ok(scenario) };
    let span: Span = text.parse().map_err(|error| setting(format!("duration: {error}")))?;
    scenario.with_duration(span).map_err(|error| setting(error.to_string()))
}

/// The scenario once for each seed; once as it is without any.
pub fn with_seeds(scenario: &Scenario, seeds: Option<Vec<u64>>) -> PyResult<Vec<Scenario>> {
    let Some(seeds) = seeds else { return Ok(vec![scenario.clone()]) };
    if seeds.is_empty() {
        return Err(setting("there is no seed to run with".to_owned()));
    }
    seeds.into_iter().map(|seed| scenario.with_seed(seed).map_err(|error| setting(error.to_string()))).collect()
}

/// The laws called `names`, of the ring or of the network's queues: the scenario's own
/// as the scenario sets it, others with their defaults; its own alone without any.
pub fn laws(scenario: &Scenario, names: Option<Vec<String>>) -> PyResult<Vec<LawChoice>> {
    let Some(names) = names else {
        let missing = || setting("the scenario names no law; add `law` to [ring], or say `law=`".to_owned());
        return Ok(vec![scenario.own_law().ok_or_else(missing)?]);
    };
    if names.is_empty() {
        return Err(setting("there is no law to run under".to_owned()));
    }
    let law = |name: &String| scenario.law_called(name).map_err(|error| setting(error.with_help()));
    names.iter().map(law).collect()
}

/// A setting that does not fit.
pub fn setting(message: String) -> pyo3::PyErr {
    SettingError::new_err(message)
}
