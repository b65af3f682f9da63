//! Whoever sends more than he may loses what is too much.
//!
//! Control packets have a bucket of their own, so that nobody is silenced by his data; but what they take, data cannot.

use fairwire_core::Instant;

/// A token bucket, in bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bucket {
    bits: f64,
    at: Instant,
}

impl Bucket {
    /// Full, as whoever comes first may have waited in front of another port.
    pub fn new(now: Instant) -> Self {
        Self { bits: f64::INFINITY, at: now }
    }

    /// A packet of `size_bits` comes while the flow may send at `rate_bps`: whether there is enough for it. The bucket
    /// holds `depth_bits` at most.
    #[inline]
    pub fn take(&mut self, now: Instant, size_bits: f64, rate_bps: f64, depth_bits: f64) -> bool {
        self.bits = (self.bits + rate_bps * now.since(self.at).as_secs_f64()).min(depth_bits);
        self.at = now;
        let passes = size_bits <= self.bits;
        if passes {
            self.bits -= size_bits;
        }
        passes
    }

    /// A packet has passed without being asked. Nobody owes more than `most_bits`.
    pub fn pay(&mut self, size_bits: f64, most_bits: f64) {
        self.bits = (self.bits - size_bits).max(-most_bits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_core::Span;

    #[test]
    fn twice_the_rate_loses_half_after_the_burst() {
        let mut bucket = Bucket::new(Instant::ZERO);
        let at = |packet: u64| Instant::ZERO + Span::from_micros(packet);
        // 1000 bits a µs, where 500 bits a µs are allowed.
        let passed = |bucket: &mut Bucket, from: u64| {
            (from..from + 1000).filter(|&packet| bucket.take(at(packet), 1000.0, 5e8, 4000.0)).count()
        };
        assert_eq!(passed(&mut bucket, 0), 503);
        assert_eq!(passed(&mut bucket, 1000), 500);
        // After a rest it is full again, and not fuller.
        assert_eq!(passed(&mut bucket, 1_000_000), 503);
        // 4000 bits are owed, and 1000 needed: the first to pass is the tenth, then every other one.
        bucket.pay(1e9, 4000.0);
        assert_eq!(passed(&mut bucket, 1_001_000), 496);
    }
}
