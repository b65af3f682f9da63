//! A network as a picture.

use super::labels::{Anchor, Area, LabelSpot, Labels, Line, Words};
use super::layout::{Layout, Point};
use super::{FairLink, arrowhead, drawn_flows, tip};
use crate::plan::LinkOutline;
use crate::report::html::{Tenth, scrolling};
use crate::report::numbers::rate;
use crate::report::scene::Scene;
use crate::report::throughput::fair_text;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Radius of a gateway and of a host.
const GATEWAY: f64 = 13.0;
const HOST: f64 = 5.5;
/// Lines of flows on one link lie this far apart where there is room, and side by side take no more.
const LANE: f64 = 3.0;
const BUNDLE: f64 = 24.0;
/// Hosts closer than this have no names.
const ROOM_FOR_NAMES: f64 = 11.0;
/// In larger networks names would only cover each other; pointing at a node tells its own.
const MOST_NAMED: usize = 400;
const MOST_LINKS_NAMED: usize = 100;
const MARGIN: f64 = 12.0;

pub(super) fn draw(scene: &Scene<'_>, links: &[FairLink]) -> Markup {
    let layout = Layout::of(&scene.plan);
    let lanes = Lanes::of(scene);
    let labels = labels(scene, &layout, &lanes, links);
    let (left, top, width, height) = bounds(&layout, &labels);
    // A small network does not become a large picture.
    let most = width * 1.25;
    // On a narrow screen it scrolls before its names become too small to read.
    let least = width * 0.8;
    let svg = html! {
        svg.topo
            style=(format!("max-width:{most:.0}px;min-width:{least:.0}px"))
            viewBox=(format!("{left:.0} {top:.0} {width:.0} {height:.0}"))
            role="img"
            aria-label="the network with its flows"
        {
            (draw_links(scene, &layout, &lanes, links))
            @for muted in [true, false] {
                @for &flow in lanes.flows.iter().filter(|&&flow| scene.tints[flow].is_muted() == muted) {
                    (draw_flow(scene, &layout, &lanes, flow))
                }
            }
            (draw_nodes(scene, &layout))
            (labels.svg())
        }
    };
    scrolling("The network", svg)
}

/// Left, top, width and height of all nodes and names.
fn bounds(layout: &Layout, labels: &Labels) -> (f64, f64, f64, f64) {
    let nodes = layout.places.values().map(|&place| Area::around(place, GATEWAY));
    let Some(Area(left, top, right, bottom)) = nodes.chain(labels.taken.iter().copied()).reduce(Area::joined) else {
        return (0.0, 0.0, 1.0, 1.0);
    };
    (left - MARGIN, top - MARGIN, right - left + 2.0 * MARGIN, bottom - top + 2.0 * MARGIN)
}

/// Links as bands under their flows, by how full they are; the fullest on top.
fn draw_links(scene: &Scene<'_>, layout: &Layout, lanes: &Lanes, links: &[FairLink]) -> Markup {
    let by_number: BTreeMap<usize, &FairLink> = links.iter().map(|link| (link.link, link)).collect();
    let mut order: Vec<usize> = (0..scene.plan.links.len()).collect();
    order.sort_by_key(|number| by_number.get(number).map_or("u0", |link| link.class()));
    html! {
        @for number in order {
            (draw_link(&scene.plan.links[number], layout, lanes, by_number.get(&number).copied()))
        }
    }
}

/// A link as a band; `fair` is what it carries.
fn draw_link(planned: &LinkOutline, layout: &Layout, lanes: &Lanes, fair: Option<&FairLink>) -> Markup {
    let (Some(&from), Some(&to)) = (layout.places.get(&planned.from), layout.places.get(&planned.to)) else {
        return Markup::default();
    };
    let (class, width) = match fair {
        Some(link) => (link.class(), lanes.band(planned.from, planned.to)),
        None => ("u0", 2.0),
    };
    let words = fair.map_or_else(|| format!("{}: unused", planned.name), tip);
    html! {
        path
            class={ "hop band " (class) }
            style={ "stroke-width:" (Tenth(width)) }
            d={ "M" (Tenth(from.0)) " " (Tenth(from.1)) "L" (Tenth(to.0)) " " (Tenth(to.1)) }
            { title { (words) } }
    }
}

/// Which flow runs on which lane of which link.
struct Lanes {
    flows: Vec<usize>,
    /// Flows over each pair of nodes, lower number first, in the order in which they are drawn.
    on: BTreeMap<(usize, usize), Vec<usize>>,
}

