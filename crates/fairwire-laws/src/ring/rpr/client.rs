//! A client that hears the multi-choke frames of all stations and holds back by
//! destination; the MAC itself knows only the most congested point downstream.

use super::allowed::AllowedByFlow;
use crate::ring::{RingAction, RingSite};
use fairwire_core::StationId;

/// Limits by destination from the rates of all links on the way.
#[derive(Clone, Debug)]
pub struct MultiChokeClient {
    /// What each station told last, per unit weight in bit/s.
    chokes: Vec<Option<f64>>,
    /// The stations downstream, nearest first.
    downstream: Vec<usize>,
    hops: Vec<usize>,
    allowed: AllowedByFlow,
    weight: f64,
}

impl MultiChokeClient {
    /// A client that has heard nothing yet.
    pub fn new(site: &RingSite, weight: f64, ramp_coef: f64) -> Self {
        Self {
            chokes: vec![None; site.stations()],
            downstream: (1..site.stations()).map(|hops| site.downstream(hops)).collect(),
            hops: site.flows.iter().map(|flow| flow.hops).collect(),
            allowed: AllowedByFlow::new(site, ramp_coef),
            weight,
        }
    }

    /// The outgoing link carries more or less than before, or the station weighs more or less.
    pub fn follow(&mut self, site: &RingSite, weight: f64) {
        self.weight = weight;
        self.allowed.follow(site);
    }

    /// `station` tells the fair rate of its link.
    pub fn hear(&mut self, station: StationId, rate_bps: Option<f64>) {
        if let Some(choke) = self.chokes.get_mut(station.index()) {
            *choke = rate_bps;
        }
    }

    /// An aging interval ends: each destination is held to the least of the links on
    /// its way beyond the own one, or climbs if none of them is congested.
    pub fn age(&mut self) {
        let (mut least, mut looked_at) = (f64::INFINITY, 1);
        // Flows come nearest first, so what is on the way to one is on the way to the next.
        for (allowed, hops) in self.allowed.aging().zip(&self.hops) {
            for hop in looked_at..*hops {
                least = least.min(self.chokes[self.downstream[hop - 1]].unwrap_or(f64::INFINITY));
            }
            looked_at = looked_at.max(*hops);
            allowed.age(least.is_finite().then_some(least * self.weight));
        }
    }

    /// The next limit that this has changed.
    pub fn changed<M>(&mut self) -> Option<RingAction<M>> {
        self.allowed.changed()
    }

    /// What the flow with this number may have, in bit/s.
    pub fn allowed_bps(&self, flow: usize) -> f64 {
        self.allowed.rate_bps(flow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoMessage;
    use crate::ring::SiteFlow;
    use fairwire_core::{BitRate, Ringlet, Weight};

    #[test]
    fn each_destination_has_the_least_of_its_way() {
        let flow = |hops: usize| SiteFlow { egress: StationId(hops as u16), hops, weight: Weight::ONE };
        let site = RingSite {
            flows: vec![flow(1), flow(3), flow(4)],
            ..RingSite::bare(StationId(0), Ringlet::Zero, vec![BitRate::from_mbps(640); 6])
        };
        let mut client = MultiChokeClient::new(&site, 2.0, 64.0);
        client.age();
        assert_eq!(client.changed::<NoMessage>(), None);
        client.hear(StationId(2), Some(100e6));
        client.hear(StationId(3), Some(30e6));
        client.hear(StationId(4), Some(1e6));
        client.hear(StationId(99), Some(1e6));
        client.age();
        assert_eq!([0, 1, 2].map(|flow| client.allowed_bps(flow) / 1e6), [640.0, 200.0, 60.0]);
        assert_eq!(std::iter::from_fn(|| client.changed::<NoMessage>()).count(), 2);
        client.hear(StationId(2), None);
        client.age();
        assert_eq!([0, 1, 2].map(|flow| client.allowed_bps(flow) / 1e6), [640.0, 200.0 + 440.0 / 64.0, 60.0]);
    }
}
