//! The busy links of a network in numbers.

use super::numbers::{percent, significant, time};
use super::table::{beyond_shown, head, names, numbers, table};
use super::view::View;
use crate::link_summary::LinkSummary;
use fairwire_alloc::text;
use maud::{Markup, html};

/// Links beyond this many are left to the tables.
const MOST_LISTED: usize = 12;
/// A link that drops nothing is worth its lines from this part of its capacity on.
const BUSY: f64 = 0.5;

/// A table with a row a link and law; nothing for a ring.
pub(super) fn table_of_links(view: &View<'_>) -> Markup {
    let all = || view.laws.iter().flat_map(|law| &law.first.summary.links);
    let mut busy: Vec<(&str, f64)> = Vec::new();
    let is_busy = |link: &&LinkSummary| link.utilisation >= BUSY || link.dropped + link.marked + link.lost > 0;
    for link in all().filter(is_busy) {
        match busy.iter_mut().find(|(name, _)| *name == link.id) {
            Some((_, most)) => *most = most.max(link.utilisation),
            None => busy.push((&link.id, link.utilisation)),
        }
    }
    if busy.is_empty() {
        return Markup::default();
    }
    busy.sort_by(|a, b| b.1.total_cmp(&a.1));
    let left_out = busy.len().saturating_sub(MOST_LISTED);
    busy.truncate(MOST_LISTED);
    let header = head(&[
        "link",
        "law",
        ">used",
        ">mean queue",
        ">deepest",
        ">waiting p50",
        ">p95",
        ">p99",
        ">dropped",
        ">full / early / unfair",
        ">marked",
        ">lost",
    ]);
    let rows = html! {
        @for (name, _) in &busy {
            @let of_laws: Vec<_> = of_laws(view, name);
            @for (at, (law, link)) in of_laws.iter().enumerate() {
                (row(link, law, (at == 0).then_some(of_laws.len())))
            }
        }
    };
    html! {
        p.note {
            "Dropped, of the packets that came to the link: as its queue was full, early to tell of congestion, or as more than the \
             flow's share."
        }
        (table("Busiest links", None, header, rows))
        (beyond_shown(left_out, "link", ["is busy, but less.", "are busy, but less."]))
    }
}

/// What each law that used it made of the link.
fn of_laws<'v>(view: &'v View<'_>, name: &str) -> Vec<(&'v str, &'v LinkSummary)> {
    let link = |law: &'v super::law_runs::LawRuns<'_>| {
        let link = law.first.summary.links.iter().find(|link| link.id == name)?;
        Some((law.law, link))
    };
    view.laws.iter().filter_map(link).collect()
}

/// A row; the first of a link names it for so many.
fn row(link: &LinkSummary, law: &str, named_for: Option<usize>) -> Markup {
    let waited = |ns: Option<u64>| ns.map_or("–".to_owned(), |ns| time(ns as f64));
    let part = |packets: u64| percent(if link.arrived == 0 { 0.0 } else { packets as f64 / link.arrived as f64 });
    html! {
        tr class=[named_for.map(|_| "first")] {
            @if let Some(rows) = named_for { (names(rows, &link.id)) }
            td { (law) }
            (numbers([
                percent(link.utilisation),
                format!("{} pkts", significant(link.mean_queue_packets, 3)),
                format!("{} pkts", link.deepest_queue_packets),
                waited(link.waiting_p50_ns),
                waited(link.waiting_p95_ns),
                waited(link.waiting_p99_ns),
                part(link.dropped),
                [link.dropped_full, link.dropped_early, link.dropped_unfair].map(text::grouped).join(" / "),
                part(link.marked),
                part(link.lost),
            ]))
        }
    }
}
