//! The fair rates as bars.

use crate::report::html::{piece, track};
use crate::report::numbers::rate;
use crate::report::over_time::swatch;
use crate::report::scene::Scene;
use crate::report::throughput::fair_text;
use maud::{Markup, html};

/// Of more flows than this those that get least and those that get most are shown, half and half; so many of the others
/// are folded away, and more than that left to the other answers.
const MOST_SHOWN: usize = 48;
const MOST_FOLDED: usize = 1000;

/// The section.
pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let flows = scene.plan.flows.len();
    html! {
        section #rates {
            h2 { "Who gets how much" }
            p.note {
                "Fair rates under " (scene.criterion) "."
                @if (0..flows).any(|flow| wanted(scene, flow).is_some()) {
                    " The paler part of a bar is what the flow asks for beyond that, where it fits into the picture."
                }
            }
            @if flows > MOST_SHOWN {
                (ends(scene))
            } @else {
                (bars(scene, &(0..flows).collect::<Vec<_>>()))
            }
        }
    }
}

/// Both ends of many flows in the order of their rates, and what lies between, folded away.
fn ends(scene: &Scene<'_>) -> Markup {
    let mut flows: Vec<usize> = (0..scene.plan.flows.len()).collect();
    flows.sort_by(|&a, &b| scene.references[a].rate_bps.total_cmp(&scene.references[b].rate_bps));
    let half = MOST_SHOWN / 2;
    let (least, rest) = flows.split_at(half);
    let (between, most) = rest.split_at(rest.len() - half);
    let most: Vec<usize> = most.iter().rev().copied().collect();
    let folded = &between[..between.len().min(MOST_FOLDED)];
    html! {
        p.note {
            "Of " (flows.len()) " flows the " (half) " that get most and the " (half) " that get least; " (between.len())
            " between them are folded away below. Each part has a scale of its own."
        }
        h3 { "The " (half) " flows that get most" }
        (bars(scene, &most))
        h3 { "The " (half) " flows that get least" }
        (bars(scene, least))
        @if !between.is_empty() {
            details {
                summary {
                    (between.len()) @if between.len() == 1 { " flow" } @else { " flows" } " between them"
                    @if folded.len() < between.len() { ", the first " (MOST_FOLDED) " of them here" }
                }
                (bars(scene, folded))
            }
        }
    }
}

/// A bar for each of these flows, in the scale of the largest of them.
fn bars(scene: &Scene<'_>, flows: &[usize]) -> Markup {
    let highest = flows.iter().map(|&flow| scene.references[flow].high_bps).fold(f64::MIN_POSITIVE, f64::max);
    let class =
        if flows.iter().any(|&flow| scene.references[flow].is_interval()) { "groups one spans" } else { "groups one" };
    html! { div class=(class) { @for &flow in flows { (bar(scene, flow, highest * 1.03)) } } }
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
