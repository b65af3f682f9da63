//! From fair rates to the limits of a station's own traffic: by destination
//! ([dvsr] §II-B) or for the station and past the head ([rpr-enhanced-conservative] §III).

use super::allowed::{Allowed, AllowedByFlow};
use super::received::Received;
use super::rules::LocalRate;
use crate::ring::{RingAction, RingSite};

/// What the limits follow, once an aging interval.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<'a> {
    /// The station's own link, if it is congested and the station holds itself to it.
    pub local: Option<LocalRate>,
    /// The head downstream, if there is one.
    pub received: Option<&'a Received>,
    /// The station's own weight.
    pub weight: f64,
}

/// Limits of one kind.
pub trait Limits {
    /// Whether they are limits for the station altogether.
    const TOGETHER: bool;

    /// No limits yet: all of the unreserved rate is allowed.
    fn new(site: &RingSite, ramp_coef: f64) -> Self;

    /// The outgoing link carries more or less than before.
    fn follow(&mut self, site: &RingSite);

    /// An aging interval ends.
    fn age(&mut self, bounds: &Bounds<'_>);

    /// The next limit that this has changed.
    fn changed<M>(&mut self) -> Option<RingAction<M>>;

    /// Whether without bounds another aging interval changes nothing.
    fn are_at_rest(&self) -> bool;

    /// What the flow with this number may have, in bit/s.
    fn allowed_bps(&self, flow: usize) -> f64;

    /// What it may add past the head, in bit/s.
    fn allowed_beyond_bps(&self, head_hops: usize) -> f64;
}

/// One limit for each destination: that of the head if its link is on the way
/// there, that of the own link if it binds.
#[derive(Clone, Debug)]
pub struct PerDestination {
    hops: Vec<usize>,
    allowed: AllowedByFlow,
}

impl Limits for PerDestination {
    const TOGETHER: bool = false;

    fn new(site: &RingSite, ramp_coef: f64) -> Self {
        let hops = site.flows.iter().map(|flow| flow.hops).collect();
        Self { hops, allowed: AllowedByFlow::new(site, ramp_coef) }
    }

    fn follow(&mut self, site: &RingSite) {
        self.allowed.follow(site);
    }

    #[inline(always)]
    fn age(&mut self, bounds: &Bounds<'_>) {
        let local = bounds.local.map(|local| local.rate_bps);
        for (allowed, hops) in self.allowed.aging().zip(&self.hops) {
            let crossed = bounds.received.filter(|received| received.head_hops < *hops);
            let head = crossed.map(|received| received.rate_bps * bounds.weight);
            allowed.age(least(local, head));
        }
    }

    #[inline]
    fn changed<M>(&mut self) -> Option<RingAction<M>> {
        self.allowed.changed()
    }

    fn are_at_rest(&self) -> bool {
        self.allowed.are_at_rest()
    }

    fn allowed_bps(&self, flow: usize) -> f64 {
        self.allowed.rate_bps(flow)
    }

    fn allowed_beyond_bps(&self, head_hops: usize) -> f64 {
        let crossing = self.allowed.rates_bps().zip(&self.hops).filter(|(_, hops)| **hops > head_hops);
        crossing.map(|(rate_bps, _)| rate_bps).fold(f64::INFINITY, f64::min)
    }
}

/// AllowedRate for all that a station adds, AllowedRateCongested for what it adds
/// past the head of the congestion domain downstream.
#[derive(Clone, Debug)]
pub struct TwoLimits {
    station: Allowed,
    beyond: Allowed,
    /// Where the head is or last was.
    head_hops: usize,
    set_hops: usize,
    flow_hops: Vec<usize>,
    /// Aged, and nobody has asked since then what that changed.
    aged: bool,
}

impl Limits for TwoLimits {
    const TOGETHER: bool = true;

    fn new(site: &RingSite, ramp_coef: f64) -> Self {
        let allowed = Allowed::new(site, ramp_coef);
        let flow_hops = site.flows.iter().map(|flow| flow.hops).collect();
        Self { station: allowed, beyond: allowed, head_hops: 0, set_hops: 0, flow_hops, aged: false }
    }

    fn follow(&mut self, site: &RingSite) {
        self.station.follow(site);
        self.beyond.follow(site);
        self.aged = true;
    }

    #[inline]
    fn age(&mut self, bounds: &Bounds<'_>) {
        let local = bounds.local.map(|local| local.rate_bps);
        self.station.age(local);
        let head = bounds.received.map(|received| received.rate_bps * bounds.weight);
        self.beyond.age(head.map(|head| least(local, Some(head)).unwrap_or(head)));
        if let Some(received) = bounds.received {
            self.head_hops = received.head_hops;
        }
        self.aged = true;
    }

    #[inline]
    fn changed<M>(&mut self) -> Option<RingAction<M>> {
        if !self.aged {
            return None;
        }
        if let Some(rate) = self.station.changed() {
            return Some(RingAction::SetStationRate { rate });
        }
        self.aged = false;
        let moved = self.head_hops != self.set_hops;
        let rate = self.beyond.changed().or(moved.then_some(self.beyond.set()))?;
        self.set_hops = self.head_hops;
        Some(RingAction::SetBeyondRate { hops: self.head_hops, rate })
    }

