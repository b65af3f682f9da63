//! Tables for people: aligned columns, a rule under the header, no frame.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use std::io::IsTerminal;
use terminal_size::{Width, terminal_size};

/// A table whose header says how columns are aligned: `>rate` to the right,
/// everything else to the left.
pub struct TextTable {
    table: Table,
    alignments: Vec<CellAlignment>,
}

/// How wide what is printed may be: as wide as the terminal, if it is printed on one.
pub fn width() -> Option<usize> {
    let size = terminal_size().filter(|_| std::io::stdout().is_terminal());
    size.map(|(Width(width), _)| usize::from(width.max(NARROWEST)))
}

/// Tables are not pressed into fewer columns of characters than this.
const NARROWEST: u16 = 60;

/// No frame and no lines but one under the header.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

impl TextTable {
    /// An empty table with these columns.
    pub fn new<S: AsRef<str>>(header: &[S]) -> Self {
        let split = |column: &S| match column.as_ref().strip_prefix('>') {
            Some(name) => (name.to_owned(), CellAlignment::Right),
            None => (column.as_ref().to_owned(), CellAlignment::Left),
        };
        let (names, alignments): (Vec<_>, Vec<_>) = header.iter().map(split).unzip();
        let mut table = Table::new();
        table.load_style(STYLE).set_content_arrangement(ContentArrangement::Disabled).set_header(names);
        Self { table, alignments }
    }

    /// An empty table whose cells hold sentences: on a terminal they are broken to fit its width, so that
    /// columns stay columns; anywhere else a row is a line.
    pub fn of_words<S: AsRef<str>>(header: &[S]) -> Self {
        let mut new = Self::new(header);
        if let Some(width) = width() {
            new.table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width as u16);
        }
        new
    }

    /// Adds a row.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.table.add_row(cells.into_iter().map(Into::into).collect::<Vec<String>>());
    }
}

impl std::fmt::Display for TextTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut table = self.table.clone();
        for (column, alignment) in table.column_iter_mut().zip(&self.alignments) {
            column.set_cell_alignment(*alignment);
            column.set_padding((0, 2));
        }
        for line in table.lines() {
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
