//! Tables of scoreboards as text for a terminal, and as Markdown for a page.

use fairwire_scoreboard::Table;
use fairwire_terminal::TextTable;

/// Title and table for a terminal, with an empty line behind.
pub fn in_text(table: &Table) -> String {
    let mut text = TextTable::new(&table.header);
    table.rows.iter().for_each(|row| text.row(row));
    format!("{}\n\n{text}\n", table.title)
}

/// All of them, one below the other.
pub fn all_in_text(tables: &[Table]) -> String {
    tables.iter().map(in_text).collect()
}

/// The table without its title.
pub fn in_markdown(table: &Table) -> String {
    let (names, rules): (Vec<String>, Vec<&str>) = table.header.iter().map(|name| column(name)).unzip();
    let rows = table.rows.iter().map(|row| line(row.iter().map(String::as_str)));
    let head = [line(names.iter().map(String::as_str)), line(rules)];
    head.into_iter().chain(rows).collect()
}

/// Name and rule of a column; a name that may be parted after a hyphen is whole.
fn column(head: &str) -> (String, &'static str) {
    let head = head.strip_prefix('+').unwrap_or(head);
    match head.strip_prefix('>') {
        Some(name) => (name.replace('\n', ""), "---:"),
        None => (head.replace('\n', ""), "---"),
    }
}

fn line<'a>(cells: impl IntoIterator<Item = &'a str>) -> String {
    let cells: Vec<String> = cells.into_iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}
