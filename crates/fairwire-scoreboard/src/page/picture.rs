//! The picture: how fair, how fast, how quiet over the rings, and parking lots by hops.

use super::panel::{Panel, Scale, line_class};
use crate::summary::whole_rings;
use crate::{Group, Measured, Score, Summary};
use fairwire_results::escape;
use std::collections::BTreeSet;
use std::fmt::Write;

const WIDTH: f64 = 1120.0;
/// Room above the panels, and from one row of them to the next.
const TOP: f64 = 92.0;
const PITCH: (f64, f64) = (556.0, 356.0);
const COLUMNS: usize = 2;
const STYLE: &str = include_str!("picture.css");
/// Room for a name in the legend, beside its characters.
const LEGEND_GAP: f64 = 52.0;

/// An SVG that stands by itself and follows the reader's light or dark mode; empty if
/// there are neither random rings nor several parking lots to show.
pub fn picture(summary: &Summary, scores: &[Score]) -> String {
    let panels = panels(summary, scores);
    if panels.is_empty() {
        return String::new();
    }
    let height = TOP + PITCH.1 * panels.len().div_ceil(COLUMNS) as f64 - 24.0;
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="board" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="Scoreboard of ring laws"><style>{STYLE}</style><rect class="bg" width="{WIDTH}" height="{height}"/>"#
    );
    svg.push_str(&legend(summary));
    for (panel, lines) in &panels {
        svg.push_str(&panel.frame());
        // The first law is drawn last, on top.
        lines.iter().rev().for_each(|line| svg.push_str(line));
    }
    svg.push_str("</svg>\n");
    svg
}

/// What there is something to draw in, each with a line a law.
fn panels(summary: &Summary, scores: &[Score]) -> Vec<(Panel, Vec<String>)> {
    let mut panels = Vec::new();
    let at = |index: usize| (62.0 + PITCH.0 * (index % COLUMNS) as f64, TOP + PITCH.1 * (index / COLUMNS) as f64);
    let laws = || summary.laws.iter().map(|law| law.law.as_str()).enumerate();
    if summary.rings > 0 {
        let rings = whole_rings(scores, summary.laws.len());
        for (frame, value) in ring_frames() {
            let panel = frame.at(at(panels.len()));
            let line = |(colour, law): (usize, &str)| {
                let own = rings.iter().filter(|score| score.law == law);
                let values: Vec<f64> = own.map(|score| value(&score.measured)).collect();
                panel.share_at_most(&values, colour, &escape(law))
            };
            let lines = laws().map(line).collect();
            panels.push((panel, lines));
        }
    }
    let lots: BTreeSet<u32> = scores.iter().filter_map(hops).collect();
    if lots.len() > 1 {
        let panel = lot_frame().at(at(panels.len()));
        let line = |(colour, law): (usize, &str)| {
            let own = scores.iter().filter(|score| score.law == law);
            let points = own.filter_map(|score| Some((f64::from(hops(score)?), score.measured.largest_error)));
            panel.line(points, colour, &escape(law))
        };
        let lines = laws().map(line).collect();
        panels.push((panel, lines));
    }
    panels
}

/// The hops of a parking lot.
fn hops(score: &Score) -> Option<u32> {
    let lot = (score.group == Group::ParkingLot).then(|| score.case.strip_prefix("lot-"))?;
    lot?.parse().ok()
}

fn legend(summary: &Summary) -> String {
    let mut svg = String::new();
    let (mut x, mut y) = (62.0, 24.0);
    for (colour, law) in summary.laws.iter().enumerate() {
        let width = law.law.chars().count() as f64 * 7.2 + LEGEND_GAP;
        if x + width > WIDTH {
            (x, y) = (62.0, y + 20.0);
        }
        let _ = write!(
            svg,
            r#"<path class="{}" d="M{x:.1} {:.1}h22"/><text x="{:.1}" y="{y:.1}">{}</text>"#,
            line_class(colour),
            y - 4.0,
            x + 28.0,
            escape(&law.law)
        );
        x += width;
    }
    svg
}

/// A panel that has no place yet.
struct Frame {
    title: &'static str,
    below: &'static str,
    x: Scale,
    y: Scale,
}

impl Frame {
    fn at(self, at: (f64, f64)) -> Panel {
        let Self { title, below, x, y } = self;
        Panel { at, size: (480.0, 270.0), title: title.to_owned(), below: below.to_owned(), x, y }
    }
}

/// What a panel shows of a ring.
type Value = fn(&Measured) -> f64;

/// What is shown of random rings: the share of rings of at most a value.
fn ring_frames() -> [(Frame, Value); 3] {
    let share =
        || Scale { range: 0.0..1.0, logarithmic: false, ticks: part(&[0.0, 0.25, 0.5, 0.75, 1.0]), marks: Vec::new() };
    let laps = Scale {
        range: 3.0..3000.0,
        logarithmic: true,
        ticks: [3, 10, 30, 100, 300, 1000, 3000].map(|laps| (f64::from(laps), laps.to_string())).to_vec(),
        marks: Vec::new(),
    };
    let fair = Frame {
        title: "How fair: share of rings with every flow so close to its fair rate",
        below: "largest error of a ring",
        x: error(),
        y: share(),
    };
    let fast = Frame {
        title: "How fast: share of rings within 5 % for good",
        below: "laps from the start",
        x: laps,
        y: share(),
    };
    let quiet = Frame {
        title: "How quiet: share of rings with every flow so steady",
        below: "largest swing of a ring, over the fair rate",
        x: error(),
        y: share(),
    };
    [
        (fair, |measured| measured.largest_error),
        (fast, |measured| measured.laps_to_fair_5.unwrap_or(f64::INFINITY)),
        (quiet, |measured| measured.swing),
    ]
}

fn lot_frame() -> Frame {
    let hops = Scale {
        range: 2.0..32.0,
        logarithmic: false,
        ticks: [2, 8, 16, 24, 32].map(|hops| (f64::from(hops), hops.to_string())).to_vec(),
        marks: Vec::new(),
    };
    Frame { title: "Parking lots: largest error", below: "hops of the farthest sender", x: hops, y: error() }
}

fn error() -> Scale {
    Scale {
        range: 1e-4..20.0,
        logarithmic: true,
        ticks: part(&[1e-4, 1e-3, 0.01, 0.05, 0.2, 1.0, 5.0, 20.0]),
        marks: vec![0.01, 0.05],
    }
}

fn part(values: &[f64]) -> Vec<(f64, String)> {
    values.iter().map(|&value| (value, tick_percent(value))).collect()
}

fn tick_percent(part: f64) -> String {
    format!("{} %", (part * 1e4).round() / 100.0)
}
