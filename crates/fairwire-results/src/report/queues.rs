//! Queue depths over time.

use super::chart::{Series, Shape};
use super::law_runs::LawRuns;
use super::numbers::{percent, size};
use super::over_time::{Row, legend};
use super::tints::{Tint, highlight};
use super::view::View;
use crate::ring::link_name;
use fairwire_core::{Ringlet, StationId};
use std::ops::Range;

/// The links that carried anything under any law, with tints: the deepest
/// queues stand out.
pub(super) fn link_tints(view: &View<'_>) -> Vec<((Ringlet, StationId), Tint)> {
    let mut links: Vec<((Ringlet, StationId), f64)> = Vec::new();
    for link in view.laws.iter().flat_map(|law| &law.first.record.links) {
        let key = (link.ringlet, link.station);
        let deepest = link.deepest.get() as f64;
        match links.iter_mut().find(|(known, _)| *known == key) {
            Some((_, most)) => *most = most.max(deepest),
            None => links.push((key, deepest)),
        }
    }
    links.sort_by_key(|(key, _)| *key);
    let tints = highlight(links.iter().map(|(_, deepest)| *deepest).collect());
    links.into_iter().map(|(key, _)| key).zip(tints).collect()
}

/// The section, one row of charts a law; nothing where no run kept queues.
pub(super) fn section(view: &View<'_>) -> String {
    if !view.has_detail() {
        return String::new();
    }
    let links = link_tints(view);
    let deepest = view.laws.iter().map(|law| deepest_bytes(law)).fold(0.0, f64::max);
    let buffer = view.plan.transit.buffer.get() as f64;
    let (scale, unit) = if deepest >= 2e6 {
        (1e6, "MB")
    } else if deepest >= 2e3 {
        (1e3, "kB")
    } else {
        (1.0, "B")
    };
    let mut html = format!(
        r#"<section id="queues"><h2>Queue depths</h2><p class="note">Most bytes waiting in front of each link; every queue holds {}, and the deepest one reached {} of it.</p>"#,
        size(buffer),
        percent(if buffer > 0.0 { deepest / buffer } else { 0.0 }),
    );
    let names: Vec<_> = links.iter().map(|&((ringlet, station), tint)| (link_name(ringlet, station), tint)).collect();
    html.push_str(&legend(&names, "links"));
    let references =
        if deepest > 0.5 * buffer { vec![(buffer / scale, "buffer".to_owned(), None)] } else { Vec::new() };
    for law in &view.laws {
        let row = Row {
            heading: law.law,
            legend: String::new(),
            titles: view.titles(),
            most: if references.is_empty() { deepest / scale } else { buffer.max(deepest) / scale },
            unit,
            markers: Vec::new(),
            references: references.clone(),
            bands: Vec::new(),
        };
        html.push_str(&row.draw(view, |range, _| series(law, &links, scale, range)));
    }
    html.push_str("</section>");
    html
}

fn deepest_bytes(law: &LawRuns<'_>) -> f64 {
    law.first.record.links.iter().map(|link| link.deepest.get() as f64).fold(0.0, f64::max)
}

fn series(law: &LawRuns<'_>, links: &[((Ringlet, StationId), Tint)], scale: f64, range: &Range<f64>) -> Vec<Series> {
    let record = &law.first.record;
    let row_s = record.window.as_secs_f64();
    let lines = record.links.iter().filter_map(|link| {
        let &(_, tint) = links.iter().find(|(key, _)| *key == (link.ringlet, link.station))?;
        let rows = link.deepest_bytes.iter().enumerate();
        let points = rows.map(|(row, &bytes)| ((row as f64 + 0.5) * row_s, f64::from(bytes) / scale));
        Some(Series {
            name: link_name(link.ringlet, link.station),
            tint,
            points: points.filter(|(time, _)| *time >= range.start && *time <= range.end).collect(),
            shape: Shape::Peaks,
        })
    });
    lines.collect()
}
