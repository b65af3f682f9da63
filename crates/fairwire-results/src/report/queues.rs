//! Queue depths over time.

use super::chart::{Series, Shape};
use super::law_runs::LawRuns;
use super::numbers::{percent, size};
use super::over_time::{Row, legend};
use super::tints::{Tint, highlight};
use super::view::View;
use crate::plan::Plan;
use crate::record::Record;
use fairwire_alloc::text;
use fairwire_laws::queue::Limit;
use fairwire_laws::rate::QueueThresholds;
use maud::{Markup, html};
use std::collections::BTreeMap;
use std::ops::Range;

/// In a network, queues that hold less than this part of the fullest one, on average, are left out.
const NOTABLE: f64 = 0.05;
/// What a queue law calls its average.
const AVERAGE: &str = "avg_packets";

/// The section, one row of charts a law; nothing where no run kept queues.
pub(super) fn section(view: &View<'_>) -> Markup {
    if !view.has_detail() {
        return Markup::default();
    }
    let laws: Vec<Vec<Depths>> = view.laws.iter().map(|law| Depths::all(view, law)).collect();
    let tints = tints(&laws);
    let deepest = laws.iter().flatten().map(|queue| queue.deepest).fold(0.0, f64::max);
    let unit = Unit::of(view, deepest);
    let room = room(view, &tints);
    let named = tints.iter().map(|(&link, &tint)| (view.scene.plan.links[link].name.clone(), tint));
    let buffer = room.filter(|room| deepest > 0.5 * room);
    let most = buffer.map_or(deepest, |room| room.max(deepest));
    let thresholds = Thresholds::at(view, &tints);
    let row = |law: &LawRuns<'_>, queues: &[Depths]| {
        let row = Row {
            heading: law.law,
            legend: Markup::default(),
            titles: view.titles(),
            most: thresholds.of(law).iter().map(|(packets, _)| *packets).fold(most / unit.scale, f64::max),
            unit: unit.name,
            markers: Vec::new(),
            references: buffer
                .map(|room| (room / unit.scale, unit.room.to_owned(), None))
                .into_iter()
                .chain(thresholds.of(law).iter().map(|(packets, name)| (*packets, (*name).to_owned(), None)))
                .collect(),
            bands: Vec::new(),
        };
        row.draw(view, |range, _| series(queues, &tints, unit.scale, range))
    };
    html! {
        section #queues {
            h2 { "Queue depths" }
            p.note {
                (note(view, room, deepest, laws.iter().flatten().any(|queue| !queue.average.is_empty())))
                @if !thresholds.packets.is_empty() {
                    " Q_T: beyond it sources fall back; Q_D: beyond it data is dropped; both count the packet being sent, too."
                }
            }
            (legend(&named.collect::<Vec<_>>(), "links"))
            @for (law, queues) in view.laws.iter().zip(&laws) { (row(law, queues)) }
        }
    }
}

/// One queue over time: bytes on a ring, packets in a network.
struct Depths {
    link: usize,
    name: String,
    deepest: f64,
    points: Vec<(f64, f64)>,
    /// What its law took for its average.
    average: Vec<(f64, f64)>,
}

impl Depths {
    /// The queues that anything came to; in a network those that stand out.
    fn all(view: &View<'_>, law: &LawRuns<'_>) -> Vec<Self> {
        let row_s = law.counts.window.as_secs_f64();
        let points = |rows: &[u32]| {
            rows.iter().enumerate().map(|(row, &depth)| ((row as f64 + 0.5) * row_s, f64::from(depth))).collect()
        };
        let name = |link: usize| view.scene.plan.links[link].name.clone();
        match &law.first.record {
            Record::Ring(record) => {
                let queues = law.counts.links.iter().zip(&record.links).map(|(counts, link)| Self {
                    link: counts.link,
                    name: name(counts.link),
                    deepest: link.deepest.get() as f64,
                    points: points(&link.deepest_bytes),
                    average: Vec::new(),
                });
                queues.collect()
            }
            Record::Network(record) => {
                let fullest = record.links.iter().map(|link| link.mean_packets).fold(0.0, f64::max);
                let links = record.links.iter().enumerate();
                let notable = links.filter(|(_, link)| link.arrived > 0 && link.mean_packets >= NOTABLE * fullest);
                let queues = notable.map(|(number, link)| Self {
                    link: number,
                    name: name(number),
                    deepest: f64::from(link.deepest_packets),
                    points: points(&link.waiting_packets),
                    average: link
                        .law
                        .iter()
                        .filter(|sample| sample.name == AVERAGE)
                        .map(|sample| (sample.t.as_secs_f64(), sample.value))
                        .collect(),
                });
                queues.collect()
            }
        }
    }
}

