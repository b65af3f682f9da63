//! The points at both ends as commands, and all points.

use super::{estimate_text, in_lines, of, plain};
use crate::plan::Plan;
use crate::result::{Answer, PointAnswer};
use fairwire_alloc::text::count;
use fairwire_results::{html_table, table};
use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::path::Path;

/// Rows of a table; the files have all.
pub const MOST_ROWS: usize = 300;
/// Points at each end.
const ENDS: usize = 3;
/// Files that a page holds, in bytes.
const LARGEST_FILE: usize = 1 << 15;

/// The points at both ends of the first measure, as commands and as files.
pub fn ends(plan: &Plan, answer: &Answer) -> Markup {
    let Some(first) = answer.points.iter().flat_map(|point| &point.measures).next() else { return html! {} };
    let mut ranked: Vec<(&PointAnswer, f64)> =
        answer.points.iter().filter_map(|point| Some((point, of(point, &first.measure)?.estimate.mean?))).collect();
    ranked.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.point.cmp(&b.0.point)));
    if ranked.len() < 2 {
        return html! {};
    }
    let ends = ENDS.min(ranked.len() / 2);
    let row = |(point, _): &(&PointAnswer, f64)| {
        html! {
            tr {
                th.n { (of(point, &first.measure).map(estimate_text).unwrap_or_default()) }
                td { code style="white-space:normal;overflow-wrap:anywhere" { (command_of(plan, point.point)) } }
                td { (file_of(plan, point.point)) }
            }
        }
    };
    let end = |name: &str, rows: Vec<Markup>| {
        table(
            &format!("{name} {}", plain(&first.measure)),
            None,
            html! { th.n { (name) } th { "a run of it" } th { "by itself" } },
            html! { @for row in rows { (row) } },
        )
    };
    let least = ranked[..ends].iter().map(row).collect();
    let most = ranked[ranked.len() - ends..].iter().rev().map(row).collect();
    html! {
        section {
            h2 { "Least and most " (plain(&first.measure)) }
            (end("least", least))
            (end("most", most))
        }
    }
}

/// What the scenario is read from: its file, or where it came from elsewhere the copy in the sweep's folder.
fn file(plan: &Plan) -> &str {
    let (name, _) = plan.sweep.file();
    if name.starts_with('<') { "scenario.toml" } else { name }
}

/// What runs a point by itself.
fn command_of(plan: &Plan, point: usize) -> String {
    let mut words = vec!["fairwire".to_owned(), "run".to_owned(), file(plan).to_owned()];
    for (key, value) in plan.sweep.settings(point) {
        words.extend(["--set".to_owned(), format!("{key}={}", value.trim_matches('"'))]);
    }
    // What no shell can be told has no command: a zero byte in a name.
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default()
}

/// A link to the scenario of a point, with nothing left to sweep; nothing where it is too large for a page.
fn file_of(plan: &Plan, point: usize) -> Markup {
    let text = plan.scenario(point).ok().map(|scenario| scenario.resolved_toml());
    let text = text.filter(|text| text.len() <= LARGEST_FILE);
    let stem = Path::new(file(plan)).file_stem().unwrap_or_default().to_string_lossy();
    html! {
        @if let Some(text) = text {
            a download={ (stem) "-" (point) ".toml" } href={ "data:application/toml," (utf8_percent_encode(&text, NON_ALPHANUMERIC)) } {
                "point " (point)
            }
        }
    }
}

/// All points with what is shown of them.
pub fn points(plan: &Plan, answer: &Answer) -> Markup {
    let measures = super::shown(answer);
    let mut header: Vec<String> = plan.sweep.axes().iter().map(|axis| in_lines(&axis.key)).collect();
    header.extend(measures.iter().map(|measure| format!(">{}", in_lines(plain(measure)))));
    header.extend([">runs".to_owned(), "stopped by".to_owned()]);
    let row = |point: &PointAnswer| {
        let mut row: Vec<String> = plan.sweep.labels(point.point).into_iter().map(|(_, value)| value).collect();
        row.extend(measures.iter().map(|measure| of(point, measure).map_or_else(|| "–".to_owned(), estimate_text)));
        let marked = |runs: u64, how: &str| if runs > 0 { format!(", {runs} {how}") } else { String::new() };
        let marks = marked(point.broken, "broken") + &marked(point.warned, "warned");
        row.extend([format!("{}{marks}", point.runs), point.stopped.to_owned()]);
        row
    };
    let rows: Vec<Vec<String>> = answer.points.iter().take(MOST_ROWS).map(row).collect();
    let has_missing = |point: &PointAnswer| {
        measures.iter().any(|measure| of(point, measure).is_some_and(|found| found.estimate.missing > 0))
    };
    html! {
        section {
            h2 { "All points" }
            @if answer.points.iter().any(has_missing) {
                p.note { "Without: so many runs have no such value, since they were never fair for good or broke an invariant. Means are over the others." }
            }
            (html_table("All points", &header, &rows))
            (left_out(answer.points.len(), "point"))
        }
    }
}

pub fn left_out(all: usize, what: &str) -> Markup {
    html! { @if all > MOST_ROWS { p.note { (MOST_ROWS) " of " (count(all, what)) "; the tables in the folder have all." } } }
}
