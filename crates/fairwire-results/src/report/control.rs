//! What the laws showed of their insides, over time.

use super::chart::{Series, Shape};
use super::law_runs::LawRuns;
use super::numbers::time;
use super::over_time::{Row, closer, held_from, legend, means_over_time};
use super::tints::{Tint, highlight};
use super::view::View;
use crate::plan::Plan;
use crate::record::Record;
use fairwire_core::Ringlet;
use maud::{Markup, html};
use std::collections::BTreeMap;
use std::ops::Range;

/// More quantities than this a law are left to the tables.
const MOST_QUANTITIES: usize = 4;
/// More lines than this are left to the tables, too.
const MOST_LINES: usize = 400;
/// What the section of queues draws.
const DRAWN_BY_QUEUES: &str = "avg_packets";

/// The section, one row of charts a law and quantity; nothing where no law showed anything.
pub(super) fn section(view: &View<'_>) -> Markup {
    let mut drawn = Vec::new();
    for law in &view.laws {
        let quantities = Quantity::all(view, law);
        for quantity in quantities.iter().take(MOST_QUANTITIES) {
            drawn.push(quantity.draw(view, law));
        }
    }
    if drawn.is_empty() {
        return Markup::default();
    }
    let rates = match view.scene.ground {
        Plan::Ring(_) => " Rates are fractions of the capacity of the link that the station feeds.",
        Plan::Network(_) => "",
    };
    html! {
        section #control {
            h2 { "Control values" }
            p.note {
                "What the laws computed. The lines of links that hold flows back stand out; without such those of the busiest \
                 links."
                (rates)
                @if view.scene.ground.network().is_some() {
                    " Each point is the mean over time of the " (time(view.window.as_nanos() as f64)) " before it"
                    @if view.zoom.is_some() { ", in the close view of " (time(closer(view).as_nanos() as f64)) }
                    "."
                }
            }
            @for rows in &drawn { (rows) }
        }
    }
}

/// The link that the law controls, and what the value is about.
type Key = (usize, u32);

/// One value shown.
struct Shown {
    name: &'static str,
    key: Key,
    t_s: f64,
    value: f64,
}

/// All lines of one name.
struct Quantity {
    name: &'static str,
    lines: BTreeMap<Key, Vec<(f64, f64)>>,
    unit: &'static str,
}

impl Quantity {
    fn all(view: &View<'_>, law: &LawRuns<'_>) -> Vec<Self> {
        let mut quantities: Vec<Self> = Vec::new();
        for shown in shown(view, law) {
            let at = quantities.iter().position(|known| known.name == shown.name).unwrap_or_else(|| {
                quantities.push(Self { name: shown.name, lines: BTreeMap::new(), unit: unit(shown.name) });
                quantities.len() - 1
            });
            let point = (shown.t_s, scaled(view, &shown));
            quantities[at].lines.entry(shown.key).or_default().push(point);
        }
        quantities.retain(|quantity| quantity.lines.len() <= MOST_LINES || view.scene.ground.ring().is_some());
        quantities
    }

    fn draw(&self, view: &View<'_>, law: &LawRuns<'_>) -> Markup {
        let keyed: Vec<_> = self.lines.iter().collect();
        let about_flows = self.is_about_flows(view);
        let tints = tints(view, law, &keyed, about_flows);
        let names: Vec<_> =
            keyed.iter().map(|&(key, _)| line_name(view, *key, about_flows)).zip(tints.iter().copied()).collect();
        let most = self.most(view);
        let is_nothing = self.lines.values().flatten().all(|(_, value)| *value == 0.0);
        let spelled = self.name.trim_end_matches("_bps").trim_end_matches("_fraction").replace('_', " ");
        let titles = view.titles();
        let heading = format!("{} · {spelled}", law.law);
        if is_nothing {
            return html! { h3 { (heading) } p.note { "0 all along." } };
        }
        let row = Row {
            heading: &heading,
            legend: legend(&names, "lines"),
            titles,
            most,
            unit: self.unit,
            markers: Vec::new(),
            references: Vec::new(),
            bands: Vec::new(),
        };
        row.draw(view, |range, close| self.series(&names, range, mean_over(view, close)))
    }

    /// Whether its values are about single flows: on a ring if each has one, in a
    /// network if they are about different things at one link.
    fn is_about_flows(&self, view: &View<'_>) -> bool {
        match view.scene.ground {
            Plan::Ring(_) => self.lines.keys().all(|&key| flow_of(view, key).is_some()),
            Plan::Network(_) => self.lines.keys().any(|(_, about)| *about > 0),
        }
    }

    /// The largest value that is drawn.
    fn most(&self, view: &View<'_>) -> f64 {
        let whole = 0.0..view.duration_s();
        let charts = [(Some(&whole), false), (view.zoom.as_ref(), true)];
        let drawn = charts.iter().filter_map(|(range, close)| Some((*range.as_ref()?, mean_over(view, *close))));
        let values = drawn.flat_map(|(range, mean)| {
            self.lines.values().flat_map(move |points| line(points, range, mean).0).map(|(_, value)| value)
        });
        values.filter(|value| value.is_finite()).fold(0.0, f64::max)
    }

    fn series(&self, names: &[(String, Tint)], range: &Range<f64>, mean_s: Option<f64>) -> Vec<Series> {
        let lines = self.lines.values().zip(names).map(|(points, (name, tint))| {
            let (points, shape) = line(points, range, mean_s);
            Series { name: name.clone(), tint: *tint, points, shape }
        });
        lines.collect()
    }
}

