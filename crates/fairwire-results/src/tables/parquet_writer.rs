//! One table as a Parquet file.
//!
//! Written with the column writers of the `parquet` crate, without Arrow: the
//! tables are plain columns of numbers and short texts, and Arrow would double
//! the build time.

use super::chunk::{Cell, Chunk};
use super::column::{Column, ColumnType};
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type, TypePtr};
use std::io::Write;
use std::sync::Arc;

/// Rows gathered before a row group is written.
const ROWS_A_GROUP: usize = 1 << 20;
/// Cells handed to a column writer at once.
const CELLS_A_BATCH: usize = 1 << 12;

/// Writes a table as Parquet, a row group for about a million rows.
pub(crate) struct ParquetTable<W: Write + Send> {
    columns: Vec<Column>,
    file: SerializedFileWriter<W>,
    waiting: Vec<Chunk>,
    waiting_rows: usize,
}

impl<W: Write + Send> ParquetTable<W> {
    pub fn new(out: W, columns: Vec<Column>) -> Result<Self> {
        let file = SerializedFileWriter::new(out, schema(&columns)?, properties(&columns))?;
        Ok(Self { columns, file, waiting: Vec::new(), waiting_rows: 0 })
    }

    pub fn write(&mut self, chunk: Chunk) -> Result<()> {
        self.waiting_rows += chunk.rows;
        self.waiting.push(chunk);
        if self.waiting_rows >= ROWS_A_GROUP { self.write_group() } else { Ok(()) }
    }

    pub fn finish(mut self) -> Result<()> {
        if self.waiting_rows > 0 {
            self.write_group()?;
        }
        self.file.close().map(drop)
    }

    fn write_group(&mut self) -> Result<()> {
        let chunks = std::mem::take(&mut self.waiting);
        self.waiting_rows = 0;
        let mut group = self.file.next_row_group()?;
        for (at, column) in self.columns.iter().enumerate() {
            let mut writer = group.next_column()?.ok_or_else(|| ParquetError::EOF(column.name.to_owned()))?;
            for chunk in &chunks {
                match column.kind {
                    ColumnType::Integer | ColumnType::Unsigned => {
                        write_cells::<Int64Type, _>(&mut writer, column, chunk, at, |cell| match cell {
                            Cell::Integer(number) => Some(number),
                            _ => None,
                        })?;
                    }
                    ColumnType::Real => {
                        write_cells::<DoubleType, _>(&mut writer, column, chunk, at, |cell| match cell {
                            Cell::Real(number) => Some(number),
                            _ => None,
                        })?;
                    }
                    ColumnType::Text => {
                        write_cells::<ByteArrayType, _>(&mut writer, column, chunk, at, |cell| match cell {
                            Cell::Text(text) => Some(ByteArray::from(text.as_bytes().to_vec())),
                            _ => None,
                        })?;
                    }
                }
            }
            writer.close()?;
        }
        group.close().map(drop)
    }
}

/// Writes the cells of one column of one chunk; `read` turns a cell into a value, or nothing.
fn write_cells<T: DataType, F: Fn(Cell<'_>) -> Option<T::T>>(
    writer: &mut SerializedColumnWriter<'_>,
    column: &Column,
    chunk: &Chunk,
    at: usize,
    read: F,
) -> Result<()> {
    let cells = &chunk.cells[at];
    let (mut values, mut levels) = (Vec::with_capacity(CELLS_A_BATCH), Vec::with_capacity(CELLS_A_BATCH));
    for start in (0..chunk.rows).step_by(CELLS_A_BATCH) {
        let rows = start..chunk.rows.min(start + CELLS_A_BATCH);
        if cells.are_all_the_same() && values.len() >= rows.len() {
            values.truncate(rows.len());
            levels.truncate(rows.len());
        } else {
            values.clear();
            levels.clear();
            for row in rows {
                let value = read(cells.get(row));
                levels.push(i16::from(value.is_some()));
                values.extend(value);
            }
        }
        if !column.nullable && values.len() != levels.len() {
            return Err(ParquetError::General(format!("{}.{} has an empty cell", column.table, column.name)));
        }
        let levels = column.nullable.then_some(levels.as_slice());
        writer.typed::<T>().write_batch(&values, levels, None)?;
    }
    Ok(())
}

fn schema(columns: &[Column]) -> Result<TypePtr> {
    let fields = columns.iter().map(|column| {
        let (physical, logical) = match column.kind {
            ColumnType::Integer => (Physical::INT64, None),
            ColumnType::Unsigned => (Physical::INT64, Some(LogicalType::integer(64, false))),
            ColumnType::Real => (Physical::DOUBLE, None),
            ColumnType::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let repetition = if column.nullable { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let builder = Type::primitive_type_builder(column.name, physical);
        builder.with_repetition(repetition).with_logical_type(logical).build().map(Arc::new)
    });
    let fields = fields.collect::<Result<Vec<_>>>()?;
    Type::group_type_builder("schema").with_fields(fields).build().map(Arc::new)
}

/// Times rise by equal steps, so their differences compress best; what repeats goes into a dictionary.
fn properties(columns: &[Column]) -> WriterPropertiesPtr {
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("fairwire ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(true);
    for column in columns.iter().filter(|column| column.name == "t_ns") {
        let path = ColumnPath::from(column.name);
        properties = properties.set_column_dictionary_enabled(path.clone(), false);
        properties = properties.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
    }
    Arc::new(properties.build())
}

#[cfg(test)]
mod tests {
    use super::super::chunk::Cells;
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};

    #[test]
    fn a_row_group_has_about_a_million_rows() {
        let kind = ColumnType::Integer;
        let column = Column { table: "t", name: "n", kind, nullable: false, unit: "", meaning: "" };
        let mut out = Vec::new();
        let mut table = ParquetTable::new(&mut out, vec![column]).expect("a table");
        for rows in [ROWS_A_GROUP - 1, 1, 2, 3] {
            table.write(Chunk { rows, cells: vec![Cells::SameInteger(7)] }).expect("memory");
        }
        table.finish().expect("memory");
        let file = SerializedFileReader::new(bytes::Bytes::from(out)).expect("a table");
        let groups: Vec<i64> = file.metadata().row_groups().iter().map(|group| group.num_rows()).collect();
        assert_eq!(groups, [ROWS_A_GROUP as i64, 5]);
    }
}
