//! A chart of values over time.

use super::axis::Ticks;
use super::decimate::{min_max, peaks};
use super::path::polyline;
use crate::report::html::escape;
use crate::report::tints::Tint;
use std::fmt::Write;
use std::ops::Range;

/// Size of a chart in user units; its text is as large as the page's where a
/// chart is as wide as that.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 48.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 38.0;
/// References are named here; kept free without any, so that times line up.
const RIGHT: f64 = 72.0;
/// Lines of text need this much height each.
const LINE_HEIGHT: f64 = 14.5;

/// A chart of lines over time.
pub(in crate::report) struct LineChart<'a> {
    /// What the chart shows, in a few words above it.
    pub title: &'a str,
    /// From when to when, in seconds.
    pub time_s: Range<f64>,
    /// The largest value to show; values start at 0.
    pub most: f64,
    /// The unit of the values.
    pub unit: &'a str,
    pub series: Vec<Series>,
    pub references: Vec<Reference>,
    pub bands: Vec<Band>,
    pub markers: Vec<Marker>,
}

/// One line.
pub(in crate::report) struct Series {
    pub name: String,
    pub tint: Tint,
    /// Points (seconds, value) in order of time.
    pub points: Vec<(f64, f64)>,
    pub shape: Shape,
}

/// How points become a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Shape {
    /// A straight line from each to the next.
    Joined,
    /// Each value holds until the next.
    Held,
    /// As joined; where points are too dense only the largest are drawn.
    Peaks,
}

/// A dashed horizontal line to compare with.
pub(in crate::report) struct Reference {
    pub value: f64,
    /// Shown at its right end.
    pub name: String,
    /// The line's tint; none is that of text.
    pub tint: Option<Tint>,
}

/// A horizontal band: anywhere inside is right.
pub(in crate::report) struct Band {
    pub values: Range<f64>,
    pub tint: Option<Tint>,
}

/// A moment worth a vertical line.
pub(in crate::report) struct Marker {
    pub time_s: f64,
    pub name: String,
}

