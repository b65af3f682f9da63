//! What proposed changes would do: who gains, who loses, which bottleneck moved.

use super::ProposedChange;
use crate::report::html::{piece, track};
use crate::report::numbers::{percent, rate};
use crate::report::over_time::swatch;
use crate::report::scene::Scene;
use crate::report::table::{beyond_shown, head, named, numbers, table};
use crate::report::tints::Tint;
use fairwire_alloc::{Ceiling, FlowOutcome, Holder, LinkOutcome};
use maud::{Markup, html};

/// More flows than this are left to the other answers.
const MOST_SHOWN: usize = 48;

/// The section: a part for each proposal.
pub(super) fn section(scene: &Scene<'_>, proposals: &[ProposedChange<'_>]) -> Markup {
    html! {
        section #what-if {
            h2 { "What if …" }
            @for proposal in proposals { (part(scene, proposal)) }
        }
    }
}

fn part(scene: &Scene<'_>, proposal: &ProposedChange<'_>) -> Markup {
    let flows = &proposal.outcome.flows;
    let changed: Vec<usize> = (0..flows.len()).filter(|&flow| flows[flow].is_changed()).collect();
    html! {
        h3 { "… " (proposal.said.join("; ")) "?" }
        @if let Some(violation) = proposal.violation {
            p.bad { "The rates after it are not fair: " (violation) }
        }
        @if changed.is_empty() {
            p.note { "No rate changes, and no flow is held by something else." }
        } @else {
            (changes(scene, flows, &changed))
            (moved(&proposal.outcome.links))
        }
    }
}

/// The flows that change, and how many do not.
fn changes(scene: &Scene<'_>, flows: &[FlowOutcome], changed: &[usize]) -> Markup {
    let scale = flows.iter().flat_map(|flow| [flow.before_bps, flow.after_bps]).flatten().fold(1e-9, f64::max);
    let header = html! {
        (head(&["flow", ">before", ">after", ">gain"]))
        th.room { "before and after" }
        (head(&["held by"]))
    };
    let rows = html! {
        @for &flow in changed.iter().take(MOST_SHOWN) {
            (row(scene, &flows[flow], scene.tints.get(flow).copied(), scale))
        }
    };
    let (left_out, still) = (changed.len().saturating_sub(MOST_SHOWN), flows.len() - changed.len());
    html! {
        (table("Flows that change", Some("whatif"), header, rows))
        (beyond_shown(left_out, "flow", ["changes.", "change."]))
        @if still > 0 {
            p.note { (still) @if still == 1 { " other flow stays" } @else { " other flows stay" } " as before." }
        }
    }
}

fn row(scene: &Scene<'_>, flow: &FlowOutcome, tint: Option<Tint>, scale: f64) -> Markup {
    let gain = flow.gain_bps();
    let (class, sign) = match gain {
        gain if gain > 0.0 => ("gain", "+"),
        gain if gain < 0.0 => ("loss", "−"),
        _ => ("dim", ""),
    };
    let cell = |bps: Option<f64>, none: &str| bps.map_or_else(|| none.to_owned(), rate);
    html! {
        tr {
            th { (swatch(tint.unwrap_or(Tint::Muted))) (named(&flow.id)) }
            td.n { (cell(flow.before_bps, "new")) }
            td.n { (cell(flow.after_bps, "gone")) }
            td class={ "n " (class) } { (sign) (rate(gain.abs())) }
            td.room { (bars(flow, scale)) }
            td {
                @match (flow.held_before, flow.held_after) {
                    (Some(before), Some(after)) if before != after => {
                        (holder(scene, before)) " → " b { (holder(scene, after)) }
                    },
                    (_, Some(after)) => { (holder(scene, after)) },
                    (_, None) => { "gone" },
                }
            }
        }
    }
}

/// What stays, and beside it what comes or goes.
fn bars(flow: &FlowOutcome, scale: f64) -> Markup {
    let part = |bps: Option<f64>| (bps.unwrap_or(0.0) / scale * 100.0).clamp(0.0, 100.0);
    let (before, after) = (part(flow.before_bps), part(flow.after_bps));
    track(html! {
        (piece("got", 0.0, before.min(after)))
        (piece("plus", before, after))
        (piece("minus", after, before))
    })
}

fn holder(scene: &Scene<'_>, holder: Holder) -> String {
    match holder {
        Holder::Link(link) => scene.problem.links.get(link).map_or_else(String::new, |link| link.id.clone()),
        Holder::Ceiling(Ceiling::Demand) => "its demand".to_owned(),
        Holder::Ceiling(Ceiling::Peak) => "its peak rate".to_owned(),
        Holder::Ceiling(Ceiling::Supported) => "its supported rate".to_owned(),
    }
}

/// The links that hold more or fewer flows than before.
fn moved(links: &[LinkOutcome]) -> Markup {
    let moved: Vec<&LinkOutcome> = links.iter().filter(|link| link.holds_before != link.holds_after).collect();
    let header = head(&["bottleneck", ">capacity", ">used before", ">after", ">holds before", ">after"]);
    let used = |load: f64, capacity: Option<f64>| capacity.map_or("–".to_owned(), |of| percent(load / of));
    let row = |link: &LinkOutcome| {
        html! {
            tr class=[(link.holds_after > 0).then_some("full")] {
                th { (named(&link.id)) }
                (numbers([
                    link.capacity_after_bps.map_or_else(|| "lost".to_owned(), rate),
                    used(link.before_bps, Some(link.capacity_before_bps)),
                    used(link.after_bps, link.capacity_after_bps),
                    link.holds_before.to_string(),
                    link.holds_after.to_string(),
                ]))
            }
        }
    };
    html! {
        @if moved.is_empty() {
            p.note { "Every bottleneck holds as many flows as before." }
        } @else {
            (table("Bottlenecks that change", None, header, html! { @for link in moved { (row(link)) } }))
        }
    }
}
