//! How a station shares what each link grants it among its own flows
//! ([dvsr] §V-A3, eq. (9) and footnote 7).
//!
//! The routes of a station's flows nest: a nearer egress's route begins a
//! farther one's. Link `h` below is the one `h` hops downstream.

use crate::ring::filling::{Room, equal_parts, fill, has_its_demand};
use crate::ring::{RingSite, SiteFlow};
use fairwire_core::Weight;

/// What a station shares among its flows.
#[derive(Clone, Debug)]
pub struct Shares {
    /// Weight of the station.
    weight: f64,
    /// The links that its flows cross, nearest first: the number of each and its capacity in bit/s.
    links: Vec<(usize, f64)>,
    /// Scratch.
    room: Room,
    parts: Vec<f64>,
}

impl Shares {
    /// Those of the station at `site`, of this weight in units of the least on the ring.
    pub fn new(site: &RingSite, weight: Weight) -> Self {
        let longest = site.flows.iter().map(|flow| flow.hops).max().unwrap_or(0);
        let link = |number: usize| (number, site.capacities[number].as_bps_f64());
        let links: Vec<_> = (0..longest).map(|h| link(site.downstream(h))).collect();
        Self {
            weight: weight.get(),
            room: Room::on(links.iter().map(|(_, capacity_bps)| *capacity_bps)),
            links,
            parts: vec![0.0; site.flows.len()],
        }
    }

    /// The links that the station's flows cross, nearest first, by number.
    pub fn links(&self) -> impl Iterator<Item = usize> {
        self.links.iter().map(|(number, _)| *number)
    }

    /// What the station may put on each of the first `hops` links, in bit/s: its weight times the
    /// link's fair rate per unit weight, never more than the link.
    fn budgets_bps(&self, fractions: &[f64], hops: usize) -> impl Iterator<Item = f64> {
        self.links[..hops]
            .iter()
            .map(|&(number, capacity_bps)| (fractions[number] * self.weight).min(1.0) * capacity_bps)
    }

    fn find_room(&mut self, fractions: &[f64]) {
        let mut left = std::mem::take(&mut self.room.left);
        left.clear();
        left.extend(self.budgets_bps(fractions, self.links.len()));
        self.room.left = left;
    }

    /// Eq. (9), its parentheses put right: on each link equal parts for all own flows that cross
    /// it (by their weights), and for a flow the least of its links.
    pub fn equal(&mut self, flows: &[SiteFlow], fractions: &[f64], limits: &mut [f64]) {
        self.find_room(fractions);
        equal_parts(flows, &self.room.left, limits);
    }

    /// Progressive filling: raise all own flows together (by their weights) until
    /// one has its demand or a link's budget is used up, freeze those concerned, go
    /// on with the rest. A flow that got its demand is then allowed whatever its
    /// links have left, or its equal part if that is more, so that it may grow before
    /// the next frame tells: at a limit of what it had, a flow of a packet now and
    /// then would queue up and seem to want everything.
    pub fn by_demand(&mut self, flows: &[SiteFlow], fractions: &[f64], demands: &[f64], limits: &mut [f64]) {
        if let ([flow], [limit]) = (flows, &mut *limits) {
            *limit = self.budgets_bps(fractions, flow.hops).fold(f64::INFINITY, f64::min);
            return;
        }
        self.find_room(fractions);
        equal_parts(flows, &self.room.left, &mut self.parts);
        fill(flows, &mut self.room, demands, limits);
        for (flow, site_flow) in flows.iter().enumerate() {
            if has_its_demand(limits[flow], demands[flow]) {
                limits[flow] = (limits[flow] + self.room.along(site_flow.hops)).max(self.parts[flow]);
            }
        }
    }
}

#[cfg(test)]
mod tests;
