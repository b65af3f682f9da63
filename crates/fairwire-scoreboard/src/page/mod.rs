//! The page: one picture, the tables, and how it was made.

mod picture;

pub use picture::{PICTURE_STYLE, picture};

use picture::drawn;

use crate::summary::whole_rings;
use crate::tables::{Table, percent, tables};
use crate::{Group, Score, Summary};
use fairwire_results::{document, html_table, scrolling};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// Rings named for every law.
const WORST_NAMED: usize = 5;

/// The scoreboard as one HTML page that needs nothing else.
pub fn page(summary: &Summary, scores: &[Score]) -> String {
    let body = html! {
        header {
            h1 { "Which law shares a ring fairly?" }
            p.lead { (lead(summary, scores)) }
        }
        @if let Some(picture) = drawn(summary, scores) {
            section { (scrolling("Scoreboard", picture)) }
        }
        @for table in tables(summary, scores) { (section(&table)) }
        (section(&worst(summary, scores)))
        section {
            @if summary.rings > 0 { (how_to_read()) }
            p.note {
                "fairwire " (env!("CARGO_PKG_VERSION")) ". Made by " code { "fairwire-bench fairness" } "; "
                code { "fairwire-bench fairness --show ring-0" } " writes any case as a scenario file."
            }
        }
    };
    document("Scoreboard", &body)
}

fn lead(summary: &Summary, scores: &[Score]) -> String {
    let not_decided = match summary.rings_not_decided {
        0 => String::new(),
        1 => " Of one of the rings the fair rates are not proved to be the only ones.".to_owned(),
        several => format!(" Of {several} of the rings the fair rates are not proved to be the only ones."),
    };
    let cases = |group: Group| {
        let of_group = scores.iter().filter(|score| score.group == group);
        of_group.map(|score| score.case.as_str()).collect::<BTreeSet<_>>().len()
    };
    let tried = [
        (summary.rings, "random ring", "random rings"),
        (cases(Group::ParkingLot), "parking lot", "parking lots"),
        (cases(Group::Paper), "scenario of a paper", "scenarios of papers"),
    ];
    let counted = tried.into_iter().filter(|(count, ..)| *count > 0).map(|(count, one, several)| match count {
        1 => format!("one {one}"),
        _ => format!("{count} {several}"),
    });
    format!(
        "Every law, packet by packet, over {}, against the RIAS-fair rates.{not_decided}",
        counted.collect::<Vec<_>>().join(", ")
    )
}

fn how_to_read() -> Markup {
    html! {
        h2 { "How to read it" }
        p.note {
            "A ring counts as within 5 % if the flow furthest from its fair rate is. Errors, times and swings are medians over rings, prices means; in brackets the 95 % bootstrap interval over rings. Times and delays are in laps of the ring, delays beyond propagation; control is the part of the links that control frames take. Quiet is a ring in which no flow swings by more than 5 % of its fair rate in the last third of the run. Where another law is better, on all cases together: on how many of them, in brackets by how much at most."
        }
    }
}

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

/// A section with a table; nothing without rows.
pub(crate) fn section(table: &Table) -> Markup {
    html! {
        @if !table.rows.is_empty() {
            section { h2 { (table.title) } (html_table(&table.title, &table.header, &table.rows)) }
        }
    }
}
