//! The files of the tables.

use super::column::{columns_of, tables_of};
use super::csv_writer::CsvTable;
use super::parquet_writer::ParquetTable;
use super::rows::each_chunk;
use crate::error::ResultsError;
use crate::plan::Plan;
use crate::report::RunOutcome;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

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
        TableFormat::Parquet => write_parquet(folder.join(format!("{table}.parquet")), table, plan, runs),
        TableFormat::Csv => write_csv(folder.join(format!("{table}.csv")), table, plan, runs),
    })
}

fn write_parquet(path: PathBuf, table: &'static str, plan: &Plan, runs: &[RunOutcome]) -> Result<(), ResultsError> {
    let file = File::create(&path).map_err(ResultsError::io(&path))?;
    let write = || {
        let mut writer = ParquetTable::new(BufWriter::new(file), columns_of(table))?;
        runs.iter().try_for_each(|run| each_chunk(table, plan, run, |chunk| writer.write(chunk)))?;
        writer.finish()
    };
    write().map_err(|source| ResultsError::Parquet { path, source })
}

fn write_csv(path: PathBuf, table: &'static str, plan: &Plan, runs: &[RunOutcome]) -> Result<(), ResultsError> {
    let file = File::create(&path).map_err(ResultsError::io(&path))?;
    let write = || {
        let mut writer = CsvTable::new(BufWriter::new(file), columns_of(table))?;
        runs.iter().try_for_each(|run| each_chunk(table, plan, run, |chunk| writer.write(&chunk)))?;
        writer.finish()
    };
    write().map_err(|source| ResultsError::Csv { path, source })
}
