//! A token bucket that several queues may draw from.
//!
//! Like the limiter of a merged queue it is kept as the instant at which it
//! would have been empty, but in fractions of a nanosecond, so that asking when
//! it covers a packet changes nothing.

use fairwire_core::{BitRate, Bytes};

/// Units of time in a nanosecond.
const UNITS: u64 = 1024;

/// Nobody has to wait as long as that.
const FOR_EVER: u64 = u64::MAX / 2;

#[derive(Clone, Debug)]
pub struct Bucket {
    depth_bits: u64,
    /// None where it lets everything pass; zero where it lets nothing pass.
    rate: Option<BitRate>,
    /// The bucket holds what the rate has brought since then; in units.
    empty_at: u64,
    /// In which the rate fills the bucket.
    fill: u64,
    /// The time that the rate takes for the last size asked about.
    size: u16,
    cost: u64,
}

impl Bucket {
    /// Lets everything pass until a rate is set.
    pub fn open(depth: Bytes) -> Self {
        Self { depth_bits: depth.bits(), rate: None, empty_at: 0, fill: FOR_EVER, size: 0, cost: 0 }
    }

    /// Begins to fill at time zero.
    pub fn of_rate(depth: Bytes, rate: BitRate) -> Self {
        let mut bucket = Self::open(depth);
        bucket.set_rate(0, rate);
        bucket
    }

    /// The rate that was set, if any.
    pub fn rate(&self) -> Option<BitRate> {
        self.rate
    }

    #[inline(always)]
    pub fn is_open(&self) -> bool {
        self.rate.is_none()
    }

    /// When it holds tokens for a packet of `size`, in ns; `u64::MAX` if never.
    #[inline(always)]
    pub fn ready_at(&mut self, size: u16) -> u64 {
        // An open bucket and a metered one are asked alike, so that nobody need guess which one it is.
        let at = self.empty_at + self.cost(size);
        if at >= FOR_EVER { u64::MAX } else { at.div_ceil(UNITS) }
    }

    /// A packet of `size` passes at `now`, whether or not the tokens suffice.
    #[inline(always)]
    pub fn pass(&mut self, now: u64, size: u16) {
        let cost = self.cost(size);
        self.empty_at = self.empty_at.max((now * UNITS).saturating_sub(self.fill)) + cost;
    }

    /// As [`Bucket::pass`], however often: what is owed is bounded by what is paid back some day.
    #[inline]
    pub fn pass_or_owe(&mut self, now: u64, size: u16) {
        self.pass(now, size);
        self.empty_at = self.empty_at.min(FOR_EVER);
    }

    /// From `now` on tokens come at `rate`; those there stay. An open bucket was full.
    pub fn set_rate(&mut self, now: u64, rate: BitRate) {
        let now = now * UNITS;
        let held_bits = match self.rate {
            None => self.depth_bits,
            Some(BitRate::ZERO) => 0,
            Some(before) => {
                let held = now.saturating_sub(self.empty_at).min(self.fill);
                times_over(held, before.as_bps(), UNITS * 1_000_000_000)
            }
        };
        // What had been taken in advance is still owed.
        let owed = match self.rate {
            None | Some(BitRate::ZERO) => 0,
            Some(_) => self.empty_at.saturating_sub(now),
        };
        self.rate = Some(rate);
        if rate == BitRate::ZERO {
            (self.empty_at, self.fill, self.cost) = (FOR_EVER, FOR_EVER, 0);
            return;
        }
        let rate_bps = rate.as_bps();
        // Most often the next packet is as large as the last one.
        self.cost = units_for(u64::from(self.size) * 8, rate_bps);
        self.empty_at = (now + owed).saturating_sub(units_for(held_bits, rate_bps));
        // A nanosecond more: packets pass at whole ones, and would lose the fraction every time.
        self.fill = units_for(self.depth_bits, rate_bps) + UNITS;
    }

    #[inline(always)]
    fn cost(&mut self, size: u16) -> u64 {
        if size != self.size {
            self.find_cost(size);
        }
        self.cost
    }

    #[inline(never)]
    fn find_cost(&mut self, size: u16) {
        self.size = size;
        self.cost = match self.rate {
            None | Some(BitRate::ZERO) => 0,
            Some(rate) => units_for(u64::from(size) * 8, rate.as_bps()),
        };
    }
}

fn units_for(bits: u64, rate_bps: u64) -> u64 {
    times_over(bits, UNITS * 1_000_000_000, rate_bps).min(u64::MAX / 4)
}

/// a × b / c, rounded down; the largest number if it is larger.
fn times_over(a: u64, b: u64, c: u64) -> u64 {
    match a.checked_mul(b) {
        Some(product) => product / c,
        None => (u128::from(a) * u128::from(b) / u128::from(c)).try_into().unwrap_or(u64::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backlog_leaves_at_the_rate_and_asking_changes_nothing() {
        let mut bucket = Bucket::of_rate(Bytes::new(1_000), BitRate::from_mbps(7)); // 1000 B take 8/7 ms
        let mut now = 0;
        for _ in 0..7_000 {
            (0..3).for_each(|_| now = bucket.ready_at(1_000));
            bucket.pass(now, 1_000);
        }
        assert!(now.abs_diff(8_000_000_000) < 10, "{now}");
    }

    #[test]
    fn idle_time_earns_the_depth_and_no_more() {
        let mut bucket = Bucket::of_rate(Bytes::new(2_000), BitRate::from_mbps(8));
        let passed: Vec<u64> = (0..4)
            .map(|_| {
                let at = bucket.ready_at(1_000).max(50_000_000);
                bucket.pass(at, 1_000);
                at
            })
            .collect();
        assert_eq!(passed[..2], [50_000_000; 2]);
        assert!(passed[2].abs_diff(51_000_000) <= 1 && passed[3].abs_diff(52_000_000) <= 1, "{passed:?}");
    }

    #[test]
    fn what_is_owed_is_paid_back_and_never_wraps() {
        let mut bucket = Bucket::of_rate(Bytes::new(1_000), BitRate::from_mbps(8));
        (0..20).for_each(|_| bucket.pass_or_owe(50_000_000, 1_000)); // a packet was saved up, 19 take 1 ms each
        assert!(bucket.ready_at(0).abs_diff(69_000_000) <= 1, "{}", bucket.ready_at(0));
        let mut slow = Bucket::of_rate(Bytes::new(1_000), BitRate::from_bps(1)); // 2.2 hours a packet
        (0..5_000).for_each(|_| slow.pass_or_owe(0, 1_000));
        assert_eq!(slow.ready_at(1_000), u64::MAX);
    }

    #[test]
    fn a_new_rate_keeps_the_tokens() {
        let mut bucket = Bucket::of_rate(Bytes::new(1_000), BitRate::from_mbps(8));
        bucket.pass(10_000_000, 1_000);
        bucket.set_rate(10_500_000, BitRate::from_mbps(4)); // half a packet is there
        assert!(bucket.ready_at(1_000).abs_diff(11_500_000) <= 1);
        bucket.set_rate(10_600_000, BitRate::ZERO);
        assert_eq!(bucket.ready_at(1_000), u64::MAX);
    }
}