impl Lanes {
    fn of(scene: &Scene<'_>) -> Self {
        let mut flows = drawn_flows(scene);
        flows.sort_unstable();
        let mut on: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for &flow in &flows {
            for &link in &scene.plan.flows[flow].route {
                let link = &scene.plan.links[link];
                on.entry((link.from.min(link.to), link.from.max(link.to))).or_default().push(flow);
            }
        }
        Self { flows, on }
    }

    /// How wide the lanes between two nodes are together.
    fn width(&self, from: usize, to: usize) -> f64 {
        let flows = self.on.get(&(from.min(to), from.max(to))).map_or(0, Vec::len).max(1) as f64;
        (flows * (BUNDLE / flows).min(LANE)).min(BUNDLE)
    }

    /// How wide the band under them is.
    fn band(&self, from: usize, to: usize) -> f64 {
        self.width(from, to) + 6.0
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

fn draw_flow(scene: &Scene<'_>, layout: &Layout, lanes: &Lanes, flow: usize) -> Markup {
    let planned = &scene.plan.flows[flow];
    let mut points: Vec<Point> = Vec::new();
    for &link in &planned.route {
        let (from, to) = (scene.plan.links[link].from, scene.plan.links[link].to);
        let (Some(&a), Some(&b)) = (layout.places.get(&from), layout.places.get(&to)) else {
            return Markup::default();
        };
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let length = dx.hypot(dy).max(1e-9);
        let offset = lanes.offset(flow, from, to);
        let (ox, oy) = (-dy / length * offset, dx / length * offset);
        points.extend([(a.0 + ox, a.1 + oy), (b.0 + ox, b.1 + oy)]);
    }
    let [.., before, end] = points[..] else { return Markup::default() };
    let head = if scene.tints[flow].is_muted() { 3.0 } else { 6.0 };
    let (dx, dy) = (end.0 - before.0, end.1 - before.1);
    let length = dx.hypot(dy).max(1e-9);
    let (dx, dy) = (dx / length, dy / length);
    let reach = if layout.gateways.contains(&planned.to) { GATEWAY } else { HOST } + 1.0;
    let tip = (end.0 - dx * reach, end.1 - dy * reach);
    let neck = (tip.0 - dx * head, tip.1 - dy * head);
    if let Some(last) = points.last_mut() {
        *last = neck;
    }
    let class = scene.tints[flow].class();
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    html! {
        g {
            title {
                (planned.name) ": " (scene.place(planned.from)) " → " (scene.place(planned.to)) ", fair "
                (fair_text(scene, flow))
            }
            path class={ "flow " (class) } d={ "M" (path.join("L")) } {}
            path class={ "head " (class) } d=(arrowhead(tip, neck)) {}
        }
    }
}

fn radius(layout: &Layout, node: usize) -> f64 {
    if layout.gateways.contains(&node) { GATEWAY } else { HOST.min(layout.apart * 0.4) }
}

/// Whether there is room for the name of a node.
fn is_named(layout: &Layout, node: usize) -> bool {
    let fits = layout.gateways.contains(&node) || layout.apart >= ROOM_FOR_NAMES;
    fits && layout.places.len() <= MOST_NAMED
}

/// Whether the name of a node stands inside it.
fn is_inside(layout: &Layout, node: usize, name: &str) -> bool {
    layout.gateways.contains(&node) && name.chars().count() <= 3
}

/// Circles, and the names that fit into them.
fn draw_nodes(scene: &Scene<'_>, layout: &Layout) -> Markup {
    html! {
        @for (&node, &(x, y)) in &layout.places {
            @let name = scene.place(node);
            circle.st cx=(Tenth(x)) cy=(Tenth(y)) r=(Tenth(radius(layout, node))) { title { (name) } }
            @if is_inside(layout, node, &name) {
                @let size = if name.chars().count() > 2 { 9.5 } else { 11.0 };
                text.sn x=(Tenth(x)) y=(Tenth(y)) style={ "font-size:" (size) "px" } { (name) }
            }
        }
    }
}

/// Names beside nodes, and beside the links that are full: those that find room, the
/// bottlenecks first. The table has them all.
fn labels(scene: &Scene<'_>, layout: &Layout, lanes: &Lanes, links: &[FairLink]) -> Labels {
    let ends = |link: &LinkOutline| Some((*layout.places.get(&link.from)?, *layout.places.get(&link.to)?));
    let mut labels = Labels::among(
        layout.places.iter().map(|(&node, &place)| Area::around(place, radius(layout, node))).collect(),
        scene
            .plan
            .links
            .iter()
            .filter_map(|link| {
                let (from, to) = ends(link)?;
                Some(Line { from, to, width: lanes.band(link.from, link.to) })
            })
            .collect(),
    );
    let neighbours = neighbours(scene, layout);
    for (&node, &(x, y)) in &layout.places {
        let name = scene.place(node);
        if is_inside(layout, node, &name) || !is_named(layout, node) {
            continue;
        }
        let is_gateway = layout.gateways.contains(&node);
        let gap = radius(layout, node) + 3.0;
        let mut beside = [((x + gap, y), Anchor::Start), ((x - gap, y), Anchor::End)];
        // A name stands best on the side where nothing is joined.
        if neighbours.get(&node).is_some_and(|around| *around > x) {
            beside.reverse();
        }
        let above = [((x, y + gap + 6.0), Anchor::Middle), ((x, y - gap - 6.0), Anchor::Middle)];
        let places: Vec<LabelSpot> = if is_gateway {
            above.into_iter().chain(beside).collect()
        } else {
            beside.into_iter().chain(above).collect()
        };
        labels.place(&Words { text: &name, class: if is_gateway { "sn" } else { "hn" }, size: 11.0 }, &places);
    }
    let mut named: Vec<&FairLink> = links.iter().filter(|link| link.limits || link.is_full()).collect();
    named.sort_by_key(|link| !link.limits);
    named.truncate(MOST_LINKS_NAMED);
    for link in named {
        let planned = &scene.plan.links[link.link];
        let Some((a, b)) = ends(planned) else { continue };
        let away = lanes.band(planned.from, planned.to) / 2.0 + 8.0;
        let farther =
            |more: &[f64]| -> Vec<LabelSpot> { more.iter().flat_map(|more| beside_link(a, b, away + more)).collect() };
        let name = Words { text: &link.name, class: if link.limits { "ll" } else { "hn" }, size: 11.5 };
        if labels.place_if_free(&name, &farther(if link.limits { &[0.0, 7.0, 14.0, 24.0] } else { &[0.0] })) {
            let capacity = rate(link.capacity_bps);
            labels.place_if_free(&Words { text: &capacity, class: "hn", size: 11.0 }, &farther(&[0.0, 7.0, 14.0]));
        }
    }
    labels
}

/// Where, from left to right, the nodes stand in the middle to which each is joined.
fn neighbours(scene: &Scene<'_>, layout: &Layout) -> BTreeMap<usize, f64> {
    let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for link in &scene.plan.links {
        for (node, other) in [(link.from, link.to), (link.to, link.from)] {
            let Some(place) = layout.places.get(&other) else { continue };
            let sum = sums.entry(node).or_default();
            *sum = (sum.0 + place.0, sum.1 + 1.0);
        }
    }
    sums.into_iter().map(|(node, (sum, count))| (node, sum / count)).collect()
}

/// Places beside a link: at its middle and to both sides of that, above before below.
fn beside_link(a: Point, b: Point, away: f64) -> Vec<LabelSpot> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length = dx.hypot(dy).max(1e-9);
    let (mut nx, mut ny) = (dy / length, -dx / length);
    if ny > 0.0 {
        (nx, ny) = (-nx, -ny);
    }
    let mut places = Vec::new();
    for at in [0.5, 0.36, 0.64] {
        let middle = (a.0 + dx * at, a.1 + dy * at);
        for side in [1.0, -1.0] {
            let point = (middle.0 + nx * away * side, middle.1 + ny * away * side);
            let anchor = match nx * side {
                across if across > 0.35 => Anchor::Start,
                across if across < -0.35 => Anchor::End,
                _ => Anchor::Middle,
            };
            places.push((point, anchor));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_at_the_middle_of_a_link_first_above_it_then_below() {
        let spots = |a, b| beside_link(a, b, 10.0)[..2].iter().map(|(point, _)| *point).collect::<Vec<_>>();
        assert_eq!(spots((0.0, 100.0), (60.0, 100.0)), [(30.0, 90.0), (30.0, 110.0)]);
        // A link of three to four: ten beside it are eight across and six up.
        assert_eq!(spots((0.0, 100.0), (30.0, 140.0)), [(23.0, 114.0), (7.0, 126.0)]);
    }
}
