//! The token bucket between a station queue and the ring.
//!
//! Its depth is one packet of the largest size (the papers do not tell). It is kept as the instant at which the bucket would have been empty,
//! so that waiting costs nothing and no token is lost to rounding.

use crate::ring::wire::Packet;
use fairwire_core::{BitRate, Bytes, Serialiser};

#[derive(Debug)]
pub enum Limiter {
    /// No law has set a rate: everything passes.
    Open {
        /// Of the bucket there will be.
        depth: Bytes,
    },
    /// The rate is zero: nothing passes.
    Shut {
        /// Of the bucket there will be.
        depth: Bytes,
    },
    /// Packets pass as tokens come.
    Metered(Metered),
}

#[derive(Clone, Debug)]
pub struct Metered {
    depth: Bytes,
    tokens: Serialiser,
    /// The bucket holds what the rate has brought since then.
    empty_at: u64,
    /// How long the rate takes to fill the bucket, rounded up: a nanosecond less
    /// than the largest packet's cost would be lost with every packet.
    fill_ns: u64,
    /// Set by `ready_at` for the packet at the head: its cost in time, and when it is covered.
    cost_ns: u64,
    ready_at: u64,
}

impl Limiter {
    /// Lets everything pass until a rate is set.
    pub fn open(depth: Bytes) -> Self {
        Self::Open { depth }
    }

    /// When a packet that is at the head from `arrival` on may pass.
    #[inline]
    pub fn ready_at(&mut self, arrival: u64, size: u16) -> u64 {
        match self {
            Self::Open { .. } => arrival,
            Self::Shut { .. } => u64::MAX,
            Self::Metered(metered) => metered.ready_at(arrival, size),
        }
    }

    /// The packet that `ready_at` was last asked about passes at `now`.
    #[inline]
    pub fn pass(&mut self, now: u64) {
        if let Self::Metered(metered) = self {
            metered.pass(now);
        }
    }

    /// Time between two packets like the one that `ready_at` was last asked about, if both wait for tokens.
    #[inline]
    pub fn spacing(&self) -> u64 {
        match self {
            Self::Open { .. } => 0,
            Self::Shut { .. } => u64::MAX,
            Self::Metered(metered) => metered.cost_ns,
        }
    }

    /// The rate that was set, if any.
    pub fn rate(&self) -> Option<BitRate> {
        match self {
            Self::Open { .. } => None,
            Self::Shut { .. } => Some(BitRate::ZERO),
            Self::Metered(metered) => Some(metered.tokens.rate()),
        }
    }

    /// From `now` on tokens come at `rate`; those there stay. The caller asks
    /// `ready_at` anew for the packet at the head.
    pub fn set_rate(&mut self, now: u64, rate: BitRate) {
        let (Self::Open { depth } | Self::Shut { depth } | Self::Metered(Metered { depth, .. })) = *self;
        if rate == BitRate::ZERO {
            *self = Self::Shut { depth };
            return;
        }
        let fill_ns = (depth.bits() * 1_000_000_000).div_ceil(rate.as_bps());
        let empty_at = match self {
            Self::Open { .. } => now.saturating_sub(fill_ns),
            Self::Shut { .. } => now,
            Self::Metered(metered) => {
                let held_ns = now.saturating_sub(metered.empty_at).min(metered.fill_ns);
                // No more than what fills the bucket, which is far from all that fits.
                let held_bit_ns = held_ns.saturating_mul(metered.tokens.rate().as_bps());
                now.saturating_sub(held_bit_ns / rate.as_bps())
            }
        };
        let tokens = Serialiser::new(rate);
        *self = Self::Metered(Metered { depth, tokens, empty_at, fill_ns, cost_ns: 0, ready_at: empty_at });
    }
}

impl Metered {
    /// As [`Limiter::ready_at`].
    #[inline(always)]
    pub fn ready_at(&mut self, arrival: u64, size: u16) -> u64 {
        self.cost_ns = self.tokens.transmit(size.into()).as_nanos();
        let empty_at = self.empty_at.max(arrival.saturating_sub(self.fill_ns));
        self.ready_at = empty_at + self.cost_ns;
        self.ready_at.max(arrival)
    }

    /// The packet passes at `now`; returns when the one behind it, at hand since `arrival`, may.
    #[inline(always)]
    pub fn pass_on(&mut self, now: u64, arrival: u64, size: u16) -> u64 {
        if now == self.ready_at && arrival <= now {
            // It waited for its tokens, so that none are left, and so does the next one.
            self.empty_at = now;
            self.cost_ns = self.tokens.transmit(size.into()).as_nanos();
            self.ready_at = now + self.cost_ns;
            return self.ready_at;
        }
        self.pass(now);
        self.ready_at(arrival, size).max(now)
    }

