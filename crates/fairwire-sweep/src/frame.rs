//! Tables whose columns depend on the sweep, in Parquet.

use crate::error::SweepError;
use fairwire_scenario::{AxisUnit, SweepAxis};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Some rows of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Its columns, of one length.
    pub columns: Vec<FrameColumn>,
}

/// One column.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameColumn {
    /// Its name, with the unit at the end where it has one.
    pub name: String,
    /// `ns`, `bit/s`, `bytes`, `packets`, `1`; nothing for text.
    pub unit: &'static str,
    /// Its cells.
    pub data: Data,
}

/// Cells of one type, some of them missing.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Words.
    Text(Vec<Option<Arc<str>>>),
    /// Whole numbers.
    Whole(Vec<Option<i64>>),
    /// Numbers.
    Number(Vec<Option<f64>>),
}

impl Data {
    /// How many cells there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Text(cells) => cells.len(),
            Self::Whole(cells) => cells.len(),
            Self::Number(cells) => cells.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn clear(&mut self) {
        match self {
            Self::Text(cells) => cells.clear(),
            Self::Whole(cells) => cells.clear(),
            Self::Number(cells) => cells.clear(),
        }
    }

    /// A cell as a number.
    pub fn number(&self, row: usize) -> Option<f64> {
        match self {
            Self::Text(_) => None,
            Self::Whole(cells) => cells.get(row).copied().flatten().map(|whole| whole as f64),
            Self::Number(cells) => cells.get(row).copied().flatten(),
        }
    }

    /// A cell as a whole number.
    pub fn whole(&self, row: usize) -> Option<i64> {
        match self {
            Self::Whole(cells) => cells.get(row).copied().flatten(),
            _ => None,
        }
    }

    /// A cell as text.
    pub fn text(&self, row: usize) -> Option<Arc<str>> {
        match self {
            Self::Text(cells) => cells.get(row).cloned().flatten(),
            _ => None,
        }
    }
}

/// Adds cells of some rows to the columns of a frame from left to right; one cell stands in all of the rows.
pub(crate) struct Rows<'a> {
    columns: std::slice::IterMut<'a, FrameColumn>,
    count: usize,
}

impl Rows<'_> {
    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.count
    }

    pub fn text(&mut self, cell: Option<&str>) {
        if let Some(FrameColumn { data: Data::Text(cells), .. }) = self.columns.next() {
            cells.resize(cells.len() + self.count, cell.map(Into::into));
        }
    }

    pub fn whole(&mut self, cell: u64) {
        if let Some(FrameColumn { data: Data::Whole(cells), .. }) = self.columns.next() {
            cells.resize(cells.len() + self.count, i64::try_from(cell).ok());
        }
    }

    pub fn number(&mut self, cell: Option<f64>) {
        if let Some(FrameColumn { data: Data::Number(cells), .. }) = self.columns.next() {
            cells.resize(cells.len() + self.count, cell);
        }
    }

    /// A number for each row.
    pub fn wholes(&mut self, of_rows: impl Iterator<Item = u64>) {
        if let Some(FrameColumn { data: Data::Whole(cells), .. }) = self.columns.next() {
            cells.extend(of_rows.map(|cell| i64::try_from(cell).ok()));
        }
    }

    /// A number for each row.
    pub fn numbers(&mut self, of_rows: &[f64]) {
        if let Some(FrameColumn { data: Data::Number(cells), .. }) = self.columns.next() {
            cells.extend(of_rows.iter().copied().map(Some));
        }
    }

    /// The value of an axis at a point.
    pub fn axis(&mut self, axis: &SweepAxis, choice: usize) {
        let (label, count) = (&axis.values[choice], self.count);
        match self.columns.next().map(|column| &mut column.data) {
            Some(Data::Text(cells)) => cells.resize(cells.len() + count, Some(label.as_str().into())),
            Some(Data::Whole(cells)) => {
                cells.resize(cells.len() + count, axis.unit.read(label).map(|number| number as i64));
            }
            Some(Data::Number(cells)) => cells.resize(cells.len() + count, axis.unit.read(label)),
            None => {}
        }
    }
}

