//! A figure of a paper, drawn again: curves over a number, or bars over names, with what the paper prints.

mod shapes;

use super::chart::{Panel, Scale};
use maud::{Markup, html};

/// Curves over a number or bars over names, as papers draw them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// What it shows, in a few words.
    pub title: String,
    /// What runs along the horizontal axis, with its unit.
    pub x: String,
    /// What runs along the vertical axis, with its unit; values start at 0.
    pub y: String,
    /// What stands at 1, 2, 3 and so on from left to right, where that is no number; then curves are bars.
    pub names: Vec<String>,
    /// What was measured.
    pub curves: Vec<Curve>,
    /// What the paper prints, where it prints numbers for a place. With as many of them as bars each is beside its own.
    pub printed: Vec<Curve>,
    /// Values that the paper prints for no place in particular, as lines across.
    pub levels: Vec<Mark>,
    /// Places that the paper prints for no value in particular, as lines upwards.
    pub places: Vec<Mark>,
}

/// Points (x, y) in order of x, and what they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// As the legend calls it.
    pub name: String,
    /// In the axes' units.
    pub points: Vec<(f64, f64)>,
}

/// One number of a paper on an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// As the legend calls it.
    pub name: String,
    /// In the axis's unit.
    pub value: f64,
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

impl Mark {
    /// A number and what it is.
    pub fn new(name: impl Into<String>, value: f64) -> Self {
        Self { name: name.into(), value }
    }
}

/// Size in user units, and room for the labels.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 280.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 42.0;
/// Room for a letter of a name beneath the axis.
const LETTER: f64 = 7.4;

impl Figure {
    /// The same with a value that the paper prints for no place in particular.
    pub fn at_level(mut self, name: &str, value: f64) -> Self {
        self.levels.push(Mark::new(name, value));
        self
    }

    /// The same with a place that the paper prints for no value in particular.
    pub fn at_place(mut self, name: &str, value: f64) -> Self {
        self.places.push(Mark::new(name, value));
        self
    }

    /// The same with one point that the paper prints, beside those of the same name.
    pub fn with_point(mut self, name: &str, point: (f64, f64)) -> Self {
        match self.printed.iter_mut().find(|curve| curve.name == name) {
            Some(curve) => curve.points.push(point),
            None => self.printed.push(Curve { name: name.to_owned(), points: vec![point] }),
        }
        self
    }

    /// Whether there is anything to draw.
    pub fn is_empty(&self) -> bool {
        self.curves.iter().chain(&self.printed).all(|curve| curve.points.is_empty())
    }

    /// The figure as an element of a page, with its legend.
    pub fn draw(&self) -> Markup {
        let panel = self.panel();
        let is_over_numbers = self.names.is_empty();
        html! {
            figure {
                figcaption { (self.title) }
                svg class=(if is_over_numbers { "chart" } else { "chart named" })
                    viewBox={ "0 0 " (WIDTH) " " (HEIGHT) }
                    role="img"
                    aria-label=(self.title)
                    // Bars are not zoomed into.
                    data-frame=[is_over_numbers.then(|| panel.data())]
                    data-unit=(self.y)
                    data-time="1"
                    data-below=(self.x)
                {
                    (panel.frame())
                    (self.shapes(&panel))
                    text.un x="0" y="14" { (self.y) }
                }
                (self.legend())
            }
        }
    }

    fn panel(&self) -> Panel {
        let points = || self.curves.iter().chain(&self.printed).flat_map(|curve| curve.points.iter());
        let places = || points().map(|point| point.0).chain(self.places.iter().map(|mark| mark.value));
        let least = places().fold(f64::INFINITY, f64::min);
        let last = places().fold(f64::NEG_INFINITY, f64::max);
        let values = points().map(|point| point.1).chain(self.levels.iter().map(|mark| mark.value));
        let most = values.fold(0.0, f64::max);
        let xs = match (least, last) {
            (least, last) if least < last => least..last,
            (least, _) if least.is_finite() => least - 0.5..least + 0.5,
            _ => 0.0..1.0,
        };
        let mut y = Scale::linear(0.0..if most > 0.0 { most * 1.06 } else { 1.0 }, 5);
        y.marks = self.levels.iter().map(|mark| mark.value).collect();
        let mut x = if self.names.is_empty() { Scale::linear(xs, 10) } else { self.named() }.without_grid();
        x.marks = self.places.iter().map(|mark| mark.value).collect();
        Panel {
            across: LEFT..WIDTH - RIGHT,
            down: TOP..HEIGHT - BOTTOM,
            x,
            y,
            title: String::new(),
            unit: String::new(),
            below: self.x.clone(),
        }
    }

