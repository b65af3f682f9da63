//! Each measure against each axis, with intervals; a line for each law, or for each value of the other axes where these are few.

use super::{Along, along, line_class, of, plain, swatch, value_text};
use crate::plan::Plan;
use crate::result::Answer;
use fairwire_results::{Panel, Scale, Tenth};
use maud::{Markup, html};
use std::collections::BTreeMap;
use std::ops::Range;

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 270.0;
const ACROSS: (f64, f64) = (62.0, 466.0);
const DOWN: (f64, f64) = (34.0, 226.0);
/// More lines than this are drawn as means over the other axes.
const MOST_LINES: usize = 12;
/// Of more points than this lines alone are drawn.
const MOST_DOTS: usize = 600;
/// Axes drawn against.
pub const MOST_AXES: usize = 6;
/// How far intervals and loose dots stand beside each other, so that none hides another.
const BESIDE: f64 = 5.0;
/// Of more lines than this none is moved.
const MOST_BESIDE: usize = 4;

/// A line: mean and interval at each place along the axis, and how many points were taken together there.
#[derive(Default)]
struct Line {
    at: BTreeMap<usize, Vec<Dot>>,
}

/// A mean, and the ends of its interval.
pub type Dot = (f64, Option<(f64, f64)>);

/// What is drawn along an axis.
pub struct Drawing<'a> {
    /// Above it.
    pub title: String,
    /// Of the values.
    pub unit: &'a str,
    /// Points of the sweep and what they have.
    pub dots: Vec<(usize, Dot)>,
    /// Whether it is about differences, which are held against zero.
    pub of_differences: bool,
}

pub fn section(plan: &Plan, answer: &Answer, measures: &[String]) -> Markup {
    let axes = along(plan);
    html! {
        @for along in axes.iter().take(MOST_AXES) {
            section {
                h2 { "Along " (along.name) }
                (legend(plan, along, 0..plan.points.len()))
                .pair {
                    @for measure in measures { (chart(plan, along, &of_measure(answer, measure))) }
                }
            }
        }
    }
}

/// A measure at every point that has it.
fn of_measure<'a>(answer: &Answer, measure: &'a str) -> Drawing<'a> {
    let mut drawing = Drawing { title: plain(measure).to_owned(), unit: "1", dots: Vec::new(), of_differences: false };
    for point in &answer.points {
        let Some(found) = of(point, measure) else { continue };
        let Some(mean) = found.estimate.mean else { continue };
        drawing.unit = found.unit;
        // Of one run a share has an interval, too, which is nearly everything.
        let interval = found.estimate.low.zip(found.estimate.high).filter(|_| found.estimate.n > 1);
        drawing.dots.push((point.point, (mean, interval)));
    }
    drawing
}

/// What the lines differ in: all other axes if there are few lines, else those of words alone.
fn apart(plan: &Plan, along: &Along) -> (Vec<usize>, bool) {
    let axes = plan.sweep.axes();
    let others = |all: bool| -> Vec<usize> {
        (0..axes.len()).filter(|at| *at != along.axis && (all || !axes[*at].unit.is_number())).collect()
    };
    let lines = |of: &[usize]| of.iter().map(|at| axes[*at].values.len()).product::<usize>();
    let (all, words) = (others(true), others(false));
    // A design lays points out so that no two share a value: a line for each would be a point.
    let is_crossed = along.is_crossed && all.iter().all(|at| plan.sweep.stride_of(*at).is_some());
    if is_crossed && lines(&all) <= MOST_LINES {
        (all, false)
    } else if lines(&words) <= MOST_LINES {
        (words, true)
    } else {
        (Vec::new(), true)
    }
}

/// The number of a line by the values of the axes that lines differ in, and its name.
fn line_of(plan: &Plan, apart: &[usize], chosen: &[usize]) -> (usize, String) {
    let axes = plan.sweep.axes();
    let number = apart.iter().fold(0, |number, at| number * axes[*at].values.len() + chosen[*at]);
    let name: Vec<String> = apart
        .iter()
        .map(|at| match axes[*at].unit.is_number() {
            true => {
                format!("{} {}", axes[*at].key.rsplit('.').next().unwrap_or_default(), axes[*at].values[chosen[*at]])
            }
            false => axes[*at].values[chosen[*at]].clone(),
        })
        .collect();
    (number, name.join(", "))
}

/// The lines of some points, and what they are.
pub fn legend(plan: &Plan, along: &Along, points: impl Iterator<Item = usize>) -> Markup {
    let (apart, is_mean) = apart(plan, along);
    let mut names = BTreeMap::new();
    for point in points {
        let (number, name) = line_of(plan, &apart, &plan.sweep.choices(point));
        names.insert(number, name);
    }
    html! {
        @if !apart.is_empty() {
            ul.legend { @for (number, name) in &names { li { (swatch(*number)) (name) } } }
        }
        @if is_mean && plan.sweep.axes().len() > apart.len() + 1 {
            p.note {
                @if along.is_crossed {
                    "Lines are means over the other axes"
                    @if plan.points.len() <= MOST_DOTS { "; dots are points" }
                    "."
                } @else {
                    "Dots are points, each with other values on the other axes."
                }
            }
        }
    }
}

