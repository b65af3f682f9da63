//! The ring: who sends where, and which links are full.

mod geometry;
mod picture;
mod tracks;

use super::html::escape;
use super::numbers::{percent, rate};
use super::over_time::legend;
use super::view::View;
use crate::ring::link_name;
use fairwire_alloc::Limit;
use fairwire_core::{Ringlet, StationId};
use std::fmt::Write;

/// A load above this part of the capacity counts as full.
const FULL: f64 = 0.999;
/// The table names at most so many links.
const MOST_LISTED: usize = 12;

/// A ring link under the fair rates.
#[derive(Clone, Debug, PartialEq)]
struct FairLink {
    ringlet: Ringlet,
    station: StationId,
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
}

/// The section: the picture, and the links in numbers.
pub(super) fn section(view: &View<'_>) -> String {
    let links = links(view);
    let names: Vec<_> = view.plan.flows.iter().map(|flow| flow.name.clone()).zip(view.tints.iter().copied()).collect();
    format!(
        r#"<section id="topology"><h2>The ring</h2><p class="note">Flows run beside the ring, from where they enter to where they leave. Links that the {} rates fill are marked.</p>{}<div class="ringbox">{}{}</div></section>"#,
        view.criterion,
        legend(&names, "flows"),
        picture::draw(view, &links),
        table(view, &links),
    )
}

/// All links that some flow crosses, in order of ringlet and station.
fn links(view: &View<'_>) -> Vec<FairLink> {
    let (problem, allocation) = (view.input.problem, view.input.allocation);
    let limiting: Vec<&str> = allocation
        .flows
        .iter()
        .filter_map(|flow| match &flow.limited_by {
            Limit::Link { link, .. } => problem.links.get(*link).map(|link| link.id.as_str()),
            Limit::Demand => None,
        })
        .collect();
    let mut links = Vec::new();
    for ringlet in Ringlet::BOTH {
        for (at, planned) in view.plan.links[ringlet.index()].iter().enumerate() {
            let station = StationId(u16::try_from(at).unwrap_or(u16::MAX));
            let name = link_name(ringlet, station);
            let load = problem.links.iter().position(|link| link.id == name).and_then(|at| allocation.links.get(at));
            let load_bps = load.map_or(0.0, |load| load.load_bps);
            if load_bps > 0.0 {
                let limits = limiting.contains(&name.as_str());
                let capacity_bps = planned.capacity.as_bps_f64();
                links.push(FairLink { ringlet, station, name, capacity_bps, load_bps, limits });
            }
        }
    }
    links
}

/// The fullest links: load under the fair rates, and what each law made of it.
fn table(view: &View<'_>, links: &[FairLink]) -> String {
    let mut fullest: Vec<_> = links.iter().collect();
    // Loads that differ by rounding only stay in the order of the ring.
    let rank = |link: &FairLink| (!link.limits, -(link.used() * 1e6).round() as i64);
    fullest.sort_by_key(|link| rank(link));
    let left_out = fullest.len().saturating_sub(MOST_LISTED);
    fullest.truncate(MOST_LISTED);
    let mut html = r#"<div><div class="scroll"><table><thead><tr><th>link</th><th class="n">capacity</th><th class="n">fair load</th>"#.to_owned();
    for law in &view.laws {
        let _ = write!(html, r#"<th class="n">{}</th>"#, escape(law.law));
    }
    html.push_str("</tr></thead><tbody>");
    for link in fullest {
        let class = if link.is_full() { r#" class="full""# } else { "" };
        let _ = write!(
            html,
            r#"<tr{class}><th>{}</th><td class="n">{}</td><td class="n">{}</td>"#,
            link.name,
            rate(link.capacity_bps),
            percent(link.used())
        );
        for law in &view.laws {
            let _ = write!(html, r#"<td class="n">{}</td>"#, measured(law.first, link).map_or("–".to_owned(), percent));
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table></div>");
    if left_out > 0 {
        let _ = write!(html, r#"<p class="note">{left_out} more links carry no more than these.</p>"#);
    }
    html + "</div>"
}

/// The part of the link's capacity that a run used after the warm-up.
fn measured(run: &super::input::RunOutcome, link: &FairLink) -> Option<f64> {
    let record = &run.record;
    let sent = record.links.iter().find(|sent| (sent.ringlet, sent.station) == (link.ringlet, link.station))?;
    let room_bits = link.capacity_bps * (record.duration - record.warmup).as_secs_f64();
    (room_bits > 0.0).then(|| sent.measured_bytes as f64 * 8.0 / room_bits)
}
