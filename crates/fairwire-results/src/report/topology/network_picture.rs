//! A network as a picture.

use super::layout::{Layout, Point};
use super::{FairLink, drawn_flows, tip};
use crate::report::html::escape;
use crate::report::numbers::rate;
use crate::report::throughput::fair_text;
use crate::report::view::View;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Radius of a gateway and of a host.
const GATEWAY: f64 = 13.0;
const HOST: f64 = 5.5;
/// Lines of flows on one link lie this far apart where there is room, and side by side take no more.
const LANE: f64 = 3.0;
const BUNDLE: f64 = 24.0;
/// Hosts closer than this have no names.
const ROOM_FOR_NAMES: f64 = 11.0;
/// Between gateways closer than this there is no room for capacities.
const ROOM_FOR_RATES: f64 = 80.0;
const MARGIN: f64 = 12.0;
/// Room for a name beside a host, a letter.
const LETTER: f64 = 6.6;

pub(super) fn draw(view: &View<'_>, links: &[FairLink]) -> String {
    let layout = Layout::of(&view.plan);
    let (left, top, width, height) = bounds(view, &layout);
    let mut svg = format!(
        r#"<svg class="topo" viewBox="{left:.0} {top:.0} {width:.0} {height:.0}" role="img" aria-label="the network with its flows">"#
    );
    draw_links(view, &layout, links, &mut svg);
    let lanes = Lanes::of(view);
    for muted in [true, false] {
        for &flow in lanes.flows.iter().filter(|&&flow| view.tints[flow].is_muted() == muted) {
            draw_flow(view, &layout, &lanes, flow, &mut svg);
        }
    }
    draw_nodes(view, &layout, &mut svg);
    draw_link_names(view, &layout, links, &mut svg);
    svg.push_str("</svg>");
    svg
}

fn bounds(view: &View<'_>, layout: &Layout) -> (f64, f64, f64, f64) {
    let (mut low, mut high) = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
    for (node, &(x, y)) in &layout.places {
        let named = if is_named(layout, *node) && !layout.gateways.contains(node) {
            view.place(*node).chars().count() as f64 * LETTER + HOST
        } else {
            0.0
        };
        low = (low.0.min(x - named), low.1.min(y));
        high = (high.0.max(x + named), high.1.max(y));
    }
    if layout.places.is_empty() {
        return (0.0, 0.0, 1.0, 1.0);
    }
    let margin = MARGIN + GATEWAY;
    // Room for the name of a link above the line of gateways.
    let (above, below) = (margin + 14.0, margin + 6.0);
    (low.0 - margin, low.1 - above, high.0 - low.0 + 2.0 * margin, high.1 - low.1 + above + below)
}

/// Each pair of nodes once, as wide as it is loaded.
fn draw_links(view: &View<'_>, layout: &Layout, links: &[FairLink], svg: &mut String) {
    for (number, planned) in view.plan.links.iter().enumerate() {
        let (Some(&from), Some(&to)) = (layout.places.get(&planned.from), layout.places.get(&planned.to)) else {
            continue;
        };
        let fair = links.iter().find(|link| link.link == number);
        let (class, width) = match fair {
            Some(link) if link.is_full() || link.limits => (" full", BUNDLE * 0.42),
            Some(link) => ("", 2.0 + 3.0 * link.used()),
            None => ("", 1.2),
        };
        let words = fair.map_or_else(|| format!("{}: unused", planned.name), tip);
        let _ = write!(
            svg,
            r#"<path class="hop{class}" style="stroke-width:{width:.1}{}" d="M{:.1} {:.1}L{:.1} {:.1}"><title>{}</title></path>"#,
            if fair.is_some_and(|link| link.is_full() || link.limits) { ";opacity:.3" } else { "" },
            from.0,
            from.1,
            to.0,
            to.1,
            escape(&words)
        );
    }
}

/// Which flow runs on which lane of which link.
struct Lanes {
    flows: Vec<usize>,
    /// Flows over each pair of nodes, lower number first, in the order in which they are drawn.
    on: BTreeMap<(usize, usize), Vec<usize>>,
}

impl Lanes {
    fn of(view: &View<'_>) -> Self {
        let mut flows = drawn_flows(view);
        flows.sort_unstable();
        let mut on: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for &flow in &flows {
            for &link in &view.plan.flows[flow].route {
                let link = &view.plan.links[link];
                on.entry((link.from.min(link.to), link.from.max(link.to))).or_default().push(flow);
            }
        }
        Self { flows, on }
    }

    /// How far beside the middle of the link from `from` to `to` a flow runs, to the right of its way.
    fn offset(&self, flow: usize, from: usize, to: usize) -> f64 {
        let here = self.on.get(&(from.min(to), from.max(to))).map_or(&[][..], Vec::as_slice);
        let lane = here.iter().position(|&other| other == flow).unwrap_or(0) as f64;
        let apart = (BUNDLE / here.len().max(1) as f64).min(LANE);
        let offset = (lane - (here.len() as f64 - 1.0) / 2.0) * apart;
        if from < to { offset } else { -offset }
    }
}

