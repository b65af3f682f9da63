//! A scenario given as a dictionary, written as the TOML it stands for.

use crate::errors::SettingError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use toml::{Table, Value};

/// Deeper than any scenario; a list that holds itself ends here.
const DEEPEST: usize = 32;

/// The TOML text of a dictionary with the keys of a scenario file.
///
/// Entries that are None are left out. Lists, tuples, mappings, text, numbers
/// and booleans are taken, those of NumPy too.
#[pyfunction]
pub fn to_toml(scenario: &Bound<'_, PyDict>) -> PyResult<String> {
    let table = table(scenario, "", 0)?;
    toml::to_string(&table).map_err(|error| SettingError::new_err(format!("the scenario cannot be written: {error}")))
}

fn table(dictionary: &Bound<'_, PyDict>, place: &str, depth: usize) -> PyResult<Table> {
    let mut table = Table::new();
    for (key, item) in dictionary.iter().filter(|(_, item)| !item.is_none()) {
        let Ok(key) = key.extract::<String>() else {
            return Err(SettingError::new_err(format!("the keys of a scenario are text, not {}", key.repr()?)));
        };
        let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
        table.insert(key, value(&item, &place, depth + 1)?);
    }
    Ok(table)
}

fn value(item: &Bound<'_, PyAny>, place: &str, depth: usize) -> PyResult<Value> {
    if depth > DEEPEST {
        return Err(SettingError::new_err(format!("`{place}` lies deeper than any key of a scenario")));
    }
    if let Ok(text) = item.cast::<PyString>() {
        return Ok(Value::String(text.to_str()?.to_owned()));
    }
    if let Ok(truth) = item.cast::<PyBool>() {
        return Ok(Value::Boolean(truth.is_true()));
    }
    if item.is_instance_of::<PyInt>() {
        return Ok(Value::Integer(item.extract().map_err(|_| too_large(place))?));
    }
    if item.is_instance_of::<PyFloat>() {
        return Ok(Value::Float(item.extract()?));
    }
    if let Ok(dictionary) = item.cast::<PyDict>() {
        return Ok(Value::Table(table(dictionary, place, depth)?));
    }
    // Scalars and arrays of NumPy say themselves what they are in plain Python.
    if item.hasattr("tolist")? {
        return value(&item.call_method0("tolist")?, place, depth + 1);
    }
    if let Ok(items) = item.try_iter() {
        let items = items.map(|item| value(&item?, place, depth + 1));
        return Ok(Value::Array(items.collect::<PyResult<_>>()?));
    }
    let kind = item.get_type().name()?;
    Err(SettingError::new_err(format!(
        "`{place}` is a {kind}; a scenario holds text, numbers, booleans, lists and dictionaries"
    )))
}

fn too_large(place: &str) -> PyErr {
    SettingError::new_err(format!("`{place}` is a whole number beyond 64 bits"))
}
