//! The page: one picture, the tables, and how it was made.

pub(crate) mod panel;
mod picture;

pub use picture::picture;

use crate::summary::whole_rings;
use crate::tables::{Table, percent, tables};
use crate::{Score, Summary};
use std::fmt::Write;

pub(crate) const STYLE: &str = include_str!("page.css");
/// Rings named for every law.
const WORST_NAMED: usize = 5;

/// The scoreboard as one HTML page that needs nothing else.
pub fn page(summary: &Summary, scores: &[Score]) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Scoreboard · fairwire</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>Which law shares a ring fairly?</h1>\n<p class=\"lead\">{}</p>\n",
        lead(summary)
    );
    html.push_str(&picture(summary, scores));
    for table in tables(summary, scores) {
        html.push_str(&html_table(&table));
    }
    html.push_str(&html_table(&worst(summary, scores)));
    html.push_str(HOW_TO_READ);
    let _ = write!(
        html,
        "<p class=\"note\">fairwire {}. Made by <code>fairwire bench fairness</code>; <code>fairwire bench fairness --show ring-0</code> writes any ring of the sample as a scenario file.</p>\n</main>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    html
}

fn lead(summary: &Summary) -> String {
    let not_decided = match summary.rings_not_decided {
        0 => String::new(),
        1 => " Of one of them the fair rates are not proved to be the only ones.".to_owned(),
        several => format!(" Of {several} of them the fair rates are not proved to be the only ones."),
    };
    format!(
        "Every law, packet by packet, over {} random ring{}, parking lots of 2 to 32 hops and the papers' scenarios, against the RIAS-fair rates.{not_decided}",
        summary.rings,
        if summary.rings == 1 { "" } else { "s" }
    )
}

const HOW_TO_READ: &str = "<h2>How to read it</h2>\n<p class=\"note\">A ring counts as within 5 % if the flow furthest from its fair rate is. Errors, times and swings are medians over rings, prices means; in brackets the 95 % bootstrap interval over rings. Times and delays are in laps of the ring, delays beyond propagation; control is the part of the links that control frames take. Quiet is a ring in which no flow swings by more than 5 % of its fair rate in the last third of the run.</p>\n";

/// The rings on which each law is furthest from fair.
fn worst(summary: &Summary, scores: &[Score]) -> Table {
    let row = |law: &str| {
        let mut own = whole_rings(scores, summary.laws.len());
        own.retain(|score| score.law == law);
        own.sort_by(|a, b| b.measured.largest_error.total_cmp(&a.measured.largest_error));
        let named = own.iter().take(WORST_NAMED);
        let named = named.map(|score| format!("{} ({})", score.case, percent(score.measured.largest_error)));
        vec![law.to_owned(), named.collect::<Vec<_>>().join(", ")]
    };
    Table {
        title: "Rings furthest from fair".to_owned(),
        header: vec!["law".to_owned(), "ring and largest error".to_owned()],
        rows: if summary.rings == 0 { Vec::new() } else { summary.laws.iter().map(|law| row(&law.law)).collect() },
    }
}

pub(crate) fn html_table(table: &Table) -> String {
    if table.rows.is_empty() {
        return String::new();
    }
    let class = |column: usize| if table.header[column].starts_with('>') { " class=\"n\"" } else { "" };
    let mut html = format!("<h2>{}</h2>\n<div class=\"scroll\"><table><thead><tr>", escape(&table.title));
    for (column, name) in table.header.iter().enumerate() {
        let _ = write!(html, "<th{}>{}</th>", class(column), escape(name.trim_start_matches('>')));
    }
    html.push_str("</tr></thead><tbody>\n");
    for row in &table.rows {
        html.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let tag = if column == 0 { "th" } else { "td" };
            let _ = write!(html, "<{tag}{}>{}</{tag}>", class(column), html_cell(cell, class(column).is_empty()));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
    html
}

/// An interval, in brackets or after ±, steps back behind its value.
fn html_cell(cell: &str, is_text: bool) -> String {
    match cell.find(" (").or_else(|| cell.find(" ±")) {
        Some(at) if !is_text => {
            format!("{} <span class=\"iv\">{}</span>", escape(&cell[..at]), escape(&cell[at + 1..]))
        }
        _ => escape(cell),
    }
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
