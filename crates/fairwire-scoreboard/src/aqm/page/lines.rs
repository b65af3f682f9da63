//! Fair shares over what a case's name counts: bottlenecks, round trips, rates.

use super::labels::{LINE, spread};
use super::{colour, height, place, svg};
use crate::aqm::cases::Case;
use crate::aqm::summary::{Summary, named};
use fairwire_results::{Panel, Scale, Tenth};
use maud::{Markup, html};

/// A line for every law.
struct LawLines {
    title: &'static str,
    below: &'static str,
    /// What stands before the number in the names of its cases.
    cases: &'static str,
    /// Whose share is shown.
    group: &'static str,
}

const LAW_LINES: [LawLines; 6] = [
    LawLines {
        title: "Parking lot: a connection among connections",
        below: "bottlenecks",
        cases: "lot-tcp-",
        group: "long",
    },
    LawLines {
        title: "Parking lot: a stream at its share among streams at twice theirs",
        below: "bottlenecks",
        cases: "lot-udp-",
        group: "long",
    },
    LawLines {
        title: "Parking lot: a connection among streams at twice their share",
        below: "bottlenecks",
        cases: "lot-tcp-udp-",
        group: "long",
    },
    LawLines {
        title: "Round trips: connections far away beside others 20 ms away",
        below: "round trip of the far ones, ms",
        cases: "rtt-",
        group: "far",
    },
    LawLines {
        title: "Unresponsive: nine connections beside a stream",
        below: "what the stream sends, % of its share",
        cases: "unresponsive-",
        group: "tcp",
    },
    LawLines {
        title: "Unresponsive: the stream",
        below: "what the stream sends, % of its share",
        cases: "unresponsive-",
        group: "stream",
    },
];

const PANEL: (f64, f64) = (410.0, 270.0);
const PITCH: (f64, f64) = (556.0, 358.0);
/// From the end of a line to its name.
const GAP: f64 = 16.0;

/// One law's share at one place: where, mean, and its interval.
type Point = (f64, f64, (f64, f64));

/// None if there is nothing to show.
pub fn picture(cases: &[Case], summary: &Summary) -> Option<Markup> {
    let shown = LAW_LINES.iter().filter_map(|lines| {
        let numbers = numbers(lines, cases);
        (numbers.len() > 1).then_some((lines, numbers))
    });
    let shown: Vec<(&LawLines, Vec<u32>)> = shown.collect();
    let inside = html! {
        @for (number, (lines, numbers)) in shown.iter().enumerate() { (panel(number, lines, numbers, summary)) }
    };
    let picture = svg(height(shown.len(), PITCH), "Shares of the fair rate", inside);
    (!shown.is_empty()).then_some(picture)
}

/// The numbers at the end of its cases' names.
fn numbers(lines: &LawLines, cases: &[Case]) -> Vec<u32> {
    let mut numbers: Vec<u32> =
        cases.iter().filter_map(|case| case.id.strip_prefix(lines.cases)?.parse().ok()).collect();
    numbers.sort_unstable();
    numbers
}

fn points(lines: &LawLines, numbers: &[u32], law: &str, summary: &Summary) -> Vec<Point> {
    let point = |number: &u32| {
        let case = format!("{}{number}", lines.cases);
        let ratio = summary.mean(&case, law, &|measured| Some(named(measured, lines.group)?.ratio))?;
        Some((f64::from(*number), ratio.mean, ratio.ends().into()))
    };
    numbers.iter().filter_map(point).collect()
}

fn panel(number: usize, lines: &LawLines, numbers: &[u32], summary: &Summary) -> Markup {
    let laws: Vec<(usize, Vec<Point>)> = summary
        .laws
        .iter()
        .enumerate()
        .map(|(number, law)| (number, points(lines, numbers, law, summary)))
        .filter(|(_, points)| !points.is_empty())
        .collect();
    let most = laws.iter().flat_map(|(_, points)| points).map(|point| point.1).fold(1.0, f64::max);
    let ticks = numbers.iter().map(|number| (f64::from(*number), number.to_string())).collect();
    let (across, down) = place(number, PITCH, PANEL);
    let panel = Panel {
        across,
        down,
        title: lines.title.to_owned(),
        unit: String::new(),
        below: lines.below.to_owned(),
        x: Scale::with_ticks(f64::from(numbers[0])..f64::from(numbers[numbers.len() - 1]), ticks).logarithmic(),
        y: upwards(most),
    };
    let ends: Vec<f64> = laws.iter().map(|(_, points)| panel.y(points[points.len() - 1].1)).collect();
    let names = spread(&ends, panel.down.start + LINE / 2.0, panel.down.end);
    html! {
        (panel.frame())
        // The first law is drawn last, on top.
        @for ((number, points), height) in laws.iter().zip(names).rev() {
            (draw(&panel, points, colour(*number), &summary.laws[*number], height))
        }
    }
}

/// A law's line with its intervals, and its name at `height` beside its end.
fn draw(panel: &Panel, points: &[Point], colour: usize, law: &str, height: f64) -> Markup {
    let (end, last, _) = points[points.len() - 1];
    let (x, y) = panel.place((end, last));
    html! {
        @for &(x, mean, (low, high)) in points {
            @let (x, y) = panel.place((x, mean));
            @let (low, high) = (panel.y(low), panel.y(high));
            @if low - high > 1.5 {
                path class={ "iv s" (colour) } d={ "M" (Tenth(x)) " " (Tenth(low)) "V" (Tenth(high)) } {}
            }
            circle class={ "f" (colour) } cx=(Tenth(x)) cy=(Tenth(y)) r="2.6" {}
        }
        path class={ "ln s" (colour) } d=(panel.path(points.iter().map(|(x, mean, _)| (*x, *mean)))) {
            title { (law) }
        }
        path
            class={ "le s" (colour) }
            d={ "M" (Tenth(x + 3.0)) " " (Tenth(y)) "L" (Tenth(x + GAP - 2.0)) " " (Tenth(height)) }
            {}
        text class={ "la f" (colour) } x=(Tenth(x + GAP)) y=(Tenth(height + 4.0)) { (law) }
    }
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
    Scale::with_ticks(0.0..most * 1.05, ticks.map(|tick| (tick, format!("{tick}"))).collect()).marked(vec![1.0])
}
