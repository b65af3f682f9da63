//! What the laws showed of their insides, over time.

use super::chart::{Series, Shape};
use super::law_runs::LawRuns;
use super::over_time::{Row, legend};
use super::tints::{Tint, highlight};
use super::view::View;
use crate::ring::link_name;
use fairwire_core::{Ringlet, StationId};
use fairwire_sim::LawSample;
use std::collections::BTreeMap;
use std::ops::Range;

/// More quantities than this a law are left to the tables.
const MOST_QUANTITIES: usize = 4;

/// The section, one row of charts a law and quantity; nothing where no law showed anything.
pub(super) fn section(view: &View<'_>) -> String {
    let mut html = String::new();
    for law in &view.laws {
        let quantities = Quantity::all(view, law);
        for quantity in quantities.iter().take(MOST_QUANTITIES) {
            html.push_str(&quantity.draw(view, law));
        }
    }
    if html.is_empty() {
        return html;
    }
    format!(
        r#"<section id="control"><h2>Control values</h2><p class="note">What the laws computed. Rates are fractions of the capacity of the link that the station feeds.</p>{html}</section>"#
    )
}

type Key = (Ringlet, StationId, StationId);

/// All lines of one name.
struct Quantity<'a> {
    name: &'a str,
    lines: BTreeMap<Key, Vec<(f64, f64)>>,
    unit: &'static str,
}

impl<'a> Quantity<'a> {
    fn all(view: &View<'_>, law: &LawRuns<'a>) -> Vec<Self> {
        let mut quantities: Vec<Self> = Vec::new();
        for sample in &law.first.record.laws {
            let at = quantities.iter().position(|known| known.name == sample.name).unwrap_or_else(|| {
                quantities.push(Self { name: sample.name, lines: BTreeMap::new(), unit: unit(sample.name) });
                quantities.len() - 1
            });
            let key = (sample.ringlet, sample.station, sample.about);
            let point = (sample.t.as_secs_f64(), scaled(view, sample));
            quantities[at].lines.entry(key).or_default().push(point);
        }
        quantities
    }

    fn draw(&self, view: &View<'_>, law: &LawRuns<'_>) -> String {
        let keyed: Vec<_> = self.lines.iter().collect();
        let tints = self.tints(view, &keyed);
        let names: Vec<_> = keyed.iter().map(|&(key, _)| line_name(view, *key)).zip(tints.iter().copied()).collect();
        let most = self.lines.values().flatten().map(|(_, value)| *value).filter(|v| v.is_finite()).fold(0.0, f64::max);
        let spelled = self.name.trim_end_matches("_bps").trim_end_matches("_fraction").replace('_', " ");
        let titles = view.titles();
        let heading = format!("{} · {spelled}", law.law);
        let row = Row {
            heading: &heading,
            legend: legend(&names, "lines"),
            titles,
            most: if self.unit == "%" { most.clamp(50.0, 100.0) } else { most },
            unit: self.unit,
            markers: Vec::new(),
            references: Vec::new(),
            bands: Vec::new(),
        };
        row.draw(view, |range, _| self.series(&names, range))
    }

    /// A flow's own colour for what is said about it; else the tightest values stand out.
    fn tints(&self, view: &View<'_>, keyed: &[(&Key, &Vec<(f64, f64)>)]) -> Vec<Tint> {
        let flow_of = |key: &Key| flow_of(view, *key);
        if keyed.iter().all(|(key, _)| flow_of(key).is_some()) {
            return keyed.iter().map(|(key, _)| flow_of(key).map_or(Tint::Muted, |flow| view.tints[flow])).collect();
        }
        let tightness = |points: &[(f64, f64)]| {
            let sum: f64 = points.iter().map(|(_, value)| value).sum();
            -sum / points.len().max(1) as f64
        };
        highlight(keyed.iter().map(|(_, points)| tightness(points)).collect())
    }

    fn series(&self, names: &[(String, Tint)], range: &Range<f64>) -> Vec<Series> {
        let lines = self.lines.values().zip(names).map(|(points, (name, tint))| Series {
            name: name.clone(),
            tint: *tint,
            points: held_from(points, range.start),
            shape: Shape::Held,
        });
        lines.collect()
    }
}

/// The points from `start` on, led by the value that held there.
fn held_from(points: &[(f64, f64)], start: f64) -> Vec<(f64, f64)> {
    let first = points.partition_point(|(time, _)| *time < start);
    let held = first.checked_sub(1).map(|before| (start, points[before].1));
    held.into_iter().chain(points[first..].iter().copied()).collect()
}

/// The flow that `key` speaks of: its station is the ingress, `about` the egress.
fn flow_of(view: &View<'_>, (ringlet, station, about): Key) -> Option<usize> {
    let is_it = |flow: &fairwire_sim::FlowPlan| (flow.ringlet, flow.from, flow.to) == (ringlet, station, about);
    view.plan.flows.iter().position(is_it)
}

fn line_name(view: &View<'_>, key: Key) -> String {
    let (ringlet, station, about) = key;
    match flow_of(view, key) {
        Some(flow) => view.plan.flows[flow].name.clone(),
        None if station == about => link_name(ringlet, station),
        None => format!("{} to {about}", link_name(ringlet, station)),
    }
}

fn unit(name: &str) -> &'static str {
    match name {
        name if name.ends_with("_bps") || name.ends_with("_fraction") => "%",
        name if name.ends_with("_bytes") => "B",
        name if name.ends_with("_ns") => "ns",
        _ => "",
    }
}

fn scaled(view: &View<'_>, sample: &LawSample) -> f64 {
    if sample.name.ends_with("_bps") {
        let link = view.plan.links[sample.ringlet.index()].get(sample.station.index());
        let capacity = link.map_or(f64::NAN, |link| link.capacity.as_bps_f64());
        sample.value / capacity * 100.0
    } else if sample.name.ends_with("_fraction") {
        sample.value * 100.0
    } else {
        sample.value
    }
}
