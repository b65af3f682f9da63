//! Throughput over time against the fair rates.

use super::chart::{Series, Shape};
use super::explicit_rates;
use super::law_runs::LawRuns;
use super::numbers::{rate, significant, time};
use super::over_time::{Row, closer, legend, rows_in};
use super::scene::Scene;
use super::tints::Tint;
use super::view::View;
use crate::measures::WindowedRate;
use crate::plan::FlowKind;
use fairwire_core::Span;
use maud::{Markup, html};
use std::fmt::Write;
use std::ops::Range;

/// So many fair rates are drawn, of whatever flow.
const MOST_RATES: usize = 12;

/// The section, one row of charts a law.
pub(super) fn section(view: &View<'_>) -> Markup {
    let unit = RateUnit::for_rates_up_to(most_bps(view));
    let marked = view.laws.iter().map(|law| markers(view, law).len()).max().unwrap_or(0);
    // Names of moments stand above the lines.
    let most = unit.of_bps(most_bps(view)) * (1.0 + 0.1 * marked as f64);
    let names: Vec<_> =
        view.scene.plan.flows.iter().map(|flow| flow.name.clone()).zip(view.scene.tints.iter().copied()).collect();
    let in_steps = view.fair_is_in_steps();
    let with_a_rate = |&flow: &usize| !view.fair_is_of_the_start() || view.scene.references[flow].exists();
    let all: Vec<usize> = (0..view.scene.plan.flows.len()).filter(with_a_rate).collect();
    let row = |law: &LawRuns<'_>| {
        let row = Row {
            heading: law.law,
            legend: Markup::default(),
            titles: view.titles(),
            most,
            unit: unit.name,
            markers: markers(view, law),
            references: if in_steps { Vec::new() } else { references(view, &unit) },
            bands: if in_steps { Vec::new() } else { bands(view, &unit) },
        };
        row.draw(view, |range, close| {
            let steps = if in_steps { explicit_rates::fair_steps(view, law, &all, &unit, range) } else { Vec::new() };
            series(view, law, &unit, range, close).into_iter().chain(steps).collect()
        })
    };
    html! {
        section #throughput {
            h2 { "Throughput over time" }
            p.note {
                "Each point is the mean over the " (time(view.window.as_nanos() as f64)) " before it"
                @if view.zoom.is_some() { ", in the close view over " (time(closer(view).as_nanos() as f64)) }
                ". Dashed: the " (view.scene.criterion) " rates"
                @if in_steps { " after each change" } @else if has_too_many_rates(view) { " of the coloured flows" }
                "." (when_bytes_count(view))
            }
            (legend(&names, "flows"))
            @for law in &view.laws { (row(law)) }
        }
    }
}

