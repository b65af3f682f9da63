//! A piece of a table, column by column.

use std::sync::Arc;

/// The cells of one column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// One text in every row.
    SameText(Arc<str>),
    /// One whole number in every row.
    SameInteger(i64),
    /// Whole numbers; unsigned ones keep their bits.
    Integers(Vec<i64>),
    /// Whole numbers, some missing.
    MaybeIntegers(Vec<Option<i64>>),
    /// Real numbers.
    Reals(Vec<f64>),
    /// Real numbers, some missing.
    MaybeReals(Vec<Option<f64>>),
    /// Texts.
    Texts(Vec<Arc<str>>),
    /// Texts, some missing.
    MaybeTexts(Vec<Option<Arc<str>>>),
}

/// Some rows of a table: its columns in the documented order.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// How many rows.
    pub rows: usize,
    /// The cells, a column each, in the order of [`crate::columns`].
    pub cells: Vec<Cells>,
}

/// One cell, as a writer sees it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell<'a> {
    Empty,
    Integer(i64),
    Real(f64),
    Text(&'a Arc<str>),
}

impl Cells {
    /// Whether every row holds the same, so that a writer may convert it once.
    pub fn are_all_the_same(&self) -> bool {
        matches!(self, Self::SameText(_) | Self::SameInteger(_))
    }

    /// The cell in row `row`; beyond the end it is empty.
    pub(crate) fn get(&self, row: usize) -> Cell<'_> {
        match self {
            Self::SameText(text) => Cell::Text(text),
            Self::SameInteger(number) => Cell::Integer(*number),
            Self::Integers(numbers) => numbers.get(row).map_or(Cell::Empty, |&number| Cell::Integer(number)),
            Self::MaybeIntegers(numbers) => numbers.get(row).copied().flatten().map_or(Cell::Empty, Cell::Integer),
            Self::Reals(numbers) => numbers.get(row).map_or(Cell::Empty, |&number| Cell::Real(number)),
            Self::MaybeReals(numbers) => numbers.get(row).copied().flatten().map_or(Cell::Empty, Cell::Real),
            Self::Texts(texts) => texts.get(row).map_or(Cell::Empty, Cell::Text),
            Self::MaybeTexts(texts) => texts.get(row).and_then(Option::as_ref).map_or(Cell::Empty, Cell::Text),
        }
    }
}
