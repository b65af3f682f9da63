//! What flows run on: who sends where, and which links are full.

mod geometry;
mod labels;
mod layout;
mod network_picture;
mod ring_picture;
mod tracks;

use super::html::escape;
use super::law_runs::LawRuns;
use super::numbers::{percent, rate};
use super::over_time::legend;
use super::scene::Scene;
use crate::plan::LinkOutline;
use crate::plan::Plan;
use fairwire_alloc::Limit;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

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
pub(super) fn section(scene: &Scene<'_>, laws: &[LawRuns<'_>]) -> String {
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
    format!(
        r#"<section id="topology"><h2>{title}</h2><p class="note">{note} The colour of a link says how full the {} rates make it; bottlenecks, which hold a flow back, are named where there is room.</p>{}{KEY}<div class="{}">{picture}{}</div></section>"#,
        scene.criterion,
        legend(&names, "flows"),
        if matches!(scene.ground, Plan::Network(_)) { "netbox" } else { "ringbox" },
        table(scene, laws, &links),
    )
}

/// How links are drawn.
const KEY: &str = concat!(
    r#"<ul class="legend"><li><i class="k u0"></i>unused</li><li><i class="k u1"></i>up to half full</li>"#,
    r#"<li><i class="k u2"></i>up to 90 %</li><li><i class="k u3"></i>nearly full</li>"#,
    r#"<li><i class="k u4"></i>full</li><li><i class="k u5"></i>full, and a bottleneck</li></ul>"#
);

/// All links that some flow crosses, in the order of the plan.
fn links(scene: &Scene<'_>) -> Vec<FairLink> {
    let (problem, allocation) = (scene.problem, scene.allocation);
    let limiting: BTreeSet<&str> = allocation
        .flows
        .iter()
        .filter_map(|flow| match &flow.limited_by {
            Limit::Link { link, .. } => problem.links.get(*link).map(|link| link.id.as_str()),
            _ => None,
        })
        .collect();
    let numbers: BTreeMap<&str, usize> =
        problem.links.iter().enumerate().map(|(at, link)| (link.id.as_str(), at)).collect();
    let link = |(link, planned): (usize, &LinkOutline)| {
        let load = numbers.get(planned.name.as_str()).and_then(|&at| allocation.links.get(at));
        let load_bps = load.map_or(0.0, |load| load.load_bps);
        let limits = limiting.contains(planned.name.as_str());
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

/// What a pointer on a link is told.
fn tip(link: &FairLink) -> String {
    let FairLink { name, load_bps, capacity_bps, .. } = link;
    format!("{name}: {} of {} ({})", rate(*load_bps), rate(*capacity_bps), percent(link.used()))
}

/// The fullest links: load under the fair rates, and what each law made of it.
fn table(scene: &Scene<'_>, laws: &[LawRuns<'_>], links: &[FairLink]) -> String {
    let mut fullest: Vec<_> = links.iter().collect();
    // Loads that differ by rounding only stay in the order of the plan.
    let rank = |link: &FairLink| (!link.limits, -(link.used() * 1e6).round() as i64);
    fullest.sort_by_key(|link| rank(link));
    let left_out = fullest.len().saturating_sub(MOST_LISTED);
    fullest.truncate(MOST_LISTED);
    let mut html = r#"<div><div class="scroll"><table><thead><tr><th>link</th><th class="n">capacity</th><th class="n">fair load</th>"#.to_owned();
    for law in laws {
        let _ = write!(html, r#"<th class="n">{}</th>"#, escape(law.law));
    }
    html.push_str("</tr></thead><tbody>");
    for link in fullest {
        let class = match link {
            link if link.limits => r#" class="full""#,
            link if link.is_full() => r#" class="brim""#,
            _ => "",
        };
        let _ = write!(
            html,
            r#"<tr{class}><th>{}</th><td class="n">{}</td><td class="n">{}</td>"#,
            escape(&link.name),
            rate(link.capacity_bps),
            percent(link.used())
        );
        for law in laws {
            let _ =
                write!(html, r#"<td class="n">{}</td>"#, measured(scene, law, link).map_or("–".to_owned(), percent));
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table></div>");
    if left_out > 0 {
        let _ = write!(html, r#"<p class="note">{left_out} more links carry no more than these.</p>"#);
    }
    html + "</div>"
}

/// The part of the link's capacity that the first run of a law used after the warm-up.
fn measured(scene: &Scene<'_>, law: &LawRuns<'_>, link: &FairLink) -> Option<f64> {
    let sent = law.counts.links.iter().find(|sent| sent.link == link.link)?;
    law.counts.used(&scene.plan, sent)
}
