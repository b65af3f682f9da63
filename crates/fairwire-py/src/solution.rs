//! Fair rates as arrays.

use crate::table::{Table, arrow};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use fairwire_alloc::{Criterion, MaxMin, Rates, Uniqueness, text};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::sync::Arc;

/// Fair rates, one a flow in the order of the problem.
#[pyclass(frozen, module = "fairwire._native")]
pub struct Solution {
    criterion: Criterion,
    unique: Uniqueness,
    rates_bps: Py<PyArray1<f64>>,
    low_bps: Py<PyArray1<f64>>,
    high_bps: Py<PyArray1<f64>>,
    bottleneck: Py<PyArray1<i64>>,
}

impl Solution {
    /// The answer that a max-min solver holds: the only one there is.
    pub fn of_max_min(py: Python<'_>, criterion: Criterion, solved: &MaxMin) -> Self {
        let link = |&link: &u32| if link == MaxMin::NO_LINK { -1 } else { i64::from(link) };
        let bottleneck: Vec<i64> = solved.held_by().iter().map(link).collect();
        let rates_bps = PyArray1::from_slice(py, solved.rates_bps()).unbind();
        Self {
            criterion,
            unique: Uniqueness::Yes,
            low_bps: rates_bps.clone_ref(py),
            high_bps: rates_bps.clone_ref(py),
            rates_bps,
            bottleneck: PyArray1::from_vec(py, bottleneck).unbind(),
        }
    }

    pub fn new(py: Python<'_>, criterion: Criterion, rates: Rates) -> Self {
        let link = |link: &Option<usize>| link.and_then(|link| i64::try_from(link).ok()).unwrap_or(-1);
        let bottleneck: Vec<i64> = rates.bottleneck.iter().map(link).collect();
        let array = |rates: Vec<f64>| PyArray1::from_vec(py, rates).unbind();
        let rates_bps = array(rates.rates_bps);
        let bound = |bound: Vec<f64>| match rates.unique {
            Uniqueness::Yes => rates_bps.clone_ref(py),
            Uniqueness::No | Uniqueness::NotDecided => array(bound),
        };
        Self {
            criterion,
            unique: rates.unique,
            low_bps: bound(rates.low_bps),
            high_bps: bound(rates.high_bps),
            rates_bps,
            bottleneck: PyArray1::from_vec(py, bottleneck).unbind(),
        }
    }
}

#[pymethods]
impl Solution {
    /// The name of the criterion.
    #[getter]
    fn criterion(&self) -> &'static str {
        self.criterion.name()
    }

    /// Whether these are the only fair rates: "yes", "no" or "not-decided".
    #[getter]
    fn unique(&self) -> String {
        self.unique.to_string()
    }

    /// The rate of each flow, bit/s.
    #[getter]
    fn rates_bps(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        self.rates_bps.clone_ref(py)
    }

    /// The smallest rate of each flow over all fair sets of rates, bit/s.
    #[getter]
    fn low_bps(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        self.low_bps.clone_ref(py)
    }

    /// The largest rate of each flow over all fair sets of rates, bit/s.
    #[getter]
    fn high_bps(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        self.high_bps.clone_ref(py)
    }

    /// The link that holds each flow; -1 where it has all it asks for.
    #[getter]
    fn bottleneck(&self, py: Python<'_>) -> Py<PyArray1<i64>> {
        self.bottleneck.clone_ref(py)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.rates_bps.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "<fairwire.Solution: {} under {}, unique: {}>",
            text::count(self.__len__(py)?, "rate"),
            self.criterion,
            self.unique
        ))
    }

    /// A row a flow as an Arrow PyCapsule.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        // NumPy owns its arrays and may write into them; what Arrow is handed never changes.
        let reals = |array: &Py<PyArray1<f64>>| -> PyResult<ArrayRef> {
            Ok(Arc::new(Float64Array::from(array.bind(py).to_vec()?)))
        };
        let links: Vec<i64> = self.bottleneck.bind(py).to_vec()?;
        let links: Int64Array = links.into_iter().map(|link| Some(link).filter(|&link| link >= 0)).collect();
        let columns = [
            ("rate_bps", reals(&self.rates_bps)?, false),
            ("rate_low_bps", reals(&self.low_bps)?, false),
            ("rate_high_bps", reals(&self.high_bps)?, false),
            ("bottleneck", Arc::new(links) as ArrayRef, true),
        ];
        let batch = RecordBatch::try_from_iter_with_nullable(columns).map_err(|error| arrow(&error))?;
        Table::new(batch.schema(), vec![batch]).stream(py)
    }
}
