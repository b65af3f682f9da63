//! Queueing delay against goodput, an ellipse a law, a panel a case.

use super::labels::{self, Box};
use super::{WIDTH, colour, scale, svg};
use crate::aqm::cases::Case;
use crate::aqm::ellipse::Ellipse;
use crate::aqm::summary::Summary;
use crate::page::panel::Panel;
use fairwire_results::escape;
use std::fmt::Write;

/// Cases with a panel: one of each family, or two.
const SHOWN: [&str; 8] =
    ["mix-all", "mix-ecn", "rtt-200", "burst-all", "load-50", "capacity-slow", "unresponsive-200", "lot-tcp-8"];
/// So many times the width of the middle half below it, a law is drawn at the border, with its goodput.
const FAR: f64 = 4.0;
/// Points of an outline.
const OUTLINE: usize = 64;
const COLUMNS: usize = 2;
const PANEL: (f64, f64) = (480.0, 300.0);
const PITCH: (f64, f64) = (556.0, 392.0);

/// Empty if there is nothing to show.
pub fn picture(cases: &[Case], summary: &Summary) -> String {
    let mut shown: Vec<&Case> = cases.iter().filter(|case| SHOWN.contains(&case.id.as_str())).collect();
    if shown.is_empty() {
        shown = cases.iter().take(SHOWN.len()).collect();
    }
    let panels: Vec<(&Case, Vec<(usize, Ellipse)>)> =
        shown.into_iter().map(|case| (case, ellipses(case, summary))).filter(|(_, laws)| !laws.is_empty()).collect();
    let mut inside = String::new();
    for (index, (case, laws)) in panels.iter().enumerate() {
        let at = (62.0 + PITCH.0 * (index % COLUMNS) as f64, 40.0 + PITCH.1 * (index / COLUMNS) as f64);
        inside.push_str(&panel(at, case, laws, summary));
    }
    if panels.is_empty() {
        return String::new();
    }
    debug_assert!(62.0 + PITCH.0 + PANEL.0 <= WIDTH);
    svg(PITCH.1 * panels.len().div_ceil(COLUMNS) as f64, "Queueing delay against goodput", &inside)
}

fn ellipses(case: &Case, summary: &Summary) -> Vec<(usize, Ellipse)> {
    let laws = summary.laws.iter().enumerate();
    laws.filter_map(|(number, law)| Some((number, summary.result(&case.id, law)?.ellipse?))).collect()
}

fn panel(at: (f64, f64), case: &Case, laws: &[(usize, Ellipse)], summary: &Summary) -> String {
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
    let y = scale::linear(points().map(|point| point.1).filter(|goodput| *goodput >= floor), tick);
    let (Some(x), Some(y)) = (x, y) else { return String::new() };
    let panel = Panel {
        at,
        size: PANEL,
        title: format!("{}: goodput in Mb/s", case.title),
        below: "mean queueing delay, ms".to_owned(),
        x,
        y,
    };
    let mut inside = panel.frame();
    let placed: Vec<Vec<(f64, f64)>> =
        outlines.iter().map(|outline| outline.iter().map(|(x, y)| panel.place(*x, *y)).collect()).collect();
    for ((number, ellipse), outline) in laws.iter().zip(&placed) {
        let colour = colour(*number);
        let path = outline.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect::<Vec<_>>().join("L");
        let (x, y) = panel.place(ellipse.delay_ns / 1e6, ellipse.goodput_bps / 1e6);
        let _ = write!(
            inside,
            r#"<path class="el s{colour} f{colour}" d="M{path}Z"><title>{}: {:.2} ms, {:.3} Mb/s</title></path><circle class="f{colour}" cx="{x:.1}" cy="{y:.1}" r="2.4"/>"#,
            escape(&summary.laws[*number]),
            ellipse.delay_ns / 1e6,
            ellipse.goodput_bps / 1e6
        );
    }
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
    let frame = Box { left: at.0 + 2.0, top: at.1 + 2.0, right: at.0 + PANEL.0 + 14.0, bottom: at.1 + PANEL.1 - 2.0 };
    for ((label, name), (number, _)) in labels::place(&things, &frame).iter().zip(&names).zip(laws) {
        let colour = colour(*number);
        if let Some([(x1, y1), (x2, y2)]) = label.leader {
            let _ = write!(inside, r#"<path class="le s{colour}" d="M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}"/>"#);
        }
        let (x, y) = label.at;
        let _ = write!(inside, r#"<text class="la m f{colour}" x="{x:.1}" y="{:.1}">{}</text>"#, y + 4.0, escape(name));
    }
    inside
}

/// Goodputs below this would leave no room for the others: far below the middle half.
fn floor(goodputs: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = goodputs.collect();
    sorted.sort_by(f64::total_cmp);
    let quartile = |part: usize| sorted[(sorted.len() - 1) * part / 4];
    let spread = (quartile(3) - quartile(1)).max(quartile(2) * 0.005);
    quartile(1) - FAR * spread
}
