//! The rates that switches allow over time against the fair ones, who is held where, and what ports did.

use super::changes::{MOST_FLOWS, MOST_ROWS, words};
use super::chart::{Series, Shape};
use super::law_runs::LawRuns;
use super::numbers::{rate, time};
use super::over_time::{Row, held_from, legend};
use super::table::html_table;
use super::throughput::RateUnit;
use super::tints::Tint;
use super::view::View;
use crate::explicit_rates::PortSummary;
use crate::measures::{AllowedRates, ChangeSummary};
use fairwire_alloc::text;
use fairwire_core::Instant;
use maud::{Markup, html};
use std::ops::Range;

/// The section, one row of charts a law; nothing where switches tell nobody.
pub(super) fn section(view: &View<'_>) -> Markup {
    let told: Vec<usize> = (0..view.scene.plan.flows.len()).filter(|&flow| is_told(view, flow)).collect();
    if told.is_empty() {
        return Markup::default();
    }
    let allowed: Vec<Vec<(usize, AllowedRates)>> = view.laws.iter().map(|law| allowed(law, &told)).collect();
    let unit = RateUnit::for_rates_up_to(most_bps(view, &allowed));
    let most = unit.of_bps(most_bps(view, &allowed));
    let names: Vec<(String, Tint)> =
        told.iter().map(|&flow| (view.scene.plan.flows[flow].name.clone(), view.scene.tints[flow])).collect();
    let row = |law: &LawRuns<'_>, allowed: &[(usize, AllowedRates)]| {
        let row = Row {
            heading: law.law,
            legend: Markup::default(),
            titles: view.titles(),
            most,
            unit: unit.name,
            markers: Vec::new(),
            references: Vec::new(),
            bands: Vec::new(),
        };
        row.draw(view, |range, _| series(view, law, allowed, &unit, range))
    };
    html! {
        section #allowed-rates {
            h2 { "Allowed rates" }
            p.note {
                "The rate that switches allow each flow, its control packets included. Dashed: what is fair by "
                (view.scene.criterion) " after each change, of the flows that are on then."
            }
            (legend(&names, "flows"))
            @for (law, allowed) in view.laws.iter().zip(&allowed) { (row(law, allowed)) }
            (fair_table(view, &told))
            (response_table(view))
            (port_table(view))
        }
    }
}

fn is_told(view: &View<'_>, flow: usize) -> bool {
    view.laws.iter().any(|law| law.counts.flows.get(flow).is_some_and(|flow| flow.rate.is_some()))
}

fn allowed(law: &LawRuns<'_>, told: &[usize]) -> Vec<(usize, AllowedRates)> {
    let of = |&flow: &usize| Some((flow, AllowedRates::of(law.counts.flows.get(flow)?.rate?)));
    told.iter().filter_map(of).collect()
}

/// The largest rate that a chart must hold.
fn most_bps(view: &View<'_>, allowed: &[Vec<(usize, AllowedRates)>]) -> f64 {
    let fair = view.changes().iter().flat_map(|change| change.fair_rates_bps.iter().copied());
    let steps = allowed.iter().flatten().flat_map(|(_, rates)| rates.steps().iter().map(|(_, rate)| *rate));
    fair.chain(steps).filter(|rate| rate.is_finite()).fold(0.0, f64::max)
}

/// What is allowed, and dashed what is fair, of flows that stand out.
fn series(
    view: &View<'_>,
    law: &LawRuns<'_>,
    allowed: &[(usize, AllowedRates)],
    unit: &RateUnit,
    range: &Range<f64>,
) -> Vec<Series> {
    let name = |flow: usize| &view.scene.plan.flows[flow].name;
    // All end with the run.
    let end = Instant::ZERO + view.scene.plan.duration;
    let lines = allowed.iter().map(|(flow, rates)| {
        let steps = rates.steps().iter().filter(|(at, _)| *at < end);
        let points: Vec<_> = steps.map(|(at, rate)| (at.as_secs_f64(), unit.of_bps(*rate))).collect();
        Series {
            name: name(*flow).clone(),
            tint: view.scene.tints[*flow],
            points: held_from(&points, range.start),
            shape: Shape::Held,
        }
    });
    let told: Vec<usize> = allowed.iter().map(|(flow, _)| *flow).collect();
    lines.chain(fair_steps(view, law, &told, unit, range)).collect()
}

/// What is fair of flows that stand out, dashed.
pub(super) fn fair_steps(
    view: &View<'_>,
    law: &LawRuns<'_>,
    flows: &[usize],
    unit: &RateUnit,
    range: &Range<f64>,
) -> Vec<Series> {
    let line = |flow: usize| {
        let rate = |change: &ChangeSummary| change.fair_rates_bps.get(flow).copied().unwrap_or(0.0);
        let step = |change: &ChangeSummary| (change.at_ns as f64 * 1e-9, unit.of_bps(rate(change)));
        let start = view.fair_is_of_the_start().then(|| (0.0, unit.of_bps(view.scene.references[flow].rate_bps)));
        let points: Vec<_> = start.into_iter().chain(law.first.summary.changes.iter().map(step)).collect();
        Series {
            name: format!("{}, fair", view.scene.plan.flows[flow].name),
            tint: view.scene.tints[flow],
            points: held_from(&points, range.start),
            shape: Shape::Dashed,
        }
    };
    flows.iter().copied().filter(|&flow| !view.scene.tints[flow].is_muted()).map(line).collect()
}