/// The links of all laws with tints: the deepest queues stand out.
fn tints(laws: &[Vec<Depths>]) -> BTreeMap<usize, Tint> {
    let mut deepest: BTreeMap<usize, f64> = BTreeMap::new();
    for queue in laws.iter().flatten() {
        let most = deepest.entry(queue.link).or_default();
        *most = most.max(queue.deepest);
    }
    let tints = highlight(deepest.values().copied().collect());
    deepest.into_keys().zip(tints).collect()
}

/// What depths are counted in.
struct Unit {
    scale: f64,
    name: &'static str,
    /// What the most that a queue holds is called.
    room: &'static str,
}

impl Unit {
    fn of(view: &View<'_>, deepest: f64) -> Self {
        let (scale, name) = match view.scene.ground {
            Plan::Network(_) => (1.0, "pkts"),
            Plan::Ring(_) if deepest >= 2e6 => (1e6, "MB"),
            Plan::Ring(_) if deepest >= 2e3 => (1e3, "kB"),
            Plan::Ring(_) => (1.0, "B"),
        };
        let room = if view.scene.ground.ring().is_some() { "buffer" } else { "limit" };
        Self { scale, name, room }
    }
}

/// What each of the queues holds at most, in the unit of [`Depths`]; none where they differ.
fn room(view: &View<'_>, tints: &BTreeMap<usize, Tint>) -> Option<f64> {
    match view.scene.ground {
        Plan::Ring(plan) => Some(plan.transit.buffer.get() as f64),
        Plan::Network(plan) => {
            let mut limits = tints.keys().map(|&link| plan.links[link].limit);
            let first = limits.next()?;
            match first {
                Limit::Packets(packets) if limits.all(|limit| limit == first) => Some(packets.into()),
                _ => None,
            }
        }
    }
}

/// Q_T and Q_D of the rate law at these queues, in packets, as far as it has such.
#[derive(Default)]
struct Thresholds {
    law: &'static str,
    packets: Vec<(f64, &'static str)>,
}

impl Thresholds {
    /// None where the queues have different laws.
    fn at(view: &View<'_>, tints: &BTreeMap<usize, Tint>) -> Self {
        let Some(plan) = view.scene.ground.network() else { return Self::default() };
        let mut laws = tints.keys().filter_map(|&link| plan.links[link].rate.as_ref());
        let Some(law) = laws.next().filter(|first| laws.all(|other| other == *first)) else { return Self::default() };
        let QueueThresholds { q_t, q_d } = law.queue_thresholds();
        let known = [(q_t, "Q_T"), (q_d, "Q_D")];
        let packets = known.into_iter().filter_map(|(packets, name)| Some((f64::from(packets?.0), name))).collect();
        Self { law: law.about().name, packets }
    }

    /// Those of runs of this law.
    fn of(&self, law: &LawRuns<'_>) -> &[(f64, &'static str)] {
        if law.law == self.law { &self.packets } else { &[] }
    }
}

fn note(view: &View<'_>, room: Option<f64>, deepest: f64, has_averages: bool) -> String {
    match (view.scene.ground, room) {
        (Plan::Ring(_), _) => {
            let room = room.unwrap_or_default();
            let part = percent(if room > 0.0 { deepest / room } else { 0.0 });
            let holds = size(room);
            format!(
                "Most bytes waiting in front of each link; every queue holds {holds}, and the deepest one reached {part} of it."
            )
        }
        (Plan::Network(_), room) => {
            let holds =
                room.map_or(String::new(), |room| format!(" Each holds {} at most.", text::grouped(room as u64)));
            let average = if has_averages { " Dashed: the average that a law of the queue goes by." } else { "" };
            format!("Packets waiting in front of the links where most did.{holds}{average}")
        }
    }
}

fn series(queues: &[Depths], tints: &BTreeMap<usize, Tint>, scale: f64, range: &Range<f64>) -> Vec<Series> {
    let inside = |points: &[(f64, f64)]| {
        let inside = points.iter().filter(|(time, _)| *time >= range.start && *time <= range.end);
        inside.map(|&(time, depth)| (time, depth / scale)).collect()
    };
    let depths = queues.iter().map(|queue| Series {
        name: queue.name.clone(),
        tint: tints[&queue.link],
        points: inside(&queue.points),
        shape: Shape::Peaks,
    });
    let averaged = queues.iter().filter(|queue| !queue.average.is_empty() && !tints[&queue.link].is_muted());
    let averages = averaged.map(|queue| Series {
        name: format!("{}, average", queue.name),
        tint: tints[&queue.link].contrasting(),
        points: inside(&queue.average),
        shape: Shape::Joined,
    });
    depths.chain(averages).collect()
}
