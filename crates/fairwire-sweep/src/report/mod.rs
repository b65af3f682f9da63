//! The report of a sweep: one page with each measure against each axis, laws beside each other, and the points at both ends.

mod curves;
mod heat;
mod pairs;
mod tables;

use crate::plan::Plan;
use crate::result::{Answer, MeasureAnswer, PointAnswer};
use fairwire_alloc::text;
use fairwire_results::{Scale, document};
use fairwire_scenario::AxisUnit;
use maud::{Markup, html};
use std::ops::Range;

/// Charts of more measures than this are left out; the tables have all.
const MOST_MEASURES: usize = 8;

/// The page.
pub(crate) fn report(plan: &Plan, answer: &Answer) -> String {
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
        (pairs::section(plan, answer, &shown(answer)))
        (tables::ends(plan, answer))
        (tables::points(plan, answer))
    };
    document(scenario.title(), &body)
}

fn headline(plan: &Plan, answer: &Answer) -> String {
    let axes: Vec<String> =
        plan.sweep.axes().iter().map(|axis| format!("{} ({})", axis.key, axis.values.len())).collect();
    let over = if axes.is_empty() { String::new() } else { format!(" over {}", axes.join(", ")) };
    let (points, runs) = (text::count(answer.points.len(), "point"), text::count(answer.runs as usize, "run"));
    format!("{points}{over}, {runs}. {}; every point has the same random numbers.", intervals(answer))
}

/// What intervals there are. Of one run a share has one, too: it can be most of what a share may be.
fn intervals(answer: &Answer) -> String {
    if answer.points.iter().any(|point| point.runs > 1) {
        return "Intervals are those of 95 %".to_owned();
    }
    let mut shares = shown(answer);
    let has_interval =
        |point: &PointAnswer, measure: &str| of(point, measure).is_some_and(|found| found.estimate.low.is_some());
    shares.retain(|measure| answer.points.iter().any(|point| has_interval(point, measure)));
    let named = shares.iter().map(|measure| plain(measure)).collect::<Vec<_>>().join(", ");
    match shares.len() {
        0 => "With one run a point there are no intervals".to_owned(),
        1 => format!("With one run a point only {named}, a share of runs, has intervals, those of 95 %"),
        _ => format!("With one run a point only {named}, shares of runs, have intervals, those of 95 %"),
    }
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

/// A key or a measure as the head of a column, which may go on in a new line after each dot.
fn in_lines(name: &str) -> String {
    name.replace('.', ".\n")
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

/// A mean with its interval: `0.9871 ± 0.0012`; a share, whose interval is uneven, with both ends: `0.8 (0.49 to 0.94)`.
pub(crate) fn estimate_text(measure: &MeasureAnswer) -> String {
    let estimate = &measure.estimate;
    let missing = if estimate.missing > 0 { format!(" ({} without)", estimate.missing) } else { String::new() };
    let words = |value: f64| value_text(measure.unit, value);
    let half_words = |half: f64| half_text(measure.unit, half);
    let is_even = |low: f64, mean: f64, high: f64| ((high - mean) - (mean - low)).abs() <= 1e-3 * (high - low);
    let said = match (estimate.mean, estimate.half_width, estimate.low, estimate.high) {
        (None, ..) => "–".to_owned(),
        (Some(mean), Some(half), Some(low), Some(high)) if is_even(low, mean, high) => {
            format!("{} ± {}", words(mean), half_words(half))
        }
        (Some(mean), _, Some(low), Some(high)) => {
            format!("{} ({} to {})", words(mean), half_words(low), half_words(high))
        }
        (Some(mean), ..) => words(mean),
    };
    format!("{said}{missing}")
}

/// Half of an interval: of what is uncertain two digits say enough.
pub(crate) fn half_text(unit: &str, half: f64) -> String {
    match unit {
        "ns" => text::time(half),
        "bit/s" => text::rate_to(half, 2),
        _ => text::number(half, 2),
    }
}

/// An axis along which points can be drawn.
struct Along {
    axis: usize,
    /// Values in the unit that is written, in the order of the axis.
    values: Vec<f64>,
    name: String,
    labels: Vec<String>,
    unit: AxisUnit,
    logarithmic: bool,
    /// Whether every value goes with every value of the others; else a design has laid points out.
    is_crossed: bool,
}

/// Values of an axis are written at its ticks if they are so few.
const MOST_TICKS: usize = 7;

/// Width of a letter at a tick as part of the axis, on a narrow screen.
const LETTER: f64 = 7.0 / 300.0;

/// Whether several values that are far apart lie so by equal factors, as a range with `scale = "log"` has them.
fn are_apart_by_factors(values: &[f64]) -> bool {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let factors: Vec<f64> = sorted.windows(2).map(|pair| pair[1] / pair[0]).collect();
    let (least, most) = factors.iter().fold((f64::INFINITY, 0.0_f64), |(l, m), f| (l.min(*f), m.max(*f)));
    // Values are written in four digits.
    factors.len() >= 2 && most <= 1.01 * least && sorted[sorted.len() - 1] >= 4.0 * sorted[0]
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
            logarithmic: least > 0.0 && (most / least >= 20.0 || are_apart_by_factors(&values)),
            name: axis.key.clone(),
            labels: axis.values.clone(),
            unit: axis.unit,
            is_crossed: plan.sweep.stride_of(at).is_some(),
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

    /// What is written along it: its own values where these are few, else round ones.
    fn ticks(&self, range: &Range<f64>) -> Vec<(f64, String)> {
        let mut all: Vec<(f64, String)> = self.values.iter().copied().zip(self.labels.iter().cloned()).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        all.dedup_by(|a, b| a.0 == b.0);
        if self.is_crossed && all.len() <= MOST_TICKS {
            self.name_where_there_is_room(&mut all, range);
            return all;
        }
        let round: Vec<f64> = if self.logarithmic {
            round_by_factors(range)
        } else {
            Scale::linear(range.clone(), 5).ticks.into_iter().map(|(value, _)| value).collect()
        };
        round.into_iter().map(|value| (value, self.words(value))).collect()
    }

    /// Leaves out names that would be written over others; those at the ends stay.
    fn name_where_there_is_room(&self, ticks: &mut [(f64, String)], range: &Range<f64>) {
        let place = |value: f64| match self.logarithmic {
            true => (value / range.start).ln() / (range.end / range.start).ln(),
            false => (value - range.start) / (range.end - range.start),
        };
        let around = |(value, name): &(f64, String)| {
            let (middle, half) = (place(*value), 0.5 * LETTER * (name.chars().count() + 1) as f64);
            middle - half..middle + half
        };
        let Some(last) = ticks.last().map(around) else { return };
        let mut free = f64::NEG_INFINITY;
        let inner = ticks.len() - 1;
        for tick in &mut ticks[..inner] {
            let Range { start, end } = around(tick);
            match start >= free && end <= last.start {
                true => free = end,
                false => tick.1.clear(),
            }
        }
    }

    /// A value of it in words.
    fn words(&self, value: f64) -> String {
        match self.unit {
            AxisUnit::Size | AxisUnit::Packets => format!("{} {}", text::number(value, 6), self.unit.name()),
            unit => value_text(unit.name(), value),
        }
    }

    /// With some room at both ends, so that nothing is drawn upon the frame.
    fn scale(&self) -> Scale {
        let (low, high) = self.ends();
        let room = 0.03;
        let range = if self.logarithmic {
            let factor = (high / low).powf(room);
            low / factor..high * factor
        } else {
            low - room * (high - low)..high + room * (high - low)
        };
        let scale = Scale::with_ticks(range.clone(), self.ticks(&range)).without_grid();
        if self.logarithmic { scale.logarithmic() } else { scale }
    }
}

/// Round values apart by equal factors, or nearly: 1, 2, 5, 10 and on, or with a larger range 1, 10, 100.
fn round_by_factors(range: &Range<f64>) -> Vec<f64> {
    let (first, last) = (range.start.log10().floor() as i32, range.end.log10().ceil() as i32);
    let values = |steps: &[f64]| -> Vec<f64> {
        let all = (first..=last).flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)));
        all.filter(|value| range.contains(value)).collect()
    };
    let fine = values(&[1.0, 2.0, 5.0]);
    if fine.len() <= MOST_TICKS { fine } else { values(&[1.0]) }
}

