//! Where a law stands.

use super::SiteChange;
use fairwire_core::{BitRate, Bytes, Ringlet, Span, StationId, Weight};

/// Where a law stands: everything it may know of the ring before the run.
#[derive(Clone, Debug, PartialEq)]
pub struct RingSite {
    /// Its own station.
    pub station: StationId,
    /// The same as people number it. Where stations wrap, an open ring is one ringlet on which each
    /// stands twice, once for each ringlet it sends on, under a number of its own.
    pub home: StationId,
    /// The ringlet whose traffic it controls.
    pub ringlet: Ringlet,
    /// Capacity of each link of the ringlet, by the station that the link leaves.
    pub capacities: Vec<BitRate>,
    /// Weight of each station as an ingress.
    pub weights: Vec<Weight>,
    /// What the station is promised on every link that its flows cross.
    pub minimum: BitRate,
    /// The pairs whose fairness-eligible traffic enters the ringlet here: one for
    /// each egress, nearest first.
    pub flows: Vec<SiteFlow>,
    /// Propagation time of each link of the ringlet, by the station that the link leaves.
    pub delays: Vec<Span>,
    /// Rate reserved for class A0 on every link of the ringlet: nobody else may use it.
    pub reserved: BitRate,
    /// Whether the station's packets, past their limiters, may wait for the link: beside
    /// the transit queues until their turn comes, or until the queue they join has room.
    pub waits: bool,
    /// Room of the secondary transit queue, if the station has one.
    pub secondary_buffer: Option<Bytes>,
    /// Propagation time once around the ring.
    pub ring_time: Span,
    /// The largest packet that any station sends.
    pub max_packet: Bytes,
    /// Whether a frame that circulates is put on the ring here: at station 0, or,
    /// where the ring is open, at its downstream end.
    pub first: bool,
    /// Whether the ring is open here or elsewhere: what circulates turns round at its ends, so that it comes by on its
    /// way there and on its way back.
    pub open: bool,
}

impl RingSite {
    /// A station of a ring with these links, on which it has nothing to send yet:
    /// no propagation time, no reservation, equal weights, no promise, one transit queue.
    pub fn bare(station: StationId, ringlet: Ringlet, capacities: Vec<BitRate>) -> Self {
        let links = capacities.len();
        Self {
            station,
            home: station,
            ringlet,
            capacities,
            weights: vec![Weight::ONE; links],
            minimum: BitRate::ZERO,
            flows: Vec::new(),
            delays: vec![Span::ZERO; links],
            reserved: BitRate::ZERO,
            waits: false,
            secondary_buffer: None,
            ring_time: Span::ZERO,
            max_packet: Bytes::new(1_500),
            first: station.index() == 0,
            open: false,
        }
    }

    /// The site as it is after `change`. What names a station that is not there changes nothing.
    pub fn apply(&mut self, change: SiteChange) {
        match change {
            SiteChange::Capacity { link, capacity } => {
                if let Some(known) = self.capacities.get_mut(link.index()) {
                    *known = capacity;
                }
            }
            SiteChange::Weight { station, weight } => {
                if let Some(known) = self.weights.get_mut(station.index()) {
                    *known = weight;
                }
            }
            SiteChange::Minimum { minimum } => self.minimum = minimum,
        }
    }

    /// The number of stations on the ring.
    pub fn stations(&self) -> usize {
        self.capacities.len()
    }

    /// The station `hops` links downstream, which is also the number of the link leaving it.
    #[inline]
    pub fn downstream(&self, hops: usize) -> usize {
        let (here, stations) = (self.station.index(), self.stations());
        // Hardly ever once around: a division for every look would cost more than the look.
        let hops = if hops < stations { hops } else { hops % stations };
        match self.ringlet {
            Ringlet::Zero if here + hops < stations => here + hops,
            Ringlet::Zero => here + hops - stations,
            Ringlet::One if here >= hops => here - hops,
            Ringlet::One => here + stations - hops,
        }
    }

    /// How many links away `station` is, downstream.
    pub fn hops_to(&self, station: StationId) -> usize {
        self.ringlet.hops(self.station.index(), station.index(), self.stations())
    }

    /// Capacity of the outgoing link.
    pub fn capacity(&self) -> BitRate {
        self.capacities[self.station.index()]
    }

    /// What of the outgoing link is not reserved for class A0.
    pub fn unreserved(&self) -> BitRate {
        BitRate::from_bps(self.capacity().as_bps().saturating_sub(self.reserved.as_bps()))
    }

    /// The weights of all stations in units of the least, so that a rate per unit
    /// of weight is never more than a link carries.
    pub fn weights_in_units_of_the_least(&self) -> Vec<Weight> {
        let least = self.weights.iter().map(|weight| weight.get()).fold(f64::INFINITY, f64::min);
        self.weights.iter().map(|weight| Weight::new(weight.get() / least).unwrap_or(*weight)).collect()
    }

    /// The station's own weight as an ingress.
    pub fn weight(&self) -> Weight {
        self.weights[self.station.index()]
    }
}

/// All traffic from the law's station to one egress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiteFlow {
    /// Where it leaves the ring.
    pub egress: StationId,
    /// How many links it crosses; the first is the station's own outgoing link.
    pub hops: usize,
    /// Its weight among the flows of the same station.
    pub weight: Weight,
}
