//! Exact transmission times on a link.

use crate::{BitRate, Pace, Span, Timetable};
use std::hint::select_unpredictable;

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
    /// What the remainder lacks to a nanosecond: where as much was left over, one is carried.
    to_carry: u64,
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
        let mut packets = self.packets_expected();
        let time = packets.transmit();
        self.resume(packets);
        Span::from_nanos(time)
    }

    /// Packets of `size_bytes`, one after the other from here on. [`Serialiser::resume`] tells how far they went.
    #[inline(always)]
    pub fn packets_of(&mut self, size_bytes: u32) -> EqualPackets {
        self.expect(size_bytes);
        self.packets_expected()
    }

    #[inline(always)]
    fn packets_expected(&self) -> EqualPackets {
        let Cost { quotient, remainder, to_carry, .. } = self.cost;
        EqualPackets { left_over: self.remainder, quotient, remainder, to_carry }
    }

    /// Goes on after `packets`, which began here.
    #[inline(always)]
    pub fn resume(&mut self, packets: EqualPackets) {
        self.remainder = packets.left_over;
    }
}

/// The transmission times of equal packets: what a [`Serialiser`] must know of them, which fits into
/// registers.
#[derive(Clone, Copy, Debug)]
pub struct EqualPackets {
    left_over: u64,
    quotient: u64,
    remainder: u64,
    /// As in [`Cost`].
    to_carry: u64,
}

impl EqualPackets {
    /// The time that the next one takes, in ns, given what earlier packets left over.
    #[inline(always)]
    pub fn transmit(&mut self) -> u64 {
        let (carried, lacks) = self.left_over.overflowing_sub(self.to_carry);
        // Whoever comes next waits for one of them, so both are worked out.
        self.left_over = select_unpredictable(lacks, self.left_over + self.remainder, carried);
        self.quotient + u64::from(!lacks)
    }

    /// The longest time that one of them takes, in ns.
    pub fn longest(&self) -> u64 {
        self.quotient + u64::from(self.remainder > 0)
    }

    /// What it takes to make timetables of them; none at 1 bit/s.
    pub fn pace(&self) -> Option<Pace> {
        Pace::new(self.packet_units(), self.nano_units())
    }

    /// When each of them, of which this is the `pace`, is over.
    #[inline(always)]
    pub fn timetable(&self, pace: Pace) -> Timetable {
        Timetable::new(self.left_over, self.packet_units(), self.nano_units(), pace)
    }

    /// What one packet takes, in bit·ns/s.
    #[inline(always)]
    fn packet_units(&self) -> u64 {
        self.quotient * self.nano_units() + self.remainder
    }

    /// What the link carries in one nanosecond, in bit·ns/s: its rate in bit/s.
    #[inline(always)]
    fn nano_units(&self) -> u64 {
        self.remainder + self.to_carry
    }

    /// As [`EqualPackets::transmit_many`], of packets that this is the `timetable` of.
    #[inline(always)]
    pub fn transmit_by(&mut self, timetable: &Timetable, packets: u64) -> u64 {
        self.left_over = timetable.left_over_after(packets);
        timetable.end_of(packets)
    }

    /// The time that the next `packets` take together, in ns.
    pub fn transmit_many(&mut self, packets: u64) -> u64 {
        let (rate, left_over) = (u128::from(self.nano_units()), u128::from(self.left_over));
        let fractions = left_over + u128::from(packets) * u128::from(self.remainder);
        self.left_over = (fractions % rate) as u64;
        packets * self.quotient + (fractions / rate) as u64
    }

    /// As many as together take more than `span`, in ns, and the time that they take.
    #[inline(always)]
    pub fn transmit_past(&mut self, span: u64) -> (u64, u64) {
        if span >= FEW * self.quotient {
            let (after, packets, time) = self.work_out(span);
            *self = after;
            return (packets, time);
        }
        let (mut packets, mut time) = (0, 0);
        while time <= span {
            time += self.transmit();
            packets += 1;
        }
        (packets, time)
    }

    /// The same in one step; on a copy, as what is lent to a call does not stay in registers.
    #[inline(never)]
    fn work_out(self, span: u64) -> (Self, u64, u64) {
        let (rate, left_over) = (u128::from(self.nano_units()), u128::from(self.left_over));
        let packet = u128::from(self.quotient) * rate + u128::from(self.remainder);
        let packets = ((u128::from(span) + 1) * rate).saturating_sub(left_over).div_ceil(packet);
        let total = left_over + packets * packet;
        let after = Self { left_over: (total % rate) as u64, ..self };
        (after, packets as u64, (total / rate) as u64)
    }
}

impl Cost {
    fn new(size_bytes: u32, rate_bps: u64) -> Self {
        // 4 GB of 8e9 bit·ns each overflow u64; anything up to 2.3 GB does not.
        let bit_nanos = u64::from(size_bytes) * BIT_NANOS_PER_BYTE;
        let (quotient, remainder) = (bit_nanos / rate_bps, bit_nanos % rate_bps);
        Self { size_bytes, quotient, remainder, to_carry: rate_bps - remainder }
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
                let span = u64::from(step * 104_729 % 1_000_003);
                let mut slow = link.clone();
                let mut packets = link.packets_of(size);
                let (count, time) = packets.transmit_past(span);
                link.resume(packets);
                let (mut slow_count, mut slow_time) = (0, 0);
                while slow_time <= span && slow_count <= count {
                    slow_time += slow.transmit(size).as_nanos();
                    slow_count += 1;
                }
                assert_eq!((count, time, link.remainder), (slow_count, slow_time, slow.remainder));
            }
        }
    }
}
