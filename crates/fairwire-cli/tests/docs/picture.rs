//! The picture of README.md: measured rates beside fair ones, from a run.

use crate::common::{fairwire, shipped};
use serde_json::Value;
use std::fmt::Write;

const LAWS: [(&str, &str, &str); 2] = [("dvsr", "#0072b2", "with dvsr"), ("fifo", "#e0912f", "without control (fifo)")];
const LEFT: f64 = 96.0;
const MBPS: f64 = 1.0; // pixels
const GROUP: f64 = 58.0;

/// Horizontal bars: every flow of the parallel parking lot under dvsr and under fifo.
pub fn bars() -> String {
    let scenario = shipped("papers/parallel-parking-lot.toml");
    let said = fairwire(&["compare", &scenario, "--law", "dvsr", "--law", "fifo", "--no-folder", "--json"]);
    let answer = said.json();
    let flows_of = |law: &str| {
        let runs = answer["runs"].as_array().expect("runs");
        let run = runs.iter().find(|run| run["law"] == law).expect("a run under each law");
        run["flows"].as_array().expect("flows").clone()
    };
    let (dvsr, fifo) = (flows_of("dvsr"), flows_of("fifo"));
    let height = 50.0 + GROUP * dvsr.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 660 {height}\" font-family=\"sans-serif\" font-size=\"13\" \
         role=\"img\" aria-label=\"Measured and fair rates of five flows\">\n<rect width=\"660\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    legend(&mut svg);
    for (nth, flow) in dvsr.iter().enumerate() {
        group(&mut svg, 56.0 + GROUP * nth as f64, flow, [rate(flow), rate(&fifo[nth])]);
    }
    svg.push_str("</svg>\n");
    svg
}

fn rate(flow: &Value) -> f64 {
    flow["rate_bps"].as_f64().expect("a rate") / 1e6
}

fn legend(svg: &mut String) {
    for (nth, (_, colour, words)) in LAWS.iter().enumerate() {
        let x = LEFT + 120.0 * nth as f64;
        let _ = writeln!(svg, "<rect x=\"{x}\" y=\"14\" width=\"14\" height=\"12\" fill=\"{colour}\"/>");
        let _ = writeln!(svg, "<text x=\"{}\" y=\"25\" fill=\"#1b2330\">{words}</text>", x + 20.0);
    }
    let x = LEFT + 320.0;
    let _ = writeln!(svg, "<path d=\"M{x} 12V28\" stroke=\"#1b2330\" stroke-width=\"2\"/>");
    let _ = writeln!(svg, "<text x=\"{}\" y=\"25\" fill=\"#1b2330\">fair rate (RIAS), Mb/s</text>", x + 8.0);
}

fn group(svg: &mut String, top: f64, flow: &Value, rates: [f64; 2]) {
    let name = flow["id"].as_str().expect("an id");
    let fair = flow["fair_rate_bps"].as_f64().expect("a fair rate") / 1e6;
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#1b2330\">{name}</text>",
        LEFT - 12.0,
        top + 24.0
    );
    for (nth, (rate, (_, colour, _))) in rates.iter().zip(LAWS).enumerate() {
        let y = top + 20.0 * nth as f64;
        let (width, value) = (rate * MBPS, rate.round());
        let _ = writeln!(svg, "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{width:.1}\" height=\"17\" fill=\"{colour}\"/>");
        let x = LEFT + width.max(if (fair - rate).abs() < 40.0 { fair * MBPS } else { 0.0 }) + 7.0;
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{}\" fill=\"#5d6878\" font-size=\"12\">{value}</text>", y + 13.0);
    }
    let (x, top, bottom) = (LEFT + fair * MBPS, top - 4.0, top + 41.0);
    let _ = writeln!(svg, "<path d=\"M{x} {top}V{bottom}\" stroke=\"#1b2330\" stroke-width=\"2\"/>");
}
