//! A scenario given as a dictionary, written as the TOML it stands for.

use crate::errors::SettingError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyMapping, PySet, PyString};
use toml::{Table, Value};

/// Deeper than any scenario; a list that holds itself ends here.
const DEEPEST: usize = 32;

/// Longer than any list of a scenario, and soon told.
const MOST_ITEMS: usize = 4_000_000;

/// The TOML text of a dictionary with the keys of a scenario file.
///
/// Entries that are None are left out. Lists and all that can be gone through, mappings, text, numbers
/// and booleans are taken, those of NumPy and of columns of tables too. Sets are not: they have no order.
#[pyfunction]
pub fn to_toml(scenario: &Bound<'_, PyDict>) -> PyResult<String> {
    let table = table(scenario.as_mapping(), "", 0)?;
    toml::to_string(&table).map_err(|error| SettingError::new_err(format!("the scenario cannot be written: {error}")))
}

fn table(mapping: &Bound<'_, PyMapping>, place: &str, depth: usize) -> PyResult<Table> {
    let mut table = Table::new();
    // A list of its own: what an item says of itself may change the mapping.
    for pair in mapping.items()? {
        let (key, item): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
        if item.is_none() {
            continue;
        }
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
        let text =
            text.to_str().map_err(|_| SettingError::new_err(format!("`{place}` holds half a surrogate pair")))?;
        return Ok(Value::String(text.to_owned()));
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
    // Scalars and arrays of NumPy, and columns of tables, say themselves what they are in plain Python.
    for plain in ["tolist", "to_list"] {
        if item.hasattr(plain)? {
            return value(&item.call_method0(plain)?, place, depth + 1);
        }
    }
    if let Ok(mapping) = item.cast::<PyMapping>() {
        return Ok(Value::Table(table(mapping, place, depth)?));
    }
    if let (Ok(items), false) = (item.try_iter(), is_no_list(item)) {
        let items = items.take(MOST_ITEMS + 1).map(|item| value(&item?, place, depth + 1));
        let items: Vec<Value> = items.collect::<PyResult<_>>()?;
        if items.len() > MOST_ITEMS {
            return Err(SettingError::new_err(format!("`{place}` is longer than any list of a scenario")));
        }
        return Ok(Value::Array(items));
    }
    let kind = item.get_type().name()?;
    Err(SettingError::new_err(format!(
        "`{place}` is of type {kind}; a scenario holds text, numbers, booleans, lists and dictionaries: make it one of \
         them"
    )))
}

/// Bytes are no numbers, and a set has another order in every process.
fn is_no_list(item: &Bound<'_, PyAny>) -> bool {
    item.is_instance_of::<PyBytes>()
        || item.is_instance_of::<PyByteArray>()
        || item.is_instance_of::<PySet>()
        || item.is_instance_of::<PyFrozenSet>()
}

fn too_large(place: &str) -> PyErr {
    SettingError::new_err(format!("`{place}` is a whole number beyond 64 bits"))
}
