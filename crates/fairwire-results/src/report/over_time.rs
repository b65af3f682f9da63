//! Charts over time: the whole run beside the stretch around convergence.

use super::chart::{Band, LineChart, Marker, Reference, Series};
use super::tints::Tint;
use super::view::View;
use fairwire_core::Span;
use maud::{Markup, html};
use std::ops::Range;

/// The close view averages over this part of the window.
const CLOSER: u64 = 4;

/// What one row of charts shows: one law, one quantity.
pub(super) struct Row<'a> {
    /// The law's name, and the quantity where there are several.
    pub heading: &'a str,
    /// From [`legend`], where it differs from row to row.
    pub legend: Markup,
    /// What is shown, for the whole run and for the stretch around convergence.
    pub titles: [String; 2],
    pub most: f64,
    pub unit: &'a str,
    pub markers: Vec<(f64, String)>,
    pub references: Vec<(f64, String, Option<Tint>)>,
    pub bands: Vec<(Range<f64>, Option<Tint>)>,
}

impl Row<'_> {
    /// Draws the row; `series` gives the lines for a stretch of time, which is
    /// the close one where it is told `true`.
    pub fn draw(&self, view: &View<'_>, series: impl Fn(&Range<f64>, bool) -> Vec<Series>) -> Markup {
        let whole = 0.0..view.duration_s();
        html! {
            div.row {
                h3 { (self.heading) }
                (self.legend)
                div.pair {
                    (self.chart(&self.titles[0], &whole, series(&whole, false)).draw())
                    @if let Some(zoom) = &view.zoom {
                        (self.chart(&self.titles[1], zoom, series(zoom, true)).draw())
                    }
                }
            }
        }
    }

    fn chart<'c>(&'c self, title: &'c str, time_s: &Range<f64>, series: Vec<Series>) -> LineChart<'c> {
        LineChart {
            title,
            time_s: time_s.clone(),
            most: self.most,
            unit: self.unit,
            series,
            references: self
                .references
                .iter()
                .map(|(value, name, tint)| Reference { value: *value, name: name.clone(), tint: *tint })
                .collect(),
            bands: self.bands.iter().map(|(values, tint)| Band { values: values.clone(), tint: *tint }).collect(),
            markers: self.markers.iter().map(|(time_s, name)| Marker { time_s: *time_s, name: name.clone() }).collect(),
        }
    }
}

/// The points from `start` on, led by the value that held there.
pub(super) fn held_from(points: &[(f64, f64)], start: f64) -> Vec<(f64, f64)> {
    let first = points.partition_point(|(time, _)| *time < start);
    let held = first.checked_sub(1).map(|before| (start, points[before].1));
    held.into_iter().chain(points[first..].iter().copied()).collect()
}

/// The window over which lines of the close view are averaged.
pub(super) fn closer(view: &View<'_>) -> Span {
    let row = view.scene.plan.window;
    row * rows_in(Span::from_nanos(view.window.as_nanos() / CLOSER), row) as u64
}

/// More means than this to a chart could not be told apart.
const MOST_MEANS: f64 = 500.0;

/// Of values that hold until the next, the means over the `mean_s` seconds before each of many times in `range`; from the
/// first value on.
pub(super) fn means_over_time(points: &[(f64, f64)], mean_s: f64, range: &Range<f64>) -> Vec<(f64, f64)> {
    let Some(&(first, _)) = points.first() else { return Vec::new() };
    // The sum of value × time up to each point.
    let mut sums = Vec::with_capacity(points.len());
    let mut sum = 0.0;
    for (at, &(time, _)) in points.iter().enumerate() {
        sum += at.checked_sub(1).map_or(0.0, |before| points[before].1 * (time - points[before].0));
        sums.push(sum);
    }
    let sum_until = |time: f64| {
        let after = points.partition_point(|(at, _)| *at <= time);
        after.checked_sub(1).map_or(0.0, |at| sums[at] + points[at].1 * (time - points[at].0))
    };
    let step = (mean_s / 4.0).max((range.end - range.start) / MOST_MEANS);
    let steps = ((range.end - range.start) / step).floor() as usize;
    let times = (0..=steps).map(|number| range.start + number as f64 * step).filter(|time| *time > first);
    let mean = |time: f64| {
        let from = (time - mean_s).max(first);
        (time, (sum_until(time) - sum_until(from)) / (time - from))
    };
    times.map(mean).collect()
}

/// Which tint stands for what; the grey ones are told as a number.
pub(super) fn legend(entries: &[(String, Tint)], others: &str) -> Markup {
    let muted = entries.iter().filter(|(_, tint)| tint.is_muted()).count();
    html! {
        ul.legend {
            @for (name, tint) in entries.iter().filter(|(_, tint)| !tint.is_muted()) {
                li data-line=(name) { (swatch(*tint)) (name) }
            }
            @if muted > 0 {
                li data-line="" { (swatch(Tint::Muted)) (muted) " other " (others) }
            }
        }
    }
}

/// A short piece of line in the tint.
pub(super) fn swatch(tint: Tint) -> Markup {
    html! {
        svg.sw viewBox="0 0 22 8" aria-hidden="true" { path class={ "line " (tint.class()) } d="M1 4H21" {} }
    }
}

/// Whole rows of `row` length that come closest to `wanted`, at least one.
pub(super) fn rows_in(wanted: Span, row: Span) -> usize {
    let rows = (wanted.as_nanos() + row.as_nanos() / 2).checked_div(row.as_nanos()).unwrap_or(1);
    usize::try_from(rows).unwrap_or(usize::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::means_over_time;

    #[test]
    fn means_weigh_values_by_how_long_they_held() {
        // 4 for a second, 0 for three: 1 on average, though most samples say 4.
        let points = [(0.0, 4.0), (0.5, 4.0), (0.9, 4.0), (1.0, 0.0), (4.0, 0.0)];
        let means = means_over_time(&points, 4.0, &(0.0..4.0));
        assert_eq!(means.last(), Some(&(4.0, 1.0)));
        assert_eq!(means.first(), Some(&(1.0, 4.0)), "over what there is since the first value");
        assert!(means_over_time(&[], 1.0, &(0.0..4.0)).is_empty());
    }
}
