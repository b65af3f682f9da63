//! A measure over two axes, as cells.

use super::{Along, along, estimate_text, of, plain, value_text};
use crate::pairs::law_axis;
use crate::plan::Plan;
use crate::result::Answer;
use fairwire_results::Tenth;
use maud::{Markup, html};
use std::collections::BTreeMap;

const WIDTH: f64 = 560.0;
const LEFT: f64 = 92.0;
const TOP: f64 = 34.0;
const PLOT: (f64, f64) = (400.0, 230.0);
/// Cells are told in numbers where there are few enough.
const MOST_IN_NUMBERS: usize = 60;
/// A map of more cells than this shows nothing that lines do not.
const MOST_CELLS: usize = 2_500;
/// Maps of this many measures and laws.
const MOST_MAPS: usize = 12;

/// Cells of one map: mean over what else is swept.
type Cells = BTreeMap<(usize, usize), (f64, usize, String)>;

pub fn section(plan: &Plan, answer: &Answer, measures: &[String]) -> Markup {
    let crossed: Vec<Along> =
        along(plan).into_iter().filter(|along| plan.sweep.stride_of(along.axis).is_some()).collect();
    let [across, down, ..] = &crossed[..] else { return html! {} };
    if across.values.len() * down.values.len() > MOST_CELLS {
        return html! {};
    }
    let law = law_axis(plan);
    let laws: Vec<Option<usize>> = match law {
        Some(axis) => (0..plan.sweep.axes()[axis].values.len()).map(Some).collect(),
        None => vec![None],
    };
    let laws: Vec<_> = laws.into_iter().map(|chosen| law.zip(chosen)).collect();
    let measures = measures.iter().take(MOST_MAPS / laws.len().max(1));
    html! {
        section {
            h2 { (across.name) " against " (down.name) }
            p.note {
                "Each cell is a point, or the mean over all that is swept besides; it is left out where there is nothing to tell, as of "
                "what never happened. Maps of one measure have the same colours."
            }
            .pair {
                @for measure in measures {
                    @let all = laws.iter().map(|law| Map::of(plan, answer, [across, down], measure, *law)).collect::<Vec<_>>();
                    @let range = all.iter().flat_map(Map::means).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), mean| (low.min(mean), high.max(mean)));
                    @for map in &all { (map.draw([across, down], range)) }
                }
            }
        }
    }
}

/// One measure under one law.
struct Map {
    title: String,
    unit: &'static str,
    cells: Cells,
}

impl Map {
    fn of(
        plan: &Plan,
        answer: &Answer,
        [across, down]: [&Along; 2],
        measure: &str,
        law: Option<(usize, usize)>,
    ) -> Self {
        let name = law.map(|(axis, value)| format!(", {}", plan.sweep.axes()[axis].values[value])).unwrap_or_default();
        let mut map = Self { title: format!("{}{name}", plain(measure)), unit: "1", cells: Cells::new() };
        for point in &answer.points {
            let chosen = plan.sweep.choices(point.point);
            if law.is_some_and(|(axis, value)| chosen[axis] != value) {
                continue;
            }
            let Some(found) = of(point, measure) else { continue };
            let Some(mean) = found.estimate.mean else { continue };
            map.unit = found.unit;
            let cell = map.cells.entry((chosen[across.axis], chosen[down.axis])).or_insert((0.0, 0, String::new()));
            cell.0 += mean;
            cell.1 += 1;
            cell.2 = estimate_text(found);
        }
        map
    }

    fn means(&self) -> impl Iterator<Item = f64> {
        self.cells.values().map(|(sum, count, _)| sum / *count as f64)
    }

    fn draw(&self, [across, down]: [&Along; 2], (low, high): (f64, f64)) -> Markup {
        let Self { title, unit, cells } = self;
        let size = (PLOT.0 / across.values.len() as f64, PLOT.1 / down.values.len() as f64);
        let place = |column: usize, row: usize| {
            (
                LEFT + ranked(across, column) as f64 * size.0,
                TOP + (down.values.len() - 1 - ranked(down, row)) as f64 * size.1,
            )
        };
        let in_numbers = cells.len() <= MOST_IN_NUMBERS;
        html! {
            svg.chart viewBox={ "0 0 " (WIDTH) " " (TOP + PLOT.1 + 48.0) } role="img" aria-label={ (title) " over two axes" } {
                text.ct x=(LEFT) y="12" { (title) }
                @for ((column, row), (sum, count, said)) in cells {
                    @let (x, y) = place(*column, *row);
                    @let mean = sum / *count as f64;
                    @let part = if high > low { (mean - low) / (high - low) } else { 0.5 };
                    g {
                        rect x=(Tenth(x)) y=(Tenth(y)) width=(Tenth(size.0)) height=(Tenth(size.1)) fill="#0072b2" fill-opacity=(opacity(part)) {
                            title {
                                (across.name) " " (across.labels[*column]) ", " (down.name) " " (down.labels[*row]) ": "
                                @if *count == 1 { (said) } @else { (value_text(unit, mean)) }
                            }
                        }
                        @if in_numbers {
                            text.ml x=(Tenth(x + size.0 / 2.0)) y=(Tenth(y + size.1 / 2.0 + 4.0)) text-anchor="middle" { (value_text(unit, mean)) }
                        }
                    }
                }
                @for column in few(across) {
                    text.tk x=(Tenth(place(column, 0).0 + size.0 / 2.0)) y=(TOP + PLOT.1 + 16.0) text-anchor="middle" { (across.labels[column]) }
                }
                @for row in few(down) {
                    text.tk x=(LEFT - 6.0) y=(Tenth(place(0, row).1 + size.1 / 2.0 + 3.5)) text-anchor="end" { (down.labels[row]) }
                }
                (key(unit, low, high))
                text.un x=(LEFT + PLOT.0 / 2.0) y=(TOP + PLOT.1 + 34.0) text-anchor="middle" { (across.name) " →" }
                text.un x=(LEFT) y=(TOP - 6.0) { "↑ " (down.name) }
            }
        }
    }
}

/// From the least to the most.
fn opacity(part: f64) -> String {
    format!("{:.3}", 0.06 + 0.84 * part)
}

/// What the colours mean.
fn key(unit: &str, low: f64, high: f64) -> Markup {
    const STEPS: usize = 23;
    let (left, step) = (LEFT + PLOT.0 + 10.0, PLOT.1 / STEPS as f64);
    let at = |from_top: usize| TOP + from_top as f64 * step;
    html! {
        @if low < high {
            @for from_top in 0..STEPS {
                rect x=(Tenth(left)) y=(Tenth(at(from_top))) width="9" height=(Tenth(step)) fill="#0072b2"
                    fill-opacity=(opacity(1.0 - from_top as f64 / (STEPS - 1) as f64)) {}
            }
            text.tk x=(Tenth(left + 13.0)) y=(Tenth(TOP + 9.0)) { (value_text(unit, high)) }
            text.tk x=(Tenth(left + 13.0)) y=(Tenth(TOP + PLOT.1)) { (value_text(unit, low)) }
        }
    }
}

/// How many values of the axis are smaller.
fn ranked(along: &Along, choice: usize) -> usize {
    along.values.iter().filter(|value| **value < along.values[choice]).count()
}

/// Values that have a label, not more than fit.
fn few(along: &Along) -> impl Iterator<Item = usize> {
    (0..along.values.len()).step_by(along.values.len().div_ceil(8).max(1))
}
