//! Packets that nobody acknowledges: when they arise, and how large they are.

use fairwire_core::{BitRate, Span};
use std::ops::RangeInclusive;

/// Datagrams.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traffic {
    /// When packets arise.
    pub arrivals: Arrivals,
    /// Mean size of a packet in bytes, at least 1.
    pub packet_bytes: u16,
    /// Sizes are uniform in ± this fraction of the mean, from 0 to below 1.
    pub size_jitter: f64,
}

/// When packets arise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrivals {
    /// Whenever the station may send: demand without end. Where it shares a
    /// queue with others it offers the link's rate instead.
    Greedy,
    /// At a constant rate; each interval is uniform in ± `jitter` of its length.
    Cbr {
        /// Mean rate.
        rate: BitRate,
        /// From 0 to 1.
        jitter: f64,
    },
    /// A Poisson process.
    Poisson {
        /// Mean rate.
        rate: BitRate,
    },
    /// On and off in turn, both lengths Pareto; constant `peak` while on.
    ParetoOnOff {
        /// Rate while on.
        peak: BitRate,
        /// Mean length of an on period.
        mean_on: Span,
        /// Mean length of an off period.
        mean_off: Span,
        /// Shape of both distributions, above 1.
        shape: f64,
    },
}

impl Arrivals {
    /// Rate while it is not silent; none for demand without end.
    pub(super) fn peak_rate(&self) -> Option<BitRate> {
        match *self {
            Self::Greedy => None,
            Self::Cbr { rate, .. } | Self::Poisson { rate } | Self::ParetoOnOff { peak: rate, .. } => Some(rate),
        }
    }

    /// Mean rate while the flow is active; none for demand without end.
    pub fn mean_rate(&self) -> Option<BitRate> {
        match *self {
            Self::Greedy => None,
            Self::Cbr { rate, .. } | Self::Poisson { rate } => Some(rate),
            Self::ParetoOnOff { peak, mean_on, mean_off, .. } => {
                let cycle = (mean_on + mean_off).as_nanos() as f64;
                Some(peak.scaled(mean_on.as_nanos() as f64 / cycle))
            }
        }
    }
}

impl Traffic {
    /// The sizes of packets in bytes, from the least to the greatest.
    pub fn sizes(&self) -> RangeInclusive<u16> {
        let swing = (f64::from(self.packet_bytes) * self.size_jitter) as u16;
        (self.packet_bytes - swing).max(1)..=self.packet_bytes + swing
    }

    /// What is out of range, if anything is.
    pub(super) fn problem(&self) -> Option<&'static str> {
        if self.packet_bytes == 0 || !(0.0..1.0).contains(&self.size_jitter) {
            return Some("packets need at least one byte and a size jitter from 0 to below 1");
        }
        if f64::from(self.packet_bytes) * (1.0 + self.size_jitter) > f64::from(u16::MAX) {
            return Some("packets of more than 65535 bytes");
        }
        match self.arrivals {
            Arrivals::Cbr { jitter, .. } if !(0.0..=1.0).contains(&jitter) => Some("interval jitter goes from 0 to 1"),
            Arrivals::ParetoOnOff { shape, mean_on, .. }
                if !(shape > 1.0 && shape.is_finite()) || mean_on == Span::ZERO =>
            {
                Some("a Pareto source needs a finite shape above 1 and a mean on-time above zero")
            }
            arrivals if arrivals.mean_rate() == Some(BitRate::ZERO) => Some("it offers nothing"),
            _ => None,
        }
    }
}
