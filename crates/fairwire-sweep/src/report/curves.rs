//! Each measure against each axis, with intervals; a line for each law, or for each value of the other axes where these are few.

use super::{Along, along, line_class, of, plain, swatch, value_text};
use crate::plan::Plan;
use crate::result::Answer;
use fairwire_results::{Panel, Scale, Tenth};
use maud::{Markup, html};
use std::collections::BTreeMap;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 270.0;
const ACROSS: (f64, f64) = (58.0, 546.0);
const DOWN: (f64, f64) = (34.0, 226.0);
/// More lines than this are drawn as means over the other axes.
const MOST_LINES: usize = 12;
/// Of more points than this lines alone are drawn.
const MOST_DOTS: usize = 600;
/// Axes drawn against.
const MOST_AXES: usize = 6;

/// A line: mean and interval at each place along the axis, and how many points were taken together there.
#[derive(Default)]
struct Line {
    at: BTreeMap<usize, Vec<Dot>>,
}

/// A mean, and the ends of its interval.
type Dot = (f64, Option<(f64, f64)>);

pub fn section(plan: &Plan, answer: &Answer, measures: &[String]) -> Markup {
    let axes = along(plan);
    html! {
        @for along in axes.iter().take(MOST_AXES) {
            section {
                h2 { "Along " (along.name) }
                (legend(plan, along))
                .pair {
                    @for measure in measures { (chart(plan, answer, along, measure)) }
                }
            }
        }
    }
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
    let is_crossed =
        plan.sweep.stride_of(along.axis).is_some() && all.iter().all(|at| plan.sweep.stride_of(*at).is_some());
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

fn legend(plan: &Plan, along: &Along) -> Markup {
    let (apart, is_mean) = apart(plan, along);
    let mut names = BTreeMap::new();
    for point in 0..plan.points.len() {
        let (number, name) = line_of(plan, &apart, &plan.sweep.choices(point));
        names.insert(number, name);
    }
    html! {
        @if !apart.is_empty() {
            ul.legend { @for (number, name) in &names { li { (swatch(*number)) (name) } } }
        }
        @if is_mean && plan.sweep.axes().len() > apart.len() + 1 {
            p.note {
                "Lines are means over the other axes"
                @if plan.points.len() <= MOST_DOTS { "; dots are points" }
                "."
            }
        }
    }
}

fn chart(plan: &Plan, answer: &Answer, along: &Along, measure: &str) -> Markup {
    let (apart, is_mean) = apart(plan, along);
    let mut lines: BTreeMap<usize, Line> = BTreeMap::new();
    let mut unit = "1";
    for point in &answer.points {
        let Some(found) = of(point, measure) else { continue };
        let Some(mean) = found.estimate.mean else { continue };
        unit = found.unit;
        let chosen = plan.sweep.choices(point.point);
        let (number, _) = line_of(plan, &apart, &chosen);
        let interval = found.estimate.low.zip(found.estimate.high);
        lines.entry(number).or_default().at.entry(chosen[along.axis]).or_default().push((mean, interval));
    }
    if lines.is_empty() {
        return html! {};
    }
    let all = || lines.values().flat_map(|line| line.at.values().flatten());
    let low = all().map(|(mean, interval)| interval.map_or(*mean, |(low, _)| low)).fold(f64::INFINITY, f64::min);
    let high = all().map(|(mean, interval)| interval.map_or(*mean, |(_, high)| high)).fold(f64::NEG_INFINITY, f64::max);
    let panel = Panel {
        across: ACROSS.0..ACROSS.1,
        down: DOWN.0..DOWN.1,
        x: along.scale(),
        y: upwards(unit, low, high),
        title: plain(measure).to_owned(),
        unit: String::new(),
        below: along.name.clone(),
    };
    html! {
        svg.chart viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label={ (measure) " along " (along.name) } {
            (panel.frame())
            @for (number, line) in &lines { (draw(&panel, along, *number, line, is_mean, answer.points.len() <= MOST_DOTS)) }
        }
    }
}

fn draw(panel: &Panel, along: &Along, number: usize, line: &Line, is_mean: bool, has_dots: bool) -> Markup {
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
    let is_scattered = has_dots && is_mean && line.at.values().all(|values| values.len() < 2) && line.at.len() > 24;
    html! {
        @if !is_scattered { path class=(class) d=(panel.path(means.iter().copied())) {} }
        @for (choice, values) in line.at.iter().filter(|_| has_dots) {
            @for (mean, interval) in values {
                @let (x, y) = panel.place((along.values[*choice], *mean));
                @if let Some((low, high)) = interval.as_ref().filter(|_| !is_mean) {
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
    let range = if low == 0.0 { 0.0..high + room } else { low - room..high + room };
    let plain = Scale::linear(range.clone(), 5);
    match unit {
        "ns" | "bit/s" => {
            let ticks = plain.ticks.into_iter().map(|(value, _)| (value, value_text(unit, value))).collect();
            Scale::with_ticks(range, ticks)
        }
        _ => plain,
    }
}
