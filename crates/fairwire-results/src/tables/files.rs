//! The files of the tables.

use super::chunk::Chunk;
use super::column::{columns_of, tables_of};
use super::csv_writer::CsvTable;
use super::parquet_writer::ParquetTable;
use super::rows::each_chunk;
use crate::error::ResultsError;
use crate::folder::GoesOn;
use crate::plan::Plan;
use crate::report::RunOutcome;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// How tables are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableFormat {
    /// Parquet, Snappy-compressed.
    #[default]
    Parquet,
    /// Comma-separated values with a header.
    Csv,
}

/// Writes every table of `runs` into `folder`, a file each.
pub(crate) fn write_tables(
    folder: &Path,
    format: TableFormat,
    plan: &Plan,
    runs: &[RunOutcome],
    goes_on: GoesOn<'_>,
) -> Result<(), ResultsError> {
    tables_of(plan).iter().try_for_each(|&table| {
        let chunks = |take: &mut dyn FnMut(Chunk) -> Result<(), ResultsError>| {
            let mut take = |chunk: Chunk| goes_on().and_then(|()| take(chunk));
            runs.iter().try_for_each(|run| each_chunk(table, plan, run, &mut take))
        };
        match format {
            TableFormat::Parquet => write_parquet(&folder.join(format!("{table}.parquet")), table, chunks),
            TableFormat::Csv => write_csv(&folder.join(format!("{table}.csv")), table, chunks),
        }
    })
}

/// Hands all pieces of a table to whoever takes them.
trait Chunks: Fn(&mut dyn FnMut(Chunk) -> Result<(), ResultsError>) -> Result<(), ResultsError> {}

impl<F: Fn(&mut dyn FnMut(Chunk) -> Result<(), ResultsError>) -> Result<(), ResultsError>> Chunks for F {}

fn write_parquet(path: &Path, table: &'static str, chunks: impl Chunks) -> Result<(), ResultsError> {
    let wrong = |source| ResultsError::Parquet { path: path.to_owned(), source };
    let file = File::create(path).map_err(ResultsError::io(path))?;
    let mut writer = ParquetTable::new(BufWriter::new(file), columns_of(table)).map_err(wrong)?;
    chunks(&mut |chunk| writer.write(chunk).map_err(wrong))?;
    writer.finish().map_err(wrong)
}

fn write_csv(path: &Path, table: &'static str, chunks: impl Chunks) -> Result<(), ResultsError> {
    let wrong = |source| ResultsError::Csv { path: path.to_owned(), source };
    let file = File::create(path).map_err(ResultsError::io(path))?;
    let mut writer = CsvTable::new(BufWriter::new(file), columns_of(table)).map_err(wrong)?;
    chunks(&mut |chunk| writer.write(&chunk).map_err(wrong))?;
    writer.finish().map_err(wrong)
}