/// When bytes of connections count, which retransmissions deliver many at a time.
fn when_bytes_count(view: &View<'_>) -> &'static str {
    let has_connections = view.scene.plan.flows.iter().any(|flow| flow.kind != FlowKind::Datagrams);
    match view.laws.iter().all(|law| law.left.is_some()) {
        _ if !has_connections => "",
        true => {
            " Bytes of TCP count when they left the narrowest link, not when a packet that was sent again brought them in order."
        }
        false => {
            " Bytes of TCP count when they are in order: after a loss many come at once, so that a line may stand above its link’s capacity."
        }
    }
}

/// Bit/s in the unit of the axis.
pub(super) struct RateUnit {
    bps: f64,
    pub name: &'static str,
}

impl RateUnit {
    pub fn for_rates_up_to(most: f64) -> Self {
        let units = [(1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s")];
        let (bps, name) = units.into_iter().find(|(bps, _)| most >= 2.0 * bps).unwrap_or((1.0, "b/s"));
        Self { bps, name }
    }

    pub fn of_bps(&self, bps: f64) -> f64 {
        bps / self.bps
    }
}

/// The largest rate that any chart of the section must hold.
fn most_bps(view: &View<'_>) -> f64 {
    let flows = 0..view.scene.plan.flows.len();
    let fair = view.scene.references.iter().map(|reference| reference.high_bps).filter(|bps| bps.is_finite());
    let measured = view.laws.iter().flat_map(|law| {
        flows.clone().map(|flow| {
            let passed = view.passed(law, flow);
            let whole = most_over(&passed, view.window, 0.0..f64::INFINITY);
            view.zoom.as_ref().map_or(whole, |zoom| whole.max(most_over(&passed, closer(view), zoom.clone())))
        })
    });
    let steps = view.laws.iter().flat_map(|law| &law.first.summary.changes).filter(|_| view.fair_is_in_steps());
    let steps = steps.flat_map(|change| change.fair_rates_bps.iter().copied()).filter(|bps| bps.is_finite());
    fair.chain(measured).chain(steps).fold(0.0, f64::max)
}

/// The largest mean over a window that ends in this stretch of time, in seconds.
fn most_over(passed: &WindowedRate, window: Span, time_s: Range<f64>) -> f64 {
    let (rows, row_s) = (rows_in(window, passed.row()), passed.row().as_secs_f64());
    let (first, last) = ((time_s.start / row_s) as usize, (time_s.end / row_s).ceil() as usize);
    let windows = passed.windows(first.saturating_sub(rows), last, rows);
    windows.map(|at| passed.rate_bps(at, rows)).fold(0.0, f64::max)
}

fn series(view: &View<'_>, law: &LawRuns<'_>, unit: &RateUnit, range: &Range<f64>, close: bool) -> Vec<Series> {
    let window = if close { closer(view) } else { view.window };
    let lines = view.scene.plan.flows.iter().enumerate().map(|(flow, plan)| {
        let passed = view.passed(law, flow);
        Series {
            name: plan.name.clone(),
            tint: view.scene.tints[flow],
            points: trailing_means(&passed, rows_in(window, passed.row()), range, unit),
            shape: Shape::Joined,
        }
    });
    lines.collect()
}

/// At the end of every row in `range` the mean over the `rows` rows before it,
/// or over what there is since the start.
fn trailing_means(passed: &WindowedRate, rows: usize, range: &Range<f64>, unit: &RateUnit) -> Vec<(f64, f64)> {
    let row_s = passed.row().as_secs_f64();
    let first = ((range.start / row_s) as usize).saturating_sub(1);
    let last = ((range.end / row_s).ceil() as usize).min(passed.rows());
    (first..last)
        .map(|row| {
            let from = (row + 1).saturating_sub(rows);
            ((row + 1) as f64 * row_s, unit.of_bps(passed.rate_bps(from, row + 1 - from)))
        })
        .collect()
}

fn markers(view: &View<'_>, law: &LawRuns<'_>) -> Vec<(f64, String)> {
    let event = view.scene.plan.last_event();
    let fair = law.first.summary.time_to_fair.first().and_then(|fair| fair.ns).filter(|&ns| view.is_convergence(ns));
    let mut markers = Vec::new();
    if event.as_nanos() > 0 {
        markers.push((event.as_secs_f64(), "last start or stop".to_owned()));
    }
    // That is about the rates of the start.
    if let Some(ns) = fair.filter(|_| !view.fair_is_of_the_start()) {
        markers.push((event.as_secs_f64() + ns as f64 * 1e-9, format!("within 5 % after {}", time(ns as f64))));
    }
    markers
}

/// The distinct fair rates with their names; of too many those of flows with a colour.
fn references(view: &View<'_>, unit: &RateUnit) -> Vec<(f64, String, Option<Tint>)> {
    let coloured = has_too_many_rates(view);
    let rates = distinct_rates(view, |tint| !(coloured && tint.is_muted()));
    rates.map(|bps| (unit.of_bps(bps), significant(unit.of_bps(bps), 4) + " " + unit.name, None)).collect()
}

/// Whether all fair rates together would cover what was measured.
fn has_too_many_rates(view: &View<'_>) -> bool {
    distinct_rates(view, |_| true).nth(MOST_RATES).is_some()
}

/// The different fair rates of flows with these tints.
fn distinct_rates(view: &View<'_>, shown: impl Fn(Tint) -> bool) -> impl Iterator<Item = f64> {
    let mut rates: Vec<f64> = Vec::new();
    let of_flows = view.scene.references.iter().zip(&view.scene.tints);
    for (reference, _) in of_flows.filter(|(reference, tint)| reference.exists() && shown(**tint)) {
        if rates.len() <= MOST_RATES && !rates.iter().any(|known| (known - reference.rate_bps).abs() <= 1e-3 * known) {
            rates.push(reference.rate_bps);
        }
    }
    rates.into_iter()
}

fn bands(view: &View<'_>, unit: &RateUnit) -> Vec<(Range<f64>, Option<Tint>)> {
    let wide = |reference: &&crate::measures::Reference| reference.high_bps > reference.low_bps * (1.0 + 1e-6);
    let intervals = view.scene.references.iter().zip(&view.scene.tints).filter(|(reference, _)| wide(reference));
    intervals
        .filter(|(reference, _)| reference.high_bps.is_finite())
        .map(|(reference, &tint)| (unit.of_bps(reference.low_bps)..unit.of_bps(reference.high_bps), Some(tint)))
        .collect()
}

/// A tooltip's worth of words about a flow's fair rate.
pub(super) fn fair_text(scene: &Scene<'_>, flow: usize) -> String {
    let Some(reference) = scene.references.get(flow) else { return String::new() };
    let mut text = rate(reference.rate_bps);
    if reference.is_interval() {
        let _ = write!(text, " ({} to {})", rate(reference.low_bps), rate(reference.high_bps));
    }
    text
}
