//! What flows run on: who sends where, and which links are full.

mod geometry;
mod labels;
mod layout;
mod network_picture;
mod ring_picture;
mod tracks;

use super::law_runs::LawRuns;
use super::numbers::{percent, rate};
use super::over_time::legend;
use super::scene::Scene;
use super::table::{beyond_shown, head, named, numbers, table};
use crate::plan::LinkOutline;
use crate::plan::Plan;
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// A load above this part of the capacity counts as full.
const FULL: f64 = 0.999;
/// The table names at most so many links.
const MOST_LISTED: usize = 12;
/// More flows than this are not all drawn; those with a colour of their own come first.
const MOST_DRAWN: usize = 128;

/// A link under the fair rates.
#[derive(Clone, Debug, PartialEq)]
struct FairLink {
    /// Its position among the links of the plan.
    link: usize,
    name: String,
    capacity_bps: f64,
    load_bps: f64,
    /// Whether it holds some flow back.
    limits: bool,
}

impl FairLink {
    fn used(&self) -> f64 {
        if self.capacity_bps > 0.0 { self.load_bps / self.capacity_bps } else { 0.0 }
    }

    fn is_full(&self) -> bool {
        self.used() >= FULL
    }

    /// Its class of the style sheet: how full it is, and whether it is a bottleneck.
    fn class(&self) -> &'static str {
        match self.used() {
            _ if self.limits => "u5",
            used if used >= FULL => "u4",
            used if used > 0.9 => "u3",
            used if used > 0.5 => "u2",
            _ => "u1",
        }
    }
}

/// The section: the picture, and the links in numbers; `laws` tell what they made of them.
pub(super) fn section(scene: &Scene<'_>, laws: &[LawRuns<'_>]) -> Markup {
    let links = links(scene);
    let names: Vec<_> =
        scene.plan.flows.iter().map(|flow| flow.name.clone()).zip(scene.tints.iter().copied()).collect();
    let (title, note, picture) = match scene.ground {
        Plan::Ring(ring) => (
            "The ring",
            "Flows run beside the ring, from where they enter to where they leave.",
            ring_picture::draw(scene, ring, &links),
        ),
        Plan::Network(_) => (
            "The network",
            "Flows run along the links, from where they enter to where they leave.",
            network_picture::draw(scene, &links),
        ),
    };
    let around = if matches!(scene.ground, Plan::Network(_)) { "netbox" } else { "ringbox" };
    html! {
        section #topology {
            h2 { (title) }
            p.note {
                (note) " The colour of a link says how full the " (scene.criterion) " rates make it; bottlenecks, which \
                 hold a flow back, are named where there is room."
            }
            (legend(&names, "flows"))
            (key())
            div class=(around) { (picture) (fullest_links(scene, laws, &links)) }
        }
    }
}

/// How links are drawn.
fn key() -> Markup {
    let words = ["unused", "up to half full", "up to 90 %", "nearly full", "full", "full, and a bottleneck"];
    html! {
        ul.legend {
            @for (at, word) in words.into_iter().enumerate() {
                li { i class={ "k u" (at) } {} (word) }
            }
        }
    }
}

/// All links that some flow crosses, in the order of the plan.
fn links(scene: &Scene<'_>) -> Vec<FairLink> {
    let (problem, allocation) = (scene.problem, scene.allocation);
    let limiting: BTreeSet<usize> = scene.held_by().into_iter().flatten().collect();
    let numbers: BTreeMap<&str, usize> =
        problem.links.iter().enumerate().map(|(at, link)| (link.id.as_str(), at)).collect();
    let link = |(link, planned): (usize, &LinkOutline)| {
        let load = numbers.get(planned.name.as_str()).and_then(|&at| allocation.links.get(at));
        let load_bps = load.map_or(0.0, |load| load.load_bps);
        let limits = limiting.contains(&link);
        let (name, capacity_bps) = (planned.name.clone(), planned.capacity_bps);
        (load_bps > 0.0).then_some(FairLink { link, name, capacity_bps, load_bps, limits })
    };
    scene.plan.links.iter().enumerate().filter_map(link).collect()
}

/// The flows to draw: all, or of many those with a colour of their own first.
fn drawn_flows(scene: &Scene<'_>) -> Vec<usize> {
    let mut flows: Vec<_> = (0..scene.plan.flows.len()).collect();
    flows.sort_by_key(|&flow| scene.tints[flow].is_muted());
    flows.truncate(MOST_DRAWN);
    flows
}

/// The path of an arrow's head from its tip back to its neck.
fn arrowhead(tip: (f64, f64), neck: (f64, f64)) -> String {
    let (dx, dy) = ((tip.0 - neck.0) / 2.0, (tip.1 - neck.1) / 2.0);
    let corners = [tip, (neck.0 - dy, neck.1 + dx), (neck.0 + dy, neck.1 - dx)];
    let corners = corners.map(|(x, y)| format!("{x:.1} {y:.1}"));
    format!("M{}Z", corners.join("L"))
}

/// What a pointer on a link is told.
fn tip(link: &FairLink) -> String {
    let FairLink { name, load_bps, capacity_bps, .. } = link;
    format!("{name}: {} of {} ({})", rate(*load_bps), rate(*capacity_bps), percent(link.used()))
}

/// The fullest links: load under the fair rates, and what each law made of it.
fn fullest_links(scene: &Scene<'_>, laws: &[LawRuns<'_>], links: &[FairLink]) -> Markup {
    let mut fullest: Vec<_> = links.iter().collect();
    // Loads that differ by rounding only stay in the order of the plan.
    let rank = |link: &FairLink| (!link.limits, -(link.used() * 1e6).round() as i64);
    fullest.sort_by_key(|link| rank(link));
    let left_out = fullest.len().saturating_sub(MOST_LISTED);
    fullest.truncate(MOST_LISTED);
    let header = html! {
        (head(&["link", ">capacity", ">fair load"]))
        @for law in laws { th.n { (law.law) } }
    };
    let class = |link: &FairLink| match link {
        link if link.limits => Some("full"),
        link if link.is_full() => Some("brim"),
        _ => None,
    };
    let rows = html! {
        @for link in fullest {
            tr class=[class(link)] {
                th { (named(&link.name)) }
                (numbers([rate(link.capacity_bps), percent(link.used())]))
                (numbers(laws.iter().map(|law| measured(scene, law, link).map_or("–".to_owned(), percent))))
            }
        }
    };
    html! {
        div {
            (table("Fullest links", None, header, rows))
            (beyond_shown(left_out, "link", ["carries no more than these.", "carry no more than these."]))
        }
    }
}

/// The part of the link's capacity that the first run of a law used after the warm-up.
fn measured(scene: &Scene<'_>, law: &LawRuns<'_>, link: &FairLink) -> Option<f64> {
    let sent = law.counts.links.iter().find(|sent| sent.link == link.link)?;
    law.counts.used(&scene.plan, sent)
}
