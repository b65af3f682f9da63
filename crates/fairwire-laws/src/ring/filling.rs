//! Progressive filling: how a station shares what each link grants it among its
//! own flows, by what they demand ([dvsr] footnote 7).
//!
//! The routes of a station's flows nest: a nearer egress's route begins a
//! farther one's. Link `h` below is the one `h` hops downstream.

use super::SiteFlow;

/// What a station may still put on its links, all rates in bit/s.
#[derive(Clone, Debug, Default)]
pub struct Room {
    /// Left on link `h`.
    pub left: Vec<f64>,
    /// A link with no more than this left is full: rounding.
    full_below: Vec<f64>,
    /// Scratch of [`fill`]: who still rises.
    active: Vec<bool>,
}

impl Room {
    /// On links of these capacities, nearest first; how much is left, the caller tells.
    pub fn on(capacities_bps: impl IntoIterator<Item = f64>) -> Self {
        let full_below: Vec<f64> = capacities_bps.into_iter().map(|capacity_bps| 1e-9 * capacity_bps).collect();
        Self { left: vec![0.0; full_below.len()], full_below, active: Vec::new() }
    }

    /// Whether nothing is left on link `h`.
    pub fn is_full(&self, h: usize) -> bool {
        self.left[h] <= self.full_below[h]
    }

    /// The least that is left on the first `hops` links, never below zero.
    pub fn along(&self, hops: usize) -> f64 {
        self.left[..hops].iter().fold(f64::INFINITY, |least, &room| least.min(room)).max(0.0)
    }
}

/// Equal parts (by weight) of what each link grants, `grants[h]`, for all flows
/// that cross it, and for a flow the least of its links ([dvsr] eq. (9)).
pub fn equal_parts(flows: &[SiteFlow], grants: &[f64], parts: &mut [f64]) {
    parts.fill(f64::INFINITY);
    for (h, grant) in grants.iter().enumerate() {
        let weights: f64 = flows.iter().filter(|flow| flow.hops > h).map(|flow| flow.weight.get()).sum();
        for (part, flow) in parts.iter_mut().zip(flows).filter(|(_, flow)| flow.hops > h) {
            *part = part.min(grant * flow.weight.get() / weights);
        }
    }
}

/// Raises all `flows` together (by their weights) from zero until one has its
/// demand or a link is full, freezes those concerned and goes on with the rest.
/// `rates` takes what they get, and `room` keeps what is left.
pub fn fill(flows: &[SiteFlow], room: &mut Room, demands: &[f64], rates: &mut [f64]) {
    let mut active = std::mem::take(&mut room.active);
    active.clear();
    active.resize(rates.len(), true);
    rates.fill(0.0);
    while active.contains(&true) {
        let rise = largest_rise(flows, &room.left, &active, rates, demands);
        raise(flows, rise, &mut room.left, &active, rates);
        freeze(flows, room, &mut active, rates, demands);
    }
    room.active = active;
}

/// Whether `rate` is the demand, within rounding: steps add up to it.
pub fn has_its_demand(rate: f64, demand: f64) -> bool {
    rate >= demand * (1.0 - 1e-12)
}

/// By how much per unit weight all active flows can rise together.
fn largest_rise(flows: &[SiteFlow], left: &[f64], active: &[bool], rates: &[f64], demands: &[f64]) -> f64 {
    let mut rise = f64::INFINITY;
    for (h, &room) in left.iter().enumerate() {
        let weights: f64 = flows
            .iter()
            .zip(active)
            .filter(|(flow, on)| **on && flow.hops > h)
            .map(|(flow, _)| flow.weight.get())
            .sum();
        if weights > 0.0 {
            rise = rise.min(room.max(0.0) / weights);
        }
    }
    for (flow, site_flow) in flows.iter().enumerate().filter(|(flow, _)| active[*flow]) {
        rise = rise.min((demands[flow] - rates[flow]).max(0.0) / site_flow.weight.get());
    }
    rise
}

fn raise(flows: &[SiteFlow], rise: f64, left: &mut [f64], active: &[bool], rates: &mut [f64]) {
    for (flow, site_flow) in flows.iter().enumerate().filter(|(flow, _)| active[*flow]) {
        let step = rise * site_flow.weight.get();
        rates[flow] += step;
        left[..site_flow.hops].iter_mut().for_each(|room| *room -= step);
    }
}

/// Freezes whoever has its demand or crosses a link that is used up, within
/// rounding: the step that used it up was computed from that very link.
fn freeze(flows: &[SiteFlow], room: &Room, active: &mut [bool], rates: &[f64], demands: &[f64]) {
    for (flow, site_flow) in flows.iter().enumerate() {
        let stuck = (0..site_flow.hops).any(|h| room.is_full(h));
        active[flow] &= !(has_its_demand(rates[flow], demands[flow]) || stuck);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_than_a_bit_per_second_of_a_gigabit_is_nothing() {
        let mut room = Room::on([1e9]);
        let full = [0.9, 1.1].map(|left_bps| {
            room.left[0] = left_bps;
            room.is_full(0)
        });
        assert_eq!(full, [true, false]);
    }

    #[test]
    fn a_bit_per_second_less_than_a_terabit_is_a_terabit() {
        assert_eq!([0.9, 1.1].map(|less_bps| has_its_demand(1e12 - less_bps, 1e12)), [true, false]);
    }
}
