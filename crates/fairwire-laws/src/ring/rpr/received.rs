//! What a station last heard from downstream.

use super::{Choke, FairnessFrame, RateCode};
use crate::ring::RingSite;
use fairwire_core::{Instant, Span};

/// A station from which nothing comes for so long is gone, and so is what it said:
/// fairness frames are the ring's sign of life (802.17 keepalive timeout).
const KEEPALIVE: Span = Span::from_millis(3);

/// A rate advertised by the head of a congestion domain downstream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Received {
    /// A, the rate per unit weight, in bit/s.
    pub rate_bps: f64,
    /// How many links away the head is: traffic that crosses more goes beyond it.
    pub head_hops: usize,
    /// The frame, to be passed on.
    pub frame: FairnessFrame,
}

/// The last advertisement, as long as it counts.
#[derive(Clone, Copy, Debug)]
pub struct Ear {
    received: Option<Received>,
    /// Until when it counts.
    until: Instant,
    lifetime: Span,
}

impl Ear {
    /// An ear that expects a frame every `advertising`.
    pub fn new(advertising: Span) -> Self {
        Self { received: None, until: Instant::ZERO, lifetime: KEEPALIVE.max(advertising * 4) }
    }

    /// A single-choke frame came up from the next station downstream. One without a
    /// rate, one of this station's own that has been all around, and one from
    /// nowhere on this ring say that nothing is congested.
    #[inline]
    pub fn hear(&mut self, now: Instant, frame: FairnessFrame, code: RateCode, site: &RingSite) {
        debug_assert!(frame.choke() == Choke::Single);
        self.until = now + self.lifetime;
        self.received = None;
        let Some(rate_bps) = code.decode(frame.fair_rate()) else { return };
        let head = frame.source().station().filter(|head| head.index() < site.stations() && *head != site.station);
        self.received = head.map(|head| Received { rate_bps, head_hops: site.hops_to(head), frame });
    }

    /// The station itself stood still for a `time` up to `now`: that nothing came meanwhile says nothing of the other.
    #[cold]
    pub fn excuse(&mut self, now: Instant, time: Span) {
        self.until = self.until.max((self.until + time).min(now + self.lifetime));
    }

    /// What has become too old by `now` counts no longer.
    #[inline]
    pub fn forget(&mut self, now: Instant) {
        if now > self.until {
            self.received = None;
        }
    }

    /// What counts, if anything does.
    #[inline]
    pub const fn received(&self) -> Option<&Received> {
        self.received.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Address;
    use crate::ring::rpr::FULL_RATE;
    use crate::ring::rpr::params::Encoding;
    use fairwire_core::{BitRate, Ringlet, StationId};

    /// Heard at 10 us; the station itself does nothing from 1 ms to 51 ms. Then the neighbour has the rest of its 3 ms.
    #[test]
    fn who_stood_still_waits_for_the_other_as_long_as_ever() {
        let site = RingSite::bare(StationId(1), Ringlet::Zero, vec![BitRate::from_mbps(622); 4]);
        let code = RateCode::new(Encoding::Standard, &site.capacities, Span::from_micros(100));
        let at = |us: u64| Instant::ZERO + Span::from_micros(us);
        let frame = FairnessFrame::new(Choke::Single, Ringlet::One, Address::of(StationId(3)), 9);
        let known_at = |heard: u64, looks: [u64; 2]| {
            let mut ear = Ear::new(Span::from_micros(100));
            ear.hear(at(heard), frame, code, &site);
            ear.excuse(at(51_000), Span::from_millis(50));
            looks.map(|us| {
                ear.forget(at(us));
                ear.received().is_some()
            })
        };
        assert_eq!(known_at(10, [53_010, 53_011]), [true, false]);
        assert_eq!(known_at(51_000, [54_000, 54_001]), [true, false], "heard as it went on: no longer than else");
    }

    #[test]
    fn only_rates_of_others_on_the_ring_count_and_not_for_ever() {
        let site = RingSite::bare(StationId(1), Ringlet::Zero, vec![BitRate::from_mbps(622); 4]);
        let code = RateCode::new(Encoding::Standard, &site.capacities, Span::from_micros(100));
        let mut ear = Ear::new(Span::from_micros(100));
        let mut hear = |us: u64, station: u16, rate: u16| {
            let at = Instant::ZERO + Span::from_micros(us);
            let source = Address::of(StationId(station));
            ear.hear(at, FairnessFrame::new(Choke::Single, Ringlet::One, source, rate), code, &site);
            [0, 3, 4].map(|ms| {
                ear.forget(at + Span::from_millis(ms));
                ear.received().map(|received| received.head_hops)
            })
        };
        assert_eq!(hear(10, 3, 9), [Some(2), Some(2), None]);
        assert_eq!(hear(20, 0, 9), [Some(3), Some(3), None]);
        assert_eq!(hear(30, 3, FULL_RATE), [None; 3]);
        assert_eq!(hear(40, 1, 9), [None; 3], "its own");
        assert_eq!(hear(50, 4, 9), [None; 3], "nowhere");
    }
}
