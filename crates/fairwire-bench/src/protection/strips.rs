//! A dot a cut, a row a law: how values lie beside a limit.

use fairwire_results::{Panel, Scale, Tenth, scrolling};
use maud::{Markup, html};

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
    pub fn draw(&self, rows: &[(&str, Vec<f64>)]) -> Markup {
        let bottom = TOP + ROW * rows.len() as f64;
        let ticks = (0..=(self.most / self.step).round() as u32).map(|tick| f64::from(tick) * self.step);
        let panel = Panel {
            across: LEFT..RIGHT,
            down: TOP..bottom,
            x: Scale::with_ticks(0.0..self.most, ticks.map(|at| (at, at.to_string())).collect())
                .marked(vec![self.limit]),
            y: Scale::with_ticks(0.0..rows.len() as f64, Vec::new()),
            title: String::new(),
            unit: String::new(),
            below: self.unit.to_owned(),
        };
        let name = format!("{} of every cut", self.unit);
        let svg = html! {
            svg.chart
                viewBox={ "0 0 " (WIDTH) " " (bottom + 44.0) }
                role="img"
                aria-label=(name)
            {
                (panel.frame())
                text.rl x=(Tenth(panel.x(self.limit))) y=(Tenth(TOP - 8.0)) text-anchor="middle" {
                    (self.limit) " " (self.unit)
                }
                @for (row, (law, values)) in rows.iter().enumerate() {
                    (self.draw_row(law, values, TOP + ROW * (row as f64 + 0.5), &panel))
                }
            }
        };
        scrolling(&name, svg)
    }

    fn draw_row(&self, law: &str, values: &[f64], middle: f64, panel: &Panel) -> Markup {
        /// Dots step aside in turn, so that equal values can be counted.
        const ASIDE: [f64; 5] = [0.0, 5.0, -5.0, 2.5, -2.5];
        let label = Tenth(middle + 4.0);
        let beyond = values.iter().filter(|value| **value > self.most).count();
        let never = values.iter().filter(|value| value.is_infinite()).count();
        html! {
            text.ct x=(Tenth(LEFT - 14.0)) y=(label) text-anchor="end" { (law) }
            @for (&value, aside) in values.iter().zip(ASIDE.iter().cycle()).filter(|(value, _)| **value <= self.most) {
                g."dot s0" {
                    title { (law) (format!(": {value:.1} {}", self.unit)) }
                    circle cx=(Tenth(panel.x(value))) cy=(Tenth(middle + aside)) r="3.4" fill-opacity=".55" {}
                }
            }
            @if beyond > 0 {
                text.rl x=(Tenth(RIGHT + 12.0)) y=(label) {
                    (beyond) @if never == beyond { " never" } @else { " beyond" }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Strips;

    #[test]
    fn every_value_is_a_dot_or_counted() {
        let strips = Strips { unit: "laps", most: 30.0, step: 5.0, limit: 10.0 };
        let svg = strips
            .draw(&[("dvsr", vec![5.0, 30.0, 31.0, f64::INFINITY]), ("fifo", vec![f64::INFINITY; 3])])
            .into_string();
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("2 beyond") && svg.contains("3 never"));
    }
}
