//! The points at both ends as commands, and all points.

use super::{estimate_text, of, plain};
use crate::plan::Plan;
use crate::result::{Answer, PointAnswer};
use fairwire_alloc::text::count;
use fairwire_results::{html_table, table};
use maud::{Markup, html};

/// Rows of a table; the files have all.
pub const MOST_ROWS: usize = 300;
/// Points at each end.
const ENDS: usize = 3;

/// The points at both ends of the first measure, as commands.
pub fn ends(plan: &Plan, answer: &Answer, command: &str) -> Markup {
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
                td { code style="white-space:normal;overflow-wrap:anywhere" { (command_of(plan, point.point, command)) } }
            }
        }
    };
    let end = |name: &str, rows: Vec<Markup>| {
        table(None, html! { th.n { (name) } th { "a run of it" } }, html! { @for row in rows { (row) } })
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

/// What runs a point by itself.
fn command_of(plan: &Plan, point: usize, command: &str) -> String {
    let set = plan.sweep.settings(point).into_iter().map(|(key, value)| {
        let setting = format!("{key}={}", value.trim_matches('"'));
        format!(" --set '{}'", setting.replace('\'', "'\\''"))
    });
    format!("{command}{}", set.collect::<String>())
}

/// All points with what is shown of them.
pub fn points(plan: &Plan, answer: &Answer) -> Markup {
    let measures = super::shown(answer);
    let mut header: Vec<String> = plan.sweep.axes().iter().map(|axis| axis.key.clone()).collect();
    header.extend(measures.iter().map(|measure| format!(">{}", plain(measure))));
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
    html! {
        section {
            h2 { "All points" }
            (html_table(&header, &rows))
            (left_out(answer.points.len(), "point"))
        }
    }
}

pub fn left_out(all: usize, what: &str) -> Markup {
    html! { @if all > MOST_ROWS { p.note { (MOST_ROWS) " of " (count(all, what)) "; the tables in the folder have all." } } }
}
