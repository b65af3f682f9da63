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
        write(folder, format, table, |take| {
            let mut take = |chunk: Chunk| goes_on().and_then(|()| take(chunk));
            runs.iter().try_for_each(|run| each_chunk(table, plan, run, &mut take))
        })
    })
}

/// Writes a table of which the rows are there already.
pub(crate) fn write_table(
    folder: &Path,
    format: TableFormat,
    table: &'static str,
    mut chunks: impl Iterator<Item = Chunk>,
) -> Result<(), ResultsError> {
    write(folder, format, table, |take| chunks.try_for_each(take))
}

/// What takes a piece of a table, and may refuse it.
type Take<'a> = &'a mut dyn FnMut(Chunk) -> Result<(), ResultsError>;

/// Writes a table, all pieces of which `each` hands on.
fn write(
    folder: &Path,
    format: TableFormat,
    table: &'static str,
    each: impl FnOnce(Take<'_>) -> Result<(), ResultsError>,
) -> Result<(), ResultsError> {
    let ending = match format {
        TableFormat::Parquet => "parquet",
        TableFormat::Csv => "csv",
    };
    let path = folder.join(format!("{table}.{ending}"));
    let file = BufWriter::new(File::create(&path).map_err(ResultsError::io(&path))?);
    match format {
        TableFormat::Parquet => {
            let wrong = |source| ResultsError::Parquet { path: path.clone(), source };
            let mut writer = ParquetTable::new(file, columns_of(table)).map_err(wrong)?;
            each(&mut |chunk| writer.write(chunk).map_err(wrong))?;
            writer.finish().map_err(wrong)
        }
        TableFormat::Csv => {
            let wrong = |source| ResultsError::Csv { path: path.clone(), source };
            let mut writer = CsvTable::new(file, columns_of(table)).map_err(wrong)?;
            each(&mut |chunk| writer.write(&chunk).map_err(wrong))?;
            writer.finish().map_err(wrong)
        }
    }
}
