//! Fair rates as arrays.

use crate::allocate::parse;
use crate::run::setting;
use crate::table::{Again, Table, arrow};
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

    /// NumPy owns its arrays and may write into them; what Arrow is handed never changes.
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
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
        Ok(Table::new(batch.schema(), vec![batch]))
    }
}

/// Criterion, whether these are the only rates, the rates with the smallest and the largest, and bottlenecks.
type Parts = (String, String, [Py<PyArray1<f64>>; 3], Py<PyArray1<i64>>);

/// A solution that was pickled or copied.
#[pyfunction]
pub fn solution_of(
    criterion: &str,
    unique: &str,
    rates: [Py<PyArray1<f64>>; 3],
    bottleneck: Py<PyArray1<i64>>,
) -> PyResult<Solution> {
    let criterion = parse(criterion)?;
    let known = [Uniqueness::Yes, Uniqueness::No, Uniqueness::NotDecided];
    let unique = known.into_iter().find(|known| known.to_string() == unique);
    let unique = unique.ok_or_else(|| setting("this is no solution of this version of fairwire".to_owned()))?;
    let [rates_bps, low_bps, high_bps] = rates;
    Ok(Solution { criterion, unique, rates_bps, low_bps, high_bps, bottleneck })
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

    /// The rate of each flow in bit/s, 0 or more: an array of float64 with an entry a flow, in the order of the problem.
    #[getter]
    fn rates_bps(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        self.rates_bps.clone_ref(py)
    }

    /// The smallest rate of each flow over all fair sets of rates, in bit/s: an array as `rates_bps`, and the same one where
    /// these are the only fair rates.
    #[getter]
    fn low_bps(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        self.low_bps.clone_ref(py)
    }

    /// The largest rate of each flow over all fair sets of rates, in bit/s: an array as `rates_bps`, and the same one where
    /// these are the only fair rates.
    #[getter]
    fn high_bps(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        self.high_bps.clone_ref(py)
    }

    /// The number of the link that holds each flow, and -1 where it has all it asks for: an array of int64 with an entry a flow.
    #[getter]
    fn bottleneck(&self, py: Python<'_>) -> Py<PyArray1<i64>> {
        self.bottleneck.clone_ref(py)
    }

    /// Whether another solution has the same rates, bounds and bottlenecks under the same criterion.
    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        let reals = |array: &Py<PyArray1<f64>>| array.bind(py).to_vec();
        let bounds = |solution: &Self| -> PyResult<[Vec<f64>; 3]> {
            Ok([reals(&solution.rates_bps)?, reals(&solution.low_bps)?, reals(&solution.high_bps)?])
        };
        Ok(self.criterion == other.criterion
            && self.unique == other.unique
            && bounds(self)? == bounds(other)?
            && self.bottleneck.bind(py).to_vec()? == other.bottleneck.bind(py).to_vec()?)
    }

    /// How a pickle makes it again.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Again<'py, Parts>> {
        let rates = [&self.rates_bps, &self.low_bps, &self.high_bps].map(|array| array.clone_ref(py));
        let parts = (self.criterion().to_owned(), self.unique(), rates, self.bottleneck.clone_ref(py));
        Ok((py.import("fairwire._native")?.getattr("solution_of")?, parts))
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

    /// A row a flow as a `fairwire.Table`, in the order of the problem: `rate_bps`, `rate_low_bps`, `rate_high_bps` and
    /// `bottleneck`, which is missing where the flow has all it asks for.
    #[getter]
    fn flows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("fairwire._table")?.getattr("Table")?.call1((self.table(py)?,))
    }

    fn _repr_html_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.flows(py)?.call_method0("_repr_html_")
    }

    /// A row a flow as an Arrow PyCapsule.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        self.table(py)?.stream(py)
    }
}
