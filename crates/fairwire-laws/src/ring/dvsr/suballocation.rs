//! How a station shares what each link grants it among its own flows
//! ([dvsr] §V-A3, eq. (9) and footnote 7).
//!
//! The routes of a station's flows nest: a nearer egress's route begins a
//! farther one's. Link `h` below is the one `h` hops downstream.

use crate::ring::RingSite;
use crate::ring::filling::{Room, equal_parts, fill, has_its_demand};

/// What the station may put on link `h`, in bit/s: its weight times the link's
/// fair rate per unit weight, never more than the link.
fn budget_bps(site: &RingSite, fractions: &[f64], h: usize) -> f64 {
    let link = site.downstream(h);
    let weight = site.weights[site.station.index()].get();
    (fractions[link] * weight).min(1.0) * site.capacities[link].as_bps_f64()
}

/// The budgets of all links that the station's flows cross, by hops.
fn budgets_bps(site: &RingSite, fractions: &[f64]) -> Vec<f64> {
    let longest = site.flows.iter().map(|flow| flow.hops).max().unwrap_or(0);
    (0..longest).map(|h| budget_bps(site, fractions, h)).collect()
}

/// Eq. (9) as printed: on each link equal parts for all own flows that cross
/// it (by their weights), and for a flow the least of its links.
pub fn equal(site: &RingSite, fractions: &[f64], limits: &mut [f64]) {
    equal_parts(&site.flows, &budgets_bps(site, fractions), limits);
}

/// Progressive filling: raise all own flows together (by their weights) until
/// one has its demand or a link's budget is used up, freeze those concerned, go
/// on with the rest. A flow that got its demand is then allowed whatever its
/// links have left, or its equal part if that is more, so that it may grow before
/// the next frame tells: at a limit of what it had, a flow of a packet now and
/// then would queue up and seem to want everything.
pub fn by_demand(site: &RingSite, fractions: &[f64], demands: &[f64], limits: &mut [f64]) {
    match (site.flows.as_slice(), &mut *limits) {
        ([], _) => return,
        ([flow], [limit]) => {
            *limit = (0..flow.hops).map(|h| budget_bps(site, fractions, h)).fold(f64::INFINITY, f64::min);
            return;
        }
        _ => {}
    }
    let left = budgets_bps(site, fractions);
    let mut parts = vec![0.0; limits.len()];
    equal_parts(&site.flows, &left, &mut parts);
    let full_below = (0..left.len()).map(|h| 1e-9 * site.capacities[site.downstream(h)].as_bps_f64()).collect();
    let mut room = Room { left, full_below };
    fill(&site.flows, &mut room, demands, limits);
    for (flow, site_flow) in site.flows.iter().enumerate() {
        if has_its_demand(limits[flow], demands[flow]) {
            limits[flow] = (limits[flow] + room.along(site_flow.hops)).max(parts[flow]);
        }
    }
}

#[cfg(test)]
mod tests;
