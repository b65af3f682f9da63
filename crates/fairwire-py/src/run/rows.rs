//! Runs as Arrow tables, with the columns of the result folders.

use crate::table::{Table, arrow};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use fairwire_results::{Cells, Chunk, ColumnType, Plan, RunOutcome, columns, each_chunk};
use pyo3::PyResult;
use pyo3::exceptions::PyKeyError;
use std::sync::Arc;

/// The table called `name`, run by run.
pub fn table(name: &str, plan: &Plan, runs: &[RunOutcome]) -> PyResult<Table> {
    let schema = schema(name)?;
    let batches = runs.iter().map(|run| batches(name, &schema, plan, run)).collect::<PyResult<Vec<_>>>()?;
    Ok(Table::new(schema.clone(), batches.into_iter().flatten().collect()))
}

fn schema(table: &str) -> PyResult<SchemaRef> {
    let fields = columns().into_iter().filter(|column| column.table == table).map(|column| {
        let kind = match column.kind {
            ColumnType::Integer => DataType::Int64,
            ColumnType::Unsigned => DataType::UInt64,
            ColumnType::Real => DataType::Float64,
            ColumnType::Text => DataType::Utf8,
        };
        Field::new(column.name, kind, column.nullable)
    });
    let fields: Vec<Field> = fields.collect();
    if fields.is_empty() {
        return Err(PyKeyError::new_err(format!("there is no table {table}")));
    }
    Ok(Arc::new(Schema::new(fields)))
}

/// The rows of one run.
fn batches(name: &str, schema: &SchemaRef, plan: &Plan, run: &RunOutcome) -> PyResult<Vec<RecordBatch>> {
    let mut batches = Vec::new();
    each_chunk(name, plan, run, |chunk| {
        let columns = chunk
            .cells
            .iter()
            .zip(schema.fields())
            .map(|(cells, field)| array(cells, chunk.rows, *field.data_type() == DataType::UInt64));
        batches.push(RecordBatch::try_new(schema.clone(), columns.collect())?);
        Ok(())
    })
    .map_err(|error: ArrowError| arrow(&error))?;
    Ok(batches)
}

/// The rows of a table as they came from the runs, piece by piece.
pub fn chunks(table: &Table) -> impl Iterator<Item = Chunk> + '_ {
    table
        .batches()
        .iter()
        .map(|batch| Chunk { rows: batch.num_rows(), cells: batch.columns().iter().map(cells).collect() })
}

fn cells(column: &ArrayRef) -> Cells {
    match column.data_type() {
        DataType::Int64 => Cells::MaybeIntegers(column.as_primitive::<Int64Type>().iter().collect()),
        DataType::UInt64 => {
            let numbers = column.as_primitive::<UInt64Type>().iter();
            Cells::MaybeIntegers(numbers.map(|number| number.map(u64::cast_signed)).collect())
        }
        DataType::Float64 => Cells::MaybeReals(column.as_primitive::<Float64Type>().iter().collect()),
        _ => Cells::MaybeTexts(column.as_string::<i32>().iter().map(|text| text.map(Arc::from)).collect()),
    }
}

/// One column; unsigned numbers have kept their bits.
fn array(cells: &Cells, rows: usize, unsigned: bool) -> ArrayRef {
    match cells {
        Cells::SameText(text) => Arc::new(StringArray::from_iter_values(std::iter::repeat_n(text, rows))),
        Cells::SameInteger(number) if unsigned => Arc::new(UInt64Array::from_value(number.cast_unsigned(), rows)),
        Cells::SameInteger(number) => Arc::new(Int64Array::from_value(*number, rows)),
        Cells::Integers(numbers) => Arc::new(Int64Array::from(numbers.clone())),
        Cells::MaybeIntegers(numbers) => Arc::new(Int64Array::from(numbers.clone())),
        Cells::Reals(numbers) => Arc::new(Float64Array::from(numbers.clone())),
        Cells::MaybeReals(numbers) => Arc::new(Float64Array::from(numbers.clone())),
        Cells::Texts(texts) => Arc::new(StringArray::from_iter_values(texts)),
        Cells::MaybeTexts(texts) => Arc::new(texts.iter().map(|text| text.as_deref()).collect::<StringArray>()),
    }
}
