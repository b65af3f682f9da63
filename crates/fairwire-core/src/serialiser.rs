//! Exact transmission times on a link.

use crate::{BitRate, Span};

const BIT_NANOS_PER_BYTE: u64 = 8 * 1_000_000_000;

/// So many packets are sooner added up one by one than worked out by a division.
const FEW: u64 = 8;

/// Turns packet sizes into transmission times in whole nanoseconds and carries
/// the division's remainder, so that a link never drifts: after any number of
/// packets the sum of the spans is the exact time of their bytes, rounded down.
#[derive(Clone, Debug)]
pub struct Serialiser {
    rate_bps: u64,
    /// What rounding has dropped so far, in bit·ns/s; below `rate_bps`.
    remainder: u64,
    /// Of the last size: most packets have equal sizes.
    cost: Cost,
    /// Of the size before: control messages of one size come between packets of another.
    other: Cost,
}

/// What a packet of some size costs: the quotient and the remainder of its bit·ns by the rate.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    size_bytes: u32,
    quotient: u64,
    remainder: u64,
}

impl Serialiser {
    /// A serialiser for `rate`, which a scenario must have checked to be above zero.
    ///
    /// # Panics
    /// If `rate` is zero: nothing is ever sent at that rate.
    pub fn new(rate: BitRate) -> Self {
        assert!(rate > BitRate::ZERO, "a link or limiter needs a rate above zero");
        Self { rate_bps: rate.as_bps(), remainder: 0, cost: Cost::default(), other: Cost::default() }
    }

    /// The rate.
    pub const fn rate(&self) -> BitRate {
        BitRate::from_bps(self.rate_bps)
    }

    /// The time that `size_bytes` take, given what earlier packets left over.
    #[inline(always)]
    pub fn transmit(&mut self, size_bytes: u32) -> Span {
        self.expect(size_bytes);
        self.transmit_expected()
    }

    #[inline(always)]
    fn expect(&mut self, size_bytes: u32) {
        if size_bytes != self.cost.size_bytes {
            self.expect_another(size_bytes);
        }
    }

    #[inline(never)]
    fn expect_another(&mut self, size_bytes: u32) {
        std::mem::swap(&mut self.cost, &mut self.other);
        if size_bytes != self.cost.size_bytes {
            self.cost = Cost::new(size_bytes, self.rate_bps);
        }
    }

    #[inline(always)]
    fn transmit_expected(&mut self) -> Span {
        let remainder = self.remainder + self.cost.remainder;
        let carry = remainder >= self.rate_bps;
        // Nobody could predict a branch on it.
        self.remainder = remainder - u64::from(carry) * self.rate_bps;
        Span::from_nanos(self.cost.quotient + u64::from(carry))
    }

    /// As many packets of `size_bytes` one after the other as together take
    /// `at_least` or more, and the time that they take.
    #[inline(always)]
    pub fn transmit_for(&mut self, at_least: Span, size_bytes: u32) -> (u64, Span) {
        self.expect(size_bytes);
        if at_least.as_nanos() > FEW * self.cost.quotient {
            return self.work_out(at_least, size_bytes);
        }
        let (mut packets, mut time) = (0, Span::ZERO);
        while time < at_least {
            time = time + self.transmit_expected();
            packets += 1;
        }
        (packets, time)
    }

    /// As [`Serialiser::transmit_for`], in one step.
    #[inline(never)]
    fn work_out(&mut self, at_least: Span, size_bytes: u32) -> (u64, Span) {
        let packet = u128::from(size_bytes) * u128::from(BIT_NANOS_PER_BYTE);
        let (rate, carried) = (u128::from(self.rate_bps), u128::from(self.remainder));
        let packets = (u128::from(at_least.as_nanos()) * rate).saturating_sub(carried).div_ceil(packet);
        let total = carried + packets * packet;
        self.remainder = (total % rate) as u64;
        (packets as u64, Span::from_nanos((total / rate) as u64))
    }
}

impl Cost {
    fn new(size_bytes: u32, rate_bps: u64) -> Self {
        // 4 GB of 8e9 bit·ns each overflow u64; anything up to 2.3 GB does not.
        let bit_nanos = u64::from(size_bytes) * BIT_NANOS_PER_BYTE;
        Self { size_bytes, quotient: bit_nanos / rate_bps, remainder: bit_nanos % rate_bps }
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

    #[test]
    fn many_packets_at_once_take_what_they_take_one_by_one() {
        for rate_bps in [1, 7, 8_000_000_000, 37_000_000, 622_000_000, 999_999_999_999] {
            let mut link = Serialiser::new(BitRate::from_bps(rate_bps));
            for step in 0..2_000u32 {
                let size = 1 + (step * 7919) % 1500;
                let at_least = Span::from_nanos(u64::from(step * 104_729 % 1_000_003));
                let mut slow = link.clone();
                let (packets, time) = link.transmit_for(at_least, size);
                let mut slow_packets = 0;
                let mut slow_time = Span::ZERO;
                while slow_time < at_least && slow_packets <= packets {
                    slow_time = slow_time + slow.transmit(size);
                    slow_packets += 1;
                }
                assert_eq!((packets, time, link.remainder), (slow_packets, slow_time, slow.remainder));
            }
        }
    }
}
