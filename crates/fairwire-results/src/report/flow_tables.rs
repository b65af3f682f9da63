//! The numbers behind the pictures.

use super::law_runs::LawRuns;
use super::link_table;
use super::numbers::{percent, rate, significant, time};
use super::table::{aside, folded, head, names, numbers, table};
use super::view::View;
use fairwire_alloc::text;
use maud::{Markup, html};

/// The section: one table of runs, one of flows.
pub(super) fn section(view: &View<'_>) -> Markup {
    html! {
        section #numbers {
            h2 { "Numbers" }
            (law_table(view))
            (link_table::table_of_links(view))
            (flow_table(view))
        }
    }
}

fn law_table(view: &View<'_>) -> Markup {
    let windows = Windows::of(view);
    let header = html! {
        (head(&["law", ">runs"]))
        @for (name, window) in ["fair within 5\u{a0}%", "fair within 1\u{a0}%", "settled"].iter().zip(windows.0) {
            th.n { (name) @if let Some(ns) = window { br; (window_text(ns)) } }
        }
        (head(&[">oscillation", ">Jain’s index", ">busiest link", ">packets lost", ">packet hops", ">wall time"]))
    };
    html! {
        p.note {
            "W is the window over which rates are averaged where fair and settled are decided."
            @if view.laws.iter().any(|law| law.runs.len() > 1) {
                " Means over all runs of a law; times are the longest."
            }
        }
        (table("Laws", Some("laws"), header, html! { @for law in &view.laws { (law_row(law, &windows)) } }))
    }
}

/// The windows of the three times, where all laws have the same; those stand in the heading and not in each row.
struct Windows([Option<u64>; 3]);

impl Windows {
    fn of(view: &View<'_>) -> Self {
        let same = |at| {
            let mut windows = view.laws.iter().map(|law| window_ns(law, at));
            let first = windows.next()??;
            windows.all(|window| window == Some(first)).then_some(first)
        };
        Self([0, 1, 2].map(same))
    }
}

/// The window of a time to fair, or, as the third, of settling.
fn window_ns(law: &LawRuns<'_>, at: usize) -> Option<u64> {
    let summary = &law.first.summary;
    if at == 2 { Some(summary.settling.window_ns) } else { summary.time_to_fair.get(at).map(|entry| entry.window_ns) }
}

fn window_text(ns: u64) -> String {
    format!("W {}", time(ns as f64))
}

fn law_row(law: &LawRuns<'_>, windows: &Windows) -> Markup {
    let settled: Option<Vec<_>> = law.runs.iter().map(|run| run.summary.settling.ns).collect();
    let settled = settled.and_then(|times| times.into_iter().max());
    let hops = law.mean_of_runs(|run| run.summary.packet_hops as f64).round() as u64;
    html! {
        tr {
            th { (law.law) }
            td.n { (law.runs.len()) }
            @let nothing_is_fair = !law.first.summary.has_fair_rates();
            @for (at, entry) in law.first.summary.time_to_fair.iter().take(2).enumerate() {
                @let last = law.is_only_at_the_end(|run| run.time_to_fair[at].only_in_last_window);
                @if nothing_is_fair {
                    td.n { "–" }
                } @else {
                    @let window = windows.0[at].is_none().then_some(entry.window_ns);
                    (time_cell(law.time_to_fair_ns(entry.within), window, entry.is_too_short(), last))
                }
            }
            @if nothing_is_fair {
                td.n { "–" }
            } @else {
                @let last = law.is_only_at_the_end(|run| run.settling.only_in_last_window);
                @let window = windows.0[2].is_none().then_some(law.first.summary.settling.window_ns);
                (time_cell(settled, window, law.first.summary.cannot_tell_settling().is_some(), last))
            }
            @let jain = Some(law.mean_of_runs(|run| run.summary.jain)).filter(|jain| jain.is_finite());
            (numbers([
                percent(law.mean_of_runs(|run| run.summary.oscillation)),
                jain.map_or("–".to_owned(), |jain| significant(jain, 4)),
            ]))
            (aside(
                &percent(law.mean_of_runs(|run| run.summary.utilisation)),
                law.first.summary.busiest_link.as_deref().unwrap_or("none"),
            ))
            (numbers([
                percent(law.loss()),
                text::grouped(hops),
                time(law.mean_of_runs(|run| run.summary.wall_s) * 1e9),
            ]))
        }
    }
}

/// A time, with its window where that is not in the heading, or "never"; "run too short" if it ends before one window is
/// over; of a time that says nothing of what stays, just that.
fn time_cell(ns: Option<u64>, window_ns: Option<u64>, is_too_short: bool, is_last: bool) -> Markup {
    let text = match ns {
        None if is_too_short => "run too short".to_owned(),
        None => "never".to_owned(),
        Some(_) if is_last => "only in the last window".to_owned(),
        Some(ns) => time(ns as f64),
    };
    match window_ns {
        Some(ns) => aside(&text, &window_text(ns)),
        None => numbers([text]),
    }
}

fn flow_table(view: &View<'_>) -> Markup {
    let header =
        head(&["flow", "law", ">rate", ">fair rate", ">ratio", ">lost", ">refused", ">delay p50", ">p95", ">p99"]);
    let flows = view.scene.plan.flows.len();
    let rows = html! {
        @for flow in 0..flows {
            @for (at, law) in view.laws.iter().enumerate() { (flow_row(view, flow, law, at == 0)) }
        }
    };
    let shown = html! {
        p.note {
            "Lost: of the packets sent, those dropped on the way. Refused: of the packets that sources offered, those \
             that their sender had no room for."
        }
        (table("Flows", None, header, rows))
    };
    let title = if flows == 1 { "The one flow".to_owned() } else { format!("All {flows} flows") };
    folded(shown, flows * view.laws.len(), &title)
}

fn flow_row(view: &View<'_>, flow: usize, law: &LawRuns<'_>, first: bool) -> Markup {
    let measured = law.flow(flow);
    let Some(summary) = law.first.summary.flows.get(flow) else { return Markup::default() };
    let delay = |ns: Option<u64>| ns.map_or("–".to_owned(), |ns| time(ns as f64));
    let refused = if summary.offered == 0 { 0.0 } else { summary.refused as f64 / summary.offered as f64 };
    html! {
        tr class=[first.then_some("first")] {
            @if first { (names(view.laws.len(), &view.scene.plan.flows[flow].name)) }
            td { (law.law) }
            (numbers([
                rate(measured.rate_bps),
                rate(view.scene.references[flow].rate_bps),
                measured.ratio.map_or("–".to_owned(), percent),
                percent(measured.loss),
                percent(refused),
                delay(summary.delay_p50_ns),
                delay(summary.delay_p95_ns),
                delay(summary.delay_p99_ns),
            ]))
        }
    }
}
