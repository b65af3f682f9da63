//! Measured rates against fair ones, a group of bars a flow.

use super::html::escape;
use super::law_runs::MeanFlow;
use super::numbers::{percent, rate, time};
use super::over_time::swatch;
use super::strip::strip;
use super::throughput::fair_text;
use super::view::View;
use fairwire_core::Instant;
use std::fmt::Write;

/// More flows than this share one strip a law; the ones furthest from fair still get bars.
const MOST_WITH_BARS: usize = 24;
const FURTHEST_SHOWN: usize = 8;

/// The section.
pub(super) fn section(view: &View<'_>) -> String {
    let flows = view.scene.plan.flows.len();
    let mut html = format!(
        r#"<section id="rates"><h2>Measured against fair</h2><p class="note">Mean rate after the warm-up, and the part of the {} rate that it is.{}</p>{KEY}"#,
        view.scene.criterion,
        if view.flows_come_and_go() {
            " Flows come and go; the fair rates are those for all of them at once."
        } else {
            ""
        }
    );
    if flows > MOST_WITH_BARS {
        html.push_str(r#"<div class="pair">"#);
        for law in &view.laws {
            html.push_str(&strip(view, law, most_ratio(view)));
        }
        let _ = write!(html, "</div><h3>The {FURTHEST_SHOWN} flows furthest from fair</h3>");
    }
    // As wide as the longest name of a law, up to half of what there is.
    let longest = view.laws.iter().map(|law| law.law.chars().count()).max().unwrap_or(0);
    let _ = write!(html, r#"<div class="groups" style="--law:{}ch">"#, longest.clamp(8, 26));
    for flow in shown(view) {
        html.push_str(&group(view, flow));
    }
    html.push_str("</div></section>");
    html
}

const KEY: &str = concat!(
    r#"<ul class="legend"><li><i class="k got"></i>delivered</li>"#,
    r#"<li><i class="k over"></i>delivered beyond fair</li>"#,
    r#"<li><i class="k miss"></i>missing</li>"#,
    r#"<li><i class="k fairmark"></i>fair rate</li></ul>"#
);

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

fn group(view: &View<'_>, flow: usize) -> String {
    let plan = &view.scene.plan.flows[flow];
    let scale = scale_bps(view);
    let mut html = format!(
        r#"<div class="group"><div class="gh">{}<b>{}</b><span class="dim">{} → {}{}</span><span class="fairtext">fair {}</span></div>"#,
        swatch(view.scene.tints[flow]),
        escape(&plan.name),
        escape(&view.scene.place(plan.from)),
        escape(&view.scene.place(plan.to)),
        activity(view, flow),
        fair_text(&view.scene, flow),
    );
    for law in &view.laws {
        let measured = law.flow(flow);
        let ratio = measured.ratio.map_or("n/a".to_owned(), percent);
        let _ = write!(
            html,
            r#"<div class="bar"><span class="law">{}</span>{}<span class="val">{}</span><span class="pc">{ratio}</span></div>"#,
            escape(law.law),
            track(view, flow, &measured, scale),
            rate(measured.rate_bps),
        );
    }
    html.push_str("</div>");
    html
}

/// When the flow offers traffic, where that is not all the time.
fn activity(view: &View<'_>, flow: usize) -> String {
    let plan = &view.scene.plan.flows[flow];
    let (from, until) = (time(plan.start.as_nanos() as f64), time(plan.stop.as_nanos() as f64));
    match (plan.start > Instant::ZERO, plan.stop < Instant::ZERO + view.scene.plan.duration) {
        (true, true) => format!(", from {from} to {until}"),
        (true, false) => format!(", from {from}"),
        (false, true) => format!(", until {until}"),
        (false, false) => String::new(),
    }
}

/// One bar: what was delivered, what of it is beyond fair, what is missing.
fn track(view: &View<'_>, flow: usize, measured: &MeanFlow, scale: f64) -> String {
    let reference = &view.scene.references[flow];
    let part = |bps: f64| (bps / scale * 100.0).clamp(0.0, 100.0);
    let (got, low, high) = (part(measured.rate_bps), part(reference.low_bps), part(reference.high_bps));
    let mut svg = r#"<svg class="track" aria-hidden="true">"#.to_owned();
    let mut rect = |class: &str, from: f64, to: f64| {
        if to > from {
            let _ =
                write!(svg, r#"<rect class="{class}" x="{from:.2}%" y="15%" width="{:.2}%" height="70%"/>"#, to - from);
        }
    };
    rect("got", 0.0, got.min(high));
    rect("over", high, got);
    rect("miss", got, low);
    rect("span", low, high);
    for edge in [low, high] {
        let _ = write!(svg, r#"<line class="fairmark" x1="{edge:.2}%" x2="{edge:.2}%" y1="0" y2="100%"/>"#);
    }
    if measured.highest_bps > measured.lowest_bps {
        let (from, to) = (part(measured.lowest_bps), part(measured.highest_bps));
        let _ = write!(svg, r#"<line class="whisk" x1="{from:.2}%" x2="{to:.2}%" y1="50%" y2="50%"/>"#);
    }
    svg.push_str("</svg>");
    svg
}
