//! Sizes in bytes.

use crate::{BitRate, Span};
use std::fmt;
use std::ops::{Add, Div};

/// A size in bytes (1 kB is 1,000 of them).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(u64);

impl Bytes {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// `bytes` bytes.
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// The number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The number of bits.
    pub const fn bits(self) -> u64 {
        self.0 * 8
    }
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// How long this many bytes take at a rate, rounded down to whole nanoseconds;
/// [`crate::Serialiser`] carries what rounding drops. A zero rate takes for ever.
impl Div<BitRate> for Bytes {
    type Output = Span;
    fn div(self, rate: BitRate) -> Span {
        const BIT_NANOS_PER_BYTE: u128 = 8_000_000_000;
        let bit_nanos = BIT_NANOS_PER_BYTE.saturating_mul(self.0.into());
        let nanos = bit_nanos.checked_div(u128::from(rate.as_bps())).unwrap_or(u128::MAX);
        Span::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_text())
    }
}
