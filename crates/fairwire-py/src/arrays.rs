//! Arrays of NumPy that a problem shares with its maker.

use crate::errors::ProblemError;
use numpy::{Element, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

/// Real numbers shared with their maker.
pub type Reals = Shared<f64>;
/// Indices shared with their maker.
pub type Indices = Shared<u32>;

/// An array that somebody in Python may hold and write into, too.
pub struct Shared<T> {
    name: &'static str,
    array: Py<PyArray1<T>>,
}

/// The same while it is looked at.
pub struct Lent<'py, T: Element> {
    name: &'static str,
    array: PyReadonlyArray1<'py, T>,
}

impl<T: Element> Shared<T> {
    /// Shares `array`, which Python has brought into this form.
    pub fn new(name: &'static str, array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let array =
            array.cast::<PyArray1<T>>().map_err(|_| bad(format!("{name}: not an array of this kind"), "array"))?;
        Ok(Self { name, array: array.clone().unbind() })
    }

    /// Lends the array for reading.
    pub fn lend<'py>(&self, py: Python<'py>) -> PyResult<Lent<'py, T>> {
        let array = self.array.bind(py).try_readonly();
        let array = array.map_err(|_| bad(format!("{}: the array is being written", self.name), "array"))?;
        Ok(Lent { name: self.name, array })
    }
}

impl<T: Element> Lent<'_, T> {
    /// The cells, which have to lie in one piece.
    pub fn cells(&self) -> PyResult<&[T]> {
        cells(self.name, &self.array)
    }
}

/// The cells of an array, which have to lie in one piece.
pub fn cells<'a, T: Element>(name: &str, array: &'a PyReadonlyArray1<'_, T>) -> PyResult<&'a [T]> {
    array.as_slice().map_err(|_| bad(format!("{name}: the array does not lie in one piece"), "array"))
}

/// A problem that is refused for its arrays.
pub fn bad(message: String, kind: &'static str) -> PyErr {
    ProblemError::new_err((message, kind))
}