/// A swatch of the colour of a series.
fn swatch(colour: usize) -> Markup {
    html! { svg.sw viewBox="0 0 22 8" { path class=(line_class(colour)) d="M0 4H22" {} } }
}

/// The class of a line: eight colours, then the same dashed.
fn line_class(colour: usize) -> String {
    format!("line s{}{}", colour % 8, if colour >= 8 { " dash" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Estimate;

    #[test]
    fn an_interval_has_both_ends_where_it_is_uneven() {
        let text = |mean: f64, low: f64, high: f64| {
            let (half_width, missing) = (Some((high - low) / 2.0), 0);
            let estimate = Estimate { n: 9, missing, mean: Some(mean), half_width, low: Some(low), high: Some(high) };
            estimate_text(&MeasureAnswer { measure: String::new(), unit: "1", estimate })
        };
        assert_eq!(text(0.5, 0.4, 0.6), "0.5 ± 0.1");
        assert_eq!(text(0.8, 0.49, 0.94), "0.8 (0.49 to 0.94)");
        assert_eq!(text(1.0, 1.0, 1.0), "1 ± 0", "all runs say the same");
    }

    #[test]
    fn values_apart_by_factors_are_drawn_so() {
        assert!(are_apart_by_factors(&[1.0, 2.154, 4.642, 10.0]) && are_apart_by_factors(&[8.0, 2.0, 4.0, 1.0, 1.0]));
        assert!(!are_apart_by_factors(&[1.0, 2.0, 3.0, 4.0]) && !are_apart_by_factors(&[1.0, 10.0]));
        assert!(!are_apart_by_factors(&[100.0, 101.0, 102.0]), "one could not tell");
    }

    #[test]
    fn no_name_at_a_tick_is_written_over_another() {
        let along = |values: &[f64]| Along {
            axis: 0,
            name: String::new(),
            values: values.to_vec(),
            labels: values.iter().map(|value| format!("{value} us")).collect(),
            unit: AxisUnit::Time,
            logarithmic: false,
            is_crossed: true,
        };
        let names =
            |values: &[f64]| -> Vec<String> { along(values).scale().ticks.into_iter().map(|(_, name)| name).collect() };
        assert_eq!(names(&[100.0, 300.0, 500.0]), ["100 us", "300 us", "500 us"]);
        assert_eq!(names(&[100.0, 110.0, 500.0, 990.0, 1000.0]), ["100 us", "", "500 us", "", "1000 us"]);
    }
}
