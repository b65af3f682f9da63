//! What proposed changes would do: who gains, who loses, which bottleneck moved.

use super::ProposedChange;
use crate::report::html::escape;
use crate::report::numbers::{percent, rate};
use crate::report::over_time::swatch;
use crate::report::scene::Scene;
use crate::report::tints::Tint;
use fairwire_alloc::{Ceiling, FlowOutcome, Holder, LinkOutcome};
use std::fmt::Write;

/// More flows than this are left to the other answers.
const MOST_SHOWN: usize = 48;

/// The section: a part for each proposal.
pub(super) fn section(scene: &Scene<'_>, proposals: &[ProposedChange<'_>]) -> String {
    let mut html = r#"<section id="what-if"><h2>What if …</h2>"#.to_owned();
    for proposal in proposals {
        html.push_str(&part(scene, proposal));
    }
    html + "</section>"
}

fn part(scene: &Scene<'_>, proposal: &ProposedChange<'_>) -> String {
    let flows = &proposal.outcome.flows;
    let changed: Vec<usize> = (0..flows.len()).filter(|&flow| flows[flow].is_changed()).collect();
    let mut html = format!("<h3>… {}?</h3>", escape(&proposal.said.join("; ")));
    if let Some(violation) = proposal.violation {
        let _ = write!(html, r#"<p class="bad">The rates after it are not fair: {}</p>"#, escape(violation));
    }
    if changed.is_empty() {
        return html + r#"<p class="note">No rate changes, and no flow is held by something else.</p>"#;
    }
    let scale = flows.iter().flat_map(|flow| [flow.before_bps, flow.after_bps]).flatten().fold(1e-9, f64::max);
    html.push_str(r#"<div class="scroll"><table class="whatif"><thead><tr><th>flow</th><th class="n">before</th><th class="n">after</th><th class="n">gain</th><th class="room">before and after</th><th>held by</th></tr></thead><tbody>"#);
    for &flow in changed.iter().take(MOST_SHOWN) {
        html.push_str(&row(scene, &flows[flow], scene.tints.get(flow).copied(), scale));
    }
    html.push_str("</tbody></table></div>");
    let left_out = changed.len().saturating_sub(MOST_SHOWN);
    if left_out > 0 {
        let _ = write!(html, r#"<p class="note">{left_out} more flows change.</p>"#);
    }
    let still = flows.len() - changed.len();
    if still > 0 {
        let (verb, noun) = if still == 1 { ("stays", "flow") } else { ("stay", "flows") };
        let _ = write!(html, r#"<p class="note">{still} other {noun} {verb} as before.</p>"#);
    }
    html + &moved(&proposal.outcome.links)
}

fn row(scene: &Scene<'_>, flow: &FlowOutcome, tint: Option<Tint>, scale: f64) -> String {
    let gain = flow.gain_bps();
    let (class, sign) = match gain {
        gain if gain > 0.0 => ("gain", "+"),
        gain if gain < 0.0 => ("loss", "−"),
        _ => ("dim", ""),
    };
    let cell = |bps: Option<f64>, none: &str| bps.map_or_else(|| none.to_owned(), rate);
    let held = match (flow.held_before, flow.held_after) {
        (Some(before), Some(after)) if before != after => {
            format!("{} → <b>{}</b>", holder(scene, before), holder(scene, after))
        }
        (_, Some(after)) => holder(scene, after),
        (_, None) => "gone".to_owned(),
    };
    format!(
        r#"<tr><th>{}{}</th><td class="n">{}</td><td class="n">{}</td><td class="n {class}">{sign}{}</td><td class="room">{}</td><td>{held}</td></tr>"#,
        swatch(tint.unwrap_or(Tint::Muted)),
        escape(&flow.id),
        cell(flow.before_bps, "new"),
        cell(flow.after_bps, "gone"),
        rate(gain.abs()),
        bars(flow, scale)
    )
}

/// What stays, and beside it what comes or goes.
fn bars(flow: &FlowOutcome, scale: f64) -> String {
    let part = |bps: Option<f64>| (bps.unwrap_or(0.0) / scale * 100.0).clamp(0.0, 100.0);
    let (before, after) = (part(flow.before_bps), part(flow.after_bps));
    let mut svg = r#"<svg class="track" aria-hidden="true">"#.to_owned();
    let mut rect = |class: &str, from: f64, to: f64| {
        if to > from {
            let width = to - from;
            let _ = write!(svg, r#"<rect class="{class}" x="{from:.2}%" y="15%" width="{width:.2}%" height="70%"/>"#);
        }
    };
    rect("got", 0.0, before.min(after));
    rect("plus", before, after);
    rect("minus", after, before);
    svg + "</svg>"
}

fn holder(scene: &Scene<'_>, holder: Holder) -> String {
    match holder {
        Holder::Link(link) => scene.problem.links.get(link).map_or_else(String::new, |link| escape(&link.id)),
        Holder::Ceiling(Ceiling::Demand) => "its demand".to_owned(),
        Holder::Ceiling(Ceiling::Peak) => "its peak rate".to_owned(),
        Holder::Ceiling(Ceiling::Supported) => "its supported rate".to_owned(),
    }
}

/// The links that hold more or fewer flows than before.
fn moved(links: &[LinkOutcome]) -> String {
    let moved: Vec<&LinkOutcome> = links.iter().filter(|link| link.holds_before != link.holds_after).collect();
    if moved.is_empty() {
        return r#"<p class="note">Every bottleneck holds as many flows as before.</p>"#.to_owned();
    }
    let mut html = r#"<div class="scroll"><table><thead><tr><th>bottleneck</th><th class="n">capacity</th><th class="n">used before</th><th class="n">after</th><th class="n">holds before</th><th class="n">after</th></tr></thead><tbody>"#.to_owned();
    for link in moved {
        let class = if link.holds_after > 0 { r#" class="full""# } else { "" };
        let used = |load: f64, capacity: Option<f64>| capacity.map_or("–".to_owned(), |of| percent(load / of));
        let _ = write!(
            html,
            r#"<tr{class}><th>{}</th><td class="n">{}</td><td class="n">{}</td><td class="n">{}</td><td class="n">{}</td><td class="n">{}</td></tr>"#,
            escape(&link.id),
            link.capacity_after_bps.map_or_else(|| "lost".to_owned(), rate),
            used(link.before_bps, Some(link.capacity_before_bps)),
            used(link.after_bps, link.capacity_after_bps),
            link.holds_before,
            link.holds_after
        );
    }
    html + "</tbody></table></div>"
}
