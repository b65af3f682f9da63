//! How a station shares what each link grants it among its own flows
//! ([dvsr] §V-A3, eq. (9) and footnote 7).
//!
//! The routes of a station's flows nest: a nearer egress's route begins a
//! farther one's. Link `h` below is the one `h` hops downstream.

use crate::ring::RingSite;

/// What the station may put on link `h`, in bit/s: its weight times the link's
/// fair rate per unit weight, never more than the link.
fn budget_bps(site: &RingSite, fractions: &[f64], h: usize) -> f64 {
    let link = site.downstream(h);
    let weight = site.weights[site.station.index()].get();
    (fractions[link] * weight).min(1.0) * site.capacities[link].as_bps_f64()
}

/// Eq. (9) as printed: on each link equal parts for all own flows that cross
/// it (by their weights), and for a flow the least of its links.
pub fn equal(site: &RingSite, fractions: &[f64], limits: &mut [f64]) {
    limits.fill(f64::INFINITY);
    let longest = site.flows.iter().map(|flow| flow.hops).max().unwrap_or(0);
    for h in 0..longest {
        let budget = budget_bps(site, fractions, h);
        let weights: f64 = site.flows.iter().filter(|flow| flow.hops > h).map(|flow| flow.weight.get()).sum();
        for (limit, flow) in limits.iter_mut().zip(&site.flows).filter(|(_, flow)| flow.hops > h) {
            *limit = limit.min(budget * flow.weight.get() / weights);
        }
    }
}

/// Progressive filling: raise all own flows together (by their weights) until
/// one has its demand or a link's budget is used up, freeze those concerned, go
/// on with the rest. A flow that got its demand is then allowed whatever its
/// links have left, or its equal part if that is more, so that it may grow before
/// the next frame tells: at a limit of what it had, a flow of a packet now and
/// then would queue up and seem to want everything.
pub fn by_demand(site: &RingSite, fractions: &[f64], demands: &[f64], limits: &mut [f64]) {
    if let ([flow], [limit]) = (site.flows.as_slice(), &mut *limits) {
        *limit = (0..flow.hops).map(|h| budget_bps(site, fractions, h)).fold(f64::INFINITY, f64::min);
        return;
    }
    let longest = site.flows.iter().map(|flow| flow.hops).max().unwrap_or(0);
    let mut left: Vec<f64> = (0..longest).map(|h| budget_bps(site, fractions, h)).collect();
    let mut active = vec![true; limits.len()];
    limits.fill(0.0);
    while active.contains(&true) {
        let rise = largest_rise(site, &left, &active, limits, demands);
        raise(site, rise, &mut left, &active, limits);
        freeze(site, &left, &mut active, limits, demands);
    }
    let mut parts = vec![0.0; limits.len()];
    equal(site, fractions, &mut parts);
    for (flow, site_flow) in site.flows.iter().enumerate() {
        if has_its_demand(limits[flow], demands[flow]) {
            let room = left[..site_flow.hops].iter().fold(f64::INFINITY, |least, &room| least.min(room)).max(0.0);
            limits[flow] = (limits[flow] + room).max(parts[flow]);
        }
    }
}

/// By how much per unit weight all active flows can rise together.
fn largest_rise(site: &RingSite, left: &[f64], active: &[bool], rates: &[f64], demands: &[f64]) -> f64 {
    let mut rise = f64::INFINITY;
    for (h, &room) in left.iter().enumerate() {
        let weights: f64 =
            site.flows.iter().zip(active).filter(|(flow, on)| **on && flow.hops > h).map(|(flow, _)| flow.weight.get()).sum();
        if weights > 0.0 {
            rise = rise.min(room.max(0.0) / weights);
        }
    }
    for (flow, site_flow) in site.flows.iter().enumerate().filter(|(flow, _)| active[*flow]) {
        rise = rise.min((demands[flow] - rates[flow]).max(0.0) / site_flow.weight.get());
    }
    rise
}

fn raise(site: &RingSite, rise: f64, left: &mut [f64], active: &[bool], rates: &mut [f64]) {
    for (flow, site_flow) in site.flows.iter().enumerate().filter(|(flow, _)| active[*flow]) {
        let step = rise * site_flow.weight.get();
        rates[flow] += step;
        left[..site_flow.hops].iter_mut().for_each(|room| *room -= step);
    }
}

/// Freezes whoever has its demand or crosses a link that is used up, within
/// rounding: the step that used it up was computed from that very link.
fn freeze(site: &RingSite, left: &[f64], active: &mut [bool], rates: &[f64], demands: &[f64]) {
    for (flow, site_flow) in site.flows.iter().enumerate() {
        let full = |h: usize| left[h] <= 1e-9 * site.capacities[site.downstream(h)].as_bps_f64();
        active[flow] &= !(has_its_demand(rates[flow], demands[flow]) || (0..site_flow.hops).any(full));
    }
}

/// Within rounding: steps add up to a demand.
fn has_its_demand(rate: f64, demand: f64) -> bool {
    rate >= demand * (1.0 - 1e-12)
}

#[cfg(test)]
mod tests;
