//! The frame of every chart: where its plot lies, two scales, ticks and grid.

use super::axis::Ticks;
use super::path::polyline;
use crate::report::html::Tenth;
use maud::{Markup, html};
use std::ops::Range;

/// Where the plot of a chart lies, and what its sides mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Left and right end of the plot, in user units of the picture.
    pub across: Range<f64>,
    /// Upper and lower end.
    pub down: Range<f64>,
    /// The scale from left to right.
    pub x: Scale,
    /// The scale upwards.
    pub y: Scale,
    /// What the chart shows, above the plot; may be empty.
    pub title: String,
    /// What the values of the vertical axis are, above it; may be empty.
    pub unit: String,
    /// What is told beneath the horizontal axis; may be empty.
    pub below: String,
}

/// What a side of a panel means.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// The values at both ends.
    pub range: Range<f64>,
    /// Whether equal steps are equal factors.
    pub logarithmic: bool,
    /// Values with a tick, and what is written there.
    pub ticks: Vec<(f64, String)>,
    /// Whether each tick has a line across the plot.
    pub grid: bool,
    /// Values worth a dashed line.
    pub marks: Vec<f64>,
}

impl Scale {
    /// A linear scale with about `wanted` ticks at round values.
    pub fn linear(range: Range<f64>, wanted: usize) -> Self {
        let ticks = Ticks::within(&range, wanted);
        let ticks = ticks.values.iter().map(|&value| (value, ticks.text(value))).collect();
        Self { range, logarithmic: false, ticks, grid: true, marks: Vec::new() }
    }

    /// A linear scale with these ticks.
    pub fn with_ticks(range: Range<f64>, ticks: Vec<(f64, String)>) -> Self {
        Self { range, logarithmic: false, ticks, grid: true, marks: Vec::new() }
    }

    /// The same with equal steps for equal factors.
    pub fn logarithmic(self) -> Self {
        Self { logarithmic: true, ..self }
    }

    /// The same with dashed lines at these values.
    pub fn marked(self, marks: Vec<f64>) -> Self {
        Self { marks, ..self }
    }

    /// The same without lines across the plot.
    pub fn without_grid(self) -> Self {
        Self { grid: false, ..self }
    }

    /// From 0 to 1 along the side; what lies beyond is brought to its end.
    fn part(&self, value: f64) -> f64 {
        let on = |value: f64| if self.logarithmic { value.max(f64::MIN_POSITIVE).ln() } else { value };
        let (start, end) = (on(self.range.start), on(self.range.end));
        ((on(value) - start) / (end - start).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)
    }
}

impl Panel {
    /// Where a value stands from left to right.
    pub fn x(&self, value: f64) -> f64 {
        self.across.start + self.x.part(value) * self.width()
    }

    /// Where a value stands from the top down.
    pub fn y(&self, value: f64) -> f64 {
        self.down.end - self.y.part(value) * (self.down.end - self.down.start)
    }

    /// Where a point lies, in user units.
    pub fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.x(x), self.y(y))
    }

    /// How wide the plot is.
    pub fn width(&self) -> f64 {
        self.across.end - self.across.start
    }

    /// Where the plot is and what it spans, for the page's script.
    pub(in crate::report) fn data(&self) -> String {
        let Self { across, down, x, y, .. } = self;
        let Range { start, end } = &x.range;
        format!("{} {} {} {} {start} {end} {}", across.start, across.end, down.start, down.end, y.range.end)
    }

    /// Title, grid, scales and the line at the bottom.
    pub fn frame(&self) -> Markup {
        let (Range { start: left, end: right }, Range { start: top, end: bottom }) =
            (self.across.clone(), self.down.clone());
        let end = |at: f64| html! { (Tenth(at)) };
        html! {
            @if !self.title.is_empty() {
                text.ct x=(Tenth(left)) y=(Tenth(top - 14.0)) { (self.title) }
            }
            @if !self.unit.is_empty() {
                text.un x=(Tenth(left - 6.0)) y=(Tenth(top - 14.0)) text-anchor="end" { (self.unit) }
            }
            @for (value, text) in &self.x.ticks {
                @let x = self.x(*value);
                @if self.x.grid {
                    path.grid d={ "M" (end(x)) " " (end(top)) "V" (end(bottom)) } {}
                } @else {
                    path.base data-tick="" d={ "M" (end(x)) " " (end(bottom)) "v4" } {}
                }
                text.tk data-tick="" x=(Tenth(x)) y=(Tenth(bottom + 16.0)) text-anchor="middle" { (text) }
            }
            @for (value, text) in &self.y.ticks {
                @let y = self.y(*value);
                @if self.y.grid {
                    path.grid d={ "M" (end(left)) " " (end(y)) "H" (end(right)) } {}
                }
                text.tk x=(Tenth(left - 6.0)) y=(Tenth(y + 3.5)) text-anchor="end" { (text) }
            }
            @for value in &self.x.marks {
                path."fair ref" d={ "M" (end(self.x(*value))) " " (end(top)) "V" (end(bottom)) } {}
            }
            @for value in &self.y.marks {
                path."fair ref" d={ "M" (end(left)) " " (end(self.y(*value))) "H" (end(right)) } {}
            }
            path.base d={ "M" (end(left)) " " (end(bottom)) "H" (end(right)) } {}
            @if !self.below.is_empty() {
                text."un ax" x=(Tenth((left + right) / 2.0)) y=(Tenth(bottom + 33.0)) text-anchor="middle" { (self.below) }
            }
        }
    }

    /// The path of a line through points.
    pub fn path(&self, points: impl IntoIterator<Item = (f64, f64)>) -> String {
        polyline(points.into_iter().map(|point| self.place(point)))
    }

    /// For every value the part of `values` that does not exceed it, as the corners of a
    /// staircase; infinite values are never reached.
    pub fn share_at_most(&self, values: &[f64]) -> Vec<(f64, f64)> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let all = sorted.len().max(1) as f64;
        let mut points = vec![(self.x.range.start, 0.0)];
        let mut reached = 0.0;
        for (before, &value) in sorted.iter().take_while(|value| value.is_finite()).enumerate() {
            points.push((value, reached));
            reached = (before + 1) as f64 / all;
            points.push((value, reached));
        }
        points.push((self.x.range.end, reached));
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel() -> Panel {
        Panel {
            across: 0.0..200.0,
            down: 0.0..100.0,
            x: Scale::with_ticks(0.01..1.0, Vec::new()).logarithmic(),
            y: Scale::linear(0.0..1.0, 4),
            title: "a < b".to_owned(),
            unit: String::new(),
            below: String::new(),
        }
    }

    #[test]
    fn a_staircase_ends_below_the_top_where_some_are_never_reached() {
        let panel = panel();
        assert_eq!(panel.path(panel.share_at_most(&[0.1, f64::INFINITY])), "M0 100l100 0 0-50 100 0");
    }

    #[test]
    fn what_lies_beyond_is_drawn_at_the_border() {
        assert_eq!(panel().place((1e-9, 0.5)), (0.0, 50.0));
        assert_eq!(panel().place((40.0, 2.0)), (200.0, 0.0));
    }

    #[test]
    fn text_is_safe_and_numbers_are_numbers() {
        let one = Panel { y: Scale::linear(0.0..0.0, 4), ..panel() };
        let svg = one.frame().into_string();
        assert!(svg.contains("a &lt; b") && !svg.contains("NaN"), "{svg}");
    }
}
