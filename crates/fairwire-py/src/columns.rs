//! Columns of tables as NumPy arrays and lists of text, and back: what needs no other library, and what pickles hold.

use crate::run::setting;
use crate::table::{Table, arrow};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::{DataType, Field, Schema};
use numpy::{Element, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// A column as Python holds it: name, kind, whether cells may be missing, the cells, and which of them are there; all are without that.
/// Text is a list, in which the same text is one object; what is missing is None there.
pub type Column<'py> = (String, String, bool, Bound<'py, PyAny>, Option<Bound<'py, PyAny>>);

/// The columns of a table: those of these names, or all.
pub fn columns<'py>(py: Python<'py>, table: &Table, names: Option<&[String]>) -> PyResult<Vec<Column<'py>>> {
    let column = |(at, field): (usize, &Arc<Field>)| {
        let pieces: Vec<&ArrayRef> = table.batches().iter().map(|batch| batch.column(at)).collect();
        let (kind, cells) = match field.data_type() {
            DataType::Int64 => ("int64", numbers::<Int64Type>(py, &pieces)),
            DataType::UInt64 => ("uint64", numbers::<UInt64Type>(py, &pieces)),
            DataType::Float64 => ("float64", numbers::<Float64Type>(py, &pieces)),
            _ => ("text", texts(py, &pieces)?),
        };
        let missing = kind != "text" && pieces.iter().any(|piece| piece.null_count() > 0);
        let there = missing.then(|| {
            let there = pieces.iter().flat_map(|piece| (0..piece.len()).map(|row| piece.is_valid(row)));
            PyArray1::from_vec(py, there.collect()).into_any()
        });
        Ok((field.name().clone(), kind.to_owned(), field.is_nullable(), cells, there))
    };
    let is_wanted = |(_, field): &(usize, &Arc<Field>)| names.is_none_or(|names| names.contains(field.name()));
    table.schema().fields().iter().enumerate().filter(is_wanted).map(column).collect()
}

fn numbers<'py, T: ArrowPrimitiveType<Native: Element>>(py: Python<'py>, pieces: &[&ArrayRef]) -> Bound<'py, PyAny> {
    let cells: Vec<T::Native> =
        pieces.iter().flat_map(|piece| piece.as_primitive::<T>().values().iter().copied()).collect();
    PyArray1::from_vec(py, cells).into_any()
}

fn texts<'py>(py: Python<'py>, pieces: &[&ArrayRef]) -> PyResult<Bound<'py, PyAny>> {
    let mut known: HashMap<&str, Bound<'py, PyString>> = HashMap::new();
    let cells = PyList::empty(py);
    for text in pieces.iter().flat_map(|piece| piece.as_string::<i32>().iter()) {
        match text {
            Some(text) => cells.append(&*known.entry(text).or_insert_with(|| PyString::new(py, text)))?,
            None => cells.append(py.None())?,
        }
    }
    Ok(cells.into_any())
}

