//! The ring as a picture.

use super::geometry::{Point, Ring};
use super::labels::{Anchor, Labels, Words};
use super::tracks::{Laid, lay_out};
use super::{FairLink, arrowhead, drawn_flows, tip};
use crate::report::html::Tenth;
use crate::report::numbers::rate;
use crate::report::scene::Scene;
use crate::report::throughput::fair_text;
use fairwire_core::Ringlet;
use fairwire_plan::RingPlan;
use maud::{Markup, html};

/// Room beside the ring for tracks, and the widest track.
const ROOM_OUTSIDE: f64 = 150.0;
const ROOM_INSIDE: f64 = 84.0;
const WIDEST_TRACK: f64 = 8.0;
/// Room between the ring and the innermost track, on the inside for names of links.
const CLEAR_OUTSIDE: f64 = 15.0;
const CLEAR_INSIDE: f64 = 36.0;
/// Of more links than this no name is written.
const MOST_NAMED: usize = 16;
/// Radius of the bends where a flow turns into its track.
const BEND: f64 = 9.0;

pub(super) fn draw(scene: &Scene<'_>, plan: &RingPlan, links: &[FairLink]) -> Markup {
    let ring = Ring::new(plan.stations.len());
    let laid = lay_out(plan, &ring, &drawn_flows(scene));
    let tracks = |ringlet| laid.iter().filter(|one| one.ringlet == ringlet).map(|one| one.track + 1).max().unwrap_or(0);
    let gap = |ringlet, room: f64| (room / tracks(ringlet).max(1) as f64).min(WIDEST_TRACK);
    let (outside, inside) = (gap(Ringlet::Zero, ROOM_OUTSIDE), gap(Ringlet::One, ROOM_INSIDE));
    let radius_of = |one: &Laid| match one.ringlet {
        Ringlet::Zero => ring.radius + ring.station + CLEAR_OUTSIDE + outside * one.track as f64,
        Ringlet::One => ring.radius - ring.station - CLEAR_INSIDE - inside * one.track as f64,
    };
    let (left, top, width, height) = bounds(&ring, laid.iter().map(|one| (one.angles, radius_of(one))));
    html! {
        svg.topo
            viewBox=(format!("{left:.0} {top:.0} {width:.0} {height:.0}"))
            role="img"
            aria-label="the ring with its flows"
        {
            (draw_links(&ring, links))
            @for muted in [true, false] {
                @for one in laid.iter().filter(|one| scene.tints[one.flow].is_muted() == muted) {
                    (draw_flow(scene, &ring, one, radius_of(one)))
                }
            }
            (draw_stations(&ring))
            @if has_room(&ring) { (draw_link_names(&ring, links)) } @else { (draw_crowded_names(&ring, links)) }
            (draw_middle(plan, tracks(Ringlet::One)))
        }
    }
}

/// Left, top, width and height of the ring with arcs of (angles, radius), and some margin.
fn bounds(ring: &Ring, arcs: impl Iterator<Item = ((f64, f64), f64)>) -> (f64, f64, f64, f64) {
    const STEPS: u32 = 90;
    let edge = ring.radius + ring.station;
    let (mut low, mut high) = ((-edge, -edge), (edge, edge));
    for ((from, to), radius) in arcs {
        for step in 0..=STEPS {
            let (x, y) = ring.point(from + (to - from) * f64::from(step) / f64::from(STEPS), radius);
            low = (low.0.min(x), low.1.min(y));
            high = (high.0.max(x), high.1.max(y));
        }
    }
    const MARGIN: f64 = 10.0;
    (low.0 - MARGIN, low.1 - MARGIN, high.0 - low.0 + 2.0 * MARGIN, high.1 - low.1 + 2.0 * MARGIN)
}

/// Every link of both ringlets, the used ones by their load under the fair rates.
fn draw_links(ring: &Ring, links: &[FairLink]) -> Markup {
    html! {
        @for ringlet in Ringlet::BOTH {
            @for station in 0..ring.stations { (draw_link(ring, links, ringlet, station)) }
        }
    }
}

