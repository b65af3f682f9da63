//! What stands in a figure: curves, bars, the paper's circles and lines; and the legend beneath.

use super::{Curve, Figure};
use crate::report::chart::{Panel, min_max};
use crate::report::html::Tenth;
use crate::report::numbers::significant;
use crate::report::over_time::swatch;
use crate::report::tints::Tint;
use maud::{Markup, html};

/// Curves of at most so many points have a dot at each.
const MOST_DOTS: usize = 40;
/// Columns of a long curve worth telling apart.
const COLUMNS: usize = 330;
/// The part of the room of a name that its bars take.
const BARS: f64 = 0.72;

impl Figure {
    pub(super) fn shapes(&self, panel: &Panel) -> Markup {
        html! {
            @for (number, curve) in self.curves.iter().enumerate() {
                @if self.names.is_empty() {
                    (line(curve, Tint::nth(number), panel))
                } @else {
                    (self.bars(number, curve, panel))
                }
            }
            @for (number, curve) in self.printed.iter().enumerate() {
                @for &(x, y) in curve.points.iter().filter(|point| point.1.is_finite()) {
                    @let (cx, cy) = panel.place((x + self.aside(number), y));
                    circle class=(self.printed_class(curve)) cx=(Tenth(cx)) cy=(Tenth(cy)) r="5" {
                        title { (curve.name) ": " (significant(y, 4)) " " (self.y) " at " (self.place(x)) }
                    }
                }
            }
        }
    }

    /// Circles of "VRR, the paper" have the colour of the curve "VRR"; bars have their own circles above them.
    fn printed_class(&self, printed: &Curve) -> String {
        let is_own = |curve: &Curve| printed.name.strip_prefix(&curve.name).is_some_and(|rest| rest.starts_with(", "));
        match self.curves.iter().position(is_own).filter(|_| self.names.is_empty()) {
            Some(own) => format!("printed {}", Tint::nth(own).class()),
            None => "printed".to_owned(),
        }
    }

    /// What a place from left to right is called.
    fn place(&self, x: f64) -> String {
        let name = self.names.get((x.round() as usize).wrapping_sub(1));
        name.cloned().unwrap_or_else(|| significant(x, 4))
    }

    /// How far to the right of the middle of a name its circle is: over the bar of its own, if each has one.
    fn aside(&self, number: usize) -> f64 {
        if self.names.is_empty() || self.printed.len() != self.curves.len() {
            return 0.0;
        }
        let bars = self.curves.len() as f64;
        BARS / bars * (number as f64 + 0.5 - bars / 2.0)
    }

    fn bars(&self, number: usize, curve: &Curve, panel: &Panel) -> Markup {
        let bars = self.curves.len() as f64;
        let wide = BARS / bars;
        html! {
            @for &(x, y) in curve.points.iter().filter(|point| point.1.is_finite()) {
                @let left = panel.x(x + wide * (number as f64 - bars / 2.0));
                @let right = panel.x(x + wide * (number as f64 + 1.0 - bars / 2.0));
                rect
                    class={ "col " (Tint::nth(number).class()) }
                    data-name=(curve.name)
                    x=(Tenth(left + 0.5))
                    y=(Tenth(panel.y(y)))
                    width=(Tenth((right - left - 1.0).max(1.0)))
                    height=(Tenth(panel.down.end - panel.y(y)))
                {
                    title { (curve.name) ": " (significant(y, 4)) " " (self.y) " at " (self.place(x)) }
                }
            }
        }
    }

    pub(super) fn legend(&self) -> Markup {
        html! {
            ul.legend {
                @for (number, curve) in self.curves.iter().enumerate() {
                    li data-line=(curve.name) { (swatch(Tint::nth(number))) (curve.name) }
                }
                @for curve in &self.printed {
                    li {
                        svg.sw viewBox="0 0 22 8" aria-hidden="true" {
                            circle class=(self.printed_class(curve)) cx="11" cy="4" r="3.4" {}
                        }
                        (curve.name)
                    }
                }
                @for (path, mark) in
                    self.levels.iter().map(|mark| ("M0 4h22", mark))
                        .chain(self.places.iter().map(|mark| ("M11 0v8", mark)))
                {
                    li {
                        svg.sw viewBox="0 0 22 8" aria-hidden="true" { path."fair ref" d=(path) {} }
                        (mark.name) ": " (significant(mark.value, 4))
                    }
                }
            }
        }
    }
}

fn line(curve: &Curve, tint: Tint, panel: &Panel) -> Markup {
    let points: Vec<(f64, f64)> = curve.points.iter().copied().filter(|point| point.1.is_finite()).collect();
    let points = min_max(&points, &panel.x.range, COLUMNS);
    let path = panel.path(points.iter().copied());
    let dots = if points.len() <= MOST_DOTS { &points[..] } else { &[] };
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
