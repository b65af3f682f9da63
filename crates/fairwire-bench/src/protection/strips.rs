//! A dot a cut, a row a law: how values lie beside a limit.

use fairwire_results::escape;
use std::fmt::Write;

/// An axis from zero on.
pub struct Strips {
    /// What values are, as the unit of an axis.
    pub unit: &'static str,
    /// The end of the axis; what lies beyond is counted beside it.
    pub most: f64,
    /// From tick to tick.
    pub step: f64,
    /// What is still well, drawn as a line of its own.
    pub limit: f64,
}

/// Size in user units: the names of laws, the axis, and room for counts.
const WIDTH: f64 = 1120.0;
const LEFT: f64 = 210.0;
const RIGHT: f64 = 1010.0;
const TOP: f64 = 22.0;
const ROW: f64 = 30.0;

impl Strips {
    /// The picture of all rows: the name of a law and its values.
    pub fn draw(&self, rows: &[(&str, Vec<f64>)]) -> String {
        let bottom = TOP + ROW * rows.len() as f64;
        let mut svg = format!(
            r#"<div class="scroll"><svg class="chart" viewBox="0 0 {WIDTH} {:.0}" role="img" aria-label="{} of every cut">"#,
            bottom + 44.0,
            self.unit
        );
        for tick in 0..=(self.most / self.step).round() as u32 {
            let value = f64::from(tick) * self.step;
            let x = self.x(value);
            let _ = write!(
                svg,
                r#"<path class="grid" d="M{x:.1} {TOP}V{bottom}"/><text class="tk" x="{x:.1}" y="{:.1}" text-anchor="middle">{value}</text>"#,
                bottom + 16.0
            );
        }
        let limit = self.x(self.limit);
        let _ = write!(
            svg,
            r#"<path class="fair ref" d="M{limit:.1} {TOP}V{bottom}"/><text class="rl" x="{limit:.1}" y="{:.1}" text-anchor="middle">{} {}</text><text class="tk" x="{:.1}" y="{:.1}" text-anchor="middle">{}</text><path class="base" d="M{LEFT} {bottom}H{RIGHT}"/>"#,
            TOP - 8.0,
            self.limit,
            self.unit,
            (LEFT + RIGHT) / 2.0,
            bottom + 34.0,
            self.unit
        );
        for (row, (law, values)) in rows.iter().enumerate() {
            self.draw_row(law, values, TOP + ROW * (row as f64 + 0.5), &mut svg);
        }
        svg.push_str("</svg></div>");
        svg
    }

    fn draw_row(&self, law: &str, values: &[f64], middle: f64, svg: &mut String) {
        /// Dots step aside in turn, so that equal values can be counted.
        const ASIDE: [f64; 5] = [0.0, 5.0, -5.0, 2.5, -2.5];
        let label = middle + 4.0;
        let _ = write!(
            svg,
            r#"<text class="ct" x="{:.1}" y="{label}" text-anchor="end">{}</text>"#,
            LEFT - 14.0,
            escape(law)
        );
        for (&value, aside) in values.iter().zip(ASIDE.iter().cycle()).filter(|(value, _)| **value <= self.most) {
            let _ = write!(
                svg,
                r#"<g class="dot s0"><title>{}: {value:.1} {}</title><circle cx="{:.1}" cy="{:.1}" r="3.4" fill-opacity=".55"/></g>"#,
                escape(law),
                self.unit,
                self.x(value),
                middle + aside
            );
        }
        let beyond = values.iter().filter(|value| **value > self.most).count();
        if beyond > 0 {
            let never = values.iter().filter(|value| value.is_infinite()).count();
            let word = if never == beyond { "never" } else { "beyond" };
            let _ = write!(svg, r#"<text class="rl" x="{:.1}" y="{label}">{beyond} {word}</text>"#, RIGHT + 12.0);
        }
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + value / self.most * (RIGHT - LEFT)
    }
}

#[cfg(test)]
mod tests {
    use super::Strips;

    #[test]
    fn every_value_is_a_dot_or_counted() {
        let strips = Strips { unit: "laps", most: 30.0, step: 5.0, limit: 10.0 };
        let svg = strips.draw(&[("dvsr", vec![5.0, 30.0, 31.0, f64::INFINITY]), ("fifo", vec![f64::INFINITY; 3])]);
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("2 beyond") && svg.contains("3 never"));
    }
}