impl LineChart<'_> {
    /// The chart as an SVG element.
    pub fn draw(&self) -> String {
        let frame = Frame::of(self);
        let mut svg = format!(
            r#"<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}" data-frame="{frame}" data-unit="{unit}" data-time="{factor} {time_unit}">"#,
            title = escape(self.title),
            frame = frame.data(),
            unit = escape(self.unit),
            factor = frame.time_factor,
            time_unit = frame.time_unit,
        );
        let _ = write!(svg, r#"<text class="ct" x="{LEFT}" y="12">{}</text>"#, escape(self.title));
        frame.draw_axes(self, &mut svg);
        self.draw_bands(&frame, &mut svg);
        // Lines that stand out are drawn on top of the grey ones.
        for muted in [true, false] {
            for series in self.series.iter().filter(|series| series.tint.is_muted() == muted) {
                draw_series(series, &frame, &mut svg);
            }
        }
        self.draw_references(&frame, &mut svg);
        self.draw_markers(&frame, &mut svg);
        svg.push_str("</svg>");
        svg
    }

    fn draw_bands(&self, frame: &Frame, svg: &mut String) {
        for band in &self.bands {
            let class = band.tint.map_or("ref".to_owned(), Tint::class);
            let (top, bottom) = (frame.y(band.values.end), frame.y(band.values.start));
            let (x, width, height) = (frame.left, frame.width(), (bottom - top).max(1.0));
            let _ = write!(
                svg,
                r#"<rect class="band {class}" x="{x}" y="{top:.1}" width="{width:.1}" height="{height:.1}"/>"#
            );
        }
    }

    fn draw_references(&self, frame: &Frame, svg: &mut String) {
        let mut labels: Vec<(f64, &Reference)> = Vec::new();
        for reference in &self.references {
            let class = reference.tint.map_or("ref".to_owned(), Tint::class);
            let y = frame.y(reference.value);
            let (x0, x1) = (frame.left, frame.right);
            let _ = write!(svg, r#"<path class="fair {class}" d="M{x0} {y:.1}H{x1:.1}"/>"#);
            labels.push((y, reference));
        }
        labels.sort_by(|a, b| a.0.total_cmp(&b.0));
        labels.retain(|(_, reference)| !reference.name.is_empty());
        let heights = spread(labels.iter().map(|(y, _)| *y).collect(), frame.bottom - 2.0);
        for (y, (_, reference)) in heights.into_iter().zip(labels) {
            let x = frame.right + 5.0;
            let _ = write!(svg, r#"<text class="rl" x="{x:.1}" y="{:.1}">{}</text>"#, y + 3.5, escape(&reference.name));
        }
    }

    fn draw_markers(&self, frame: &Frame, svg: &mut String) {
        let inside: Vec<_> = self.markers.iter().filter(|marker| frame.time_s.contains(&marker.time_s)).collect();
        for marker in &inside {
            let x = frame.x(marker.time_s);
            let _ = write!(svg, r#"<path class="mark" d="M{x:.1} {:.1}V{:.1}"/>"#, frame.top, frame.bottom);
        }
        for (line, marker) in inside.into_iter().enumerate() {
            let x = frame.x(marker.time_s);
            let (anchor, at) = if x > (frame.left + frame.right) / 2.0 { ("end", x - 4.0) } else { ("start", x + 4.0) };
            let y = frame.top + 10.0 + line as f64 * LINE_HEIGHT;
            let name = escape(&marker.name);
            let _ = write!(svg, r#"<text class="ml" x="{at:.1}" y="{y:.1}" text-anchor="{anchor}">{name}</text>"#);
        }
    }
}

/// Rising heights moved as little as needed so that no two lines of text
/// collide and none is below `lowest`.
fn spread(mut heights: Vec<f64>, lowest: f64) -> Vec<f64> {
    for at in 1..heights.len() {
        heights[at] = heights[at].max(heights[at - 1] + LINE_HEIGHT);
    }
    let mut limit = lowest;
    for height in heights.iter_mut().rev() {
        *height = height.min(limit);
        limit = *height - LINE_HEIGHT;
    }
    heights
}

fn draw_series(series: &Series, frame: &Frame, svg: &mut String) {
    let columns = frame.columns(series.tint);
    let kept = match series.shape {
        Shape::Peaks => peaks(&series.points, &frame.time_s, columns),
        Shape::Joined | Shape::Held => min_max(&series.points, &frame.time_s, columns),
    };
    let placed = kept.iter().map(|&(time, value)| (frame.x(time), frame.y(value)));
    let path = if series.shape == Shape::Held { polyline(steps(placed, frame.right)) } else { polyline(placed) };
    if !path.is_empty() {
        let _ = write!(
            svg,
            r#"<path class="line {}" data-name="{}" d="{path}"/>"#,
            series.tint.class(),
            escape(&series.name)
        );
    }
}

/// Corners of a line that keeps its value until the next point.
fn steps(points: impl Iterator<Item = (f64, f64)>, end: f64) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::new();
    for (x, y) in points {
        if let Some(&(_, before)) = corners.last() {
            corners.push((x, before));
        }
        corners.push((x, y));
    }
    corners.extend(corners.last().map(|&(_, y)| (end, y)));
    corners
}

/// The plot area and its scales.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    time_s: Range<f64>,
    end: f64,
    time_factor: f64,
    time_unit: &'static str,
}

impl Frame {
    fn of(chart: &LineChart<'_>) -> Self {
        let (time_factor, time_unit) = match chart.time_s.end {
            end if end >= 1.0 => (1.0, "s"),
            end if end >= 1e-3 => (1e3, "ms"),
            _ => (1e6, "µs"),
        };
        Self {
            left: LEFT,
            right: WIDTH - RIGHT,
            top: TOP,
            bottom: HEIGHT - BOTTOM,
            time_s: chart.time_s.clone(),
            end: if chart.most > 0.0 { chart.most * 1.06 } else { 1.0 },
            time_factor,
            time_unit,
        }
    }

    fn width(&self) -> f64 {
        self.right - self.left
    }

    /// Columns worth telling apart; grey lines show a tendency only.
    fn columns(&self, tint: Tint) -> usize {
        (self.width() / if tint.is_muted() { 6.0 } else { 2.0 }) as usize
    }

    fn x(&self, time_s: f64) -> f64 {
        let span = (self.time_s.end - self.time_s.start).max(f64::MIN_POSITIVE);
        self.left + (time_s - self.time_s.start) / span * self.width()
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom - (value / self.end).clamp(0.0, 1.0) * (self.bottom - self.top)
    }

    /// Where the plot is and what it spans, for the page's tooltips.
    fn data(&self) -> String {
        let Self { left, right, top, bottom, time_s, end, .. } = self;
        format!("{left} {right} {top} {bottom} {} {} {end}", time_s.start, time_s.end)
    }

    fn draw_axes(&self, chart: &LineChart<'_>, svg: &mut String) {
        let values = Ticks::within(&(0.0..self.end), 4);
        for &value in &values.values {
            let y = self.y(value);
            let class = if value == 0.0 { "base" } else { "grid" };
            let _ = write!(svg, r#"<path class="{class}" d="M{} {y:.1}H{:.1}"/>"#, self.left, self.right);
            let _ = write!(
                svg,
                r#"<text class="tk" x="{}" y="{:.1}" text-anchor="end">{}</text>"#,
                self.left - 6.0,
                y + 3.5,
                values.text(value)
            );
        }
        let scaled = self.time_s.start * self.time_factor..self.time_s.end * self.time_factor;
        let times = Ticks::within(&scaled, 6);
        for &time in &times.values {
            let x = self.x(time / self.time_factor);
            let _ = write!(svg, r#"<path class="base" d="M{x:.1} {}v4"/>"#, self.bottom);
            let _ = write!(
                svg,
                r#"<text class="tk" x="{x:.1}" y="{}" text-anchor="middle">{}</text>"#,
                self.bottom + 16.0,
                times.text(time)
            );
        }
        let _ = write!(
            svg,
            r#"<text class="un" x="{}" y="{}" text-anchor="end">{}</text>"#,
            self.left - 6.0,
            12,
            escape(chart.unit)
        );
        let middle = (self.left + self.right) / 2.0;
        let _ = write!(
            svg,
            r#"<text class="un" x="{middle:.1}" y="{}" text-anchor="middle">time, {}</text>"#,
            HEIGHT - 5.0,
            self.time_unit
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_apart_and_above_the_axis() {
        assert_eq!(spread(vec![10.0, 12.0, 90.0], 100.0), [10.0, 10.0 + LINE_HEIGHT, 90.0]);
        let crowded = spread(vec![95.0, 96.0, 99.0], 100.0);
        assert_eq!(crowded, [100.0 - 2.0 * LINE_HEIGHT, 100.0 - LINE_HEIGHT, 100.0]);
    }
}
