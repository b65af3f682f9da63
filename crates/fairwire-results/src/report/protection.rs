//! What each event cost, law by law.

use super::astray;
use super::html::escape;
use super::numbers::time;
use super::view::View;
use crate::measures::EventSummary;
use std::fmt::Write;

/// The section; nothing where nothing happened to the ring.
pub(super) fn section(view: &View<'_>) -> String {
    if view.laws.iter().all(|law| law.first.summary.protection.is_empty()) {
        return String::new();
    }
    let mut html = format!(
        r#"<section id="protection"><h2>Protection</h2><p class="note">What each event cost, in the first run of each law. Outage: the longest silence of any flow that still has a way, in whole rows of {}; the true one is longer by less than two. Settled: the last station agrees with its neighbours, and its laws begin anew, counted from the event’s effect. Fair again: from there on, against the {} rates for the ways that are left. All other fair rates on this page are those of the intact ring.</p><div class="scroll"><table><thead><tr><th>event</th><th>law</th><th class="n">at</th><th class="n">takes effect</th><th class="n">steered</th><th class="n">wrapped</th><th class="n">cut off</th><th class="n">outage</th><th class="n">settled</th><th class="n">fair again within 5 %</th><th class="n">ring times beside W</th></tr></thead><tbody>"#,
        time(view.scene.plan.window.as_nanos() as f64),
        view.scene.criterion,
    );
    let events = view.laws.iter().map(|law| law.first.summary.protection.len()).max().unwrap_or(0);
    for number in 0..events {
        for (at, law) in view.laws.iter().enumerate() {
            if let Some(event) = law.first.summary.protection.get(number) {
                html.push_str(&row(event, law.law, law.first.summary.flows.len(), at == 0));
            }
        }
    }
    html.push_str("</tbody></table></div>");
    html.push_str(&astray::table(view));
    html.push_str("</section>");
    html
}

fn row(event: &EventSummary, law: &str, flows: usize, first: bool) -> String {
    let told = |ns: Option<u64>, none: &str| ns.map_or(none.to_owned(), |ns| time(ns as f64));
    let fair = event.fair_again;
    let mut row = format!(
        r#"<tr{}><th>{}</th><td>{}</td>"#,
        if first { r#" class="first""# } else { "" },
        if first { escape(&event.event) } else { String::new() },
        escape(law)
    );
    let whose = event.outage_flow.as_deref().filter(|_| event.outage_ns > Some(0)).unwrap_or_default();
    let cells = [
        time(event.at_ns as f64),
        told(event.acts_ns, "not in the run"),
        event.steered.to_string(),
        event.wrapped.to_string(),
        event.cut_off.to_string(),
        format!(r#"{} <span class="dim">{}</span>"#, told(event.outage_ns, event.untold(flows)), escape(whose)),
        if event.noticed || event.acts_ns.is_none() { told(event.settled_ns, "–") } else { "not noticed".to_owned() },
        if event.is_judged() {
            format!(r#"{} <span class="dim">W {}</span>"#, told(fair.ns, "never"), time(fair.window_ns as f64))
        } else {
            "–".to_owned()
        },
        fair.ring_times.map_or("–".to_owned(), |times| format!("{times:.1}")),
    ];
    for cell in cells {
        let _ = write!(row, r#"<td class="n">{cell}</td>"#);
    }
    row + "</tr>"
}
