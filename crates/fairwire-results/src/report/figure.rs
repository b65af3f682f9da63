//! A figure of a paper, drawn again: curves over a number that is not time.

use super::chart::Ticks;
use super::chart::polyline;
use super::html::escape;
use super::tints::Tint;
use std::fmt::Write;
use std::ops::Range;

/// Curves over a number, as papers draw them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// What it shows, in a few words.
    pub title: String,
    /// What runs along the horizontal axis, with its unit.
    pub x: String,
    /// What runs along the vertical axis, with its unit; values start at 0.
    pub y: String,
    /// What was measured.
    pub curves: Vec<Curve>,
    /// What the paper prints, where it prints numbers.
    pub printed: Vec<Curve>,
}

/// Points (x, y) in order of x, and what they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// As the legend calls it.
    pub name: String,
    /// In the axes' units.
    pub points: Vec<(f64, f64)>,
}

impl Curve {
    /// A curve of values over 1, 2, 3 and so on, or over `first`, `first` + 1 and so on.
    pub fn counted(name: &str, first: usize, values: &[f64]) -> Self {
        let points = values.iter().enumerate().map(|(at, value)| ((first + at) as f64, *value));
        Self { name: name.to_owned(), points: points.collect() }
    }

    /// A curve of values over `xs`.
    pub fn over(name: &str, xs: &[f64], values: &[f64]) -> Self {
        Self { name: name.to_owned(), points: xs.iter().copied().zip(values.iter().copied()).collect() }
    }
}

/// Size in user units, and room for the labels.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 280.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 42.0;
/// Curves of at most so many points have a dot at each.
const MOST_DOTS: usize = 40;

impl Figure {
    /// The figure as an element of a page, with its legend.
    pub fn draw(&self) -> String {
        let frame = Frame::of(self);
        let title = escape(&self.title);
        let mut svg = format!(
            r#"<figure><svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}"><text class="ct" x="{LEFT}" y="12">{title}</text>"#
        );
        frame.draw_axes(self, &mut svg);
        for (number, curve) in self.curves.iter().enumerate() {
            draw_curve(curve, Tint::nth(number), &frame, &mut svg);
        }
        for curve in &self.printed {
            for &(x, y) in &curve.points {
                let _ = write!(svg, r#"<circle class="printed" cx="{:.1}" cy="{:.1}" r="5"/>"#, frame.x(x), frame.y(y));
            }
        }
        svg.push_str("</svg>");
        svg.push_str(&self.legend());
        svg.push_str("</figure>");
        svg
    }

    fn legend(&self) -> String {
        let mut html = r#"<ul class="legend">"#.to_owned();
        for (number, curve) in self.curves.iter().enumerate() {
            let class = Tint::nth(number).class();
            let _ = write!(
                html,
                r#"<li><svg class="sw" viewBox="0 0 22 8"><path class="line {class}" d="M1 4H21"/></svg>{}</li>"#,
                escape(&curve.name)
            );
        }
        for curve in &self.printed {
            let _ = write!(
                html,
                r#"<li><svg class="sw" viewBox="0 0 22 8"><circle class="printed" cx="11" cy="4" r="3.4"/></svg>{}</li>"#,
                escape(&curve.name)
            );
        }
        html.push_str("</ul>");
        html
    }
}

fn draw_curve(curve: &Curve, tint: Tint, frame: &Frame, svg: &mut String) {
    let placed: Vec<_> = curve.points.iter().map(|&(x, y)| (frame.x(x), frame.y(y))).collect();
    let class = tint.class();
    let path = polyline(placed.iter().copied());
    if !path.is_empty() {
        let _ = write!(svg, r#"<path class="line {class}" d="{path}"/>"#);
    }
    if placed.len() <= MOST_DOTS {
        for (x, y) in placed {
            let _ = write!(svg, r#"<g class="dot {class}"><circle cx="{x:.1}" cy="{y:.1}" r="2.6"/></g>"#);
        }
    }
}

/// The plot area and its scales.
struct Frame {
    xs: Range<f64>,
    most: f64,
}

impl Frame {
    fn of(figure: &Figure) -> Self {
        let points = || figure.curves.iter().chain(&figure.printed).flat_map(|curve| curve.points.iter());
        let least = points().map(|point| point.0).fold(f64::INFINITY, f64::min);
        let last = points().map(|point| point.0).fold(f64::NEG_INFINITY, f64::max);
        let most = points().map(|point| point.1).fold(0.0, f64::max);
        let xs = if least < last { least..last } else { least - 0.5..least + 0.5 };
        Self { xs, most: if most > 0.0 { most * 1.06 } else { 1.0 } }
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + (value - self.xs.start) / (self.xs.end - self.xs.start) * (WIDTH - RIGHT - LEFT)
    }

    fn y(&self, value: f64) -> f64 {
        let bottom = HEIGHT - BOTTOM;
        bottom - (value / self.most).clamp(0.0, 1.0) * (bottom - TOP)
    }

    fn draw_axes(&self, figure: &Figure, svg: &mut String) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let values = Ticks::within(&(0.0..self.most), 5);
        for &value in &values.values {
            let class = if value == 0.0 { "base" } else { "grid" };
            let (y, text) = (self.y(value), values.text(value));
            let _ = write!(
                svg,
                r#"<path class="{class}" d="M{LEFT} {y:.1}H{right:.1}"/><text class="tk" x="{:.1}" y="{:.1}" text-anchor="end">{text}</text>"#,
                LEFT - 6.0,
                y + 3.5
            );
        }
        let xs = Ticks::within(&self.xs, 10);
        for &value in &xs.values {
            let (x, text) = (self.x(value), xs.text(value));
            let _ = write!(
                svg,
                r#"<path class="base" d="M{x:.1} {bottom}v4"/><text class="tk" x="{x:.1}" y="{:.1}" text-anchor="middle">{text}</text>"#,
                bottom + 16.0
            );
        }
        let middle = (LEFT + right) / 2.0;
        let _ = write!(
            svg,
            r#"<text class="un" x="{:.1}" y="12" text-anchor="end">{}</text><text class="un" x="{middle:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
            WIDTH - RIGHT,
            escape(&figure.y),
            HEIGHT - 6.0,
            escape(&figure.x)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lie_inside_and_text_is_safe() {
        let figure = Figure {
            title: "a < b".to_owned(),
            x: "n".to_owned(),
            y: "Mb/s".to_owned(),
            curves: vec![Curve::counted("VRR", 1, &[1.0, 3.0, 2.0])],
            printed: vec![Curve::over("paper", &[3.0], &[4.0])],
        };
        let frame = Frame::of(&figure);
        assert_eq!((frame.x(1.0), frame.x(3.0)), (LEFT, WIDTH - RIGHT));
        assert!(frame.y(4.0) > TOP && frame.y(0.0) == HEIGHT - BOTTOM);
        let svg = figure.draw();
        assert!(svg.contains("a &lt; b") && !svg.contains("a < b") && svg.matches("<circle").count() == 5);
    }

    #[test]
    fn a_single_point_can_be_drawn() {
        let figure = Figure { curves: vec![Curve::counted("one", 7, &[0.0])], ..Figure::default() };
        assert!(!figure.draw().contains("NaN"));
    }
}
