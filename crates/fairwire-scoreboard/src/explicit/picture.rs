//! The picture: how soon rates are fair after changes, and how long queues get.

use super::case::Kind;
use super::contest::Run;
use super::entrants::SOURCES;
use crate::PICTURE_STYLE;
use fairwire_results::{Panel, Scale, Tenth};
use maud::{Markup, PreEscaped, html};

const WIDTH: f64 = 1120.0;
const LEFT: f64 = 62.0;
const TOP: f64 = 92.0;
/// From one panel to the next, and the size of one.
const PITCH: f64 = 556.0;
const SIZE: (f64, f64) = (480.0, 270.0);
const COLOURS: usize = 9;
/// Classes of strokes.
const DASHED: &str = " d";
const DOTTED: &str = " t";
/// Room for a name in the legend, beside its characters.
const LEGEND_GAP: f64 = 52.0;

/// An SVG that stands by itself and follows the reader's light or dark mode; empty without random networks.
pub fn picture(runs: &[Run]) -> String {
    drawn(runs).map_or_else(String::new, |svg| svg.into_string() + "\n")
}

/// The picture, if there is anything to show.
pub(super) fn drawn(runs: &[Run]) -> Option<Markup> {
    let runs: Vec<&Run> = runs.iter().filter(|run| run.kind != Kind::Paper).collect();
    let lines = Line::all(&runs);
    let svg = html! {
        svg.board
            xmlns="http://www.w3.org/2000/svg"
            viewBox={ "0 0 " (WIDTH) " " (TOP + SIZE.1 + 62.0) }
            role="img"
            aria-label="Scoreboard of rate laws"
        {
            style { (PreEscaped(PICTURE_STYLE)) }
            rect.bg width=(WIDTH) height=(TOP + SIZE.1 + 62.0) {}
            (legend(&lines))
            @for (panel, value) in panels() {
                (panel.frame())
                @for line in lines.iter().rev() {
                    path class=(line.class) d=(panel.path(panel.share_at_most(&line.values(&runs, value)))) {
                        title { (line.name) }
                    }
                }
            }
        }
    };
    (!runs.is_empty()).then_some(svg)
}

/// An entrant's line.
struct Line {
    name: String,
    class: String,
}

impl Line {
    /// Laws have colours; dashed are sources as in the paper, dotted those that begin at their minimums.
    fn all(runs: &[&Run]) -> Vec<Self> {
        let mut laws: Vec<&str> = Vec::new();
        let mut lines: Vec<Self> = Vec::new();
        for run in runs {
            let (law, first) = run.entrant.split_once(", ").unwrap_or((&run.entrant, SOURCES[0].name));
            if lines.iter().any(|line| line.name == run.entrant) {
                continue;
            }
            let colour = laws.iter().position(|other| *other == law).unwrap_or_else(|| {
                laws.push(law);
                laws.len() - 1
            });
            let strokes = match SOURCES.iter().position(|sources| sources.name == first) {
                Some(0) => DASHED,
                Some(1) => DOTTED,
                _ => "",
            };
            lines.push(Self { name: run.entrant.clone(), class: format!("ln c{}{strokes}", colour % COLOURS) });
        }
        lines
    }

    fn values(&self, runs: &[&Run], value: Value) -> Vec<f64> {
        runs.iter().filter(|run| run.entrant == self.name).flat_map(|run| value(run)).collect()
    }
}

/// What a panel shows of a run.
type Value = fn(&Run) -> Vec<f64>;

fn panels() -> [(Panel, Value); 2] {
    let ticks = |values: &[f64]| values.iter().map(|value| (*value, value.to_string())).collect::<Vec<_>>();
    let panel = |number: usize, title: &str, below: &str, x: Scale| {
        let left = LEFT + PITCH * number as f64;
        let shares = [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| (part, format!("{} %", part * 100.0)));
        Panel {
            across: left..left + SIZE.0,
            down: TOP..TOP + SIZE.1,
            title: title.to_owned(),
            unit: String::new(),
            below: below.to_owned(),
            x,
            y: Scale::with_ticks(0.0..1.0, shares.to_vec()),
        }
    };
    let loops = Scale::with_ticks(0.1..40.0, ticks(&[0.1, 0.3, 1.0, 3.0, 10.0, 30.0])).logarithmic();
    let queue = Scale::with_ticks(1.0..10_000.0, ticks(&[1.0, 10.0, 100.0, 1_000.0, 10_000.0])).logarithmic();
    let soon: Value = |run| {
        let responses = run.measured.responses.iter();
        responses.map(|response| response.loops.unwrap_or(f64::INFINITY).max(0.1)).collect()
    };
    let long: Value = |run| vec![run.measured.queue_beyond_flows.max(1.0)];
    [
        (
            panel(0, "How soon: share of changes with all rates within 1 % for good", "loops from the change", loops),
            soon,
        ),
        (panel(1, "Share of networks with no queue longer", "packets beyond the number of flows", queue), long),
    ]
}

/// The colours of laws, and the strokes of what sources begin with.
fn legend(lines: &[Line]) -> Markup {
    let mut entries: Vec<(&str, String, &str)> = Vec::new();
    for line in lines {
        let law = line.name.split(", ").next().unwrap_or(&line.name);
        if !entries.iter().any(|(name, ..)| *name == law) {
            entries.push((law, line.class.replace(DASHED, "").replace(DOTTED, ""), ""));
        }
    }
    let strokes = SOURCES.iter().zip([DASHED, DOTTED, ""]);
    entries.extend(strokes.map(|(sources, stroke)| (sources.name, format!("ln{stroke}"), "stroke: var(--dim)")));
    let (mut x, mut y) = (LEFT, 20.0);
    let places: Vec<(f64, f64)> = entries
        .iter()
        .map(|(name, ..)| {
            let width = name.chars().count() as f64 * 7.2 + LEGEND_GAP;
            if x + width > WIDTH {
                (x, y) = (LEFT, y + 18.0);
            }
            x += width;
            (x - width, y)
        })
        .collect();
    html! {
        @for ((name, class, style), (x, y)) in entries.iter().zip(places) {
            path class=(class) style=[(!style.is_empty()).then_some(style)] d={ "M" (Tenth(x)) " " (Tenth(y - 4.0)) "h22" } {}
            text x=(Tenth(x + 28.0)) y=(Tenth(y)) { (name) }
        }
    }
}