/// A chart along an axis; nothing if there is nothing to draw.
pub fn chart(plan: &Plan, along: &Along, drawing: &Drawing<'_>) -> Markup {
    let (apart, is_mean) = apart(plan, along);
    let mut lines: BTreeMap<usize, Line> = BTreeMap::new();
    for (point, dot) in &drawing.dots {
        let chosen = plan.sweep.choices(*point);
        let (number, _) = line_of(plan, &apart, &chosen);
        lines.entry(number).or_default().at.entry(chosen[along.axis]).or_default().push(*dot);
    }
    if lines.is_empty() {
        return html! {};
    }
    let all = || drawing.dots.iter().map(|(_, dot)| dot);
    let low = all().map(|(mean, interval)| interval.map_or(*mean, |(low, _)| low)).fold(f64::INFINITY, f64::min);
    let high = all().map(|(mean, interval)| interval.map_or(*mean, |(_, high)| high)).fold(f64::NEG_INFINITY, f64::max);
    let y =
        if drawing.of_differences { around_zero(drawing.unit, low, high) } else { upwards(drawing.unit, low, high) };
    let shape = Shape {
        is_mean,
        has_dots: drawing.dots.len() <= MOST_DOTS,
        is_joined: along.is_crossed || drawing.dots.len() > MOST_DOTS,
    };
    let would_hide = !shape.is_joined || (!is_mean && all().any(|(_, interval)| interval.is_some()));
    let side_by_side = would_hide && lines.len() <= MOST_BESIDE;
    let shift = |rank: usize| match side_by_side {
        true => BESIDE * (rank as f64 - (lines.len() - 1) as f64 / 2.0),
        false => 0.0,
    };
    let panel = Panel {
        across: ACROSS.0..ACROSS.1,
        down: DOWN.0..DOWN.1,
        x: along.scale(),
        y,
        title: drawing.title.clone(),
        unit: String::new(),
        below: along.name.clone(),
    };
    html! {
        svg.chart viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label={ (drawing.title) " along " (along.name) } {
            (panel.frame())
            @for (rank, (number, line)) in lines.iter().enumerate() {
                g transform={ "translate(" (Tenth(shift(rank))) " 0)" } { (draw(&panel, along, *number, line, shape)) }
            }
        }
    }
}

/// How lines are drawn.
#[derive(Clone, Copy)]
struct Shape {
    /// As means over other axes; else each dot has its interval.
    is_mean: bool,
    /// With a dot for each point.
    has_dots: bool,
    /// As lines: of points that a design has laid out neighbours have nothing to do with each other.
    is_joined: bool,
}

fn draw(panel: &Panel, along: &Along, number: usize, line: &Line, shape: Shape) -> Markup {
    let class = line_class(number);
    let mut means: Vec<(f64, f64)> = line
        .at
        .iter()
        .map(|(choice, values)| {
            let sum: f64 = values.iter().map(|(mean, _)| mean).sum();
            (along.values[*choice], sum / values.len() as f64)
        })
        .collect();
    means.sort_by(|a, b| a.0.total_cmp(&b.0));
    html! {
        @if shape.is_joined { path class=(class) d=(panel.path(means.iter().copied())) {} }
        @for (choice, values) in line.at.iter().filter(|_| shape.has_dots) {
            @for (mean, interval) in values {
                @let (x, y) = panel.place((along.values[*choice], *mean));
                @if let Some((low, high)) = interval.as_ref().filter(|_| !shape.is_mean || !shape.is_joined) {
                    @let (low, high) = (panel.y(*low), panel.y(*high));
                    @if low - high > 1.5 { path class=(class) d={ "M" (Tenth(x)) " " (Tenth(low)) "V" (Tenth(high)) } {} }
                }
                g class={ "dot s" (number % 8) } { circle cx=(Tenth(x)) cy=(Tenth(y)) r="2.4" {} }
            }
        }
    }
}

/// A scale around the values, with ticks in words of the unit.
fn upwards(unit: &str, low: f64, high: f64) -> Scale {
    // Values near zero are shown from zero on.
    let low = if low >= 0.0 && low < 0.6 * high { 0.0 } else { low };
    let room = ((high - low) * 0.06).max(high.abs() * 1e-6).max(f64::MIN_POSITIVE);
    in_words(unit, if low == 0.0 { 0.0..high + room } else { low - room..high + room })
}

/// A scale with zero on it, and a dashed line there.
fn around_zero(unit: &str, low: f64, high: f64) -> Scale {
    let (low, high) = (low.min(0.0), high.max(0.0));
    let room = ((high - low) * 0.06).max(f64::MIN_POSITIVE);
    in_words(unit, low - room..high + room).marked(vec![0.0])
}

fn in_words(unit: &str, range: Range<f64>) -> Scale {
    let plain = Scale::linear(range.clone(), 5);
    match unit {
        "ns" | "bit/s" => {
            let ticks = plain.ticks.into_iter().map(|(value, _)| (value, value_text(unit, value))).collect();
            Scale::with_ticks(range, ticks)
        }
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All values have room, and fill most of what is drawn.
    #[test]
    fn scales_are_a_little_wider_than_their_values() {
        for (low, high) in [(0.9, 1.0), (0.1, 1.0), (-2.0, -1.0), (-1.0, 3.0), (5e6, 6e6), (1.0, 1.0), (0.0, 0.0)] {
            for (scale, shown) in [
                (upwards("1", low, high), if low >= 0.0 && low < 0.6 * high { 0.0..high } else { low..high }),
                (around_zero("1", low, high), low.min(0.0)..high.max(0.0)),
            ] {
                let Range { start, end } = scale.range;
                assert!(start <= shown.start && end > shown.end, "{low} to {high}: {start} to {end}");
                assert!(start <= 0.0 || start < shown.start, "what does not begin at zero has room below");
                let room = (end - start) - (shown.end - shown.start);
                let wide = (shown.end - shown.start).max(shown.end.abs() * 1e-4).max(1e-300);
                assert!(room <= 0.25 * wide, "{low} to {high}: {start} to {end}");
            }
        }
    }
}
