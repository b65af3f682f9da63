//! What events change on the way: what is fair from then on, and how soon rates were.

use super::law_runs::LawRuns;
use super::numbers::{rate, time};
use super::table::html_table;
use super::view::View;
use crate::measures::ChangeSummary;
use maud::{Markup, html};

/// Tables of what changes show this many changes and flows.
pub(super) const MOST_ROWS: usize = 40;
pub(super) const MOST_FLOWS: usize = 8;
/// What happens at one time is told up to this many things.
const MOST_WORDS: usize = 2;

/// The section; nothing where nothing changes, and where switches tell rates, which have sections of their own.
pub(super) fn section(view: &View<'_>) -> Markup {
    if !view.fair_is_of_the_start() {
        return Markup::default();
    }
    let flows = 0..view.scene.plan.flows.len();
    let shown: Vec<usize> = flows.filter(|&flow| !view.scene.tints[flow].is_muted()).take(MOST_FLOWS).collect();
    let mut header = vec!["from".to_owned(), ">at".to_owned()];
    header.extend(shown.iter().map(|&flow| format!(">{}", view.scene.plan.flows[flow].name)));
    header.extend(view.laws.iter().map(|law| format!(">{}: fair within 5 %", law.law)));
    let start = shown.iter().map(|&flow| fair(view.scene.references[flow].rate_bps));
    let start = ["the start".to_owned(), time(0.0)].into_iter().chain(start).chain(view.laws.iter().map(|_| none()));
    let row = |(number, change): (usize, &ChangeSummary)| {
        let rates = shown.iter().map(|&flow| fair(change.fair_rates_bps.get(flow).copied().unwrap_or(f64::NAN)));
        let laws = view.laws.iter().map(|law| fair_again(law, number));
        [words(change), time(change.at_ns as f64)].into_iter().chain(rates).chain(laws).collect()
    };
    let rows = view.changes().iter().enumerate().take(MOST_ROWS).map(row);
    let rows: Vec<Vec<String>> = std::iter::once(start.collect()).chain(rows).collect();
    html! {
        section #changes {
            h2 { "What changes on the way" }
            p.note {
                "What is fair for each flow from then on, and how long it took, in the first run of each law, until all flows that send \
                 were within 5 % of that and stayed there up to the next change. W is the window over which rates are averaged. \
                 Other tables, and the bars, have the fair rates of the start."
            }
            (html_table("Changes", &header, &rows))
        }
    }
}

fn none() -> String {
    "–".to_owned()
}

fn fair(bps: f64) -> String {
    if bps.is_finite() { rate(bps) } else { none() }
}

fn fair_again(law: &LawRuns<'_>, number: usize) -> String {
    let Some(change) = law.first.summary.changes.get(number) else { return none() };
    let told = match change.fair_again_ns {
        Some(ns) => time(ns as f64),
        None if change.is_judged() => "never".to_owned(),
        None => none(),
    };
    format!("{told} (W {})", time(change.window_ns as f64))
}

/// What happened, cut short where it is much.
pub(super) fn words(change: &ChangeSummary) -> String {
    let told = change.events.iter().take(MOST_WORDS).cloned().collect::<Vec<_>>().join(", ");
    match change.events.len().saturating_sub(MOST_WORDS) {
        0 => told,
        more => format!("{told} and {more} more"),
    }
}
