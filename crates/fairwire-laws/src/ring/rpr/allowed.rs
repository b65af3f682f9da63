//! What a station's own traffic is allowed, as it falls and climbs.

use super::divisor::Divisor;
use crate::ring::{RingAction, RingSite};
use fairwire_core::BitRate;

/// A limit that falls at once and climbs slowly, and what was last set of it.
#[derive(Clone, Copy, Debug)]
pub struct Allowed {
    rate_bps: f64,
    unreserved_bps: f64,
    ramp_coef: Divisor,
    capacity: BitRate,
    set: BitRate,
    /// From which `set` was found.
    looked_at_bps: f64,
}

/// No rate that is ever set.
const UNTOLD: BitRate = BitRate::from_bps(u64::MAX);

impl Allowed {
    /// All of the unreserved rate; a station is not told of a limit as high as its link.
    pub fn new(site: &RingSite, ramp_coef: f64) -> Self {
        let unreserved_bps = site.unreserved().as_bps_f64();
        let capacity = site.capacity();
        let ramp_coef = Divisor::new(ramp_coef);
        Self { rate_bps: unreserved_bps, unreserved_bps, ramp_coef, capacity, set: capacity, looked_at_bps: f64::NAN }
    }

    /// The outgoing link carries more or less than before. What was set may not hold any more.
    pub fn follow(&mut self, site: &RingSite) {
        self.unreserved_bps = site.unreserved().as_bps_f64();
        if self.capacity != site.capacity() {
            (self.capacity, self.set) = (site.capacity(), UNTOLD);
        }
        self.rate_bps = self.rate_bps.min(self.unreserved_bps);
        self.looked_at_bps = f64::NAN;
    }

    /// Held to `bound`, or without one nearer to the unreserved rate by one part in rampcoef.
    #[inline]
    pub fn age(&mut self, bound: Option<f64>) {
        self.rate_bps = match bound {
            Some(bound) => bound.clamp(0.0, self.unreserved_bps),
            None => self.rate_bps + self.ramp_coef.divide(self.unreserved_bps - self.rate_bps),
        };
    }

    /// The rate to be set, if it is another than before.
    #[inline]
    pub fn changed(&mut self) -> Option<BitRate> {
        if self.rate_bps == self.looked_at_bps {
            return None;
        }
        self.looked_at_bps = self.rate_bps;
        let rate = BitRate::from_bps_f64(self.rate_bps).min(self.capacity);
        let changed = rate != self.set;
        self.set = rate;
        changed.then_some(rate)
    }

    /// The rate that was last to be set.
    pub const fn set(&self) -> BitRate {
        self.set
    }

    /// Whether all that can be is allowed, and that was set.
    pub fn is_at_rest(&self) -> bool {
        self.rate_bps == self.unreserved_bps && self.looked_at_bps == self.rate_bps
    }

    /// What is allowed now.
    #[inline]
    pub const fn rate_bps(&self) -> f64 {
        self.rate_bps
    }
}

/// One limit for each of the station's flows.
#[derive(Clone, Debug)]
pub struct AllowedByFlow {
    flows: Vec<Allowed>,
    /// Those from here on may have changed.
    unasked: usize,
}

impl AllowedByFlow {
    /// All of the unreserved rate for each.
    pub fn new(site: &RingSite, ramp_coef: f64) -> Self {
        let flows = vec![Allowed::new(site, ramp_coef); site.flows.len()];
        Self { unasked: flows.len(), flows }
    }

    /// The outgoing link carries more or less than before.
    pub fn follow(&mut self, site: &RingSite) {
        self.flows.iter_mut().for_each(|allowed| allowed.follow(site));
        self.unasked = 0;
    }

    /// Each, to be aged.
    #[inline]
    pub fn aging(&mut self) -> impl Iterator<Item = &mut Allowed> {
        self.unasked = 0;
        self.flows.iter_mut()
    }

    /// The next one to be set to another rate than before.
    #[inline]
    pub fn changed<M>(&mut self) -> Option<RingAction<M>> {
        while let Some(allowed) = self.flows.get_mut(self.unasked) {
            let flow = self.unasked;
            self.unasked += 1;
            if let Some(rate) = allowed.changed() {
                return Some(RingAction::SetAddRate { flow, rate });
            }
        }
        None
    }

    /// Whether all that can be is allowed each, and that was set.
    pub fn are_at_rest(&self) -> bool {
        self.flows.iter().all(Allowed::is_at_rest)
    }

    /// What the flow with this number is allowed, in bit/s.
    pub fn rate_bps(&self, flow: usize) -> f64 {
        self.flows[flow].rate_bps()
    }

    /// The same of all of them.
    #[inline]
    pub fn rates_bps(&self) -> impl Iterator<Item = f64> {
        self.flows.iter().map(Allowed::rate_bps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoMessage;
    use crate::ring::SiteFlow;
    use fairwire_core::{Ringlet, StationId, Weight};

    /// Two flows; 640 Mb/s, of which 40 are reserved.
    fn site() -> RingSite {
        let flow = |hops: usize| SiteFlow { egress: StationId(hops as u16), hops, weight: Weight::ONE };
        RingSite {
            flows: vec![flow(1), flow(2)],
            reserved: BitRate::from_mbps(40),
            ..RingSite::bare(StationId(0), Ringlet::Zero, vec![BitRate::from_mbps(640); 6])
        }
    }

    #[test]
    fn climbing_ends_at_the_unreserved_rate() {
        let mut allowed = Allowed::new(&site(), 64.0);
        allowed.age(Some(0.0));
        assert_eq!(allowed.changed(), Some(BitRate::ZERO));
        (0..3_000).for_each(|_| allowed.age(None));
        assert_eq!(allowed.changed(), Some(BitRate::from_mbps(600)));
        allowed.age(Some(1e12));
        assert_eq!((allowed.changed(), allowed.rate_bps()), (None, 600e6));
    }

    #[test]
    fn each_change_is_told_once_and_none_before_something_has_aged() {
        let mut allowed = AllowedByFlow::new(&site(), 64.0);
        let changed = |allowed: &mut AllowedByFlow| -> Vec<RingAction<NoMessage>> {
            std::iter::from_fn(|| allowed.changed()).collect()
        };
        let set = |flow, mbps| RingAction::SetAddRate { flow, rate: BitRate::from_mbps(mbps) };
        assert_eq!(changed(&mut allowed), []);
        allowed.aging().for_each(|allowed| allowed.age(Some(5e6)));
        assert_eq!(changed(&mut allowed), [set(0, 5), set(1, 5)]);
        assert_eq!(changed(&mut allowed), []);
        allowed.aging().zip([5e6, 6e6]).for_each(|(allowed, bound)| allowed.age(Some(bound)));
        assert_eq!(changed(&mut allowed), [set(1, 6)]);
    }
}