/// What each flow should have after each change, and the link that holds it there.
fn fair_table(view: &View<'_>, told: &[usize]) -> Markup {
    let shown: Vec<usize> =
        told.iter().copied().filter(|&flow| !view.scene.tints[flow].is_muted()).take(MOST_FLOWS).collect();
    let mut header = vec!["after".to_owned(), ">at".to_owned()];
    header.extend(shown.iter().map(|&flow| format!(">{}", view.scene.plan.flows[flow].name)));
    let row = |change: &ChangeSummary| -> Option<Vec<String>> {
        let allowed = change.allowed.as_ref()?;
        let cell = |&flow: &usize| {
            if allowed.rates_bps.get(flow).copied().flatten().is_none() {
                return "off".to_owned();
            }
            let held = allowed.held_by.get(flow).and_then(Option::as_ref);
            let held = held.map_or("all it may".to_owned(), Clone::clone);
            format!("{} ({held})", rate(change.fair_rates_bps[flow]))
        };
        let first = [words(change), time(change.at_ns as f64)];
        Some(first.into_iter().chain(shown.iter().map(cell)).collect())
    };
    let rows: Vec<Vec<String>> = view.changes().iter().filter_map(row).take(MOST_ROWS).collect();
    html! {
        @if !rows.is_empty() {
            h3 { "What is fair, and which link holds whom" }
            (html_table("What is fair after each change", &header, &rows))
        }
    }
}

/// How fast allowed rates followed each change, under each law.
fn response_table(view: &View<'_>) -> Markup {
    let mut header = vec!["after".to_owned(), ">at".to_owned()];
    header.extend(view.laws.iter().flat_map(|law| [format!(">{} response", law.law), ">within 1 %".to_owned()]));
    let never = |ns: Option<u64>| ns.map_or("never".to_owned(), |ns| time(ns as f64));
    let of_law = |law: &LawRuns<'_>, number: usize| {
        let allowed = law.first.summary.changes.get(number).and_then(|change| change.allowed.as_ref());
        let fine = allowed.and_then(|allowed| allowed.time_to_fair.last());
        let nothing = allowed.is_none_or(|allowed| allowed.error.is_none());
        [
            allowed.and_then(|allowed| allowed.response_max_ns).map_or("–".to_owned(), |ns| time(ns as f64)),
            if nothing { "–".to_owned() } else { never(fine.and_then(|fine| fine.ns)) },
        ]
    };
    let row = |(number, change): (usize, &ChangeSummary)| -> Vec<String> {
        let first = [words(change), time(change.at_ns as f64)];
        first.into_iter().chain(view.laws.iter().flat_map(|law| of_law(law, number))).collect()
    };
    let rows: Vec<Vec<String>> = view.changes().iter().enumerate().take(MOST_ROWS).map(row).collect();
    html! {
        @if !rows.is_empty() {
            h3 { "How fast allowed rates followed" }
            p.note {
                "Response: from the change to the last change of any flow's allowed rate before the next one. Within 1 %: until all \
                 allowed rates were that near to what is fair for good."
            }
            (html_table("Responses", &header, &rows))
        }
    }
}

/// What the ports did that control packets came to.
fn port_table(view: &View<'_>) -> Markup {
    let header = ["law", "port", ">longest queue", ">dropped: too long", ">above allowed", ">control", ">refused"];
    let row = |law: &LawRuns<'_>, link: &str, port: &PortSummary| -> Vec<String> {
        let refused: Vec<String> =
            port.refused_by.iter().map(|kind| format!("{} {}", kind.packets, kind.reason)).collect();
        let refused = if refused.is_empty() { "0".to_owned() } else { refused.join(", ") };
        let (law, link, counted) = (law.law.to_owned(), link.to_owned(), |count| text::grouped(count));
        let deepest = text::count(port.deepest_packets as usize, "packet");
        let (dropped, above) = (counted(port.dropped_too_long), counted(port.dropped_above_allowed));
        vec![law, link, deepest, dropped, above, counted(port.control), refused]
    };
    let of_law = |law: &LawRuns<'_>| -> Vec<Vec<String>> {
        let links = law.first.summary.links.iter().filter_map(|link| Some((&link.id, link.port.as_ref()?)));
        let heard = links.filter(|(_, port)| port.control + port.refused > 0);
        heard.take(MOST_ROWS).map(|(link, port)| row(law, link, port)).collect()
    };
    let rows: Vec<Vec<String>> = view.laws.iter().flat_map(of_law).collect();
    html! {
        @if !rows.is_empty() {
            h3 { "Ports" }
            p.note { "Longest queue: the most packets that one found when it came, the one being sent included." }
            (html_table("Ports", &header, &rows))
        }
    }
}
