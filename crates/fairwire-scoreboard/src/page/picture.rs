//! The picture: how fair, how fast, how quiet over the rings, and parking lots by hops.

use super::panel::{Panel, Scale, line_class};
use crate::summary::whole_rings;
use crate::{Group, Measured, Score, Summary};
use fairwire_results::escape;
use std::fmt::Write;

const WIDTH: f64 = 1120.0;
const HEIGHT: f64 = 780.0;
const STYLE: &str = include_str!("picture.css");
/// Room for a name in the legend, beside its characters.
const LEGEND_GAP: f64 = 52.0;

/// An SVG that stands by itself and follows the reader's light or dark mode.
pub fn picture(summary: &Summary, scores: &[Score]) -> String {
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="board" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Scoreboard of ring laws"><style>{STYLE}</style><rect class="bg" width="{WIDTH}" height="{HEIGHT}"/>"#
    );
    svg.push_str(&legend(summary));
    let panels = panels();
    panels.iter().for_each(|panel| svg.push_str(&panel.frame()));
    let rings = whole_rings(scores, summary.laws.len());
    // The first law is drawn last, on top.
    for (colour, law) in summary.laws.iter().enumerate().rev() {
        let of = |value: fn(&Measured) -> f64| {
            let own = rings.iter().filter(|score| score.law == law.law);
            own.map(|score| value(&score.measured)).collect::<Vec<_>>()
        };
        let name = escape(&law.law);
        if summary.rings > 0 {
            svg.push_str(&panels[0].share_at_most(&of(|m| m.largest_error), colour, &name));
            let laps = of(|m| m.laps_to_fair_5.unwrap_or(f64::INFINITY));
            svg.push_str(&panels[1].share_at_most(&laps, colour, &name));
            svg.push_str(&panels[2].share_at_most(&of(|m| m.swing), colour, &name));
        }
        let own = scores.iter().filter(|score| score.group == Group::ParkingLot && score.law == law.law);
        let lots = own.filter_map(|score| {
            let hops: u32 = score.case.strip_prefix("lot-")?.parse().ok()?;
            Some((f64::from(hops), score.measured.largest_error))
        });
        svg.push_str(&panels[3].line(lots, colour, &name));
    }
    svg.push_str("</svg>\n");
    svg
}

fn legend(summary: &Summary) -> String {
    let mut svg = String::new();
    let (mut x, mut y) = (62.0, 24.0);
    for (colour, law) in summary.laws.iter().enumerate() {
        let width = law.law.chars().count() as f64 * 7.2 + LEGEND_GAP;
        if x + width > WIDTH {
            (x, y) = (62.0, y + 20.0);
        }
        let _ = write!(
            svg,
            r#"<path class="{}" d="M{x:.1} {:.1}h22"/><text x="{:.1}" y="{y:.1}">{}</text>"#,
            line_class(colour),
            y - 4.0,
            x + 28.0,
            escape(&law.law)
        );
        x += width;
    }
    svg
}

fn panels() -> [Panel; 4] {
    let part = |values: &[f64]| values.iter().map(|&value| (value, tick_percent(value))).collect::<Vec<_>>();
    let share =
        || Scale { range: 0.0..1.0, logarithmic: false, ticks: part(&[0.0, 0.25, 0.5, 0.75, 1.0]), marks: Vec::new() };
    let error = || Scale {
        range: 1e-4..20.0,
        logarithmic: true,
        ticks: part(&[1e-4, 1e-3, 0.01, 0.05, 0.2, 1.0, 5.0, 20.0]),
        marks: vec![0.01, 0.05],
    };
    let laps = Scale {
        range: 3.0..3000.0,
        logarithmic: true,
        ticks: [3, 10, 30, 100, 300, 1000, 3000].map(|laps| (f64::from(laps), laps.to_string())).to_vec(),
        marks: Vec::new(),
    };
    let hops = Scale {
        range: 2.0..32.0,
        logarithmic: false,
        ticks: [2, 8, 16, 24, 32].map(|hops| (f64::from(hops), hops.to_string())).to_vec(),
        marks: Vec::new(),
    };
    let panel = |column: u8, row: u8, title: &str, below: &str, x, y| Panel {
        at: (62.0 + 556.0 * f64::from(column), 92.0 + 356.0 * f64::from(row)),
        size: (480.0, 270.0),
        title: title.to_owned(),
        below: below.to_owned(),
        x,
        y,
    };
    [
        panel(
            0,
            0,
            "How fair: share of rings with every flow so close to its fair rate",
            "largest error of a ring",
            error(),
            share(),
        ),
        panel(1, 0, "How fast: share of rings within 5 % for good", "laps from the start", laps, share()),
        panel(
            0,
            1,
            "How quiet: share of rings with every flow so steady",
            "largest swing of a ring, over the fair rate",
            error(),
            share(),
        ),
        panel(1, 1, "Parking lots: largest error", "hops of the farthest sender", hops, error()),
    ]
}

fn tick_percent(part: f64) -> String {
    format!("{} %", (part * 1e4).round() / 100.0)
}
