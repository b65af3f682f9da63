//! A token bucket that several queues may draw from.
//!
//! Like the limiter of a merged queue it is kept as the instant at which it
//! would have been empty, but in fractions of a nanosecond, so that asking when
//! it covers a packet changes nothing.

use fairwire_core::{BitRate, Bytes};

/// Units of time in a nanosecond.
const UNITS: u64 = 1024;

#[derive(Clone, Debug)]
pub struct Bucket {
    depth_bits: u64,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    /// Everything passes.
    Open,
    /// Nothing passes.
    Shut,
    Metered(Metered),
}

#[derive(Clone, Debug)]
struct Metered {
    rate_bps: u64,
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
        Self { depth_bits: depth.bits(), state: State::Open }
    }

    /// Begins to fill at time zero.
    pub fn of_rate(depth: Bytes, rate: BitRate) -> Self {
        let mut bucket = Self::open(depth);
        bucket.set_rate(0, rate);
        bucket
    }

    pub fn is_open(&self) -> bool {
        matches!(self.state, State::Open)
    }

    /// When it holds tokens for a packet of `size`, in ns; `u64::MAX` if never.
    #[inline(always)]
    pub fn ready_at(&mut self, size: u16) -> u64 {
        match &mut self.state {
            State::Open => 0,
            State::Shut => u64::MAX,
            State::Metered(metered) => (metered.empty_at + metered.cost(size)).div_ceil(UNITS),
        }
    }

    /// A packet of `size` passes at `now`, whether or not the tokens suffice.
    #[inline(always)]
    pub fn pass(&mut self, now: u64, size: u16) {
        if let State::Metered(metered) = &mut self.state {
            let cost = metered.cost(size);
            metered.empty_at = metered.empty_at.max((now * UNITS).saturating_sub(metered.fill)) + cost;
        }
    }

    /// The same, and when it then holds tokens for a packet of `next` bytes.
    #[inline(always)]
    pub fn pass_on(&mut self, now: u64, size: u16, next: u16) -> u64 {
        match &mut self.state {
            State::Open => 0,
            State::Shut => u64::MAX,
            State::Metered(metered) => {
                let cost = metered.cost(size);
                metered.empty_at = metered.empty_at.max((now * UNITS).saturating_sub(metered.fill)) + cost;
                (metered.empty_at + metered.cost(next)).div_ceil(UNITS)
            }
        }
    }

    /// From `now` on tokens come at `rate`; those there stay. An open bucket was full.
    pub fn set_rate(&mut self, now: u64, rate: BitRate) {
        let now = now * UNITS;
        let held_bits = match &self.state {
            State::Open => self.depth_bits,
            State::Shut => 0,
            State::Metered(metered) => {
                let held = now.saturating_sub(metered.empty_at).min(metered.fill);
                times_over(held, metered.rate_bps, UNITS * 1_000_000_000)
            }
        };
        let rate_bps = rate.as_bps();
        if rate_bps == 0 {
            self.state = State::Shut;
            return;
        }
        let held = units_for(held_bits, rate_bps);
        // What had been taken in advance is still owed.
        let owed = match &self.state {
            State::Metered(metered) => metered.empty_at.saturating_sub(now),
            _ => 0,
        };
        let empty_at = (now + owed).saturating_sub(held);
        // A nanosecond more: packets pass at whole ones, and would lose the fraction every time.
        let fill = units_for(self.depth_bits, rate_bps) + UNITS;
        self.state = State::Metered(Metered { rate_bps, empty_at, fill, size: 0, cost: 0 });
    }
}

impl Metered {
    #[inline]
    fn cost(&mut self, size: u16) -> u64 {
        if size != self.size {
            self.size = size;
            self.cost = units_for(u64::from(size) * 8, self.rate_bps);
        }
        self.cost
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
    fn a_new_rate_keeps_the_tokens() {
        let mut bucket = Bucket::of_rate(Bytes::new(1_000), BitRate::from_mbps(8));
        bucket.pass(10_000_000, 1_000);
        bucket.set_rate(10_500_000, BitRate::from_mbps(4)); // half a packet is there
        assert!(bucket.ready_at(1_000).abs_diff(11_500_000) <= 1);
        bucket.set_rate(10_600_000, BitRate::ZERO);
        assert_eq!(bucket.ready_at(1_000), u64::MAX);
    }
}