impl Frame {
    fn rows(&mut self, count: usize) -> Rows<'_> {
        Rows { columns: self.columns.iter_mut(), count }
    }

    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, |column| column.data.len())
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The column of this name.
    pub fn get(&self, name: &str) -> Option<&Data> {
        self.columns.iter().find(|column| column.name == name).map(|column| &column.data)
    }

    pub(crate) fn add(&mut self, name: impl Into<String>, unit: &'static str, data: Data) {
        self.columns.push(FrameColumn { name: name.into(), unit, data });
    }

    pub(crate) fn add_text(&mut self, name: &str) {
        self.add(name, "", Data::Text(Vec::new()));
    }

    pub(crate) fn add_whole(&mut self, name: &str, unit: &'static str) {
        self.add(name, unit, Data::Whole(Vec::new()));
    }

    pub(crate) fn add_number(&mut self, name: &str, unit: &'static str) {
        self.add(name, unit, Data::Number(Vec::new()));
    }

    /// A column for each axis, in its base unit.
    pub(crate) fn add_axes<'a>(&mut self, axes: impl IntoIterator<Item = &'a SweepAxis>) {
        for axis in axes {
            let data = match axis.unit {
                AxisUnit::Text => Data::Text(Vec::new()),
                AxisUnit::Number | AxisUnit::Fraction => Data::Number(Vec::new()),
                _ => Data::Whole(Vec::new()),
            };
            self.add(format!("{}{}", axis.key, axis.unit.suffix()), axis.unit.name(), data);
        }
    }
}

/// Rows gathered before a row group is written.
const ROWS_A_GROUP: usize = 1 << 13;

/// A table that is being written, row group by row group.
pub(crate) struct FrameFile {
    path: PathBuf,
    waiting: Frame,
    writer: SerializedFileWriter<File>,
}

impl FrameFile {
    /// A file with the columns of `frame`, which has no rows yet.
    pub fn create(path: &Path, frame: Frame) -> Result<Self, SweepError> {
        let file = File::create(path).map_err(SweepError::io("write", path))?;
        let create = || {
            let fields = frame.columns.iter().map(|column| {
                let (physical, logical) = match column.data {
                    Data::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
                    Data::Whole(_) => (Physical::INT64, None),
                    Data::Number(_) => (Physical::DOUBLE, None),
                };
                let field = Type::primitive_type_builder(&column.name, physical);
                field.with_repetition(Repetition::OPTIONAL).with_logical_type(logical).build().map(Arc::new)
            });
            let schema = Type::group_type_builder("schema").with_fields(fields.collect::<Result<_>>()?).build()?;
            let units: BTreeMap<&str, &str> = frame
                .columns
                .iter()
                .filter(|column| !column.unit.is_empty())
                .map(|column| (column.name.as_str(), column.unit))
                .collect();
            let units = serde_json::to_string(&units).map_err(|error| ParquetError::General(error.to_string()))?;
            let properties = WriterProperties::builder()
                .set_created_by(concat!("fairwire ", env!("CARGO_PKG_VERSION")).to_owned())
                .set_compression(Compression::SNAPPY)
                .set_key_value_metadata(Some(vec![KeyValue::new("units".to_owned(), units)]))
                .build();
            SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))
        };
        let writer = create().map_err(parquet_error("write", path))?;
        Ok(Self { path: path.to_owned(), waiting: frame, writer })
    }

    /// The rows that are not written yet, to add one.
    pub fn row(&mut self) -> Result<Rows<'_>, SweepError> {
        self.rows(1)
    }

    /// The same, to add as many of `wanted` as there is room for.
    pub fn rows(&mut self, wanted: usize) -> Result<Rows<'_>, SweepError> {
        if self.waiting.len() >= ROWS_A_GROUP {
            self.write_group()?;
        }
        let room = ROWS_A_GROUP - self.waiting.len();
        Ok(self.waiting.rows(wanted.min(room)))
    }

    /// How many bytes are written.
    pub fn bytes(&self) -> usize {
        self.writer.bytes_written()
    }

    /// Writes what is left and makes sure that it is on the disk.
    pub fn finish(mut self) -> Result<(), SweepError> {
        if !self.waiting.is_empty() {
            self.write_group()?;
        }
        let file = self.writer.into_inner().map_err(parquet_error("write", &self.path))?;
        file.sync_all().map_err(SweepError::io("write", &self.path))
    }

    fn write_group(&mut self) -> Result<(), SweepError> {
        let write = |writer: &mut SerializedFileWriter<File>, frame: &Frame| {
            let mut group = writer.next_row_group()?;
            for column in &frame.columns {
                match &column.data {
                    Data::Text(cells) => {
                        let bytes = cells
                            .iter()
                            .map(|cell| cell.as_ref().map(|text| ByteArray::from(text.as_bytes().to_vec())));
                        put::<ByteArrayType>(&mut group, bytes)?;
                    }
                    Data::Whole(cells) => put::<Int64Type>(&mut group, cells.iter().copied())?,
                    Data::Number(cells) => put::<DoubleType>(&mut group, cells.iter().copied())?,
                }
            }
            group.close().map(drop)
        };
        write(&mut self.writer, &self.waiting).map_err(parquet_error("write", &self.path))?;
        self.waiting.columns.iter_mut().for_each(|column| column.data.clear());
        Ok(())
    }
}

