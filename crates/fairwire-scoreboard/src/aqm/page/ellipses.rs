//! Queueing delay against goodput, an ellipse a law, a panel a case.

use super::labels::{self, Box};
use super::{colour, height, place, scale, svg};
use crate::aqm::cases::Case;
use crate::aqm::ellipse::Ellipse;
use crate::aqm::summary::Summary;
use fairwire_results::{Panel, Tenth};
use maud::{Markup, html};

/// Cases with a panel: one of each family, or two.
const SHOWN: [&str; 8] =
    ["mix-all", "mix-ecn", "rtt-200", "burst-all", "load-50", "capacity-slow", "unresponsive-200", "lot-tcp-8"];
/// So many times the width of the middle half below it, a law is drawn at the border, with its goodput.
const FAR: f64 = 4.0;
/// Points of an outline.
const OUTLINE: usize = 64;
const PANEL: (f64, f64) = (480.0, 300.0);
const PITCH: (f64, f64) = (556.0, 392.0);

/// None if there is nothing to show.
pub fn picture(cases: &[Case], summary: &Summary) -> Option<Markup> {
    let mut shown: Vec<&Case> = cases.iter().filter(|case| SHOWN.contains(&case.id.as_str())).collect();
    if shown.is_empty() {
        shown = cases.iter().take(SHOWN.len()).collect();
    }
    let panels: Vec<(&Case, Vec<(usize, Ellipse)>)> =
        shown.into_iter().map(|case| (case, ellipses(case, summary))).filter(|(_, laws)| !laws.is_empty()).collect();
    let inside = html! {
        @for (number, (case, laws)) in panels.iter().enumerate() { (panel(number, case, laws, summary)) }
    };
    let picture = svg(height(panels.len(), PITCH), "Queueing delay against goodput", inside);
    (!panels.is_empty()).then_some(picture)
}

fn ellipses(case: &Case, summary: &Summary) -> Vec<(usize, Ellipse)> {
    let laws = summary.laws.iter().enumerate();
    laws.filter_map(|(number, law)| Some((number, summary.result(&case.id, law)?.ellipse?))).collect()
}

fn panel(number: usize, case: &Case, laws: &[(usize, Ellipse)], summary: &Summary) -> Markup {
    // The curve of a law that varies much may reach below zero; it is cut at a tenth of its middle.
    let outline = |ellipse: &Ellipse| -> Vec<(f64, f64)> {
        let points = ellipse.outline(OUTLINE).into_iter();
        points.map(|(delay, goodput)| (delay.max(ellipse.delay_ns / 10.0) / 1e6, goodput / 1e6)).collect()
    };
    let outlines: Vec<Vec<(f64, f64)>> = laws.iter().map(|(_, ellipse)| outline(ellipse)).collect();
    let floor = floor(laws.iter().map(|(_, ellipse)| ellipse.goodput_bps / 1e6));
    let points = || outlines.iter().flatten();
    let tick = |value: f64| format!("{}", (value * 1e4).round() / 1e4);
    let x = scale::logarithmic(points().map(|point| point.0), tick);
    let y = scale::linear(points().map(|point| point.1).filter(|goodput| *goodput >= floor));
    let (Some(x), Some(y)) = (x, y) else { return Markup::default() };
    let (across, down) = place(number, PITCH, PANEL);
    let panel = Panel {
        across,
        down,
        title: format!("{}: goodput in Mb/s", case.title),
        unit: String::new(),
        below: "mean queueing delay, ms".to_owned(),
        x,
        y,
    };
    let placed: Vec<Vec<(f64, f64)>> =
        outlines.iter().map(|outline| outline.iter().map(|point| panel.place(*point)).collect()).collect();
    let names: Vec<String> = laws
        .iter()
        .map(|(number, ellipse)| match ellipse.goodput_bps / 1e6 {
            goodput if goodput < floor => {
                format!("{} ↓ {}", summary.laws[*number], tick((goodput * 1e2).round() / 1e2))
            }
            _ => summary.laws[*number].clone(),
        })
        .collect();
    let outlines = placed.iter().map(|outline| Box::around(outline.iter().copied()));
    let things: Vec<(Box, &str)> = outlines.zip(names.iter().map(String::as_str)).collect();
    let (right, bottom) = (panel.across.end + 14.0, panel.down.end - 2.0);
    let frame = Box { left: panel.across.start + 2.0, top: panel.down.start + 2.0, right, bottom };
    let labels = labels::place(&things, &frame);
    html! {
        (panel.frame())
        @for ((number, ellipse), outline) in laws.iter().zip(&placed) {
            (draw(&panel, ellipse, outline, colour(*number), &summary.laws[*number]))
        }
        @for ((label, name), (number, _)) in labels.iter().zip(&names).zip(laws) {
            @let colour = colour(*number);
            @if let Some([(x1, y1), (x2, y2)]) = label.leader {
                path
                    class={ "le s" (colour) }
                    d={ "M" (Tenth(x1)) " " (Tenth(y1)) "L" (Tenth(x2)) " " (Tenth(y2)) }
                    {}
            }
            text class={ "la m f" (colour) } x=(Tenth(label.at.0)) y=(Tenth(label.at.1 + 4.0)) { (name) }
        }
    }
}

/// The curve of a law and its middle.
fn draw(panel: &Panel, ellipse: &Ellipse, outline: &[(f64, f64)], colour: usize, law: &str) -> Markup {
    let (delay, goodput) = (ellipse.delay_ns / 1e6, ellipse.goodput_bps / 1e6);
    let path = outline.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect::<Vec<_>>().join("L");
    let (x, y) = panel.place((delay, goodput));
    html! {
        path class={ "el s" (colour) " f" (colour) } d={ "M" (path) "Z" } {
            title { (law) (format!(": {delay:.2} ms, {goodput:.3} Mb/s")) }
        }
        circle class={ "f" (colour) } cx=(Tenth(x)) cy=(Tenth(y)) r="2.4" {}
    }
}

/// Goodputs below this would leave no room for the others: far below the middle half.
fn floor(goodputs: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = goodputs.collect();
    sorted.sort_by(f64::total_cmp);
    let quartile = |part: usize| sorted[(sorted.len() - 1) * part / 4];
    let spread = (quartile(3) - quartile(1)).max(quartile(2) * 0.005);
    quartile(1) - FAR * spread
}
