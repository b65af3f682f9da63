//! The fair rates as bars.

use crate::report::html::escape;
use crate::report::numbers::rate;
use crate::report::over_time::swatch;
use crate::report::scene::Scene;
use crate::report::throughput::fair_text;
use std::fmt::Write;

/// More flows than this are folded away, and more than that left to the other answers.
const MOST_SHOWN: usize = 48;
const MOST_FOLDED: usize = 1000;

/// The section.
pub(super) fn section(scene: &Scene<'_>) -> String {
    let flows = scene.plan.flows.len();
    let scale = scene.references.iter().map(|reference| reference.high_bps).fold(f64::MIN_POSITIVE, f64::max) * 1.03;
    let bars = |flows: std::ops::Range<usize>| -> String { flows.map(|flow| bar(scene, flow, scale)).collect() };
    let mut html = format!(
        r#"<section id="rates"><h2>Who gets how much</h2><p class="note">Fair rates under {}.{}</p><div class="groups one">{}</div>"#,
        scene.criterion,
        if (0..flows).any(|flow| wanted(scene, flow).is_some()) {
            " The paler part of a bar is what the flow asks for beyond that, where it fits into the picture."
        } else {
            ""
        },
        bars(0..flows.min(MOST_SHOWN))
    );
    if flows > MOST_SHOWN {
        let last = flows.min(MOST_SHOWN + MOST_FOLDED);
        let left_out = if last < flows { format!(", the first {MOST_FOLDED} of them here") } else { String::new() };
        let _ = write!(
            html,
            r#"<details><summary>{} more flows{left_out}</summary><div class="groups one">{}</div></details>"#,
            flows - MOST_SHOWN,
            bars(MOST_SHOWN..last)
        );
    }
    html + "</section>"
}

/// What a flow asks for, if that has an end and is more than it gets.
fn wanted(scene: &Scene<'_>, flow: usize) -> Option<f64> {
    let demand = scene.problem.flows[flow].demand_bps;
    (demand.is_finite() && demand > scene.references[flow].rate_bps * (1.0 + 1e-6)).then_some(demand)
}

fn bar(scene: &Scene<'_>, flow: usize, scale: f64) -> String {
    let plan = &scene.plan.flows[flow];
    let reference = &scene.references[flow];
    let part = |bps: f64| (bps / scale * 100.0).clamp(0.0, 100.0);
    let mut track = r#"<svg class="track" aria-hidden="true">"#.to_owned();
    let mut rect = |class: &str, from: f64, to: f64| {
        if to > from {
            let width = to - from;
            let _ = write!(track, r#"<rect class="{class}" x="{from:.2}%" y="15%" width="{width:.2}%" height="70%"/>"#);
        }
    };
    rect("got", 0.0, part(reference.rate_bps));
    rect("miss", part(reference.rate_bps), wanted(scene, flow).map_or(0.0, part));
    rect("span", part(reference.low_bps), part(reference.high_bps));
    track.push_str("</svg>");
    let demand = scene.problem.flows[flow].demand_bps;
    let of = if demand.is_finite() { format!("of {}", rate(demand)) } else { String::new() };
    let ends = format!("{} → {}", scene.place(plan.from), scene.place(plan.to));
    format!(
        r#"<div class="bar wide"><span class="law">{}<b>{}</b> <span class="dim">{}</span></span>{track}<span class="val">{}</span><span class="dim">{of}</span></div>"#,
        swatch(scene.tints[flow]),
        escape(&plan.name),
        escape(&ends),
        fair_text(scene, flow)
    )
}
