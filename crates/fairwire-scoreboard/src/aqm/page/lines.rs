//! Fair shares over what a case's name counts: bottlenecks, round trips, rates.

use super::labels::{LINE, spread};
use super::{colour, svg};
use crate::aqm::cases::Case;
use crate::aqm::summary::{Summary, named};
use crate::page::panel::{Panel, Scale};
use fairwire_results::escape;
use std::fmt::Write;

/// A line for every law.
struct Sweep {
    title: &'static str,
    below: &'static str,
    /// What stands before the number in the names of its cases.
    cases: &'static str,
    /// Whose share is shown.
    group: &'static str,
}

const SWEEPS: [Sweep; 6] = [
    Sweep {
        title: "Parking lot: a connection among connections",
        below: "bottlenecks",
        cases: "lot-tcp-",
        group: "long",
    },
    Sweep {
        title: "Parking lot: a stream at its share among streams at twice theirs",
        below: "bottlenecks",
        cases: "lot-udp-",
        group: "long",
    },
    Sweep {
        title: "Parking lot: a connection among streams at twice their share",
        below: "bottlenecks",
        cases: "lot-tcp-udp-",
        group: "long",
    },
    Sweep {
        title: "Round trips: connections far away beside others 20 ms away",
        below: "round trip of the far ones, ms",
        cases: "rtt-",
        group: "far",
    },
    Sweep {
        title: "Unresponsive: nine connections beside a stream",
        below: "what the stream sends, % of its share",
        cases: "unresponsive-",
        group: "tcp",
    },
    Sweep {
        title: "Unresponsive: the stream",
        below: "what the stream sends, % of its share",
        cases: "unresponsive-",
        group: "stream",
    },
];

const COLUMNS: usize = 2;
const PANEL: (f64, f64) = (410.0, 270.0);
const PITCH: (f64, f64) = (556.0, 358.0);
/// From the end of a line to its name.
const GAP: f64 = 16.0;

/// One law's share at one place: where, mean, and its interval.
type Point = (f64, f64, (f64, f64));

/// Empty if there is nothing to show.
pub fn picture(cases: &[Case], summary: &Summary) -> String {
    let shown = SWEEPS.iter().filter_map(|sweep| {
        let numbers = numbers(sweep, cases);
        (numbers.len() > 1).then_some((sweep, numbers))
    });
    let mut inside = String::new();
    let mut count = 0;
    for (index, (sweep, numbers)) in shown.enumerate() {
        let at = (62.0 + PITCH.0 * (index % COLUMNS) as f64, 40.0 + PITCH.1 * (index / COLUMNS) as f64);
        inside.push_str(&panel(at, sweep, &numbers, summary));
        count = index + 1;
    }
    if count == 0 {
        return String::new();
    }
    svg(PITCH.1 * count.div_ceil(COLUMNS) as f64, "Shares of the fair rate", &inside)
}

/// The numbers at the end of its cases' names.
fn numbers(sweep: &Sweep, cases: &[Case]) -> Vec<u32> {
    let mut numbers: Vec<u32> =
        cases.iter().filter_map(|case| case.id.strip_prefix(sweep.cases)?.parse().ok()).collect();
    numbers.sort_unstable();
    numbers
}

fn points(sweep: &Sweep, numbers: &[u32], law: &str, summary: &Summary) -> Vec<Point> {
    let point = |number: &u32| {
        let case = format!("{}{number}", sweep.cases);
        let ratio = summary.mean(&case, law, &|measured| Some(named(measured, sweep.group)?.ratio))?;
        Some((f64::from(*number), ratio.mean, ratio.ends().into()))
    };
    numbers.iter().filter_map(point).collect()
}

fn panel(at: (f64, f64), sweep: &Sweep, numbers: &[u32], summary: &Summary) -> String {
    let laws: Vec<(usize, Vec<Point>)> = summary
        .laws
        .iter()
        .enumerate()
        .map(|(number, law)| (number, points(sweep, numbers, law, summary)))
        .filter(|(_, points)| !points.is_empty())
        .collect();
    let most = laws.iter().flat_map(|(_, points)| points).map(|point| point.1).fold(1.0, f64::max);
    let panel = Panel {
        at,
        size: PANEL,
        title: sweep.title.to_owned(),
        below: sweep.below.to_owned(),
        x: Scale {
            range: f64::from(numbers[0])..f64::from(numbers[numbers.len() - 1]),
            logarithmic: true,
            ticks: numbers.iter().map(|number| (f64::from(*number), number.to_string())).collect(),
            marks: Vec::new(),
        },
        y: upwards(most),
    };
    let mut inside = panel.frame();
    let ends: Vec<(f64, f64)> =
        laws.iter().map(|(_, points)| points[points.len() - 1]).map(|(x, y, _)| panel.place(x, y)).collect();
    let heights: Vec<f64> = ends.iter().map(|end| end.1).collect();
    let names = spread(&heights, at.1 + LINE / 2.0, at.1 + PANEL.1);
    // The first law is drawn last, on top.
    for (((number, points), (x, y)), height) in laws.iter().zip(&ends).zip(names).rev() {
        let colour = colour(*number);
        let law = escape(&summary.laws[*number]);
        let mut line = String::new();
        for (x, y, (low, high)) in points {
            let ((x, y), (_, low), (_, high)) = (panel.place(*x, *y), panel.place(*x, *low), panel.place(*x, *high));
            let _ = write!(line, "{}{x:.1} {y:.1}", if line.is_empty() { "M" } else { "L" });
            if low - high > 1.5 {
                let _ = write!(inside, r#"<path class="iv s{colour}" d="M{x:.1} {low:.1}V{high:.1}"/>"#);
            }
            let _ = write!(inside, r#"<circle class="f{colour}" cx="{x:.1}" cy="{y:.1}" r="2.6"/>"#);
        }
        let _ = write!(
            inside,
            r#"<path class="ln s{colour}" d="{line}"><title>{law}</title></path><path class="le s{colour}" d="M{:.1} {y:.1}L{:.1} {height:.1}"/><text class="la f{colour}" x="{:.1}" y="{:.1}">{law}</text>"#,
            x + 3.0,
            x + GAP - 2.0,
            x + GAP,
            height + 4.0
        );
    }
    inside
}

/// From 0 to a little above the most, with a dashed line at 1.
fn upwards(most: f64) -> Scale {
    let step = match most {
        most if most > 5.0 => 2.0,
        most if most > 2.5 => 1.0,
        most if most > 1.3 => 0.5,
        _ => 0.25,
    };
    let ticks = (0..).map(|tick| f64::from(tick) * step).take_while(|tick| *tick <= most * 1.05);
    Scale {
        range: 0.0..most * 1.05,
        logarithmic: false,
        ticks: ticks.map(|tick| (tick, format!("{tick}"))).collect(),
        marks: vec![1.0],
    }
}