fn draw_flow(view: &View<'_>, layout: &Layout, lanes: &Lanes, flow: usize, svg: &mut String) {
    let planned = &view.plan.flows[flow];
    let mut points: Vec<Point> = Vec::new();
    for &link in &planned.route {
        let (from, to) = (view.plan.links[link].from, view.plan.links[link].to);
        let (Some(&a), Some(&b)) = (layout.places.get(&from), layout.places.get(&to)) else { return };
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let length = dx.hypot(dy).max(1e-9);
        let offset = lanes.offset(flow, from, to);
        let (ox, oy) = (-dy / length * offset, dx / length * offset);
        points.extend([(a.0 + ox, a.1 + oy), (b.0 + ox, b.1 + oy)]);
    }
    let [.., before, end] = points[..] else { return };
    let head = if view.tints[flow].is_muted() { 3.0 } else { 6.0 };
    let (dx, dy) = (end.0 - before.0, end.1 - before.1);
    let length = dx.hypot(dy).max(1e-9);
    let (dx, dy) = (dx / length, dy / length);
    let reach = if layout.gateways.contains(&planned.to) { GATEWAY } else { HOST } + 1.0;
    let tip = (end.0 - dx * reach, end.1 - dy * reach);
    let neck = (tip.0 - dx * head, tip.1 - dy * head);
    if let Some(last) = points.last_mut() {
        *last = neck;
    }
    let class = view.tints[flow].class();
    let ends = format!("{} → {}", view.place(planned.from), view.place(planned.to));
    let words = format!("{}: {ends}, fair {}", planned.name, fair_text(view, flow));
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    let wing = head * 0.5;
    let _ = write!(
        svg,
        r#"<g><title>{}</title><path class="flow {class}" d="M{}"/><path class="head {class}" d="M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z"/></g>"#,
        escape(&words),
        path.join("L"),
        tip.0,
        tip.1,
        neck.0 - dy * wing,
        neck.1 + dx * wing,
        neck.0 + dy * wing,
        neck.1 - dx * wing
    );
}

/// Whether there is room for the name of a node.
fn is_named(layout: &Layout, node: usize) -> bool {
    layout.gateways.contains(&node) || layout.apart >= ROOM_FOR_NAMES
}

/// Gateways with their names inside, hosts with theirs beside.
fn draw_nodes(view: &View<'_>, layout: &Layout, svg: &mut String) {
    for (&node, &(x, y)) in &layout.places {
        let name = escape(&view.place(node));
        let is_gateway = layout.gateways.contains(&node);
        let radius = if is_gateway { GATEWAY } else { HOST.min(layout.apart * 0.4) };
        let _ =
            write!(svg, r#"<circle class="st" cx="{x:.1}" cy="{y:.1}" r="{radius:.1}"><title>{name}</title></circle>"#);
        if !is_named(layout, node) {
            continue;
        }
        let letters = view.place(node).chars().count() as f64;
        let inside = is_gateway && letters <= 3.0;
        let (tx, ty, anchor) = if inside {
            (x, y, "middle")
        } else if is_gateway {
            (x, y + GATEWAY + 9.0, "middle")
        } else {
            beside(layout, (x, y))
        };
        let size = if inside && letters > 2.0 { 9.5 } else { 11.0 };
        let _ = write!(
            svg,
            r#"<text class="{}" x="{tx:.1}" y="{ty:.1}" style="text-anchor:{anchor};dominant-baseline:central;font-size:{size}px">{name}</text>"#,
            if is_gateway { "sn" } else { "hn" }
        );
    }
}

/// Where the name of a host stands: away from the gateways.
fn beside(layout: &Layout, (x, y): Point) -> (f64, f64, &'static str) {
    let gateways = layout.gateways.iter().filter_map(|gateway| layout.places.get(gateway));
    let (low, high) = gateways.fold((f64::MAX, f64::MIN), |(low, high), place| (low.min(place.0), high.max(place.0)));
    let gap = HOST + 4.0;
    if x < low {
        (x - gap, y, "end")
    } else if x > high {
        (x + gap, y, "start")
    } else if y < 0.0 {
        (x, y - gap - 3.0, "middle")
    } else {
        (x, y + gap + 3.0, "middle")
    }
}

/// Names and capacities of the links that hold flows back, beside their middle.
fn draw_link_names(view: &View<'_>, layout: &Layout, links: &[FairLink], svg: &mut String) {
    let named: Vec<_> = links.iter().filter(|link| link.limits || link.is_full()).collect();
    if named.len() > 16 {
        return; // The table has them; here they would only cover each other.
    }
    for link in named {
        let planned = &view.plan.links[link.link];
        let (Some(&a), Some(&b)) = (layout.places.get(&planned.from), layout.places.get(&planned.to)) else { continue };
        let (x, y) = ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0);
        let up = BUNDLE / 2.0 + 6.0;
        let name = escape(&link.name);
        let _ = write!(svg, r#"<text class="ll" x="{x:.1}" y="{:.1}" text-anchor="middle">{name}</text>"#, y - up);
        if layout.step >= ROOM_FOR_RATES {
            let capacity = rate(link.capacity_bps);
            let below = y + up + 8.0;
            let _ = write!(svg, r#"<text class="hn" x="{x:.1}" y="{below:.1}" text-anchor="middle">{capacity}</text>"#);
        }
    }
}
