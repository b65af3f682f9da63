//! The plot: time of a control packet over the number of flows.

use super::{Costs, Direction, FLOWS, Pass};
use fairwire_results::{Panel, Scale, Tenth};
use maud::{Markup, PreEscaped, html};

const WIDTH: f64 = 780.0;
const HEIGHT: f64 = 420.0;
const ACROSS: std::ops::Range<f64> = 72.0..560.0;
const DOWN: std::ops::Range<f64> = 44.0..360.0;
const STYLE: &str = fairwire_scoreboard::PICTURE_STYLE;
const COLOURS: usize = 8;

/// An SVG that stands by itself. A colour a law; dashed where nothing has changed.
pub fn plot(costs: &Costs) -> String {
    let shown: Vec<&Pass> = costs
        .passes
        .iter()
        .filter(|pass| matches!(pass.way, Direction::ForwardChanged | Direction::ForwardSame))
        .collect();
    let mut laws: Vec<&str> = shown.iter().map(|pass| pass.law).collect();
    laws.dedup();
    let panel = panel();
    let svg: Markup = html! {
        svg.board
            xmlns="http://www.w3.org/2000/svg"
            viewBox={ "0 0 " (WIDTH) " " (HEIGHT) }
            role="img"
            aria-label="Cost of a control packet by the number of flows"
        {
            style { (PreEscaped(STYLE)) }
            rect.bg width=(WIDTH) height=(HEIGHT) {}
            (panel.frame())
            @for pass in shown {
                path class=(class(&laws, pass.law, pass.way)) d=(panel.path(pass.points.iter().map(|point| (f64::from(point.flows), point.ns)))) {
                    title { (pass.law) }
                }
            }
            @for (row, law) in laws.iter().enumerate() {
                path class=(class(&laws, law, Direction::ForwardChanged)) d={ "M580 " (Tenth(56.0 + 20.0 * row as f64)) "h22" } {}
                text x="608" y=(Tenth(60.0 + 20.0 * row as f64)) { (law) }
            }
        }
    };
    svg.into_string() + "\n"
}

fn class(laws: &[&str], law: &str, way: Direction) -> String {
    let colour = laws.iter().position(|other| *other == law).unwrap_or(0) % COLOURS;
    format!("ln c{colour}{}", if way == Direction::ForwardChanged { "" } else { " d" })
}

fn panel() -> Panel {
    let flows = FLOWS.into_iter().filter(|flows| flows.ilog10() != (flows - 1).ilog10());
    let flows = flows
        .map(|flows| (f64::from(flows), format!("10{}", ["", "", "²", "³", "⁴", "⁵", "⁶"][flows.ilog10() as usize])));
    let times = [("0.1 µs", 1e2), ("1 µs", 1e3), ("10 µs", 1e4), ("100 µs", 1e5), ("1 ms", 1e6)];
    Panel {
        across: ACROSS,
        down: DOWN,
        title: "Processor time of a control packet; dashed: nothing has changed".to_owned(),
        unit: String::new(),
        below: "flows on the port".to_owned(),
        x: Scale::with_ticks(1e2..1e6, flows.collect()).logarithmic(),
        y: Scale::with_ticks(5e1..1e6, times.map(|(text, ns)| (ns, text.to_owned())).to_vec()).logarithmic(),
    }
}