    /// A scale with the names of bars, as many of them as there is room for.
    fn named(&self) -> Scale {
        let longest = self.names.iter().map(|name| name.chars().count()).max().unwrap_or(0) as f64;
        let room = (WIDTH - LEFT - RIGHT) / self.names.len().max(1) as f64;
        let every = (longest * LETTER / room).ceil().max(1.0) as usize;
        let ticks = self.names.iter().enumerate().step_by(every);
        let ticks = ticks.map(|(at, name)| ((at + 1) as f64, name.clone())).collect();
        Scale::with_ticks(0.5..self.names.len() as f64 + 0.5, ticks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::html::Tenth;

    fn over_numbers() -> Figure {
        Figure {
            title: "a < b".to_owned(),
            x: "n".to_owned(),
            y: "Mb/s".to_owned(),
            curves: vec![Curve::counted("VRR", 1, &[1.0, 3.0, 2.0])],
            printed: vec![Curve::over("paper", &[3.0], &[4.0])],
            ..Figure::default()
        }
    }

    #[test]
    fn points_lie_inside_and_text_is_safe() {
        let figure = over_numbers();
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

    #[test]
    fn bars_reach_their_values_and_the_papers_circles_stand_on_their_own_bars() {
        let figure = Figure {
            names: ["(1,5)", "(2,5)"].map(str::to_owned).to_vec(),
            curves: vec![Curve::counted("here", 1, &[1.0, 2.0]), Curve::counted("fifo", 1, &[2.0, 0.0])],
            printed: vec![Curve::counted("paper, here", 1, &[1.0, 2.0]), Curve::counted("paper, fifo", 1, &[2.0, 0.0])],
            ..Figure::default()
        };
        let (svg, panel) = (figure.draw().into_string(), figure.panel());
        let top = |value: f64| format!(" y=\"{}\"", Tenth(panel.y(value)));
        assert_eq!(svg.matches("<rect").count(), 4);
        assert!(svg.contains(&top(1.0)) && svg.contains(&top(2.0)) && svg.contains(">(2,5)</text>"), "{svg}");
        // Each circle of the paper is over the middle of a bar of its own.
        let numbers = |tag: &str, key: &str| -> Vec<f64> {
            let tags = svg.split(tag).skip(1).filter_map(|rest| rest.split(&format!(" {key}=\"")).nth(1));
            tags.filter_map(|rest| rest.split('"').next()?.parse().ok()).collect()
        };
        let (lefts, widths) = (numbers("<rect", "x"), numbers("<rect", "width"));
        let mut middles: Vec<f64> = lefts.iter().zip(&widths).map(|(left, width)| left + width / 2.0).collect();
        let mut circles = numbers("<circle class=\"printed\"", "cx");
        circles.truncate(4);
        middles.sort_by(f64::total_cmp);
        circles.sort_by(f64::total_cmp);
        assert!(middles.iter().zip(&circles).all(|(middle, circle)| (middle - circle).abs() < 0.3), "{svg}");
    }

    #[test]
    fn circles_of_one_curve_have_its_colour() {
        let figure = Figure {
            curves: vec![Curve::counted("VRR", 1, &[1.0]), Curve::counted("RED", 1, &[2.0])],
            printed: vec![Curve::over("RED, the paper", &[1.0], &[4.0]), Curve::over("the paper", &[1.0], &[3.0])],
            ..over_numbers()
        };
        let svg = figure.draw().into_string();
        // Each once in the picture and once in the legend.
        for class in ["\"printed s1\"", "\"printed\""] {
            assert_eq!(svg.matches(&format!("<circle class={class}")).count(), 2, "{class}: {svg}");
        }
    }

    #[test]
    fn numbers_without_a_place_are_lines() {
        let figure = Figure {
            levels: vec![Mark::new("the paper, at most", 5.0)],
            places: vec![Mark::new("the paper, settled", 2.0)],
            ..over_numbers()
        };
        let (svg, panel) = (figure.draw().into_string(), figure.panel());
        assert!(svg.contains(&format!("M52.0 {}H546.0", Tenth(panel.y(5.0)))), "{svg}");
        assert!(svg.contains(&format!("M{} 28.0V238.0", Tenth(panel.x(2.0)))), "{svg}");
        assert!(svg.contains("the paper, at most") && svg.contains("the paper, settled"));
    }
}
