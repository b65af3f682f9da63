//! A figure of a paper, drawn again: curves over a number that is not time.

use super::chart::{Panel, Scale};
use super::html::Tenth;
use super::over_time::swatch;
use super::tints::Tint;
use maud::{Markup, html};

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
    pub fn draw(&self) -> Markup {
        let panel = self.panel();
        let tinted = || self.curves.iter().enumerate().map(|(number, curve)| (Tint::nth(number), curve));
        html! {
            figure {
                svg.chart
                    viewBox={ "0 0 " (WIDTH) " " (HEIGHT) }
                    role="img"
                    aria-label=(self.title)
                    data-frame=(panel.data())
                    data-unit=(self.y)
                    data-time="1"
                    data-below=(self.x)
                {
                    (panel.frame())
                    @for (tint, curve) in tinted() { (draw_curve(curve, tint, &panel)) }
                    @for point in self.printed.iter().flat_map(|curve| &curve.points) {
                        @let (x, y) = panel.place(*point);
                        circle.printed cx=(Tenth(x)) cy=(Tenth(y)) r="5" {}
                    }
                    text.un x=(Tenth(panel.across.end)) y="14" text-anchor="end" { (self.y) }
                }
                ul.legend {
                    @for (tint, curve) in tinted() {
                        li data-line=(curve.name) { (swatch(tint)) (curve.name) }
                    }
                    @for curve in &self.printed {
                        li {
                            svg.sw viewBox="0 0 22 8" { circle.printed cx="11" cy="4" r="3.4" {} }
                            (curve.name)
                        }
                    }
                }
            }
        }
    }

    fn panel(&self) -> Panel {
        let points = || self.curves.iter().chain(&self.printed).flat_map(|curve| curve.points.iter());
        let least = points().map(|point| point.0).fold(f64::INFINITY, f64::min);
        let last = points().map(|point| point.0).fold(f64::NEG_INFINITY, f64::max);
        let most = points().map(|point| point.1).fold(0.0, f64::max);
        let xs = match (least, last) {
            (least, last) if least < last => least..last,
            (least, _) if least.is_finite() => least - 0.5..least + 0.5,
            _ => 0.0..1.0,
        };
        Panel {
            across: LEFT..WIDTH - RIGHT,
            down: TOP..HEIGHT - BOTTOM,
            x: Scale::linear(xs, 10).without_grid(),
            y: Scale::linear(0.0..if most > 0.0 { most * 1.06 } else { 1.0 }, 5),
            title: self.title.clone(),
            unit: String::new(),
            below: self.x.clone(),
        }
    }
}

fn draw_curve(curve: &Curve, tint: Tint, panel: &Panel) -> Markup {
    let path = panel.path(curve.points.iter().copied());
    let dots = if curve.points.len() <= MOST_DOTS { &curve.points[..] } else { &[] };
    html! {
        @if !path.is_empty() {
            path class={ "line " (tint.class()) } data-name=(curve.name) d=(path) {}
        }
        @for point in dots {
            @let (x, y) = panel.place(*point);
            g class={ "dot " (tint.class()) } data-name=(curve.name) { circle cx=(Tenth(x)) cy=(Tenth(y)) r="2.6" {} }
        }
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
        let panel = figure.panel();
        assert_eq!((panel.x(1.0), panel.x(3.0)), (LEFT, WIDTH - RIGHT));
        assert!(panel.y(4.0) > TOP && panel.y(0.0) == HEIGHT - BOTTOM);
        let svg = figure.draw().into_string();
        assert!(svg.contains("a &lt; b") && !svg.contains("a < b") && svg.matches("<circle").count() == 5);
    }

    #[test]
    fn a_single_point_can_be_drawn() {
        let figure = Figure { curves: vec![Curve::counted("one", 7, &[0.0])], ..Figure::default() };
        assert!(!figure.draw().into_string().contains("NaN"));
    }
}