fn draw_link(ring: &Ring, links: &[FairLink], ringlet: Ringlet, station: usize) -> Markup {
    let half = ring.station / ring.radius;
    let fair = links.iter().find(|link| link.link == ringlet.index() * ring.stations + station);
    let sign = if ringlet == Ringlet::Zero { 1.0 } else { -1.0 };
    let from = ring.angle(station) + sign * half;
    let to = ring.angle(station) + sign * (ring.step() - half);
    let (class, width) = match fair {
        Some(link) if link.is_full() || link.limits => (link.class(), 4.5),
        Some(link) => (link.class(), 1.4 + 2.4 * link.used()),
        None => ("u0", 1.2),
    };
    let width = width.min(ring.apart * 1.9);
    let tip = fair.map_or_else(|| format!("{}: unused", ringlet.link_name(station)), tip);
    html! {
        path
            class={ "hop " (class) }
            style={ "stroke-width:" (Tenth(width)) }
            d=(ring.arc(from, to, ring.ringlet_radius(ringlet)))
            { title { (tip) } }
    }
}

/// A flow: out of its station, along its track, into the station where it leaves.
fn draw_flow(scene: &Scene<'_>, ring: &Ring, one: &Laid, radius: f64) -> Markup {
    let flow = &scene.plan.flows[one.flow];
    let class = scene.tints[one.flow].class();
    let (from, to) = one.angles;
    let (begin, end) = (ring.point(from, radius), ring.point(to, radius));
    let source = ring.dock(flow.from, begin, 0.0);
    let length = if scene.tints[one.flow].is_muted() { 3.5 } else { 6.0 };
    let (tip, neck) = (ring.dock(flow.to, end, 1.0), ring.dock(flow.to, end, 1.0 + length));
    html! {
        g {
            title { (flow.name) ": " (flow.from) " → " (flow.to) ", fair " (fair_text(scene, one.flow)) }
            path class={ "flow " (class) } d=(bent(ring, (source, begin, from), (neck, end, to), radius)) {}
            path class={ "head " (class) } d=(arrowhead(tip, neck)) {}
        }
    }
}

/// From `source` up to the track, along it, and down to `neck`, with round bends.
/// Both ends tell the point off the track, the point on it and its angle.
fn bent(ring: &Ring, source: (Point, Point, f64), neck: (Point, Point, f64), radius: f64) -> String {
    let (from, to) = (source.2, neck.2);
    let length = (to - from).abs() * radius;
    let bend = BEND.min(length / 2.5);
    let turn = (to - from).signum() * bend / radius;
    let before = |(off, on, _): (Point, Point, f64)| {
        let (dx, dy) = (off.0 - on.0, off.1 - on.1);
        let part = (bend / dx.hypot(dy).max(1e-9)).min(0.6);
        (on.0 + dx * part, on.1 + dy * part)
    };
    let (up, down) = (before(source), before(neck));
    let (start, stop) = (ring.point(from + turn, radius), ring.point(to - turn, radius));
    let large = u8::from((to - from - 2.0 * turn).abs() > std::f64::consts::PI);
    let sweep = u8::from(to > from);
    let two = |(x, y): Point| format!("{x:.1} {y:.1}");
    format!(
        "M{}L{}Q{} {}A{radius:.1} {radius:.1} 0 {large} {sweep} {}Q{} {}L{}",
        two(source.0),
        two(up),
        two(source.1),
        two(start),
        two(stop),
        two(neck.1),
        two(down),
        two(neck.0)
    )
}

/// Whether numbers of stations find room in their circles.
fn has_room(ring: &Ring) -> bool {
    ring.station >= 8.0
}

/// Stations, with their numbers where there is room.
fn draw_stations(ring: &Ring) -> Markup {
    let size = ring.station.min(12.5);
    html! {
        @for station in 0..ring.stations {
            @let (x, y) = ring.point(ring.angle(station), ring.radius);
            circle.st cx=(Tenth(x)) cy=(Tenth(y)) r=(Tenth(ring.station)) { title { "station " (station) } }
            @if has_room(ring) {
                text.sn x=(Tenth(x)) y=(Tenth(y)) style={ "font-size:" (size) "px" } { (station) }
            }
        }
    }
}

