//! The files of the tables.

use super::chunk::Chunk;
use super::column::{columns_of, tables_of};
use super::csv_writer::CsvTable;
use super::parquet_writer::ParquetTable;
use super::rows::each_chunk;
use crate::error::ResultsError;
use crate::plan::Plan;
use crate::report::RunOutcome;
use parquet::errors::ParquetError;
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
) -> Result<(), ResultsError> {
    tables_of(plan).iter().try_for_each(|&table| match format {
        TableFormat::Parquet => write_parquet(folder, table, |take| {
            runs.iter().try_for_each(|run| each_chunk(table, plan, run, &mut *take))
        }),
        TableFormat::Csv => {
            write_csv(folder, table, |take| runs.iter().try_for_each(|run| each_chunk(table, plan, run, &mut *take)))
        }
    })
}

/// Writes a table of which the rows are there already.
pub(crate) fn write_table(
    folder: &Path,
    format: TableFormat,
    table: &'static str,
    mut chunks: impl Iterator<Item = Chunk>,
) -> Result<(), ResultsError> {
    match format {
        TableFormat::Parquet => write_parquet(folder, table, |take| chunks.try_for_each(take)),
        TableFormat::Csv => write_csv(folder, table, |take| chunks.try_for_each(take)),
    }
}

/// What takes a piece of a table, and may refuse it.
type Take<'a, E> = &'a mut dyn FnMut(Chunk) -> Result<(), E>;

fn write_parquet(
    folder: &Path,
    table: &'static str,
    each: impl FnOnce(Take<'_, ParquetError>) -> Result<(), ParquetError>,
) -> Result<(), ResultsError> {
    let path = folder.join(format!("{table}.parquet"));
    let file = File::create(&path).map_err(ResultsError::io(&path))?;
    let write = || {
        let mut writer = ParquetTable::new(BufWriter::new(file), columns_of(table))?;
        each(&mut |chunk| writer.write(chunk))?;
        writer.finish()
    };
    write().map_err(|source| ResultsError::Parquet { path, source })
}

fn write_csv(
    folder: &Path,
    table: &'static str,
    each: impl FnOnce(Take<'_, csv::Error>) -> Result<(), csv::Error>,
) -> Result<(), ResultsError> {
    let path = folder.join(format!("{table}.csv"));
    let file = File::create(&path).map_err(ResultsError::io(&path))?;
    let write = || {
        let mut writer = CsvTable::new(BufWriter::new(file), columns_of(table))?;
        each(&mut |chunk| writer.write(&chunk))?;
        writer.finish()
    };
    write().map_err(|source| ResultsError::Csv { path, source })
}
