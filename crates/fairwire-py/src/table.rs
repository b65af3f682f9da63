//! Arrow tables that any library reads without a copy.

use crate::columns::{self, Column};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};
use fairwire_alloc::text;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::sync::Arc;

/// How a pickle makes something again: a function of this module, and what it takes.
pub type Again<'py, Parts> = (Bound<'py, PyAny>, Parts);

/// A table in Arrow's memory layout.
///
/// `polars.DataFrame(table)`, `pyarrow.table(table)` and
/// `pandas.DataFrame.from_arrow(table)` take it as it stands, through Arrow's
/// PyCapsule interface; so does anything else that speaks it.
#[pyclass(frozen, module = "fairwire._native")]
pub struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { schema, batches }
    }

    /// The columns that it has.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Its pieces.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The rows as a stream that shares the buffers.
    pub fn stream<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let batches = self.batches.clone().into_iter().map(Ok);
        let reader: Box<dyn RecordBatchReader + Send> =
            Box::new(RecordBatchIterator::new(batches, self.schema.clone()));
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
    }
}

#[pymethods]
impl Table {
    /// The names of the columns, in order.
    #[getter]
    fn column_names(&self) -> Vec<&str> {
        self.schema.fields().iter().map(|field| field.name().as_str()).collect()
    }

    /// The number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.rows()
    }

    /// How many rows each of its pieces has.
    #[getter]
    fn pieces(&self) -> Vec<usize> {
        self.batches.iter().map(RecordBatch::num_rows).collect()
    }

    /// Its first rows, in the same memory.
    fn head(&self, rows: usize) -> Self {
        let mut left = rows;
        let piece = |batch: &RecordBatch| {
            let taken = left.min(batch.num_rows());
            left -= taken;
            (taken > 0).then(|| batch.slice(0, taken))
        };
        let batches = self.batches.iter().filter_map(piece).collect();
        Self { schema: Arc::clone(&self.schema), batches }
    }

    /// The columns in NumPy's arrays, and text in lists; see [`columns::columns`].
    #[pyo3(signature = (names=None))]
    fn columns<'py>(&self, py: Python<'py>, names: Option<Vec<String>>) -> PyResult<Vec<Column<'py>>> {
        columns::columns(py, self, names.as_deref())
    }

    /// Whether another table has the same columns and the same cells.
    fn same(&self, py: Python<'_>, other: &Self) -> bool {
        py.detach(|| columns::same(self, other))
    }

    /// How a pickle makes it again.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Again<'py, (Vec<usize>, Vec<Column<'py>>)>> {
        Ok((py.import("fairwire._native")?.getattr("table_of")?, (self.pieces(), self.columns(py, None)?)))
    }

    fn __len__(&self) -> usize {
        self.rows()
    }

    fn __repr__(&self) -> String {
        format!("<fairwire.Table: {} of {}>", text::count(self.rows(), "row"), self.column_names().join(", "))
    }

    /// The schema as an Arrow PyCapsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.schema.as_ref()).map_err(|error| arrow(&error))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The rows as an Arrow PyCapsule; the buffers are shared, not copied.
    ///
    /// `requested_schema` is taken and not heeded, as the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        self.stream(py)
    }
}

/// The table of columns as [`Table::columns`] gives them, in pieces of so many rows.
#[pyfunction]
pub fn table_of(pieces: Vec<usize>, columns: Vec<Column<'_>>) -> PyResult<Table> {
    columns::table(&pieces, &columns)
}

/// Tables are built from columns of one length, so this is our mistake.
pub fn arrow(error: &ArrowError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
