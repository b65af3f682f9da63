//! Many flows at a glance: each flow's rate as a part of its fair rate.

use super::html::escape;
use super::law_runs::LawRuns;
use super::numbers::{percent, rate};
use super::view::View;
use std::fmt::Write;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 210.0;
const LEFT: f64 = 48.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 36.0;

/// One chart: flows to the right in the order of declaration, their part of the
/// fair rate upwards up to `most`, which is the same for all laws.
pub(super) fn strip(view: &View<'_>, law: &LawRuns<'_>, most: f64) -> String {
    let flows = view.scene.plan.flows.len();
    let step = (WIDTH - LEFT - RIGHT) / flows as f64;
    let x = |flow: usize| LEFT + (flow as f64 + 0.5) * step;
    let bottom = HEIGHT - BOTTOM;
    let y = |ratio: f64| bottom - (ratio / most).clamp(0.0, 1.0) * (bottom - TOP);
    let mut svg = format!(
        r#"<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{0}: rate over fair rate of every flow"><text class="ct" x="{LEFT}" y="13">{0}</text>"#,
        escape(law.law)
    );
    let marks = if most > 2.5 { (most.ceil() as u32).div_ceil(4).max(1) as f64 } else { 0.5 };
    let mut at = 0.0;
    while at <= most + 1e-9 {
        let class = if at == 0.0 { "base" } else { "grid" };
        let _ = write!(
            svg,
            r#"<path class="{class}" d="M{LEFT} {0:.1}H{1}"/><text class="tk" x="{2}" y="{3:.1}" text-anchor="end">{4}</text>"#,
            y(at),
            WIDTH - RIGHT,
            LEFT - 6.0,
            y(at) + 3.5,
            percent(at)
        );
        at += marks;
    }
    let _ = write!(svg, r#"<path class="fair ref" d="M{LEFT} {:.1}H{}"/>"#, y(1.0), WIDTH - RIGHT);
    let radius = (step * 0.36).clamp(1.2, 4.0);
    for flow in 0..flows {
        let measured = law.flow(flow);
        let Some(ratio) = measured.ratio else { continue };
        let tip =
            format!("{}: {}, {} of fair", view.scene.plan.flows[flow].name, rate(measured.rate_bps), percent(ratio));
        let _ = write!(
            svg,
            r#"<g class="dot {}"><title>{}</title><path class="stem" d="M{2:.1} {3:.1}V{4:.1}"/><circle cx="{2:.1}" cy="{4:.1}" r="{radius:.1}"/></g>"#,
            view.scene.tints[flow].class(),
            escape(&tip),
            x(flow),
            y(1.0),
            y(ratio),
        );
    }
    for flow in [0, flows / 2, flows - 1] {
        let anchor = if flow == 0 {
            "start"
        } else if flow == flows - 1 {
            "end"
        } else {
            "middle"
        };
        let _ = write!(
            svg,
            r#"<text class="tk" x="{:.1}" y="{:.1}" text-anchor="{anchor}">{}</text>"#,
            x(flow),
            bottom + 16.0,
            escape(&view.scene.plan.flows[flow].name)
        );
    }
    svg.push_str("</svg>");
    svg
}