/// The table of such columns, in pieces of so many rows.
///
/// # Errors
/// SettingError where they are not what [`columns`] gives.
pub fn table(pieces: &[usize], columns: &[Column<'_>]) -> PyResult<Table> {
    let fields = columns.iter().map(|(name, kind, may_miss, ..)| {
        let kind = match kind.as_str() {
            "int64" => DataType::Int64,
            "uint64" => DataType::UInt64,
            "float64" => DataType::Float64,
            "text" => DataType::Utf8,
            _ => return Err(no_table("it is of another version")),
        };
        Ok(Field::new(name, kind, *may_miss))
    });
    let schema = Arc::new(Schema::new(fields.collect::<PyResult<Vec<_>>>()?));
    let arrays = columns.iter().map(|column| arrays(pieces, column)).collect::<PyResult<Vec<_>>>()?;
    let batch = |(piece, &rows): (usize, &usize)| {
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let cells = arrays.iter().map(|pieces| Arc::clone(&pieces[piece])).collect();
        RecordBatch::try_new_with_options(Arc::clone(&schema), cells, &options).map_err(|error| arrow(&error))
    };
    let batches = pieces.iter().enumerate().map(batch).collect::<PyResult<Vec<_>>>()?;
    Ok(Table::new(schema, batches))
}

/// The pieces of one column.
fn arrays(pieces: &[usize], (_, kind, _, cells, there): &Column<'_>) -> PyResult<Vec<ArrayRef>> {
    let there: Option<PyReadonlyArray1<'_, bool>> = there.as_ref().map(|there| there.extract()).transpose()?;
    let there = there.as_ref().map(|there| there.as_slice()).transpose().map_err(|_| no_table("it is damaged"))?;
    match kind.as_str() {
        "int64" => of_numbers::<Int64Type>(pieces, cells, there),
        "uint64" => of_numbers::<UInt64Type>(pieces, cells, there),
        "float64" => of_numbers::<Float64Type>(pieces, cells, there),
        _ => {
            let cells: Vec<Option<String>> = cells.extract()?;
            let piece = |rows: Range<usize>| cells.get(rows).map(|cells| Arc::new(StringArray::from_iter(cells)) as _);
            cut(pieces, cells.len(), piece)
        }
    }
}

fn of_numbers<T: ArrowPrimitiveType<Native: Element>>(
    pieces: &[usize],
    cells: &Bound<'_, PyAny>,
    there: Option<&[bool]>,
) -> PyResult<Vec<ArrayRef>> {
    let cells: PyReadonlyArray1<'_, T::Native> = cells.extract()?;
    let cells = cells.as_slice().map_err(|_| no_table("it is damaged"))?;
    let piece = |rows: Range<usize>| {
        let there = match there {
            Some(there) => Some(there.get(rows.clone())?.to_vec().into()),
            None => None,
        };
        Some(Arc::new(PrimitiveArray::<T>::new(cells.get(rows)?.to_vec().into(), there)) as _)
    };
    cut(pieces, cells.len(), piece)
}

/// A column cut into pieces of so many rows.
fn cut(pieces: &[usize], length: usize, piece: impl Fn(Range<usize>) -> Option<ArrayRef>) -> PyResult<Vec<ArrayRef>> {
    let mut end = 0_usize;
    let cut = |&rows: &usize| {
        let start = end;
        end = start.checked_add(rows)?;
        piece(start..end)
    };
    let arrays: Option<Vec<ArrayRef>> = pieces.iter().map(cut).collect();
    arrays.filter(|_| end == length).ok_or_else(|| no_table("it is damaged"))
}

/// Whether two tables have the same columns and the same cells; what is not a number is the same as itself.
pub fn same(a: &Table, b: &Table) -> bool {
    let alike =
        |(a, b): (Option<f64>, Option<f64>)| a == b || matches!((a, b), (Some(a), Some(b)) if a.is_nan() && b.is_nan());
    a.schema().fields() == b.schema().fields()
        && a.rows() == b.rows()
        && a.schema().fields().iter().enumerate().all(|(at, field)| match field.data_type() {
            DataType::Int64 => each::<Int64Type>(a, at).eq(each::<Int64Type>(b, at)),
            DataType::UInt64 => each::<UInt64Type>(a, at).eq(each::<UInt64Type>(b, at)),
            DataType::Float64 => each::<Float64Type>(a, at).zip(each::<Float64Type>(b, at)).all(alike),
            _ => each_text(a, at).eq(each_text(b, at)),
        })
}

fn each<T: ArrowPrimitiveType>(table: &Table, at: usize) -> impl Iterator<Item = Option<T::Native>> + '_ {
    table.batches().iter().flat_map(move |batch| batch.column(at).as_primitive::<T>().iter())
}

fn each_text(table: &Table, at: usize) -> impl Iterator<Item = Option<&str>> + '_ {
    table.batches().iter().flat_map(move |batch| batch.column(at).as_string::<i32>().iter())
}

fn no_table(why: &str) -> PyErr {
    setting(format!("this is no table of this version of fairwire: {why}"))
}
