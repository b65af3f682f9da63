//! Measured rates against fair ones, a group of bars a flow.

use super::html::{Percent, piece, track};
use super::law_runs::MeanFlow;
use super::numbers::{percent, rate, time};
use super::over_time::swatch;
use super::strip::strip;
use super::throughput::fair_text;
use super::view::View;
use fairwire_core::Instant;
use maud::{Markup, html};

/// More flows than this share one strip a law; the ones furthest from fair still get bars.
const MOST_WITH_BARS: usize = 24;
const FURTHEST_SHOWN: usize = 8;

/// The section.
pub(super) fn section(view: &View<'_>) -> Markup {
    let flows = view.scene.plan.flows.len();
    // As wide as the longest name of a law, up to half of what there is.
    let longest = view.laws.iter().map(|law| law.law.chars().count()).max().unwrap_or(0);
    html! {
        section #rates {
            h2 { "Measured against fair" }
            p.note {
                "Mean rate after the warm-up, and the part of the " (view.scene.criterion) " rate that it is."
                @if view.fair_is_a_mean() {
                    " Flows come and go; fair is the mean of what was fair at each time."
                } @else if view.fair_is_of_the_start() {
                    " Fair rates are those of the start; events change them, so that the parts say little."
                } @else if view.flows_come_and_go() {
                    " Flows come and go; the fair rates are those for all of them at once."
                }
            }
            (key())
            @if flows > MOST_WITH_BARS {
                div.pair { @for law in &view.laws { (strip(view, law, most_ratio(view))) } }
                h3 { "The " (FURTHEST_SHOWN) " flows furthest from fair" }
            }
            div.groups style={ "--law:" (longest.clamp(8, 26)) "ch" } {
                @for flow in shown(view) { (group(view, flow)) }
            }
        }
    }
}

fn key() -> Markup {
    let words =
        [("got", "delivered"), ("over", "delivered beyond fair"), ("miss", "missing"), ("fairmark", "fair rate")];
    html! {
        ul.legend {
            @for (class, word) in words {
                li { i class={ "k " (class) } {} (word) }
            }
        }
    }
}

/// All flows in order, or of many those furthest from fair under any law.
fn shown(view: &View<'_>) -> Vec<usize> {
    let mut flows: Vec<_> = (0..view.scene.plan.flows.len()).collect();
    if flows.len() > MOST_WITH_BARS {
        let worst = |flow: usize| view.laws.iter().map(|law| law.error(flow)).fold(0.0, f64::max);
        flows.sort_by(|&a, &b| worst(b).total_cmp(&worst(a)));
        flows.truncate(FURTHEST_SHOWN);
    }
    flows
}

/// The largest part of a fair rate that any law gives any flow, in halves of one and at most ten.
fn most_ratio(view: &View<'_>) -> f64 {
    let flows = 0..view.scene.plan.flows.len();
    let ratios = view.laws.iter().flat_map(|law| flows.clone().filter_map(|flow| law.flow(flow).ratio));
    (ratios.fold(1.0, f64::max) * 2.1).ceil().clamp(3.0, 20.0) / 2.0
}

/// The rate at the right end of every bar's track.
fn scale_bps(view: &View<'_>) -> f64 {
    let fair = view.scene.references.iter().map(|reference| reference.high_bps).filter(|bps| bps.is_finite());
    let measured =
        view.laws.iter().flat_map(|law| (0..view.scene.plan.flows.len()).map(|flow| law.flow(flow).highest_bps));
    fair.chain(measured).fold(f64::MIN_POSITIVE, f64::max) * 1.03
}

fn group(view: &View<'_>, flow: usize) -> Markup {
    let plan = &view.scene.plan.flows[flow];
    let scale = scale_bps(view);
    html! {
        div.group {
            div.gh {
                (swatch(view.scene.tints[flow]))
                b { (plan.name) }
                span.dim {
                    (view.scene.place(plan.from)) " → " (view.scene.place(plan.to)) (activity(view, flow))
                }
                span.fairtext { "fair " (fair_text(&view.scene, flow)) }
            }
            @for law in &view.laws {
                @let measured = law.flow(flow);
                div.bar {
                    span.law { (law.law) }
                    (bar(view, flow, &measured, scale))
                    span.val { (rate(measured.rate_bps)) }
                    span.pc { (measured.ratio.map_or("n/a".to_owned(), percent)) }
                }
            }
        }
    }
}

/// When the flow offers traffic, where that is not all the time.
fn activity(view: &View<'_>, flow: usize) -> String {
    let plan = &view.scene.plan.flows[flow];
    let (from, until) = (time(plan.start.as_nanos() as f64), time(plan.stop.as_nanos() as f64));
    if plan.stop <= plan.start {
        return ", sends nothing".to_owned();
    }
    match (plan.start > Instant::ZERO, plan.stop < Instant::ZERO + view.scene.plan.duration) {
        (true, true) => format!(", from {from} to {until}"),
        (true, false) => format!(", from {from}"),
        (false, true) => format!(", until {until}"),
        (false, false) => String::new(),
    }
}

/// One bar: what was delivered, what of it is beyond fair, what is missing.
fn bar(view: &View<'_>, flow: usize, measured: &MeanFlow, scale: f64) -> Markup {
    let reference = &view.scene.references[flow];
    let part = |bps: f64| (bps / scale * 100.0).clamp(0.0, 100.0);
    let (got, low, high) = (part(measured.rate_bps), part(reference.low_bps), part(reference.high_bps));
    track(html! {
        (piece("got", 0.0, got.min(high)))
        (piece("over", high, got))
        (piece("miss", got, low))
        (piece("span", low, high))
        @for edge in [low, high] {
            line.fairmark x1=(Percent(edge)) x2=(Percent(edge)) y1="0" y2="100%" {}
        }
        @if measured.highest_bps > measured.lowest_bps {
            line.whisk
                x1=(Percent(part(measured.lowest_bps)))
                x2=(Percent(part(measured.highest_bps)))
                y1="50%"
                y2="50%"
                {}
        }
    })
}
