//! Congestion windows of TCP senders over time.

use super::chart::{Series, Shape};
use super::law_runs::LawRuns;
use super::numbers::time;
use super::over_time::{Row, held_from, legend, rows_in};
use super::tints::Tint;
use super::view::View;
use crate::plan::FlowKind;
use fairwire_plan::WindowSample;
use maud::{Markup, html};
use std::ops::Range;

/// The section, one row of charts a law; nothing where no sender was watched.
pub(super) fn section(view: &View<'_>) -> Markup {
    let watched = watched(view);
    if watched.is_empty() {
        return Markup::default();
    }
    let smoothed = if view.zoom.is_some() { rows_in(view.window, view.scene.plan.window) } else { 1 };
    let names: Vec<(String, Tint)> =
        watched.iter().map(|&flow| (view.scene.plan.flows[flow].name.clone(), view.scene.tints[flow])).collect();
    let windows = view.laws.iter().flat_map(|law| watched.iter().flat_map(|&flow| first_of(samples(law, flow))));
    let most = windows.map(|sample| sample.cwnd).fold(0.0, f64::max);
    let alone = watched.len() == 1;
    let row = |law: &LawRuns<'_>| {
        let row = Row {
            heading: law.law,
            legend: Markup::default(),
            titles: view.titles(),
            most,
            unit: "pkts",
            markers: Vec::new(),
            references: Vec::new(),
            bands: Vec::new(),
        };
        row.draw(view, |range, close| {
            series(law, &watched, &names, range, if close { 1 } else { smoothed }, alone.then_some(most))
        })
    };
    html! {
        section #windows {
            h2 { "Congestion windows" }
            p.note {
                "What each sender allows itself to have under way, in segments; of several micro-flows the first one."
                @if smoothed > 1 {
                    " Over the whole run means over "
                    (time((view.scene.plan.window * smoothed as u64).as_nanos() as f64)) "."
                }
                @if alone { " Dashed: its slow-start threshold." }
            }
            (legend(&names, "flows"))
            @for law in &view.laws { (row(law)) }
        }
    }
}

/// The flows whose senders were watched: connections without end, or transfers where there are no others.
fn watched(view: &View<'_>) -> Vec<usize> {
    let of = |kind: FlowKind| -> Vec<usize> {
        let flows = (0..view.scene.plan.flows.len()).filter(|&flow| view.scene.plan.flows[flow].kind == kind);
        flows.filter(|&flow| view.laws.iter().any(|law| !samples(law, flow).is_empty())).collect()
    };
    let connections = of(FlowKind::Connections);
    if connections.is_empty() { of(FlowKind::Transfers) } else { connections }
}

fn samples<'a>(law: &'a LawRuns<'_>, flow: usize) -> &'a [WindowSample] {
    let done = law.counts.flows.get(flow).and_then(|flow| flow.connections);
    done.map_or(&[], |done| done.windows)
}

/// Of several micro-flows the first.
fn first_of(samples: &[WindowSample]) -> impl Iterator<Item = &WindowSample> {
    samples.iter().filter(|sample| sample.micro_flow == 0)
}

/// Each stretch of so many points as its mean, at its last time.
fn means(points: &[(f64, f64)], rows: usize) -> Vec<(f64, f64)> {
    let mean = |stretch: &[(f64, f64)]| {
        let sum: f64 = stretch.iter().map(|(_, value)| value).sum();
        (stretch[stretch.len() - 1].0, sum / stretch.len() as f64)
    };
    points.chunks(rows.max(1)).map(mean).collect()
}

/// With `most`, thresholds up to it are drawn, too.
fn series(
    law: &LawRuns<'_>,
    watched: &[usize],
    names: &[(String, Tint)],
    range: &Range<f64>,
    rows: usize,
    most: Option<f64>,
) -> Vec<Series> {
    let mut lines = Vec::new();
    for (&flow, (name, tint)) in watched.iter().zip(names) {
        let line = |name: String, tint: Tint, get: &dyn Fn(&WindowSample) -> f64| {
            let points: Vec<_> =
                first_of(samples(law, flow)).map(|sample| (sample.t.as_secs_f64(), get(sample))).collect();
            let points = means(&points, rows);
            Series { name, tint, points: held_from(&points, range.start), shape: Shape::Joined }
        };
        lines.push(line(name.clone(), *tint, &|sample| sample.cwnd));
        if let Some(most) = most {
            let threshold = |sample: &WindowSample| sample.ssthresh.min(most);
            lines.push(line(format!("{name}, threshold"), tint.contrasting(), &threshold));
        }
    }
    lines
}
