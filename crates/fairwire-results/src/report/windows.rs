//! Congestion windows of TCP senders over time.

use super::chart::{Series, Shape};
use super::law_runs::LawRuns;
use super::over_time::{Row, held_from, legend};
use super::tints::Tint;
use super::view::View;
use fairwire_sim::{NetworkFlowRecord, WindowSample};
use std::ops::Range;

/// The section, one row of charts a law; nothing where no sender was watched.
pub(super) fn section(view: &View<'_>) -> String {
    let watched: Vec<usize> =
        (0..view.plan.flows.len()).filter(|&flow| view.laws.iter().any(|law| !samples(law, flow).is_empty())).collect();
    if watched.is_empty() {
        return String::new();
    }
    let names: Vec<(String, Tint)> =
        watched.iter().map(|&flow| (view.plan.flows[flow].name.clone(), view.tints[flow])).collect();
    let windows = view.laws.iter().flat_map(|law| watched.iter().flat_map(|&flow| first_of(samples(law, flow))));
    let most = windows.map(|sample| sample.congestion_window).fold(0.0, f64::max);
    let alone = watched.len() == 1;
    let mut html = format!(
        r#"<section id="windows"><h2>Congestion windows</h2><p class="note">What each sender allows itself to have under way, in segments; of several micro-flows the first one.{}</p>{}"#,
        if alone { " Dashed: its slow-start threshold." } else { "" },
        legend(&names, "flows")
    );
    for law in &view.laws {
        let row = Row {
            heading: law.law,
            legend: String::new(),
            titles: view.titles(),
            most,
            unit: "pkts",
            markers: Vec::new(),
            references: Vec::new(),
            bands: Vec::new(),
        };
        html.push_str(&row.draw(view, |range, _| series(law, &watched, &names, range, alone.then_some(most))));
    }
    html.push_str("</section>");
    html
}

fn samples<'a>(law: &'a LawRuns<'_>, flow: usize) -> &'a [WindowSample] {
    let record = law.counts.flows.get(flow).and_then(|flow| flow.network);
    record.map_or(&[], |record: &NetworkFlowRecord| record.windows.as_slice())
}

/// Of several micro-flows the first.
fn first_of(samples: &[WindowSample]) -> impl Iterator<Item = &WindowSample> {
    samples.iter().filter(|sample| sample.micro_flow == 0)
}

/// With `most`, thresholds up to it are drawn, too.
fn series(
    law: &LawRuns<'_>,
    watched: &[usize],
    names: &[(String, Tint)],
    range: &Range<f64>,
    most: Option<f64>,
) -> Vec<Series> {
    let mut lines = Vec::new();
    for (&flow, (name, tint)) in watched.iter().zip(names) {
        let line = |name: String, tint: Tint, get: &dyn Fn(&WindowSample) -> f64| {
            let points: Vec<_> =
                first_of(samples(law, flow)).map(|sample| (sample.t.as_secs_f64(), get(sample))).collect();
            Series { name, tint, points: held_from(&points, range.start), shape: Shape::Joined }
        };
        lines.push(line(name.clone(), *tint, &|sample| sample.congestion_window));
        if let Some(most) = most {
            let threshold = |sample: &WindowSample| sample.slow_start_threshold.min(most);
            lines.push(line(format!("{name}, threshold"), tint.contrasting(), &threshold));
        }
    }
    lines
}
