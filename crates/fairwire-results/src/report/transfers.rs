//! How long transfers took.

use super::chart::{LineChart, Series, Shape};
use super::law_runs::LawRuns;
use super::numbers::time;
use super::over_time::legend;
use super::table::{head, numbers, table};
use super::tints::Tint;
use super::view::View;
use crate::measures::transfer_times_s;
use fairwire_alloc::text;
use fairwire_core::Instant;
use maud::{Markup, html};

/// The chart ends where so large a part of all transfers has ended under every law.
const SHOWN: f64 = 0.95;

/// The section: how large a part has ended after which time, and the numbers;
/// nothing where no flow makes transfers.
pub(super) fn section(view: &View<'_>) -> Markup {
    let laws: Vec<Vec<f64>> = view.laws.iter().map(|law| times_s(view, law)).collect();
    if laws.iter().all(Vec::is_empty) {
        return Markup::default();
    }
    let names: Vec<(String, Tint)> =
        view.laws.iter().enumerate().map(|(at, law)| (law.law.to_owned(), Tint::nth(at))).collect();
    let longest = laws.iter().filter_map(|times| part_of(times, SHOWN)).fold(0.0, f64::max);
    let series = laws.iter().zip(&names).map(|(times, (name, tint))| {
        let whole = times.len().max(1) as f64;
        let steps = times.iter().enumerate().map(|(at, &time)| (time, (at + 1) as f64 / whole * 100.0));
        let shown = steps.filter(|(time, _)| *time <= longest * 1.02);
        let points = std::iter::once((0.0, 0.0)).chain(shown).collect();
        Series { name: name.clone(), tint: *tint, points, shape: Shape::Held }
    });
    let chart = LineChart {
        title: "Part of all transfers that have ended after so long",
        time_s: 0.0..longest.max(1e-9) * 1.02,
        most: 100.0,
        unit: "%",
        series: series.collect(),
        references: Vec::new(),
        bands: Vec::new(),
        markers: Vec::new(),
    };
    html! {
        section #transfers {
            h2 { "Transfer times" }
            p.note {
                "From the first segment sent to the last one acknowledged, of transfers that began after the warm-up, \
                 over all runs."
            }
            (legend(&names, "laws"))
            div.pair { (chart.draw()) div { (times_of_laws(view, &laws)) } }
        }
    }
}

/// Times of all transfers of all runs of a law, rising.
fn times_s(view: &View<'_>, law: &LawRuns<'_>) -> Vec<f64> {
    let from = Instant::ZERO + view.scene.plan.warmup;
    let counts: Vec<_> = law.runs.iter().map(|run| run.record.counts(view.input.plan)).collect();
    let done = counts.iter().flat_map(|counts| &counts.flows).filter_map(|flow| flow.connections);
    let mut times: Vec<f64> = done.flat_map(|done| transfer_times_s(done.transfers, from)).collect();
    times.sort_by(f64::total_cmp);
    times
}

fn part_of(sorted: &[f64], part: f64) -> Option<f64> {
    sorted.get(((part * sorted.len() as f64).ceil() as usize).max(1) - 1).copied()
}

fn times_of_laws(view: &View<'_>, laws: &[Vec<f64>]) -> Markup {
    let header = head(&["law", ">transfers", ">unfinished", ">mean", ">p50", ">p90", ">p99"]);
    let row = |law: &LawRuns<'_>, times: &[f64]| {
        let flows = law.runs.iter().flat_map(|run| &run.summary.flows);
        let unfinished: u64 = flows.filter_map(|flow| flow.transfers).map(|transfers| transfers.unfinished).sum();
        let mean = (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64);
        let told = |seconds: Option<f64>| seconds.map_or("–".to_owned(), |seconds| time(seconds * 1e9));
        html! {
            tr {
                th { (law.law) }
                (numbers([text::grouped(times.len() as u64), text::grouped(unfinished)]))
                (numbers([mean, part_of(times, 0.5), part_of(times, 0.9), part_of(times, 0.99)].map(told)))
            }
        }
    };
    table(
        "Transfer times",
        None,
        header,
        html! { @for (law, times) in view.laws.iter().zip(laws) { (row(law, times)) } },
    )
}