/// On crowded rings: names of links that hold flows back, and numbers of some stations, as far as they find room inside.
fn draw_crowded_names(ring: &Ring, links: &[FairLink]) -> Markup {
    const SIZE: f64 = 11.0;
    let mut labels = Labels::among(Vec::new(), Vec::new());
    let inside = |angle: f64| {
        let anchor = match angle.sin() {
            sin if sin > 0.35 => Anchor::End,
            sin if sin < -0.35 => Anchor::Start,
            _ => Anchor::Middle,
        };
        (ring.point(angle, ring.radius - ring.station - 8.0), anchor)
    };
    for (place, links) in link_places(ring, links) {
        let angle = ring.angle(place) + 0.5 * ring.step();
        let class = name_class(links.iter().any(|link| link.limits));
        let names: Vec<&str> = links.iter().map(|link| link.name.as_str()).collect();
        labels.place_if_free(&Words { text: &names.join(" "), class, size: SIZE }, &[inside(angle)]);
    }
    for station in (0..ring.stations).step_by(ring.stations.div_ceil(16)) {
        let number = station.to_string();
        labels.place_if_free(&Words { text: &number, class: "sn", size: SIZE }, &[inside(ring.angle(station))]);
    }
    labels.svg()
}

/// Names of the links that hold flows back, inside the ring beside them.
fn draw_link_names(ring: &Ring, links: &[FairLink]) -> Markup {
    let places = link_places(ring, links);
    if places.iter().map(|(_, links)| links.len()).sum::<usize>() > MOST_NAMED {
        // The table has them; here they would only cover each other.
        return Markup::default();
    }
    html! { @for (place, links) in &places { (draw_names(ring, *place, links)) } }
}

/// Links that hold flows back or are full, by the station before them: both ringlets' between two stations share a place.
fn link_places<'a>(ring: &Ring, links: &'a [FairLink]) -> Vec<(usize, Vec<&'a FairLink>)> {
    let mut places: Vec<(usize, Vec<&FairLink>)> = Vec::new();
    for link in links.iter().filter(|link| link.limits || link.is_full()) {
        let station = link.link % ring.stations;
        let place = if link.link < ring.stations { station } else { (station + ring.stations - 1) % ring.stations };
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, beside)) => beside.push(link),
            None => places.push((place, vec![link])),
        }
    }
    places
}

/// The class of the names of links, one of which may hold flows back.
fn name_class(limits: bool) -> &'static str {
    if limits { "ll" } else { "ll brim" }
}

fn draw_names(ring: &Ring, place: usize, links: &[&FairLink]) -> Markup {
    let angle = ring.angle(place) + 0.5 * ring.step();
    let (x, y) = ring.point(angle, ring.radius - ring.apart - 8.0);
    let anchor = match angle.sin() {
        sin if sin > 0.35 => "end",
        sin if sin < -0.35 => "start",
        _ => "middle",
    };
    let lines = links.len() as f64;
    let top = y + 4.0 + 7.0 * angle.cos() - (lines - 1.0) * 13.0 * (0.5 - 0.5 * angle.cos());
    html! {
        @for (line, link) in links.iter().enumerate() {
            text class=(name_class(link.limits)) x=(Tenth(x)) y=(Tenth(top + line as f64 * 13.0)) text-anchor=(anchor) {
                (link.name)
            }
        }
    }
}

/// What the ring is, in its middle, where ringlet 1 leaves room.
fn draw_middle(plan: &RingPlan, tracks_inside: usize) -> Markup {
    if tracks_inside > 5 {
        return Markup::default();
    }
    let capacities = plan.links.iter().flatten().map(|link| link.capacity);
    let (least, most) = (capacities.clone().min(), capacities.max());
    let capacity = match (least, most) {
        (Some(least), Some(most)) if least == most => rate(most.as_bps_f64()),
        (Some(least), Some(most)) => format!("{} to {}", rate(least.as_bps_f64()), rate(most.as_bps_f64())),
        _ => String::new(),
    };
    html! {
        text."mid big" x="0" y="-4" { (plan.stations.len()) " stations" }
        text.mid x="0" y="14" { (capacity) " a link" }
    }
}
