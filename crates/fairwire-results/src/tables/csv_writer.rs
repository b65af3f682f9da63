//! One table as a CSV file.

use super::chunk::{Cell, Chunk};
use super::column::{Column, ColumnType};
use std::io::Write;

/// Writes a table as CSV: a header, then one line a row; empty cells are empty.
pub(crate) struct CsvTable<W: Write> {
    columns: Vec<Column>,
    out: csv::Writer<W>,
}

impl<W: Write> CsvTable<W> {
    pub fn new(out: W, columns: Vec<Column>) -> Result<Self, csv::Error> {
        let mut out = csv::Writer::from_writer(out);
        out.write_record(columns.iter().map(|column| column.name))?;
        Ok(Self { columns, out })
    }

    pub fn write(&mut self, chunk: &Chunk) -> Result<(), csv::Error> {
        let mut text = String::new();
        for row in 0..chunk.rows {
            for (column, cells) in self.columns.iter().zip(&chunk.cells) {
                text.clear();
                push_cell(&mut text, column.kind, &cells.get(row));
                self.out.write_field(&text)?;
            }
            self.out.write_record(None::<&[u8]>)?;
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<(), csv::Error> {
        Ok(self.out.flush()?)
    }
}

fn push_cell(text: &mut String, kind: ColumnType, cell: &Cell<'_>) {
    use std::fmt::Write;
    // Writing to a string cannot fail.
    let _ = match cell {
        Cell::Empty => Ok(()),
        Cell::Integer(number) if kind == ColumnType::Unsigned => write!(text, "{}", number.cast_unsigned()),
        Cell::Integer(number) => write!(text, "{number}"),
        Cell::Real(number) => write!(text, "{number}"),
        Cell::Text(value) => write!(text, "{value}"),
    };
}
