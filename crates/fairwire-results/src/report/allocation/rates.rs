//! The fair rates as bars.

use crate::report::html::{piece, track};
use crate::report::numbers::rate;
use crate::report::over_time::swatch;
use crate::report::scene::Scene;
use crate::report::throughput::fair_text;
use maud::{Markup, html};
use std::ops::Range;

/// More flows than this are folded away, and more than that left to the other answers.
const MOST_SHOWN: usize = 48;
const MOST_FOLDED: usize = 1000;

/// The section.
pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let flows = scene.plan.flows.len();
    let scale = scene.references.iter().map(|reference| reference.high_bps).fold(f64::MIN_POSITIVE, f64::max) * 1.03;
    let bars = |flows: Range<usize>| {
        html! { div."groups one" { @for flow in flows { (bar(scene, flow, scale)) } } }
    };
    let last = flows.min(MOST_SHOWN + MOST_FOLDED);
    html! {
        section #rates {
            h2 { "Who gets how much" }
            p.note {
                "Fair rates under " (scene.criterion) "."
                @if (0..flows).any(|flow| wanted(scene, flow).is_some()) {
                    " The paler part of a bar is what the flow asks for beyond that, where it fits into the picture."
                }
            }
            (bars(0..flows.min(MOST_SHOWN)))
            @if flows > MOST_SHOWN {
                details {
                    summary {
                        (flows - MOST_SHOWN) " more flows"
                        @if last < flows { ", the first " (MOST_FOLDED) " of them here" }
                    }
                    (bars(MOST_SHOWN..last))
                }
            }
        }
    }
}

/// What a flow asks for, if that has an end and is more than it gets.
fn wanted(scene: &Scene<'_>, flow: usize) -> Option<f64> {
    let demand = scene.problem.flows[flow].demand_bps;
    (demand.is_finite() && demand > scene.references[flow].rate_bps * (1.0 + 1e-6)).then_some(demand)
}

fn bar(scene: &Scene<'_>, flow: usize, scale: f64) -> Markup {
    let plan = &scene.plan.flows[flow];
    let reference = &scene.references[flow];
    let part = |bps: f64| (bps / scale * 100.0).clamp(0.0, 100.0);
    let demand = scene.problem.flows[flow].demand_bps;
    html! {
        div."bar wide" {
            span.law {
                (swatch(scene.tints[flow]))
                b { (plan.name) }
                " "
                span.dim { (scene.place(plan.from)) " → " (scene.place(plan.to)) }
            }
            (track(html! {
                (piece("got", 0.0, part(reference.rate_bps)))
                (piece("miss", part(reference.rate_bps), wanted(scene, flow).map_or(0.0, part)))
                (piece("span", part(reference.low_bps), part(reference.high_bps)))
            }))
            span.val { (fair_text(scene, flow)) }
            span.dim { @if demand.is_finite() { "of " (rate(demand)) } }
        }
    }
}
