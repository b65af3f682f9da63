//! When each of many equal packets is over, without adding up those before it.

use std::num::NonZeroU64;

/// What the timetables of all packets of one size at one rate have in common, worked out once.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    packet_inverse: NonZeroU64,
    nano_inverse: NonZeroU64,
}

/// Equal packets one after the other, as a [`Serialiser`](crate::Serialiser) sends them from some time on: when the one
/// of any number ends, and which one is the first to end after some time.
///
/// All in whole numbers, in units of which a bit takes 10⁹ and a nanosecond as many as the rate has bit/s. What is divided by
/// is known beforehand, so that nothing is divided.
#[derive(Clone, Copy, Debug)]
pub struct Timetable {
    /// What earlier packets left over.
    begin: u64,
    /// What a packet takes.
    packet: Divisor,
    /// What a nanosecond has.
    nano: Divisor,
}

impl Pace {
    /// Of packets that take `packet` units of which a nanosecond has `nano`; none if either is less than two, which it
    /// is at 1 bit/s.
    pub(super) fn new(packet: u64, nano: u64) -> Option<Self> {
        Some(Self { packet_inverse: inverse(packet)?, nano_inverse: inverse(nano)? })
    }
}

impl Timetable {
    /// Of packets that take `packet` units of which a nanosecond has `nano`, of which this is the `pace`, after some that
    /// left `begin` units over.
    #[inline(always)]
    pub(super) fn new(begin: u64, packet: u64, nano: u64, pace: Pace) -> Self {
        let Pace { packet_inverse, nano_inverse } = pace;
        Self { begin, packet: Divisor::new(packet, packet_inverse), nano: Divisor::new(nano, nano_inverse) }
    }

    /// It tells of packets that end so many ns after the begin, and the next one.
    #[inline(always)]
    pub fn longest(&self) -> u64 {
        // It counts to 2⁶³ units, of which a nanosecond has less than twice two to the power of this.
        (u64::MAX / 2).saturating_sub(4 * self.packet.value.max(self.nano.value)) >> self.nano.log2 >> 1
    }

    /// When, in ns after the begin, as many `packets` have ended as this.
    #[inline(always)]
    pub fn end_of(&self, packets: u64) -> u64 {
        self.nano.divide(self.begin + packets * self.packet.value)
    }

    /// What is left over then.
    #[inline(always)]
    pub(super) fn left_over_after(&self, packets: u64) -> u64 {
        self.begin + packets * self.packet.value - self.end_of(packets) * self.nano.value
    }

    /// How many packets must be over, at least, so that the last one ends later than `span` after the begin, in ns.
    #[inline(always)]
    pub fn first_after(&self, span: u64) -> u64 {
        self.packet.divide((span + 1) * self.nano.value - self.begin + (self.packet.value - 1))
    }
}

/// A number that many are divided by.
#[derive(Clone, Copy, Debug)]
struct Divisor {
    value: u64,
    log2: u32,
    inverse: u64,
}

/// The logarithm of the largest power of two below `value`, which is two or more.
#[inline(always)]
fn log2_below(value: u64) -> u32 {
    (value - 1).ilog2()
}

/// 2⁶⁴ times the largest power of two below `value`, by `value`, rounded up, so that a product with it is too large by less
/// than a part in 2⁶³; none if `value` is less than two.
fn inverse(value: u64) -> Option<NonZeroU64> {
    let inverse = (value > 1).then(|| (1u128 << (64 + log2_below(value))).div_ceil(value.into()))?;
    NonZeroU64::new(inverse as u64)
}

impl Divisor {
    #[inline(always)]
    fn new(value: u64, inverse: NonZeroU64) -> Self {
        Self { value, log2: log2_below(value), inverse: inverse.get() }
    }

    /// `dividend`, which is below 2⁶³, by it, rounded down.
    #[inline(always)]
    fn divide(self, dividend: u64) -> u64 {
        ((u128::from(dividend) * u128::from(self.inverse)) >> 64) as u64 >> self.log2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BitRate, Serialiser};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_divides_as_division_does(dividend in 0..1u64 << 63, value in 2u64.., shift in 0u32..63) {
            for value in [value >> shift, 2 << shift, (2 << shift) - 1, (2 << shift) + 1].map(|value: u64| value.max(2)) {
                let divisor = Divisor::new(value, inverse(value).unwrap());
                let multiple = dividend / value * value;
                for dividend in [dividend, dividend >> shift, multiple, multiple.saturating_sub(1)] {
                    prop_assert_eq!(divisor.divide(dividend), dividend / value);
                }
            }
        }

        #[test]
        fn it_tells_what_the_serialiser_does(rate_bps in 2u64..1_000_000_000_000, first: u16, size in 1u16.., shift in 0u32..30) {
            let mut link = Serialiser::new(BitRate::from_bps((rate_bps >> shift).max(2)));
            link.transmit(first.into());
            let packets_ahead = link.packets_of(size.into());
            let table = packets_ahead.timetable(packets_ahead.pace().unwrap());
            let (mut end, mut before) = (0, None);
            for packets in 0..100 {
                if end > table.longest() {
                    break;
                }
                let (mut many, mut by_table) = (packets_ahead, packets_ahead);
                prop_assert_eq!((table.end_of(packets), many.transmit_many(packets)), (end, end));
                prop_assert_eq!(by_table.transmit_by(&table, packets), end);
                prop_assert_eq!(by_table.transmit(), many.transmit());
                for span in before.into_iter().chain(end.checked_sub(1)).filter(|span| before <= Some(*span) && *span < end) {
                    prop_assert_eq!(table.first_after(span), packets, "{} {:?}", span, before);
                }
                before = Some(end);
                end += link.transmit(size.into()).as_nanos();
            }
        }
    }
}
