//! Tables of points, from CSV and Parquet.

use crate::error::SweepError;
use crate::frame::{self, Data};
use fairwire_scenario::{Cell, PointTable};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Reads a table of points: a header of keys, a row a point. A file whose name ends with `.parquet` is read as Parquet, any other as
/// CSV.
///
/// # Errors
/// [`SweepError::Points`] with what is wrong.
pub fn read_points(path: &Path) -> Result<PointTable, SweepError> {
    let columns =
        if path.extension().is_some_and(|ending| ending == "parquet") { from_parquet(path) } else { from_csv(path) };
    let columns = columns.map_err(|message| SweepError::Points { path: path.to_owned(), message })?;
    Ok(PointTable { name: path.display().to_string(), columns })
}

type Columns = Vec<(String, Vec<Cell>)>;

/// No table is read that has more bytes as text: a million points take a tenth of it, and a device never ends.
const MOST_BYTES: u64 = 256 << 20;

fn from_csv(path: &Path) -> Result<Columns, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(file.take(MOST_BYTES));
    let columns = columns_of(&mut reader);
    match reader.get_ref().limit() {
        0 => Err(format!("it has {} MiB or more", MOST_BYTES >> 20)),
        _ => columns,
    }
}

fn columns_of(reader: &mut csv::Reader<impl Read>) -> Result<Columns, String> {
    let header = reader.headers().map_err(|error| error.to_string())?.clone();
    let mut columns: Columns = header.iter().map(|name| (name.to_owned(), Vec::new())).collect();
    if let Some(empty) = header.iter().position(str::is_empty) {
        return Err(format!("column {} has no key in the header", empty + 1));
    }
    for (row, record) in reader.records().enumerate() {
        let record = record.map_err(|error| error.to_string())?;
        for ((name, cells), text) in columns.iter_mut().zip(&record) {
            if text.is_empty() {
                return Err(format!("row {} has nothing under `{name}`", row + 1));
            }
            cells.push(Cell::of_text(text));
        }
    }
    Ok(columns)
}

fn from_parquet(path: &Path) -> Result<Columns, String> {
    let mut columns = Columns::new();
    let read = frame::read(path, |frame| {
        for column in frame.columns {
            let at = columns.iter().position(|(name, _)| *name == column.name).unwrap_or_else(|| {
                columns.push((column.name.clone(), Vec::new()));
                columns.len() - 1
            });
            let cell = |row: usize| match &column.data {
                Data::Text(_) => column.data.text(row).map(|text| Cell::of_text(&text)),
                Data::Whole(_) => column.data.whole(row).map(Cell::Whole),
                Data::Number(_) => column.data.number(row).map(Cell::Number),
            };
            for row in 0..column.data.len() {
                let missing = || SweepError::Garbled(format!("row {} has nothing under `{}`", row + 1, column.name));
                columns[at].1.push(cell(row).ok_or_else(missing)?);
            }
        }
        Ok(())
    });
    match read {
        Ok(()) => Ok(columns),
        Err(SweepError::Garbled(message)) => Err(message),
        Err(SweepError::Io { source, .. }) => Err(source.to_string()),
        Err(other) => Err(other.to_string()),
    }
}
