//! The picture: how fair, how fast, how quiet over the rings, and parking lots by hops.

use crate::summary::whole_rings;
use crate::{Group, Measured, Score, Summary};
use fairwire_results::{Panel, Scale, Tenth};
use maud::{Markup, PreEscaped, html};
use std::collections::BTreeSet;

const WIDTH: f64 = 1120.0;
const LEFT: f64 = 62.0;
/// Room above the panels, and from one row of them to the next.
const TOP: f64 = 92.0;
const PITCH: (f64, f64) = (556.0, 356.0);
/// Size of a panel.
const SIZE: (f64, f64) = (480.0, 270.0);
const COLUMNS: usize = 2;
/// The style sheet of pictures with a line a law: class `board`, and `ln` with `c0` to `c8` for a colour each, `d` for dashes
/// and `t` for dots.
pub const PICTURE_STYLE: &str = include_str!("picture.css");
/// Room for a name in the legend, beside its characters.
const LEGEND_GAP: f64 = 52.0;

/// An SVG that stands by itself and follows the reader's light or dark mode; empty if
/// there are neither random rings nor several parking lots to show.
pub fn picture(summary: &Summary, scores: &[Score]) -> String {
    drawn(summary, scores).map_or_else(String::new, |svg| svg.into_string() + "\n")
}

/// The picture, if there is anything to show.
pub(super) fn drawn(summary: &Summary, scores: &[Score]) -> Option<Markup> {
    let panels = panels(summary, scores);
    let height = TOP + PITCH.1 * panels.len().div_ceil(COLUMNS) as f64 - 24.0;
    let svg = html! {
        svg.board
            xmlns="http://www.w3.org/2000/svg"
            viewBox={ "0 0 " (WIDTH) " " (height) }
            role="img"
            aria-label="Scoreboard of ring laws"
        {
            style { (PreEscaped(PICTURE_STYLE)) }
            rect.bg width=(WIDTH) height=(height) {}
            (legend(summary))
            @for (panel, lines) in &panels {
                (panel.frame())
                // The first law is drawn last, on top.
                @for line in lines.iter().rev() { (line) }
            }
        }
    };
    (!panels.is_empty()).then_some(svg)
}

/// What there is something to draw in, each with a line a law.
fn panels(summary: &Summary, scores: &[Score]) -> Vec<(Panel, Vec<Markup>)> {
    let mut panels = Vec::new();
    let laws = || summary.laws.iter().map(|law| law.law.as_str()).enumerate();
    if summary.rings > 0 {
        let rings = whole_rings(scores, summary.laws.len());
        for (number, (frame, value)) in ring_frames().into_iter().enumerate() {
            let panel = frame.at(number);
            let shares = |(colour, law): (usize, &str)| {
                let own = rings.iter().filter(|score| score.law == law);
                let values: Vec<f64> = own.map(|score| value(&score.measured)).collect();
                line(&panel, panel.share_at_most(&values), colour, law)
            };
            let lines = laws().map(shares).collect();
            panels.push((panel, lines));
        }
    }
    let lots: BTreeSet<u32> = scores.iter().filter_map(hops).collect();
    if lots.len() > 1 {
        let panel = lot_frame().at(panels.len());
        let errors = |(colour, law): (usize, &str)| {
            let own = scores.iter().filter(|score| score.law == law);
            let points = own.filter_map(|score| Some((f64::from(hops(score)?), score.measured.largest_error)));
            line(&panel, points, colour, law)
        };
        let lines = laws().map(errors).collect();
        panels.push((panel, lines));
    }
    panels
}

/// A law's line, with its name for the pointer that rests on it.
fn line(panel: &Panel, points: impl IntoIterator<Item = (f64, f64)>, colour: usize, name: &str) -> Markup {
    html! {
        path class=(line_class(colour)) d=(panel.path(points)) { title { (name) } }
    }
}

/// Colours of lines; with more laws than that they begin anew, dashed.
const COLOURS: usize = 8;

/// Classes of the style sheet.
fn line_class(colour: usize) -> String {
    format!("ln c{}{}", colour % COLOURS, if colour < COLOURS { "" } else { " d" })
}

/// The hops of a parking lot.
fn hops(score: &Score) -> Option<u32> {
    let lot = (score.group == Group::ParkingLot).then(|| score.case.strip_prefix("lot-"))?;
    lot?.parse().ok()
}

fn legend(summary: &Summary) -> Markup {
    let (mut x, mut y) = (LEFT, 24.0);
    let place = |law: &str| {
        let width = law.chars().count() as f64 * 7.2 + LEGEND_GAP;
        if x + width > WIDTH {
            (x, y) = (LEFT, y + 20.0);
        }
        x += width;
        (x - width, y)
    };
    let places: Vec<(f64, f64)> = summary.laws.iter().map(|law| law.law.as_str()).map(place).collect();
    html! {
        @for (colour, (law, (x, y))) in summary.laws.iter().zip(places).enumerate() {
            path class=(line_class(colour)) d={ "M" (Tenth(x)) " " (Tenth(y - 4.0)) "h22" } {}
            text x=(Tenth(x + 28.0)) y=(Tenth(y)) { (law.law) }
        }
    }
}

/// A panel that has no place yet.
struct Unplaced {
    title: &'static str,
    below: &'static str,
    x: Scale,
    y: Scale,
}

impl Unplaced {
    /// The place with this number, row after row.
    fn at(self, number: usize) -> Panel {
        let Self { title, below, x, y } = self;
        let left = LEFT + PITCH.0 * (number % COLUMNS) as f64;
        let top = TOP + PITCH.1 * (number / COLUMNS) as f64;
        Panel {
            across: left..left + SIZE.0,
            down: top..top + SIZE.1,
            title: title.to_owned(),
            unit: String::new(),
            below: below.to_owned(),
            x,
            y,
        }
    }
}

/// What a panel shows of a ring.
type Value = fn(&Measured) -> f64;

/// What is shown of random rings: the share of rings of at most a value.
fn ring_frames() -> [(Unplaced, Value); 3] {
    let share = || Scale::with_ticks(0.0..1.0, part(&[0.0, 0.25, 0.5, 0.75, 1.0]));
    let laps = [3, 10, 30, 100, 300, 1000, 3000].map(|laps| (f64::from(laps), laps.to_string()));
    let laps = Scale::with_ticks(3.0..3000.0, laps.to_vec()).logarithmic();
    let fair = Unplaced {
        title: "How fair: share of rings with every flow so close to its fair rate",
        below: "largest error of a ring",
        x: error(),
        y: share(),
    };
    let fast = Unplaced {
        title: "How fast: share of rings within 5 % for good",
        below: "laps from the start",
        x: laps,
        y: share(),
    };
    let quiet = Unplaced {
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

fn lot_frame() -> Unplaced {
    let hops = [2, 8, 16, 24, 32].map(|hops| (f64::from(hops), hops.to_string())).to_vec();
    let x = Scale::with_ticks(2.0..32.0, hops);
    Unplaced { title: "Parking lots: largest error", below: "hops of the farthest sender", x, y: error() }
}

fn error() -> Scale {
    let ticks = part(&[1e-4, 1e-3, 0.01, 0.05, 0.2, 1.0, 5.0, 20.0]);
    Scale::with_ticks(1e-4..20.0, ticks).logarithmic().marked(vec![0.01, 0.05])
}

fn part(values: &[f64]) -> Vec<(f64, String)> {
    values.iter().map(|&value| (value, tick_percent(value))).collect()
}

fn tick_percent(part: f64) -> String {
    format!("{} %", (part * 1e4).round() / 100.0)
}
