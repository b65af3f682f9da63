//! Exact transmission times on a link.

use crate::{BitRate, Span};

const BIT_NANOS_PER_BYTE: u64 = 8 * 1_000_000_000;

/// Turns packet sizes into transmission times in whole nanoseconds and carries
/// the division's remainder, so that a link never drifts: after any number of
/// packets the sum of the spans is the exact time of their bytes, rounded down.
#[derive(Clone, Debug)]
pub struct Serialiser {
    rate_bps: u64,
    /// What rounding has dropped so far, in bit·ns/s; below `rate_bps`.
    remainder: u64,
    // The last size and its quotient and remainder: most packets have equal sizes.
    size_bytes: u32,
    quotient: u64,
    quotient_remainder: u64,
}

impl Serialiser {
    /// A serialiser for `rate`, which a scenario must have checked to be above zero.
    ///
    /// # Panics
    /// If `rate` is zero: nothing is ever sent at that rate.
    pub fn new(rate: BitRate) -> Self {
        assert!(rate > BitRate::ZERO, "a link or limiter needs a rate above zero");
        Self { rate_bps: rate.as_bps(), remainder: 0, size_bytes: 0, quotient: 0, quotient_remainder: 0 }
    }

    /// The rate.
    pub const fn rate(&self) -> BitRate {
        BitRate::from_bps(self.rate_bps)
    }

    /// The time that `size_bytes` take, given what earlier packets left over.
    #[inline(always)]
    pub fn transmit(&mut self, size_bytes: u32) -> Span {
        if size_bytes != self.size_bytes {
            self.learn(size_bytes);
        }
        let mut nanos = self.quotient;
        self.remainder += self.quotient_remainder;
        if self.remainder >= self.rate_bps {
            self.remainder -= self.rate_bps;
            nanos += 1;
        }
        Span::from_nanos(nanos)
    }

    #[inline(never)]
    fn learn(&mut self, size_bytes: u32) {
        // 4 GB of 8e9 bit·ns each overflow u64; anything up to 2.3 GB does not.
        let bit_nanos = u64::from(size_bytes) * BIT_NANOS_PER_BYTE;
        self.size_bytes = size_bytes;
        self.quotient = bit_nanos / self.rate_bps;
        self.quotient_remainder = bit_nanos % self.rate_bps;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_of_spans_is_exact_for_mixed_sizes() {
        let mut link = Serialiser::new(BitRate::from_mbps(622));
        let mut nanos = 0u128;
        let mut bytes = 0u128;
        for step in 0..100_000u32 {
            let size = 64 + (step * 7919) % 1500;
            nanos += u128::from(link.transmit(size).as_nanos());
            bytes += u128::from(size);
            assert_eq!(nanos, bytes * 8_000_000_000 / 622_000_000);
        }
    }

    #[test]
    fn one_second_of_equal_packets_ends_on_the_second() {
        let mut link = Serialiser::new(BitRate::from_mbps(622));
        let total: u64 = (0..77_750).map(|_| link.transmit(1_000).as_nanos()).sum();
        assert_eq!(total, 1_000_000_000);
    }
}
