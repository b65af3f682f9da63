//! What laws in Python give: each is what it has to be, or is told with its name, its value and what to give.

use super::text::kept;
use crate::errors::ArgumentTypeError;
use crate::run::setting;
use fairwire_core::{NoName, check_name};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyString};
use std::borrow::Cow;

/// A name, as in scenarios; `key` is what messages call it.
pub fn name(key: &str, value: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    let name = text(key, value)?;
    check_name(&name).map_err(|wrong| no_name(key, value, wrong))?;
    Ok(kept(&name))
}

/// Text that says something, if need be in several lines.
pub fn some_text(key: &str, value: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    let text = text(key, value)?;
    match check_name(&text) {
        Err(wrong @ NoName::IsEmpty) => Err(no_name(key, value, wrong)),
        _ => Ok(kept(&text)),
    }
}

fn no_name(key: &str, value: &Bound<'_, PyAny>, wrong: NoName) -> PyErr {
    let value = value.repr().map_or_else(|_| "that".to_owned(), |value| value.to_string());
    setting(format!("{key}: {value} {wrong}; use letters, digits and marks"))
}

/// Text; what is none, or holds half a character, is refused in the words of all arguments.
pub fn text<'a>(key: &str, value: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, str>> {
    if let Some(text) = value.cast::<PyString>().ok().and_then(|text| text.to_cow().ok()) {
        return Ok(text);
    }
    value.py().import("fairwire._arguments")?.call_method1("text", (key, value))?;
    Err(setting(format!("{key}: text that can be written down")))
}

/// A whole number below `end`; of other ones `none` is said. Truth is no number here.
pub fn whole(name: &str, given: &Bound<'_, PyAny>, end: u64, none: impl FnOnce() -> PyErr) -> PyResult<u64> {
    let number = given.call_method0("__index__").ok().filter(|_| !given.is_instance_of::<PyBool>());
    let number =
        number.ok_or_else(|| ArgumentTypeError::new_err(format!("{name}: a whole number, not {}", kind(given))))?;
    number.extract().ok().filter(|&number| number < end).ok_or_else(none)
}

/// A real number, or truth as one or zero.
pub fn real_or_truth(name: &str, given: &Bound<'_, PyAny>) -> PyResult<f64> {
    match given.cast::<PyBool>() {
        Ok(truth) => Ok(f64::from(u8::from(truth.is_true()))),
        Err(_) => real(name, given),
    }
}

/// A real number; text and truth are none.
pub fn real(name: &str, given: &Bound<'_, PyAny>) -> PyResult<f64> {
    if given.is_instance_of::<PyBool>() {
        return Err(ArgumentTypeError::new_err(format!("{name}: a number, not bool")));
    }
    given.extract::<f64>().map_err(|error| {
        if error.is_instance_of::<PyTypeError>(given.py()) {
            ArgumentTypeError::new_err(format!("{name}: a number, not {}", kind(given)))
        } else if error.is_instance_of::<PyOverflowError>(given.py()) {
            setting(format!("{name}: {given}; a number that fits into a float"))
        } else {
            error
        }
    })
}

/// The bytes of a message: `bytes`, or several whole numbers from 0 to 255.
pub fn bytes(given: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(bytes) = given.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    if let Ok(bytes) = given.cast::<PyByteArray>() {
        return Ok(bytes.to_vec());
    }
    let has_end = !given.is_instance_of::<PyString>() && given.len().is_ok();
    let several = has_end.then(|| given.try_iter().ok()).flatten().ok_or_else(|| {
        ArgumentTypeError::new_err(format!("message: bytes, such as those of struct.pack, not {}", kind(given)))
    })?;
    let byte = |(at, byte): (usize, PyResult<Bound<'_, PyAny>>)| {
        let (name, byte) = (format!("message[{at}]"), byte?);
        let none = || setting(format!("{name}: {byte}; a byte is a whole number from 0 to 255"));
        whole(&name, &byte, 1 << u8::BITS, none).map(|byte| byte as u8)
    };
    several.enumerate().map(byte).collect()
}

/// What a value is.
fn kind(given: &Bound<'_, PyAny>) -> String {
    given.get_type().name().map_or_else(|_| "that".to_owned(), |name| name.to_string())
}
