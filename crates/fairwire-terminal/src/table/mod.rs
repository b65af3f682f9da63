//! Tables for people: aligned columns, a rule under the header, no frame.

mod joints;
mod layout;

use crate::width::width;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width};
use joints::broken_at_joints;
use layout::{Column, PADDING, Part};
use std::fmt;
use textwrap::core::display_width;

/// A table whose header says how columns are aligned: `>rate` to the right, everything else to the left. One that means
/// nothing without the column before it has a plus in front: `+>p95`.
///
/// It is written as wide as it is; where [`crate::fit`] sets a limit, it fits that.
pub struct TextTable {
    header: Vec<Head>,
    names: usize,
    rows: Vec<Vec<String>>,
}

/// A column as its header has it.
struct Head {
    name: String,
    is_right: bool,
    follows: bool,
}

/// No frame and no lines but one under the header.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

impl TextTable {
    /// An empty table with these columns.
    pub fn new<S: AsRef<str>>(header: &[S]) -> Self {
        let header = header.iter().map(|column| Head::read(column.as_ref())).collect();
        Self { header, names: 1, rows: Vec::new() }
    }

    /// The same, where rows are named by more than their first cell: by so many.
    #[must_use]
    pub fn named_by(mut self, columns: usize) -> Self {
        self.names = columns;
        self
    }

    /// Adds a row.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// How many characters wide it is where it need not fit anywhere.
    pub fn natural_width(&self) -> usize {
        layout::natural_width(&self.columns())
    }

    fn columns(&self) -> Vec<Column> {
        self.header.iter().enumerate().map(|(index, head)| head.column(self.cells(index))).collect()
    }

    fn cells(&self, column: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().filter_map(move |row| row.get(column)).map(String::as_str)
    }

    fn part(&self, part: &Part) -> Table {
        let mut table = Table::new();
        let lines = |text: &str, width: usize| broken_at_joints(text, width);
        table.load_style(STYLE).set_header(part.iter().map(|(index, width)| lines(&self.header[*index].name, *width)));
        self.rows.iter().for_each(|cells| {
            table.add_row(
                part.iter()
                    .map(|(index, width)| cells.get(*index).map_or_else(String::new, |cell| lines(cell, *width))),
            );
        });
        for (column, (index, _)) in table.column_iter_mut().zip(part) {
            let alignment = if self.header[*index].is_right { CellAlignment::Right } else { CellAlignment::Left };
            column.set_cell_alignment(alignment);
            column.set_padding((0, PADDING as u16));
        }
        table
    }

    fn write_whole(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = self.part(&self.header.iter().enumerate().map(|(index, _)| (index, usize::MAX)).collect());
        table.set_content_arrangement(ContentArrangement::Disabled);
        write_lines(f, &table)
    }

    fn write_within(&self, f: &mut fmt::Formatter<'_>, columns: &[Column], width: usize) -> fmt::Result {
        let parts = layout::parts(columns, self.names.min(columns.len()), width);
        for (nth, part) in parts.iter().enumerate() {
            let mut table = self.part(part);
            table.set_content_arrangement(ContentArrangement::Dynamic).set_width(u16::MAX);
            let last = part.len().saturating_sub(1);
            for (place, (column, (_, width))) in table.column_iter_mut().zip(part).enumerate() {
                // The rule ends with the last column.
                let padding = if place == last { 0 } else { PADDING };
                column.set_padding((0, padding as u16));
                column.set_constraint(ColumnConstraint::Absolute(Width::Fixed((width + padding) as u16)));
            }
            if nth > 0 {
                writeln!(f)?;
            }
            write_lines(f, &table)?;
            if nth == 0 && parts.len() > 1 {
                let below: Vec<&str> = parts.iter().skip(1).flat_map(|part| self.names_below(part)).collect();
                f.write_str(&stand_below(&below, width))?;
            }
        }
        Ok(())
    }

    fn names_below<'a>(&'a self, part: &'a Part) -> impl Iterator<Item = &'a str> {
        part.iter().filter(|(index, _)| *index >= self.names).map(|(index, _)| self.header[*index].name.as_str())
    }
}

impl Head {
    fn read(text: &str) -> Self {
        let (follows, text) = text.strip_prefix('+').map_or((false, text), |text| (true, text));
        let (is_right, name) = text.strip_prefix('>').map_or((false, text), |name| (true, name));
        Self { name: name.to_owned(), is_right, follows }
    }

    fn column<'a>(&self, cells: impl Iterator<Item = &'a str>) -> Column {
        let longest_word = |text: &str| text.split(' ').map(display_width).max().unwrap_or(0);
        let (mut natural, mut piece) = (display_width(&self.name), longest_word(&self.name));
        for cell in cells {
            natural = natural.max(display_width(cell));
            // A number stays on a line with its unit.
            piece = piece.max(if self.is_right { display_width(cell) } else { longest_word(cell) });
        }
        Column::new(natural, piece, !self.is_right, self.follows)
    }
}

/// Says what is not where it would be on a terminal wider than `width`, and how to see it there.
pub fn stand_below(below: &[&str], width: usize) -> String {
    let stand = if below.len() == 1 { "stands" } else { "stand" };
    let text = format!(
        "({} {stand} below: {width} characters a line are too few. A wider terminal, a pipe or --json has rows whole.)",
        below.join(", ")
    );
    textwrap::fill(&text, width) + "\n"
}

fn write_lines(f: &mut fmt::Formatter<'_>, table: &Table) -> fmt::Result {
    table.lines().try_for_each(|line| writeln!(f, "{}", line.trim_end()))
}

impl fmt::Display for TextTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.columns();
        match width() {
            Some(width) if layout::natural_width(&columns) + PADDING > width => self.write_within(f, &columns, width),
            _ => self.write_whole(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Within(TextTable, usize);

    impl fmt::Display for Within {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.write_within(f, &self.0.columns(), self.1)
        }
    }

    #[test]
    fn each_part_begins_with_the_cells_that_name_the_rows() {
        let table = || {
            let mut table = TextTable::new(&["flow", ">rate", ">delay", ">drops"]);
            table.row(["far", "500 Mb/s", "1.2 ms", "12000"]);
            table
        };
        let heads = |table: TextTable, width| {
            let text = Within(table, width).to_string();
            let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
            text.lines().filter(|line| line.starts_with("flow")).map(words).collect::<Vec<_>>()
        };
        assert_eq!(heads(table(), 18), ["flow rate", "flow delay", "flow drops"]);
        assert_eq!(heads(table().named_by(2), 24), ["flow rate delay", "flow rate drops"]);
    }
}