fn put<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    cells: impl Iterator<Item = Option<T::T>>,
) -> Result<()> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    for cell in cells {
        levels.push(i16::from(cell.is_some()));
        values.extend(cell);
    }
    let mut writer = group.next_column()?.ok_or_else(|| ParquetError::EOF("no column is left".to_owned()))?;
    writer.typed::<T>().write_batch(&values, Some(&levels), None)?;
    writer.close()
}

/// Reads a table of numbers and words, a row group at a time.
pub(crate) fn read(path: &Path, mut take: impl FnMut(Frame) -> Result<(), SweepError>) -> Result<(), SweepError> {
    let file = File::open(path).map_err(SweepError::io("read", path))?;
    let failed = || parquet_error("read", path);
    let reader = SerializedFileReader::new(file).map_err(failed())?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    if reader.num_row_groups() == 0 {
        let mut frame = Frame::default();
        for column in schema.columns() {
            let name = column.path().string();
            match column.physical_type() {
                Physical::BYTE_ARRAY | Physical::BOOLEAN => frame.add_text(&name),
                Physical::INT32 | Physical::INT64 => frame.add_whole(&name, ""),
                _ => frame.add_number(&name, ""),
            }
        }
        return take(frame);
    }
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(failed())?;
        let rows = group.metadata().num_rows() as usize;
        let mut frame = Frame::default();
        for (at, column) in schema.columns().iter().enumerate() {
            let reader = group.get_column_reader(at).map_err(failed())?;
            let data = read_column(reader, rows, column.max_def_level()).map_err(failed())?;
            frame.add(column.path().string(), "", data);
        }
        take(frame)?;
    }
    Ok(())
}

/// All of a table of ours, a frame for each row group; of an empty one the columns.
///
/// # Errors
/// If it cannot be read.
pub fn read_frames(path: &Path) -> Result<Vec<Frame>, SweepError> {
    let mut frames = Vec::new();
    read(path, |frame| {
        frames.push(frame);
        Ok(())
    })?;
    Ok(frames)
}

fn read_column(reader: ColumnReader, rows: usize, level: i16) -> Result<Data> {
    let number = |number: f64| number;
    Ok(match reader {
        ColumnReader::BoolColumnReader(reader) => {
            Data::Text(cells(reader, rows, level, |truth| Arc::from(if truth { "true" } else { "false" }))?)
        }
        ColumnReader::Int32ColumnReader(reader) => Data::Whole(cells(reader, rows, level, i64::from)?),
        ColumnReader::Int64ColumnReader(reader) => Data::Whole(cells(reader, rows, level, |whole| whole)?),
        ColumnReader::FloatColumnReader(reader) => Data::Number(cells(reader, rows, level, f64::from)?),
        ColumnReader::DoubleColumnReader(reader) => Data::Number(cells(reader, rows, level, number)?),
        ColumnReader::ByteArrayColumnReader(reader) => {
            Data::Text(cells(reader, rows, level, |bytes: ByteArray| String::from_utf8_lossy(bytes.data()).into())?)
        }
        _ => return Err(ParquetError::NYI("a column is neither of numbers nor of words".to_owned())),
    })
}

fn cells<T: DataType, C>(
    mut reader: ColumnReaderImpl<T>,
    rows: usize,
    level: i16,
    convert: impl Fn(T::T) -> C,
) -> Result<Vec<Option<C>>> {
    let (mut values, mut levels) = (Vec::with_capacity(rows), Vec::new());
    let mut read = 0;
    while read < rows {
        let (records, _, _) =
            reader.read_records(rows - read, (level > 0).then_some(&mut levels), None, &mut values)?;
        if records == 0 {
            return Err(ParquetError::EOF("a column ends early".to_owned()));
        }
        read += records;
    }
    let mut values = values.into_iter().map(convert);
    Ok(match level {
        0 => values.map(Some).collect(),
        level => levels.into_iter().map(|found| if found == level { values.next() } else { None }).collect(),
    })
}

fn parquet_error(doing: &'static str, path: &Path) -> impl FnOnce(ParquetError) -> SweepError {
    let path = path.to_owned();
    move |error| match error {
        ParquetError::External(source) => match source.downcast::<std::io::Error>() {
            Ok(source) => SweepError::Io { doing, path, source: *source },
            Err(source) => SweepError::Io { doing, path, source: std::io::Error::other(source.to_string()) },
        },
        other => SweepError::Io { doing, path, source: std::io::Error::other(other.to_string()) },
    }
}
