//! Laws beside each other, the points at both ends as commands, and all points.

use super::{estimate_text, of, plain, value_text};
use crate::pairs::Pair;
use crate::plan::Plan;
use crate::result::{Answer, PointAnswer};
use fairwire_alloc::text::count;
use fairwire_results::html_table;
use maud::{Markup, html};

/// Rows of a table; the files have all.
const MOST_ROWS: usize = 300;
/// Points at each end.
const ENDS: usize = 3;

/// What laws differ in from the first one, on the same random numbers.
pub fn pairs(plan: &Plan, answer: &Answer) -> Markup {
    if answer.pairs.is_empty() {
        return html! {};
    }
    let row = |pair: &Pair| {
        let words = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| value_text(pair.unit, value));
        let difference = match pair.half_width {
            Some(half) => format!("{} ± {}", words(pair.difference), value_text(pair.unit, half)),
            None => words(pair.difference),
        };
        let others: Vec<String> = plan
            .sweep
            .labels(pair.point)
            .into_iter()
            .filter(|(_, value)| value != pair.law)
            .map(|(_, value)| value)
            .collect();
        vec![
            others.join(", "),
            pair.law.to_owned(),
            plain(&pair.measure).to_owned(),
            difference,
            words(pair.unpaired_half_width),
            pair.n.to_string(),
        ]
    };
    let rows: Vec<Vec<String>> = answer.pairs.iter().take(MOST_ROWS).map(row).collect();
    let base = answer.pairs[0].base;
    html! {
        section {
            h2 { "Beside " (base) }
            p.note {
                "Differences run by run: both laws met the same random numbers. The last but one column is the half-width that \
                 independent runs would have."
            }
            (html_table(&["point", "law", "measure", &format!(">less {base}"), ">± if independent", ">runs"], &rows))
            (left_out(answer.pairs.len(), "pair"))
        }
    }
}

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
        let said = of(point, &first.measure).map(estimate_text).unwrap_or_default();
        vec![said, command_of(plan, point.point, command)]
    };
    let least: Vec<Vec<String>> = ranked[..ends].iter().map(row).collect();
    let most: Vec<Vec<String>> = ranked[ranked.len() - ends..].iter().rev().map(row).collect();
    html! {
        section {
            h2 { "Least and most " (plain(&first.measure)) }
            (html_table(&["least", "one of its runs"], &least))
            (html_table(&["most", "one of its runs"], &most))
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
        let marks = if point.broken + point.warned > 0 { " !" } else { "" };
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

fn left_out(all: usize, what: &str) -> Markup {
    html! { @if all > MOST_ROWS { p.note { (MOST_ROWS) " of " (count(all, what)) "; the tables in the folder have all." } } }
}
