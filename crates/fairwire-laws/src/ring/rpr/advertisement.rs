//! What a station tells the next one upstream.

use super::meter::Sample;
use super::params::Contributes;
use super::received::Received;

/// What a station tells upstream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Advertisement {
    /// The fair rate of its own link per unit weight, in bit/s: it is the head.
    Own(f64),
    /// What it received: the head is farther downstream.
    PassOn,
    /// No limit: nobody upstream contributes to any congestion. If it received a
    /// rate itself, it is the tail of that congestion domain.
    Full,
}

/// What the choice depends on.
#[derive(Clone, Copy, Debug)]
pub struct Grounds {
    /// L/W of the own link if that is congested, in bit/s.
    pub own_bps: Option<f64>,
    /// The rate that came from downstream, in bit/s.
    pub received_bps: Option<f64>,
    /// Whether upstream stations contribute to the congestion told of there.
    pub contributing: bool,
    /// Whether a congested station passes a lower rate on even if they do not
    /// ([dvsr] §II-B: the minimum of both); else it tells its own.
    pub minimum: bool,
}

/// The choice ([dvsr] §II-B, [rpr-enhanced-conservative] §III).
#[inline]
pub fn choose(grounds: &Grounds) -> Advertisement {
    let lower = grounds.received_bps.is_some_and(|received| grounds.own_bps.is_none_or(|own| received <= own));
    match grounds.own_bps {
        Some(_) if lower && (grounds.contributing || grounds.minimum) => Advertisement::PassOn,
        Some(own) => Advertisement::Own(own),
        None if lower && grounds.contributing => Advertisement::PassOn,
        None => Advertisement::Full,
    }
}

impl Contributes {
    /// Whether upstream stations contribute to what `received` tells of, by what was measured here and by what the
    /// station itself may add past the head, in bit/s.
    #[inline]
    pub fn judge(self, received: &Received, sample: &Sample, allowed_beyond_bps: impl FnOnce() -> f64) -> bool {
        match self {
            Self::Forwards => sample.farthest_hops > received.head_hops,
            Self::ForwardRate => sample.lp_forward_bps > received.rate_bps,
            Self::ForwardRateBeyond => sample.lp_forward_beyond_bps > allowed_beyond_bps(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Address;
    use crate::ring::rpr::{Choke, FairnessFrame};
    use fairwire_core::Ringlet;

    fn received(rate_bps: f64) -> Received {
        let frame = FairnessFrame::new(Choke::Single, Ringlet::One, Address::BROADCAST, 0);
        Received { rate_bps, head_hops: 1, frame }
    }

    #[test]
    fn the_head_tells_its_own_the_middle_passes_on_the_tail_tells_nothing() {
        let told = |own_bps, received_bps, contributing, minimum| {
            choose(&Grounds { own_bps, received_bps, contributing, minimum })
        };
        let (own, pass, full) = (Advertisement::Own(5.0), Advertisement::PassOn, Advertisement::Full);
        for minimum in [false, true] {
            assert_eq!(told(Some(5.0), None, false, minimum), own);
            assert_eq!(told(Some(5.0), Some(6.0), true, minimum), own, "the lower one");
            assert_eq!(told(Some(5.0), Some(4.0), true, minimum), pass);
            assert_eq!(told(None, Some(4.0), true, minimum), pass);
            assert_eq!(told(None, Some(4.0), false, minimum), full);
            assert_eq!(told(None, None, true, minimum), full);
        }
        assert_eq!(told(Some(5.0), Some(4.0), false, false), own, "who leaves before the head is held to this link");
        assert_eq!(told(Some(5.0), Some(4.0), false, true), pass);
    }

    #[test]
    fn three_ways_to_tell_who_contributes() {
        let sample =
            Sample { lp_forward_bps: 50.0, lp_forward_beyond_bps: 30.0, farthest_hops: 2, ..Default::default() };
        let judge = |way: Contributes, rate, sample, allowed| way.judge(&received(rate), &sample, || allowed);
        assert!(judge(Contributes::Forwards, 100.0, sample, 30.0));
        assert!(!judge(Contributes::Forwards, 1.0, Sample { farthest_hops: 1, ..sample }, 30.0), "to the head");
        assert!(judge(Contributes::ForwardRate, 49.0, sample, 30.0));
        assert!(!judge(Contributes::ForwardRate, 50.0, sample, 30.0));
        assert!(!judge(Contributes::ForwardRateBeyond, 1.0, sample, 30.0));
        assert!(judge(Contributes::ForwardRateBeyond, 1.0, sample, 29.0));
    }
}
