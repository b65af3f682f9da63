//! A chart of values over time.

use super::decimate::{min_max, peaks};
use super::panel::{Panel, Scale};
use super::path::polyline;
use crate::report::html::Tenth;
use crate::report::tints::Tint;
use maud::{Markup, html};
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
    /// As held, and dashed: what to compare with.
    Dashed,
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
    pub fn draw(&self) -> Markup {
        let (factor, unit) = time_unit(self.time_s.end);
        let panel = self.panel(factor, unit);
        html! {
            svg.chart
                viewBox={ "0 0 " (WIDTH) " " (HEIGHT) }
                role="img"
                aria-label=(self.title)
                data-frame=(panel.data())
                data-unit=(self.unit)
                data-time={ (factor) " " (unit) }
            {
                (panel.frame())
                @for band in &self.bands { (draw_band(band, &panel)) }
                // Lines that stand out are drawn on top of the grey ones.
                @for muted in [true, false] {
                    @for series in self.series.iter().filter(|series| series.tint.is_muted() == muted) {
                        (draw_series(series, &self.time_s, &panel))
                    }
                }
                (self.draw_references(&panel))
                (self.draw_markers(&panel))
            }
        }
    }

    fn panel(&self, factor: f64, unit: &str) -> Panel {
        let end = if self.most > 0.0 { self.most * 1.06 } else { 1.0 };
        let Range { start, end: until } = self.time_s;
        let shown = Scale::linear(start * factor..until * factor, 6);
        let ticks = shown.ticks.into_iter().map(|(time, text)| (time / factor, text)).collect();
        Panel {
            across: LEFT..WIDTH - RIGHT,
            down: TOP..HEIGHT - BOTTOM,
            x: Scale::with_ticks(self.time_s.clone(), ticks).without_grid(),
            y: Scale::linear(0.0..end, 4),
            title: self.title.to_owned(),
            unit: self.unit.to_owned(),
            below: format!("time, {unit}"),
        }
    }

    fn draw_references(&self, panel: &Panel) -> Markup {
        let mut named: Vec<(f64, &Reference)> = self
            .references
            .iter()
            .filter(|reference| !reference.name.is_empty())
            .map(|reference| (panel.y(reference.value), reference))
            .collect();
        named.sort_by(|a, b| a.0.total_cmp(&b.0));
        let heights = spread(named.iter().map(|(y, _)| *y).collect(), panel.down.end - 2.0);
        let Range { start, end } = panel.across;
        html! {
            @for reference in &self.references {
                path
                    class={ "fair " (class(reference.tint)) }
                    d={ "M" (start) " " (Tenth(panel.y(reference.value))) "H" (Tenth(end)) }
                    {}
            }
            @for (y, (_, reference)) in heights.into_iter().zip(named) {
                text.rl x=(Tenth(end + 5.0)) y=(Tenth(y + 3.5)) { (reference.name) }
            }
        }
    }

    fn draw_markers(&self, panel: &Panel) -> Markup {
        let Range { start: top, end: bottom } = panel.down;
        let middle = (panel.across.start + panel.across.end) / 2.0;
        let inside: Vec<(f64, &str)> = self
            .markers
            .iter()
            .filter(|marker| self.time_s.contains(&marker.time_s))
            .map(|marker| (panel.x(marker.time_s), marker.name.as_str()))
            .collect();
        html! {
            @for (x, _) in &inside {
                path.mark d={ "M" (Tenth(*x)) " " (Tenth(top)) "V" (Tenth(bottom)) } {}
            }
            @for (line, (x, name)) in inside.iter().enumerate() {
                @let (anchor, at) = if *x > middle { ("end", x - 4.0) } else { ("start", x + 4.0) };
                @let y = top + 10.0 + line as f64 * LINE_HEIGHT;
                text.ml x=(Tenth(at)) y=(Tenth(y)) text-anchor=(anchor) { (name) }
            }
        }
    }
}

/// What times up to `end_s` are told in: so many of it a second, and its name.
fn time_unit(end_s: f64) -> (f64, &'static str) {
    match end_s {
        end if end >= 1.0 => (1.0, "s"),
        end if end >= 1e-3 => (1e3, "ms"),
        _ => (1e6, "µs"),
    }
}

fn class(tint: Option<Tint>) -> String {
    tint.map_or("ref".to_owned(), Tint::class)
}

fn draw_band(band: &Band, panel: &Panel) -> Markup {
    let (top, bottom) = (panel.y(band.values.end), panel.y(band.values.start));
    html! {
        rect
            class={ "band " (class(band.tint)) }
            x=(panel.across.start)
            y=(Tenth(top))
            width=(Tenth(panel.width()))
            height=(Tenth((bottom - top).max(1.0)))
            {}
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

fn draw_series(series: &Series, time_s: &Range<f64>, panel: &Panel) -> Markup {
    // Columns worth telling apart; grey lines show a tendency only.
    let columns = (panel.width() / if series.tint.is_muted() { 6.0 } else { 2.0 }) as usize;
    let kept = match series.shape {
        Shape::Peaks => peaks(&series.points, time_s, columns),
        Shape::Joined | Shape::Held | Shape::Dashed => min_max(&series.points, time_s, columns),
    };
    let placed = kept.iter().map(|&point| panel.place(point));
    let is_held = matches!(series.shape, Shape::Held | Shape::Dashed);
    let path = if is_held { polyline(steps(placed, panel.across.end)) } else { polyline(placed) };
    let class = if series.shape == Shape::Dashed { "fair" } else { "line" };
    html! {
        @if !path.is_empty() {
            path class={ (class) " " (series.tint.class()) } data-name=(series.name) d=(path) {}
        }
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
