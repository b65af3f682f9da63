//! Tidy long tables, and how they are written.

mod chunk;
mod column;
mod csv_writer;
mod files;
mod parquet_writer;
mod rate_rows;
mod rows;

pub use chunk::{Cells, Chunk};
pub use column::{Column, ColumnType, columns};
pub(crate) use column::{every_table, tables_of};
pub use files::TableFormat;
pub(crate) use files::{write_table, write_tables};
pub use rows::each_chunk;
