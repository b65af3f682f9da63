//! The picture of docs/sweeps.md: what a small sender downstream costs under both modes of RPR, from a sweep, beside where the
//! propositions of [dvsr] say that rates swing and what its eq. (7) says that this costs, from `analyse`.

use crate::common::{fairwire_in, folder, put, shipped};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Modes by their laws, as `analyse` calls them and as it names their flows, with the title of their panel.
const MODES: [(&str, &str, &str, &str); 2] = [
    ("rpr-aggressive", "aggressive", "flows", "aggressive mode, Proposition 2"),
    ("rpr-conservative", "conservative", "ingresses", "conservative mode, Proposition 3"),
];
/// Where the fair share of the link ends, in Mb/s.
const HALF: u32 = 311;
/// Mb/s from one point of the formula to the next.
const STEP: usize = 10;
/// The axis of losses ends here, as parts of the fair rate.
const MOST: f64 = 0.3;
const WIDTH: f64 = 270.0;
const TOP: f64 = 56.0;
const HEIGHT: f64 = 190.0;

/// What theory says at one demand downstream.
struct Said {
    mbps: f64,
    swings: bool,
    loss: Option<f64>,
}

/// Two panels: loss upstream along the demand downstream.
pub fn picture() -> String {
    let folder = folder("docs-propositions");
    let file = shipped("papers/two-flow-loss.toml");
    let swept = fairwire_in(&folder, &["sweep", &file, "--json", "--out", "swept"]).json();
    let theory = theory(&folder, &fs::read_to_string(&file).expect("the scenario is shipped"));
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 296\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\" \
         aria-label=\"Loss of the flow upstream along the demand downstream, simulated and by formula, under both modes of \
         RPR\">\n<rect width=\"680\" height=\"296\" fill=\"#fff\"/>\n",
    );
    for (number, (law, mode, flows, title)) in MODES.into_iter().enumerate() {
        let left = 58.0 + 330.0 * number as f64;
        panel(&mut svg, left, title, &said(&theory, mode, flows), &simulated(&swept, law));
    }
    legend(&mut svg);
    svg.push_str("</svg>\n");
    svg
}

/// What `analyse` says at demands from 1 Mb/s to half of the link.
fn theory(folder: &Path, scenario: &str) -> Vec<(f64, Value)> {
    let rates = [1, 5].into_iter().chain((10..HALF).step_by(STEP)).chain([HALF]);
    let at = |mbps: u32| {
        let text = scenario.replace("rate = \"75 Mb/s\"", &format!("rate = \"{mbps} Mb/s\""));
        put(folder, "two-flow.toml", &text);
        (mbps.into(), fairwire_in(folder, &["analyse", "two-flow.toml", "--json"]).json())
    };
    rates.map(at).collect()
}

fn said(theory: &[(f64, Value)], mode: &str, flows: &str) -> Vec<Said> {
    let one = |(mbps, answer): &(f64, Value)| {
        let links = answer["links"].as_array().expect("links");
        let both = links.iter().find(|link| link["id"] == "r0:2").expect("the link that both flows cross");
        let upstream = &both[mode][flows][0];
        let swings = upstream["oscillates"] == true;
        // Over a whole cycle a flow cannot have more than its fair rate.
        let loss = upstream["cycle"]["loss_mean"].as_f64().map(|loss| loss.max(0.0));
        Said { mbps: *mbps, swings, loss: loss.filter(|_| swings) }
    };
    theory.iter().map(one).collect()
}

/// Demand downstream in Mb/s and loss upstream at every point of the sweep under a law.
fn simulated(swept: &Value, law: &str) -> Vec<(f64, f64)> {
    let points = swept["points"].as_array().expect("points").iter().filter(|point| point["law"] == law);
    let point = |point: &Value| {
        let demand = point["set"]["flow.down.traffic.rate"].as_str().expect("a demand");
        let mbps = demand.strip_suffix(" Mb/s").expect("Mb/s").parse().expect("a number");
        let measures = point["measures"].as_array().expect("measures");
        let ratio = measures.iter().find(|measure| measure["measure"] == "flow.up.ratio").expect("what is asked for");
        (mbps, 1.0 - ratio["mean"].as_f64().expect("a ratio"))
    };
    points.map(point).collect()
}

fn panel(svg: &mut String, left: f64, title: &str, said: &[Said], simulated: &[(f64, f64)]) {
    let x = |mbps: f64| left + WIDTH * mbps / f64::from(HALF);
    let y = |loss: f64| TOP + HEIGHT * (1.0 - loss / MOST);
    let bottom = TOP + HEIGHT;
    let swings = said.iter().filter(|one| one.swings).map(|one| one.mbps);
    let last = swings.fold(0.0, f64::max);
    let _ = writeln!(
        svg,
        "<rect x=\"{left}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{HEIGHT}\" fill=\"#fbe8cf\"/>",
        x(last) - left
    );
    let _ = writeln!(svg, "<text x=\"{left}\" y=\"{}\" fill=\"#1b2330\" font-size=\"13\">{title}</text>", TOP - 10.0);
    for percent in [0, 10, 20, 30] {
        let at = y(f64::from(percent) / 100.0);
        let _ = writeln!(svg, "<path d=\"M{left} {at:.1}h{WIDTH}\" stroke=\"#d5dae2\"/>");
        let (x, y) = (left - 6.0, at + 4.0);
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\" fill=\"#5d6878\">{percent} %</text>");
    }
    for mbps in [0, 100, 200, HALF] {
        let (x, y) = (x(mbps.into()), bottom + 16.0);
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\" fill=\"#5d6878\">{mbps}</text>");
    }
    let (middle, below) = (left + WIDTH / 2.0, bottom + 34.0);
    let _ = writeln!(
        svg,
        "<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\" fill=\"#1b2330\">demand downstream, Mb/s</text>"
    );
    let curve = said.iter().filter_map(|one| Some(format!("{:.1} {:.1}", x(one.mbps), y(one.loss?))));
    let curve = curve.collect::<Vec<_>>().join("L");
    let _ = writeln!(svg, "<path d=\"M{curve}\" fill=\"none\" stroke=\"#1b2330\" stroke-width=\"1.5\"/>");
    for (mbps, loss) in simulated {
        let _ = writeln!(svg, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\" fill=\"#0072b2\"/>", x(*mbps), y(*loss));
    }
}

fn legend(svg: &mut String) {
    let _ = writeln!(svg, "<circle cx=\"64\" cy=\"18\" r=\"3.5\" fill=\"#0072b2\"/>");
    let _ = writeln!(svg, "<text x=\"74\" y=\"22\" fill=\"#1b2330\">simulated loss of the flow upstream</text>");
    let _ = writeln!(svg, "<path d=\"M300 18h20\" stroke=\"#1b2330\" stroke-width=\"1.5\"/>");
    let _ = writeln!(svg, "<text x=\"326\" y=\"22\" fill=\"#1b2330\">eq. (7) over a cycle</text>");
    let _ = writeln!(svg, "<rect x=\"470\" y=\"12\" width=\"14\" height=\"12\" fill=\"#fbe8cf\"/>");
    let _ = writeln!(svg, "<text x=\"490\" y=\"22\" fill=\"#1b2330\">swings, by the proposition</text>");
}
