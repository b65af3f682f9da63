//! One panel of the picture: a frame, two scales, and a line a law.

use fairwire_results::escape;
use std::fmt::Write;
use std::ops::Range;

/// Where a panel lies, and what its sides mean.
pub struct Panel {
    /// Left upper corner and size in user units.
    pub at: (f64, f64),
    pub size: (f64, f64),
    pub title: String,
    /// What is told beneath the horizontal axis.
    pub below: String,
    pub x: Scale,
    pub y: Scale,
}

/// What a side of a panel means.
pub struct Scale {
    pub range: Range<f64>,
    pub logarithmic: bool,
    /// Values with a tick, and what is written there.
    pub ticks: Vec<(f64, String)>,
    /// Values worth a dashed line.
    pub marks: Vec<f64>,
}

impl Scale {
    /// From 0 to 1 along the side; what lies beyond is brought to its end.
    fn part(&self, value: f64) -> f64 {
        let on = |value: f64| if self.logarithmic { value.max(f64::MIN_POSITIVE).ln() } else { value };
        let (start, end) = (on(self.range.start), on(self.range.end));
        ((on(value) - start) / (end - start)).clamp(0.0, 1.0)
    }
}

impl Panel {
    /// Where a point lies, in user units.
    pub fn place(&self, x: f64, y: f64) -> (f64, f64) {
        (self.at.0 + self.x.part(x) * self.size.0, self.at.1 + (1.0 - self.y.part(y)) * self.size.1)
    }

    /// Title, grid and scales.
    pub fn frame(&self) -> String {
        let ((left, top), (width, height)) = (self.at, self.size);
        let (right, bottom) = (left + width, top + height);
        let mut svg = format!(r#"<text class="ti" x="{left}" y="{:.1}">{}</text>"#, top - 14.0, escape(&self.title));
        let _ = write!(
            svg,
            r#"<text class="tk m" x="{:.1}" y="{:.1}">{}</text>"#,
            left + width / 2.0,
            bottom + 36.0,
            escape(&self.below)
        );
        for (value, text) in &self.x.ticks {
            let (x, _) = self.place(*value, self.y.range.start);
            let _ = write!(
                svg,
                r#"<path class="gr" d="M{x:.1} {top}V{bottom}"/><text class="tk m" x="{x:.1}" y="{:.1}">{text}</text>"#,
                bottom + 17.0
            );
        }
        for (value, text) in &self.y.ticks {
            let (_, y) = self.place(self.x.range.start, *value);
            let _ = write!(
                svg,
                r#"<path class="gr" d="M{left} {y:.1}H{right}"/><text class="tk e" x="{:.1}" y="{:.1}">{text}</text>"#,
                left - 7.0,
                y + 4.0
            );
        }
        for value in &self.x.marks {
            let (x, _) = self.place(*value, self.y.range.start);
            let _ = write!(svg, r#"<path class="mk" d="M{x:.1} {top}V{bottom}"/>"#);
        }
        for value in &self.y.marks {
            let (_, y) = self.place(self.x.range.start, *value);
            let _ = write!(svg, r#"<path class="mk" d="M{left} {y:.1}H{right}"/>"#);
        }
        let _ = write!(svg, r#"<path class="ax" d="M{left} {top}V{bottom}H{right}"/>"#);
        svg
    }

    /// A line through points, with a name for the pointer that rests on it.
    pub fn line(&self, points: impl IntoIterator<Item = (f64, f64)>, colour: usize, name: &str) -> String {
        let mut path = String::new();
        for (x, y) in points {
            let (x, y) = self.place(x, y);
            let _ = write!(path, "{}{x:.1} {y:.1}", if path.is_empty() { "M" } else { "L" });
        }
        format!(r#"<path class="{}" d="{path}"><title>{name}</title></path>"#, line_class(colour))
    }

    /// For every value the part of `values` that does not exceed it, as a
    /// staircase; infinite values are never reached.
    pub fn share_at_most(&self, values: &[f64], colour: usize, name: &str) -> String {
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
        self.line(points, colour, name)
    }
}

/// Colours of lines; with more laws than that they begin anew, dashed.
const COLOURS: usize = 8;

/// Classes of the style sheet.
pub fn line_class(colour: usize) -> String {
    format!("ln c{}{}", colour % COLOURS, if colour < COLOURS { "" } else { " d" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel() -> Panel {
        let scale = |logarithmic, range| Scale { range, logarithmic, ticks: vec![], marks: vec![] };
        Panel {
            at: (0.0, 0.0),
            size: (200.0, 100.0),
            title: String::new(),
            below: String::new(),
            x: scale(true, 0.01..1.0),
            y: scale(false, 0.0..1.0),
        }
    }

    #[test]
    fn a_staircase_ends_below_the_top_where_some_are_never_reached() {
        let svg = panel().share_at_most(&[0.1, f64::INFINITY], 3, "a law");
        assert_eq!(
            svg,
            r#"<path class="ln c3" d="M0.0 100.0L100.0 100.0L100.0 50.0L200.0 50.0"><title>a law</title></path>"#
        );
    }

    #[test]
    fn what_lies_beyond_is_drawn_at_the_border() {
        let svg = panel().line([(1e-9, 0.5), (40.0, 2.0)], 9, "x");
        assert!(svg.contains(r#"class="ln c1 d" d="M0.0 50.0L200.0 0.0""#), "{svg}");
    }
}