    /// Packets of `size`, at hand since `arrival`, pass from `at` on and before `stop`, each as soon as
    /// it may; returns when the next one may.
    #[inline(always)]
    pub fn pass_all(&mut self, mut at: u64, stop: u64, arrival: u64, size: u16, mut put: impl FnMut(u64)) -> u64 {
        // The first may have waited for something else; those behind it wait for their tokens alone.
        while at < stop && !(at == self.ready_at && arrival <= at) {
            put(at);
            at = self.pass_on(at, arrival, size);
        }
        if at >= stop {
            return at;
        }
        let mut costs = self.tokens.packets_of(size.into());
        while at < stop {
            put(at);
            (self.empty_at, self.cost_ns) = (at, costs.transmit());
            at += self.cost_ns;
        }
        self.tokens.resume(costs);
        self.ready_at = at;
        at
    }

    /// Of packets that `wait` one behind the other, those pass from `at` on and before `stop` that another one waits
    /// behind, each as soon as it may; returns when the next one may, and how many passed.
    #[inline(always)]
    pub fn pass_backlog(
        &mut self,
        mut at: u64,
        stop: u64,
        mut waiting: &[Packet],
        mut put: impl FnMut(u64, Packet),
    ) -> (u64, usize) {
        let before = waiting.len();
        while let [packet, rest @ ..] = waiting
            && let [next, ..] = rest
            && at < stop
        {
            put(at, *packet);
            at = self.pass_on(at, next.born(), next.size());
            waiting = rest;
            if at == self.ready_at {
                (at, waiting) = self.pass_equal(at, stop, waiting, &mut put);
            }
        }
        (at, before - waiting.len())
    }

    /// The same as long as each, when it may pass, waited for its tokens alone, and is as large as the first.
    #[inline(always)]
    fn pass_equal<'a>(
        &mut self,
        mut at: u64,
        stop: u64,
        mut waiting: &'a [Packet],
        mut put: impl FnMut(u64, Packet),
    ) -> (u64, &'a [Packet]) {
        let Some(size) = waiting.first().map(Packet::size) else { return (at, waiting) };
        let mut costs = self.tokens.packets_of(size.into());
        let (mut empty_at, mut cost_ns) = (self.empty_at, self.cost_ns);
        while let [packet, rest @ ..] = waiting
            && let [next, ..] = rest
            && at < stop
            && next.born() <= at
            && next.size() == size
        {
            put(at, *packet);
            (empty_at, cost_ns) = (at, costs.transmit());
            at += cost_ns;
            waiting = rest;
        }
        (self.empty_at, self.cost_ns) = (empty_at, cost_ns);
        self.tokens.resume(costs);
        self.ready_at = at;
        (at, waiting)
    }

    /// As [`Limiter::pass`].
    #[inline(always)]
    pub fn pass(&mut self, now: u64) {
        let full = now.saturating_sub(self.fill_ns) + self.cost_ns;
        self.empty_at = self.ready_at.max(full);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limiter(rate: BitRate) -> Limiter {
        let mut limiter = Limiter::open(Bytes::new(1_000));
        limiter.set_rate(0, rate);
        limiter
    }

    #[test]
    fn a_backlog_leaves_at_the_rate() {
        let mut bucket = limiter(BitRate::from_mbps(8)); // 1000 B take 1 ms
        bucket.set_rate(10_000_000, BitRate::from_mbps(8));
        let passed: Vec<u64> = (0..4)
            .map(|_| {
                let at = bucket.ready_at(10_000_000, 1_000);
                bucket.pass(at);
                at
            })
            .collect();
        assert_eq!(passed, [10_000_000, 11_000_000, 12_000_000, 13_000_000]);
    }

    #[test]
    fn idle_time_earns_one_packet_and_no_more() {
        let mut bucket = limiter(BitRate::from_mbps(8));
        let at = bucket.ready_at(50_000_000, 1_000);
        bucket.pass(at);
        assert_eq!(at, 50_000_000);
        assert_eq!(bucket.ready_at(50_000_001, 1_000), 51_000_000);
    }

    #[test]
    fn a_new_rate_keeps_the_tokens() {
        let mut bucket = limiter(BitRate::from_mbps(8));
        let at = bucket.ready_at(10_000_000, 1_000);
        bucket.pass(at);
        bucket.set_rate(10_500_000, BitRate::from_mbps(4)); // half a packet is there
        assert_eq!(bucket.ready_at(10_000_000, 1_000), 11_500_000);
        bucket.set_rate(10_600_000, BitRate::ZERO);
        assert_eq!(bucket.ready_at(10_000_000, 1_000), u64::MAX);
    }
}
