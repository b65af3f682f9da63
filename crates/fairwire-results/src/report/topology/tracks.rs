//! Which flow runs on which track beside the ring, so that none overlap.

use super::geometry::Ring;
use crate::ring::route;
use fairwire_core::Ringlet;
use fairwire_plan::RingPlan;

/// The part of a hop's angle that the ends at one station may spread over.
const SPREAD: f64 = 0.42;
/// How far apart ends are where there is room, in user units.
const APART: f64 = 7.0;

/// How one flow is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Laid {
    pub flow: usize,
    pub ringlet: Ringlet,
    /// 0 runs next to the ring.
    pub track: usize,
    /// Angles where the arc begins and ends; on ringlet 1 they fall.
    pub angles: (f64, f64),
}

/// Lays out `flows`: short ones next to the ring, long ones around them.
pub(super) fn lay_out(plan: &RingPlan, ring: &Ring, flows: &[usize]) -> Vec<Laid> {
    let hops = |flow: usize| {
        let flow = &plan.flows[flow];
        flow.ringlet.hops(flow.from.index(), flow.to.index(), ring.stations)
    };
    let mut order = flows.to_vec();
    order.sort_by_key(|&flow| hops(flow));
    // For each ringlet and track, which links are taken.
    let mut taken: [Vec<Vec<bool>>; 2] = [Vec::new(), Vec::new()];
    let mut laid = Vec::new();
    for flow in order {
        let ringlet = plan.flows[flow].ringlet;
        let links: Vec<_> = route(plan, &plan.flows[flow]).collect();
        let tracks = &mut taken[ringlet.index()];
        let is_free = |track: &Vec<bool>| links.iter().all(|&link| !track[link]);
        let track = tracks.iter().position(is_free).unwrap_or_else(|| {
            tracks.push(vec![false; ring.stations]);
            tracks.len() - 1
        });
        links.iter().for_each(|&link| tracks[track][link] = true);
        laid.push(Laid { flow, ringlet, track, angles: (0.0, 0.0) });
    }
    place_ends(plan, ring, &mut laid);
    laid
}

/// Fans the ends at one station out, so that the outer track's leg passes the
/// inner tracks without crossing them: outer ones begin earlier and end later.
fn place_ends(plan: &RingPlan, ring: &Ring, laid: &mut [Laid]) {
    let offset = |laid: &[Laid], at: usize, ends: bool| {
        let station = |one: &Laid| if ends { plan.flows[one.flow].to } else { plan.flows[one.flow].from };
        let here = |one: &&Laid| one.ringlet == laid[at].ringlet && station(one) == station(&laid[at]);
        let outside = laid.iter().filter(here).filter(|one| one.track > laid[at].track).count();
        let all = laid.iter().filter(here).count();
        let apart = (APART / ring.radius).min(SPREAD * ring.step() / all as f64);
        apart * (outside as f64 + 0.5)
    };
    for at in 0..laid.len() {
        let flow = &plan.flows[laid[at].flow];
        let sign = if laid[at].ringlet == Ringlet::Zero { 1.0 } else { -1.0 };
        let hops = flow.ringlet.hops(flow.from.index(), flow.to.index(), ring.stations);
        let from = ring.angle(flow.from.index());
        let to = from + sign * hops as f64 * ring.step();
        let angles = (from + sign * offset(laid, at, false), to - sign * offset(laid, at, true));
        laid[at].angles = angles;
    }
}
