//! Lists and tables of numbers, the paper's beside ours.

use super::words;
use fairwire_results::table;
use maud::{Markup, html};
use serde_json::Value;

/// How many things a list has.
pub(super) fn length(value: &Value) -> usize {
    value.as_array().map_or(0, Vec::len)
}

/// Whether both are lists of so many numbers; papers leave some of them out.
pub(super) fn is_list(paper: &Value, here: &Value) -> bool {
    let is_of_numbers = |value: &Value| {
        value.as_array().is_some_and(|items| items.iter().all(|item| item.is_number() || item.is_null()))
    };
    length(paper) > 1 && length(paper) == length(here) && is_of_numbers(paper) && is_of_numbers(here)
}

/// Whether both are lists of lists of numbers, all of one length.
pub(super) fn is_matrix(paper: &Value, here: &Value) -> bool {
    let (Some(paper), Some(here)) = (paper.as_array(), here.as_array()) else { return false };
    let columns = paper.first().map_or(0, length);
    paper.len() == here.len()
        && paper.iter().zip(here).all(|(one, other)| is_list(one, other) && length(one) == columns)
}

/// A list of the paper and one of ours.
pub(super) struct Column<'a> {
    pub title: String,
    /// Where the paper's numbers are from.
    pub source: &'static str,
    pub paper: &'a Value,
    pub here: &'a Value,
}

/// What was measured of the cells that are not empty in a paper's table, put into these cells; nothing if there are more or
/// fewer.
pub(super) fn spread(paper: &Value, measured: &Value) -> Option<Value> {
    let (paper, measured) = (paper.as_array()?, measured.as_array()?);
    let row = |(cells, values): (&Value, &Value)| {
        let mut values = values.as_array()?.iter();
        let put = |cell: &Value| if cell.is_null() { Some(Value::Null) } else { values.next().cloned() };
        let row = cells.as_array()?.iter().map(put).collect::<Option<Vec<Value>>>()?;
        values.next().is_none().then_some(Value::Array(row))
    };
    let rows = paper.iter().zip(measured).map(row).collect::<Option<Vec<Value>>>()?;
    (paper.len() == measured.len()).then_some(Value::Array(rows))
}

/// A row a place, and for each list the paper's number, ours, and how far that is off.
pub(super) fn table_of(names: &[String], columns: &[Column<'_>]) -> Markup {
    let header = html! {
        th { "of" }
        @for Column { title, source, .. } in columns {
            th.n { (title) ", " (source) }
            th.n { "here" }
            th.n { "off by" }
        }
    };
    table(
        "Numbers",
        Some("slim"),
        header,
        html! {
            @for (at, name) in names.iter().enumerate() {
                tr {
                    th scope="row" { (name) }
                    @for Column { paper, here, .. } in columns {
                        td.n { (words::plain(&paper[at])) }
                        td.n { (words::plain(&here[at])) }
                        td.n { (difference(&paper[at], &here[at])) }
                    }
                }
            }
        },
    )
}

/// A table as the paper prints it: our number in each cell and the paper's beneath it; then how far a row is off at most.
pub(super) fn matrix(
    title: &str,
    source: &str,
    rows: &[String],
    columns: &[String],
    paper: &Value,
    here: &Value,
) -> Markup {
    let header = html! {
        th { (title) }
        @for column in columns { th.n { (column) } }
        th.n { "off by at most" }
    };
    let cell = |paper: &Value, here: &Value| {
        html! {
            td.n {
                @if paper.is_null() && here.is_null() { "–" } @else {
                    (words::plain(here)) br; span.dim { (words::plain(paper)) }
                }
            }
        }
    };
    html! {
        (table(title, Some("slim"), header, html! {
            @for (at, name) in rows.iter().enumerate() {
                tr {
                    th scope="row" { (name) }
                    @for column in 0..columns.len() { (cell(&paper[at][column], &here[at][column])) }
                    td.n { (farthest(&paper[at], &here[at])) }
                }
            }
        }))
        p.note { "In each cell what came out here, and beneath it what is " @if source == "the paper" { "printed" } @else { (source) } "." }
    }
}

fn difference(paper: &Value, here: &Value) -> String {
    match (paper.as_f64(), here.as_f64()) {
        (Some(paper), Some(here)) => words::off(paper, here),
        _ => "–".to_owned(),
    }
}

/// The largest difference of a row.
fn farthest(paper: &Value, here: &Value) -> String {
    let both = paper.as_array().into_iter().flatten().zip(here.as_array().into_iter().flatten());
    let pairs = both.filter_map(|(paper, here)| Some((paper.as_f64()?, here.as_f64()?)));
    let part = |(paper, here): &(f64, f64)| (here - paper).abs() / if *paper == 0.0 { 1.0 } else { paper.abs() };
    let worst = pairs.max_by(|one, other| part(one).total_cmp(&part(other)));
    worst.map_or("–".to_owned(), |(paper, here)| words::off(paper, here))
}
