//! What each event cost, law by law.

use super::astray;
use super::numbers::time;
use super::table::{aside, head, names, numbers, table};
use super::view::View;
use crate::measures::EventSummary;
use maud::{Markup, html};

/// The section; nothing where nothing happened to the ring.
pub(super) fn section(view: &View<'_>) -> Markup {
    if view.laws.iter().all(|law| law.first.summary.protection.is_empty()) {
        return Markup::default();
    }
    let events = view.laws.iter().map(|law| law.first.summary.protection.len()).max().unwrap_or(0);
    let header = head(&[
        "event",
        "law",
        ">at",
        ">takes effect",
        ">steered",
        ">wrapped",
        ">cut off",
        ">outage",
        ">settled",
        ">fair again within 5 %",
        ">ring times beside W",
    ]);
    let rows = html! {
        @for number in 0..events {
            @let of_laws: Vec<_> = view
                .laws
                .iter()
                .filter_map(|law| Some((law, law.first.summary.protection.get(number)?)))
                .collect();
            @for (at, (law, event)) in of_laws.iter().enumerate() {
                (row(event, law.law, law.first.summary.flows.len(), (at == 0).then_some(of_laws.len())))
            }
        }
    };
    html! {
        section #protection {
            h2 { "Protection" }
            p.note {
                "What each event cost, in the first run of each law. Outage: the longest silence of any flow that still \
                 has a way, in whole rows of " (time(view.scene.plan.window.as_nanos() as f64)) "; the true one is longer \
                 by less than two. Settled: the last station agrees with its neighbours, and its laws begin anew, counted \
                 from the event’s effect. Fair again: from there on, against the " (view.scene.criterion) " rates for the \
                 ways that are left. All other fair rates on this page are those of the intact ring."
            }
            (table("Events", None, header, rows))
            (astray::table_of_flows(view))
        }
    }
}

fn row(event: &EventSummary, law: &str, flows: usize, named_for: Option<usize>) -> Markup {
    let told = |ns: Option<u64>, none: &str| ns.map_or(none.to_owned(), |ns| time(ns as f64));
    let fair = event.fair_again;
    let whose = event.outage_flow.as_deref().filter(|_| event.outage_ns > Some(0)).unwrap_or_default();
    let is_settled = event.noticed || event.acts_ns.is_none();
    html! {
        tr class=[named_for.map(|_| "first")] {
            @if let Some(rows) = named_for { (names(rows, &event.event)) }
            td { (law) }
            (numbers([
                time(event.at_ns as f64),
                told(event.acts_ns, "not in the run"),
                event.steered.to_string(),
                event.wrapped.to_string(),
                event.cut_off.to_string(),
            ]))
            (aside(&told(event.outage_ns, event.untold(flows)), whose))
            td.n { (if is_settled { told(event.settled_ns, "–") } else { "not noticed".to_owned() }) }
            @if event.is_judged() {
                (aside(&told(fair.ns, "never"), &format!("W {}", time(fair.window_ns as f64))))
            } @else {
                td.n { "–" }
            }
            td.n { (fair.ring_times.map_or("–".to_owned(), |times| format!("{times:.1}"))) }
        }
    }
}