    fn are_at_rest(&self) -> bool {
        self.station.is_at_rest() && self.beyond.is_at_rest() && self.head_hops == self.set_hops
    }

    fn allowed_bps(&self, flow: usize) -> f64 {
        let beyond = self.flow_hops[flow] > self.head_hops;
        if beyond { self.station.rate_bps().min(self.beyond.rate_bps()) } else { self.station.rate_bps() }
    }

    fn allowed_beyond_bps(&self, _head_hops: usize) -> f64 {
        self.station.rate_bps().min(self.beyond.rate_bps())
    }
}

fn least(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoMessage;
    use crate::frame::Address;
    use crate::ring::SiteFlow;
    use crate::ring::rpr::{Choke, FairnessFrame};
    use fairwire_core::{BitRate, Ringlet, StationId, Weight};

    /// Flows one, two and three links far; 640 Mb/s, of which 40 are reserved.
    fn site() -> RingSite {
        let flow = |hops: usize| SiteFlow { egress: StationId(hops as u16), hops, weight: Weight::ONE };
        RingSite {
            flows: (1..4).map(flow).collect(),
            reserved: BitRate::from_mbps(40),
            ..RingSite::bare(StationId(0), Ringlet::Zero, vec![BitRate::from_mbps(640); 6])
        }
    }

    /// A station of weight one, whose own link or one so many links away is congested.
    fn aged<L: Limits>(limits: &mut L, local: Option<f64>, head: Option<(usize, f64)>) -> Vec<RingAction<NoMessage>> {
        aged_at(1.0, limits, local, head)
    }

    fn aged_at<L: Limits>(
        weight: f64,
        limits: &mut L,
        local_mbps: Option<f64>,
        head: Option<(usize, f64)>,
    ) -> Vec<RingAction<NoMessage>> {
        let frame = FairnessFrame::new(Choke::Single, Ringlet::One, Address::BROADCAST, 0);
        let received = head.map(|(head_hops, mbps)| Received { rate_bps: mbps * 1e6, head_hops, frame });
        let local = local_mbps.map(|mbps| LocalRate { rate_bps: mbps * 1e6, congested: true });
        limits.age(&Bounds { local, received: received.as_ref(), weight });
        std::iter::from_fn(|| limits.changed()).collect()
    }

    fn set<M>(flow: usize, mbps: f64) -> RingAction<M> {
        RingAction::SetAddRate { flow, rate: BitRate::from_bps_f64(mbps * 1e6) }
    }

    #[test]
    fn a_destination_past_the_head_is_held_and_the_others_climb() {
        let mut limits = PerDestination::new(&site(), 64.0);
        let first = aged(&mut limits, None, Some((1, 60.0)));
        assert_eq!(first, [set(0, 600.0), set(1, 60.0), set(2, 60.0)], "the reservation binds at once");
        assert_eq!(aged(&mut limits, None, None), [set(1, 60.0 + 540.0 / 64.0), set(2, 60.0 + 540.0 / 64.0)]);
        assert_eq!(aged(&mut limits, Some(50.0), Some((2, 70.0))), [set(0, 50.0), set(1, 50.0), set(2, 50.0)]);
        assert_eq!(aged(&mut limits, Some(80.0), Some((2, 70.0))), [set(0, 80.0), set(1, 80.0), set(2, 70.0)]);
        assert_eq!(aged(&mut limits, Some(80.0), Some((2, 70.0))), [], "what is set stays");
        assert_eq!((limits.allowed_beyond_bps(2), limits.allowed_beyond_bps(3)), (70e6, f64::INFINITY));
    }

    /// AllowedRate and AllowedRateCongested ([rpr-enhanced-conservative] §III).
    #[test]
    fn a_station_has_two_limits() {
        let station = |mbps: f64| RingAction::SetStationRate { rate: BitRate::from_bps_f64(mbps * 1e6) };
        let beyond = |hops, mbps: f64| RingAction::SetBeyondRate { hops, rate: BitRate::from_bps_f64(mbps * 1e6) };
        let mut limits = TwoLimits::new(&site(), 64.0);
        assert_eq!(aged(&mut limits, None, None), [station(600.0), beyond(0, 600.0)]);
        assert_eq!(aged(&mut limits, None, Some((2, 60.0))), [beyond(2, 60.0)]);
        assert_eq!(aged(&mut limits, Some(50.0), Some((2, 60.0))), [station(50.0), beyond(2, 50.0)], "min(L, W A)");
        assert_eq!([0, 2].map(|flow| limits.allowed_bps(flow)), [50e6; 2]);
        let up = 50.0 + 550.0 / 64.0;
        assert_eq!(aged(&mut limits, None, Some((1, 50.0))), [station(up), beyond(1, 50.0)], "the head moves");
        assert_eq!([0, 1].map(|flow| limits.allowed_bps(flow)), [up * 1e6, 50e6]);
        assert_eq!(aged(&mut limits, Some(70.0), None), [station(70.0), beyond(1, up)]);
        assert_eq!(aged_at(3.0, &mut limits, None, Some((1, 20.0)))[1], beyond(1, 60.0), "A is per unit weight");
    }
}
