//! Bit rates: decimal bits per second.

use std::fmt;

/// A rate in bits per second (1 Mb/s is 1,000,000 of them).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitRate(u64);

impl BitRate {
    /// Nothing moves.
    pub const ZERO: Self = Self(0);

    /// A rate of `bps` bits per second.
    pub const fn from_bps(bps: u64) -> Self {
        Self(bps)
    }

    /// A rate of `mbps` megabits per second.
    pub const fn from_mbps(mbps: u64) -> Self {
        Self(mbps * 1_000_000)
    }

    /// The whole bits per second nearest to `bps` (negative and not-a-number give zero).
    #[inline]
    pub fn from_bps_f64(bps: f64) -> Self {
        // As `round` does, which is a call on many processors; of signed numbers, to which they convert in one step. What
        // is too large for them has no fraction.
        let below = bps.max(0.0) as i64;
        if below == i64::MAX {
            return Self(bps as u64);
        }
        Self(below as u64 + u64::from(bps - below as f64 >= 0.5))
    }

    /// Bits per second.
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// Bits per second as a real number.
    pub const fn as_bps_f64(self) -> f64 {
        self.0 as f64
    }

    /// This rate times `fraction`.
    pub fn scaled(self, fraction: f64) -> Self {
        Self::from_bps_f64(self.0 as f64 * fraction)
    }
}

impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_text())
    }
}
