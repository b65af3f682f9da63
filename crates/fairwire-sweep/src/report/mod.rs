//! The report of a sweep: one page with each measure against each axis, laws beside each other, and the points at both ends.

mod curves;
mod heat;
mod tables;

use crate::plan::Plan;
use crate::result::{Answer, MeasureAnswer, PointAnswer};
use fairwire_alloc::text;
use fairwire_results::document;
use maud::{Markup, html};

/// Charts of more measures than this are left out; the tables have all.
const MOST_MEASURES: usize = 8;

/// The page. `command` is what runs one point: settings go behind it.
pub(crate) fn report(plan: &Plan, answer: &Answer, command: &str) -> String {
    let scenario = plan.sweep.base();
    let (same, measures): (Vec<String>, Vec<String>) =
        shown(answer).into_iter().partition(|measure| everywhere(answer, measure).is_some());
    let body = html! {
        header {
            h1 { (scenario.title()) }
            @if let Some(description) = scenario.description() { p.lead { (description) } }
            p.lead { (headline(plan, answer)) }
            @for (warning, runs) in &answer.warnings {
                p.bad { (text::count(*runs as usize, "run")) ": " (warning) }
            }
            @if answer.broken_runs > 0 {
                p.bad {
                    (text::count(answer.broken_runs as usize, "run"))
                    " broke an invariant of the simulator: marked in the tables, and in no mean"
                }
            }
        }
        @if !same.is_empty() && answer.points.len() > 1 {
            p.note {
                "The same at every point: "
                (same.iter().filter_map(|measure| Some(format!("{} {}", plain(measure), everywhere(answer, measure)?))).collect::<Vec<_>>().join(", "))
                "."
            }
        }
        (curves::section(plan, answer, &measures))
        (heat::section(plan, answer, &measures))
        (tables::pairs(plan, answer))
        (tables::ends(plan, answer, command))
        (tables::points(plan, answer))
    };
    document(scenario.title(), &body)
}

fn headline(plan: &Plan, answer: &Answer) -> String {
    let axes: Vec<String> =
        plan.sweep.axes().iter().map(|axis| format!("{} ({})", axis.key, axis.values.len())).collect();
    let over = if axes.is_empty() { String::new() } else { format!(" over {}", axes.join(", ")) };
    let (points, runs) = (text::count(answer.points.len(), "point"), text::count(answer.runs as usize, "run"));
    format!("{points}{over}, {runs}. Intervals are those of 95 %; every point has the same random numbers.")
}

/// The measures that any point shows, in the order in which they first appear.
fn shown(answer: &Answer) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for measure in answer.points.iter().flat_map(|point| &point.measures) {
        if names.len() < MOST_MEASURES && !names.contains(&measure.measure) {
            names.push(measure.measure.clone());
        }
    }
    names
}

/// What a measure is at every point, if it is the same at all of them.
fn everywhere(answer: &Answer, measure: &str) -> Option<String> {
    let mut all =
        answer.points.iter().map(|point| of(point, measure).and_then(|found| Some((found.unit, found.estimate.mean?))));
    let (unit, first) = all.next()??;
    all.all(|other| other == Some((unit, first))).then(|| value_text(unit, first))
}

/// A column without its unit: values have theirs.
pub(crate) fn plain(measure: &str) -> &str {
    ["_ns", "_bps"].iter().find_map(|end| measure.strip_suffix(end)).unwrap_or(measure)
}

/// What a point says of a measure.
fn of<'a>(point: &'a PointAnswer, measure: &str) -> Option<&'a MeasureAnswer> {
    point.measures.iter().find(|known| known.measure == measure)
}

/// A value in the words of its unit: `ns`, `bit/s`, or a plain number.
pub fn value_text(unit: &str, value: f64) -> String {
    match unit {
        "ns" if value < 0.0 => format!("-{}", text::time(-value)),
        "ns" => text::time(value),
        "bit/s" if value < 0.0 => format!("-{}", text::rate_to(-value, 4)),
        "bit/s" => text::rate_to(value, 4),
        _ => text::number(value, 4),
    }
}

/// A mean with its interval: `0.9871 ± 0.0012`; a share with both ends.
pub(crate) fn estimate_text(measure: &MeasureAnswer) -> String {
    let estimate = &measure.estimate;
    let missing = if estimate.missing > 0 { format!(", {} without", estimate.missing) } else { String::new() };
    let words = |value: f64| value_text(measure.unit, value);
    let said = match (estimate.mean, estimate.half_width) {
        (None, _) => "–".to_owned(),
        (Some(mean), None) => words(mean),
        (Some(mean), Some(half)) => format!("{} ± {}", words(mean), words(half)),
    };
    format!("{said}{missing}")
}

/// An axis along which points can be drawn.
struct Along {
    axis: usize,
    /// Values in the unit that is written, in the order of the axis.
    values: Vec<f64>,
    name: String,
    labels: Vec<String>,
    logarithmic: bool,
}

/// All axes with numbers that take more than one value.
fn along(plan: &Plan) -> Vec<Along> {
    let axes = plan.sweep.axes().iter().enumerate();
    axes.filter_map(|(at, axis)| {
        let read: Vec<Option<f64>> = axis.values.iter().map(|label| axis.unit.read(label)).collect();
        let values: Vec<f64> = read.into_iter().collect::<Option<_>>()?;
        let (least, most) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), v| (l.min(*v), m.max(*v)));
        (least < most).then(|| Along {
            axis: at,
            logarithmic: least > 0.0 && most / least >= 20.0,
            name: axis.key.clone(),
            labels: axis.values.clone(),
            values,
        })
    })
    .collect()
}

impl Along {
    /// The least and the greatest value.
    fn ends(&self) -> (f64, f64) {
        self.values
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)))
    }

    /// A few values with what is written there.
    fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        let mut all: Vec<(f64, String)> = self.values.iter().copied().zip(self.labels.iter().cloned()).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        all.dedup_by(|a, b| a.0 == b.0);
        let step = all.len().div_ceil(most).max(1);
        all.into_iter().step_by(step).collect()
    }

    fn scale(&self) -> fairwire_results::Scale {
        let (low, high) = self.ends();
        let scale = fairwire_results::Scale::with_ticks(low..high, self.ticks(7)).without_grid();
        if self.logarithmic { scale.logarithmic() } else { scale }
    }
}

/// A swatch of the colour of a series.
fn swatch(colour: usize) -> Markup {
    html! { svg.sw viewBox="0 0 22 8" { path class=(line_class(colour)) d="M0 4H22" {} } }
}

/// The class of a line: eight colours, then the same dashed.
fn line_class(colour: usize) -> String {
    format!("line s{}{}", colour % 8, if colour >= 8 { " dash" } else { "" })
}
