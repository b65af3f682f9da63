//! Many flows at a glance: each flow's rate as a part of its fair rate.

use super::chart::{Panel, Scale};
use super::html::Tenth;
use super::law_runs::LawRuns;
use super::numbers::{percent, rate};
use super::view::View;
use maud::{Markup, html};

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 210.0;
const LEFT: f64 = 48.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 36.0;

/// One chart: flows to the right in the order of declaration, their part of the
/// fair rate upwards up to `most`, which is the same for all laws.
pub(super) fn strip(view: &View<'_>, law: &LawRuns<'_>, most: f64) -> Markup {
    let flows = view.scene.plan.flows.len();
    let step = (WIDTH - LEFT - RIGHT) / flows as f64;
    let radius = (step * 0.36).clamp(1.2, 4.0);
    let panel = panel(law, flows, most);
    html! {
        svg.chart
            viewBox={ "0 0 " (WIDTH) " " (HEIGHT) }
            role="img"
            aria-label={ (law.law) ": rate over fair rate of every flow" }
        {
            (panel.frame())
            @for flow in 0..flows {
                @let measured = law.flow(flow);
                @if let Some(ratio) = measured.ratio {
                    @let (x, y) = panel.place((flow as f64, ratio));
                    g class={ "dot " (view.scene.tints[flow].class()) } {
                        title {
                            (view.scene.plan.flows[flow].name) ": " (rate(measured.rate_bps)) ", " (percent(ratio))
                            " of fair"
                        }
                        path.stem d={ "M" (Tenth(x)) " " (Tenth(panel.y(1.0))) "V" (Tenth(y)) } {}
                        circle cx=(Tenth(x)) cy=(Tenth(y)) r=(Tenth(radius)) {}
                    }
                }
            }
            @for (flow, anchor) in [(0, "start"), (flows / 2, "middle"), (flows - 1, "end")] {
                text.tk x=(Tenth(panel.x(flow as f64))) y=(Tenth(panel.down.end + 16.0)) text-anchor=(anchor) {
                    (view.scene.plan.flows[flow].name)
                }
            }
        }
    }
}

fn panel(law: &LawRuns<'_>, flows: usize, most: f64) -> Panel {
    let marks = if most > 2.5 { (most.ceil() as u32).div_ceil(4).max(1) as f64 } else { 0.5 };
    let ticks = (0..).map(|tick| f64::from(tick) * marks).take_while(|at| *at <= most + 1e-9);
    Panel {
        across: LEFT..WIDTH - RIGHT,
        down: TOP..HEIGHT - BOTTOM,
        x: Scale::with_ticks(-0.5..flows as f64 - 0.5, Vec::new()),
        y: Scale::with_ticks(0.0..most, ticks.map(|at| (at, percent(at))).collect()).marked(vec![1.0]),
        title: law.law.to_owned(),
        unit: String::new(),
        below: String::new(),
    }
}
