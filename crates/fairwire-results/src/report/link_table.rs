//! The busy links of a network in numbers.

use super::html::escape;
use super::numbers::{percent, significant, time};
use super::view::View;
use crate::link_summary::LinkSummary;
use fairwire_alloc::text;
use std::fmt::Write;

/// Links beyond this many are left to the tables.
const MOST_LISTED: usize = 12;
/// A link that drops nothing is worth its lines from this part of its capacity on.
const BUSY: f64 = 0.5;

/// A table with a row a link and law; nothing for a ring.
pub(super) fn table(view: &View<'_>) -> String {
    let all = || view.laws.iter().flat_map(|law| &law.first.summary.links);
    let mut names: Vec<(&str, f64)> = Vec::new();
    let is_busy = |link: &&LinkSummary| link.utilisation >= BUSY || link.dropped + link.marked + link.lost > 0;
    for link in all().filter(is_busy) {
        match names.iter_mut().find(|(name, _)| *name == link.id) {
            Some((_, most)) => *most = most.max(link.utilisation),
            None => names.push((&link.id, link.utilisation)),
        }
    }
    if names.is_empty() {
        return String::new();
    }
    names.sort_by(|a, b| b.1.total_cmp(&a.1));
    let left_out = names.len().saturating_sub(MOST_LISTED);
    names.truncate(MOST_LISTED);
    let mut html = r#"<div class="scroll"><table><thead><tr><th>link</th><th>law</th><th class="n">used</th><th class="n">mean queue</th><th class="n">deepest</th><th class="n">waiting p50</th><th class="n">p95</th><th class="n">p99</th><th class="n">dropped</th><th class="n">full, early, unfair</th><th class="n">marked</th><th class="n">lost</th></tr></thead><tbody>"#.to_owned();
    for (name, _) in &names {
        for (at, law) in view.laws.iter().enumerate() {
            if let Some(link) = law.first.summary.links.iter().find(|link| link.id == *name) {
                html.push_str(&row(link, law.law, at == 0));
            }
        }
    }
    html.push_str("</tbody></table></div>");
    if left_out > 0 {
        let _ = write!(html, r#"<p class="note">{left_out} more links are busy, but less.</p>"#);
    }
    html
}

fn row(link: &LinkSummary, law: &str, first: bool) -> String {
    let class = if first { r#" class="first""# } else { "" };
    let name = if first { escape(&link.id) } else { String::new() };
    let waited = |ns: Option<u64>| ns.map_or("–".to_owned(), |ns| time(ns as f64));
    let part = |packets: u64| percent(if link.arrived == 0 { 0.0 } else { packets as f64 / link.arrived as f64 });
    let why = [link.dropped_full, link.dropped_early, link.dropped_unfair].map(text::grouped).join(", ");
    let mut html = format!(r#"<tr{class}><th>{name}</th><td>{}</td>"#, escape(law));
    for cell in [
        percent(link.utilisation),
        format!("{} pkts", significant(link.mean_queue_packets, 3)),
        format!("{} pkts", link.deepest_queue_packets),
        waited(link.waiting_p50_ns),
        waited(link.waiting_p95_ns),
        waited(link.waiting_p99_ns),
        part(link.dropped),
        why,
        part(link.marked),
        part(link.lost),
    ] {
        let _ = write!(html, r#"<td class="n">{cell}</td>"#);
    }
    html + "</tr>"
}