/// Over how many seconds values are averaged: laws of queues show theirs packet by packet.
fn mean_over(view: &View<'_>, close: bool) -> Option<f64> {
    let window = if close { closer(view) } else { view.window };
    view.scene.ground.network().map(|_| window.as_secs_f64())
}

/// The line of one value in a stretch of time: as shown, or its means over `mean_s`.
fn line(points: &[(f64, f64)], range: &Range<f64>, mean_s: Option<f64>) -> (Vec<(f64, f64)>, Shape) {
    match mean_s {
        Some(mean_s) => (means_over_time(points, mean_s, range), Shape::Joined),
        None => (held_from(points, range.start), Shape::Held),
    }
}

/// Every value that the first run of a law showed.
fn shown<'a>(view: &'a View<'_>, law: &'a LawRuns<'_>) -> Box<dyn Iterator<Item = Shown> + 'a> {
    match &law.first.record {
        Record::Ring(record) => {
            let stations = view.scene.plan.links.len() / Ringlet::BOTH.len();
            Box::new(record.laws.iter().map(move |sample| Shown {
                name: sample.name,
                key: (sample.ringlet.index() * stations + sample.station.index(), sample.about.0.into()),
                t_s: sample.t.as_secs_f64(),
                value: sample.value,
            }))
        }
        Record::Network(record) => Box::new(record.links.iter().enumerate().flat_map(|(link, queue)| {
            let own = queue.law.iter().filter(|sample| sample.name != DRAWN_BY_QUEUES);
            own.map(move |sample| Shown {
                name: sample.name,
                key: (link, sample.index),
                t_s: sample.t.as_secs_f64(),
                value: sample.value,
            })
        })),
    }
}

/// What binds stands out: a flow's own colour for what is said about it where it is held back, or colours for the links
/// that hold flows back. Where no line is about such a link, those of the busiest stand out.
fn tints(view: &View<'_>, law: &LawRuns<'_>, keyed: &[(&Key, &Vec<(f64, f64)>)], about_flows: bool) -> Vec<Tint> {
    let held_by = view.scene.held_by();
    let binds = |link: usize| held_by.contains(&Some(link));
    if about_flows {
        let tint = |&(key, _): &(&Key, _)| match flow_of(view, *key) {
            Some(flow) if held_by[flow].is_none_or(|link| view.scene.ground.ring().is_some() || link == key.0) => {
                view.scene.tints[flow]
            }
            _ => Tint::Muted,
        };
        return keyed.iter().map(tint).collect();
    }
    let some_binds = keyed.iter().any(|(key, _)| binds(key.0));
    let used = |link: usize| {
        let sent = law.counts.links.iter().find(|sent| sent.link == link);
        sent.and_then(|sent| law.counts.used(&view.scene.plan, sent)).unwrap_or(0.0)
    };
    let importance = |&(key, _): &(&Key, _)| match (some_binds, binds(key.0)) {
        (true, true) => 1.0,
        (true, false) => 0.0,
        (false, _) => used(key.0),
    };
    highlight(keyed.iter().map(importance).collect())
}

/// The flow that `key` speaks of: on a ring the one from the link's station to the
/// other one, in a network the one that the micro-flow belongs to.
fn flow_of(view: &View<'_>, (link, about): Key) -> Option<usize> {
    match view.scene.ground {
        Plan::Ring(_) => {
            let from = view.scene.plan.links.get(link)?.from;
            let is_it = |flow: &crate::plan::FlowOutline| {
                flow.route.first() == Some(&link) && (flow.from, flow.to) == (from, about as usize)
            };
            view.scene.plan.flows.iter().position(is_it)
        }
        Plan::Network(plan) => {
            let mut beyond = 0_u64;
            plan.flows.iter().position(|flow| {
                beyond += u64::from(flow.micro_flows);
                u64::from(about) < beyond
            })
        }
    }
}

fn line_name(view: &View<'_>, key: Key, about_flows: bool) -> String {
    let name = thing_name(view, key, about_flows);
    let binds = !about_flows && view.scene.held_by().contains(&Some(key.0));
    if binds { format!("{name} (bottleneck)") } else { name }
}

fn thing_name(view: &View<'_>, key: Key, about_flows: bool) -> String {
    let link = &view.scene.plan.links[key.0];
    match (view.scene.ground, flow_of(view, key)) {
        (Plan::Ring(_), Some(flow)) => view.scene.plan.flows[flow].name.clone(),
        (Plan::Ring(_), None) if link.from == key.1 as usize => link.name.clone(),
        (Plan::Ring(_), None) => format!("{} to {}", link.name, key.1),
        (Plan::Network(_), Some(flow)) if about_flows => {
            format!("{} at {}", view.scene.plan.flows[flow].name, link.name)
        }
        (Plan::Network(_), _) if about_flows => format!("{} at {}", key.1, link.name),
        (Plan::Network(_), _) => link.name.clone(),
    }
}

fn unit(name: &str) -> &'static str {
    match name {
        name if name.ends_with("_bps") || name.ends_with("_fraction") || name.ends_with("probability") => "%",
        name if name.ends_with("_bytes") => "B",
        name if name.ends_with("_packets") => "pkts",
        name if name.ends_with("_ns") => "ns",
        _ => "",
    }
}

fn scaled(view: &View<'_>, shown: &Shown) -> f64 {
    if shown.name.ends_with("_bps") {
        let capacity_bps = view.scene.plan.links.get(shown.key.0).map_or(f64::NAN, |link| link.capacity_bps);
        shown.value / capacity_bps * 100.0
    } else if unit(shown.name) == "%" {
        shown.value * 100.0
    } else {
        shown.value
    }
}
