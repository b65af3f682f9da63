//! What is asked of a scenario, as scenarios to run.

use crate::errors::SettingError;
use crate::ring_law::{PythonLaw, Trouble};
use crate::scenario::read;
use fairwire_core::Span;
use fairwire_laws::ring::{OutsideLaw, RingLawChoice};
use fairwire_runs::once_each;
use fairwire_scenario::{LawChoice, Scenario, check_outside_names};
use pyo3::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The scenario under another duration, if one is given.
pub fn with_duration(scenario: Scenario, duration: Option<&str>) -> PyResult<Scenario> {
    let Some(text) = duration else { return Ok(scenario) };
    let span: Span = text.parse().map_err(|error| setting(format!("duration: {error}")))?;
    scenario.with_duration(span).map_err(|error| setting(error.to_string()))
}

/// The scenario once for each seed, however often that is given; once as it is without any.
pub fn with_seeds(scenario: &Scenario, seeds: Option<Vec<u64>>) -> PyResult<Vec<Scenario>> {
    let Some(seeds) = seeds else { return Ok(vec![scenario.clone()]) };
    if seeds.is_empty() {
        return Err(setting("there is no seed to run with".to_owned()));
    }
    let mut known = BTreeSet::new();
    let once = seeds.into_iter().filter(|seed| known.insert(*seed));
    once.map(|seed| scenario.with_seed(seed).map_err(|error| setting(error.to_string()))).collect()
}

/// The laws that `given` names, of the ring or of the network's queues: the scenario's own
/// as the scenario sets it, others with their defaults, and classes of Python; the scenario's own alone
/// if none is given. What laws in Python raise is kept in `trouble`.
pub fn laws(
    py: Python<'_>,
    scenario: &Scenario,
    given: Option<&[Py<PyAny>]>,
    trouble: &Arc<Trouble>,
) -> PyResult<Vec<LawChoice>> {
    let Some(given) = given else {
        let missing = || setting("the scenario names no law; add `law` to [ring], or say `law=`".to_owned());
        return Ok(vec![scenario.own_law().ok_or_else(missing)?]);
    };
    if given.is_empty() {
        return Err(setting("there is no law to run under".to_owned()));
    }
    let law = |given: &Py<PyAny>| match given.extract::<String>(py) {
        Ok(name) => scenario.law_called(&name).map_err(|error| setting(error.with_help())),
        Err(_) => in_python(scenario, given.bind(py), trouble),
    };
    let laws = once_each(given.iter().map(law).collect::<PyResult<Vec<_>>>()?);
    check_names(&laws)?;
    Ok(laws)
}

/// A class of Python as a law.
fn in_python(scenario: &Scenario, class: &Bound<'_, PyAny>, trouble: &Arc<Trouble>) -> PyResult<LawChoice> {
    let law = OutsideLaw::new(Arc::new(PythonLaw::new(class, trouble)?));
    if !scenario.is_ring() {
        let name = law.about().name;
        return Err(setting(format!("`{name}` is a law of rings, and the scenario has a network")));
    }
    Ok(LawChoice::Ring(RingLawChoice::outside(law)))
}

/// Tables know laws by name: no law in Python may have that of another one, of whatever kind.
fn check_names(laws: &[LawChoice]) -> PyResult<()> {
    let outside = laws.iter().filter_map(|law| match law {
        LawChoice::Ring(RingLawChoice::outside(law)) => Some(law),
        _ => None,
    });
    check_outside_names(outside).map_err(|error| setting(format!("{error}; give the class another `name`")))
}

/// The names of the laws that `compare` takes unless told: of the scenario's sweep over laws, or all there are.
#[pyfunction]
pub fn laws_to_compare(name: &str, text: &str) -> PyResult<Vec<String>> {
    let scenario = read(name, text)?;
    let all = || scenario.all_laws().iter().map(|about| about.name.to_owned()).collect();
    Ok(scenario.swept_laws().map_or_else(all, <[String]>::to_vec))
}

/// A setting that does not fit.
pub fn setting(message: String) -> pyo3::PyErr {
    SettingError::new_err(message)
}
