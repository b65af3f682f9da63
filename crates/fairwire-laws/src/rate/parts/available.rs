//! Available bandwidth: what a link has for the flows that a law controls.

use crate::rate::PortView;
use fairwire_core::{Instant, Span};

/// Other traffic that moves by less than this part of the capacity is taken for steady.
const STEADY: f64 = 1.0 / 256.0;

/// ABW: the capacity less what traffic of higher priority and uncontrolled traffic took in the last interval
/// ([wmfqc] §2.1), never less than what is reserved, nor more than the capacity. As long as there is no other traffic it is
/// the capacity, exactly.
#[derive(Clone, Debug)]
pub struct Available {
    interval: Span,
    since: Instant,
    other_bytes: u64,
    /// What other traffic took, in bit/s, as it was last believed.
    other_bps: f64,
}

impl Available {
    /// Measured over `interval`, which begins at `start`.
    pub fn new(interval: Span, start: Instant) -> Self {
        Self { interval, since: start, other_bytes: 0, other_bps: 0.0 }
    }

    /// ABW in bit/s at `now`.
    #[inline]
    pub fn bps(&mut self, now: Instant, port: &PortView, reserved_bps: f64) -> f64 {
        let other_bytes = port.higher_bytes + port.uncontrolled_bytes;
        if other_bytes == self.other_bytes && self.other_bps == 0.0 {
            self.since = now;
        } else if now.since(self.since) >= self.interval {
            self.measure(now, other_bytes, port.capacity.as_bps_f64());
        }
        let capacity_bps = port.capacity.as_bps_f64();
        (capacity_bps - self.other_bps).max(reserved_bps.min(capacity_bps))
    }

    /// A few packets more or less in an interval would move everybody's rate: they count once they are more than that.
    #[cold]
    fn measure(&mut self, now: Instant, other_bytes: u64, capacity_bps: f64) {
        let bits = (other_bytes - self.other_bytes) as f64 * 8.0;
        let measured_bps = bits / now.since(self.since).as_secs_f64();
        if (measured_bps - self.other_bps).abs() > STEADY * capacity_bps || measured_bps == 0.0 {
            self.other_bps = measured_bps;
        }
        (self.since, self.other_bytes) = (now, other_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_core::BitRate;

    fn ms(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    /// 100 Mb/s, and what others have sent so far.
    fn view(higher_bytes: u64, uncontrolled_bytes: u64) -> PortView {
        PortView { capacity: BitRate::from_mbps(100), higher_bytes, uncontrolled_bytes, ..PortView::default() }
    }

    fn measured() -> Available {
        Available::new(Span::from_millis(10), ms(0))
    }

    #[test]
    fn without_others_it_is_the_capacity() {
        let mut available = measured();
        for at in [0, 1, 500] {
            assert_eq!(available.bps(ms(at), &view(0, 0), 0.0), 1e8);
        }
    }

    #[test]
    fn all_others_are_taken_off_once_an_interval_is_over() {
        let mut available = measured();
        // The interval begins when nothing of others had come.
        assert_eq!(available.bps(ms(100), &view(0, 0), 0.0), 1e8);
        assert_eq!(available.bps(ms(109), &view(30_000, 10_000), 0.0), 1e8);
        // 50 kB in 10 ms are 40 Mb/s.
        let near = |got: f64, wanted: f64| assert!((got - wanted).abs() < 1.0, "{got} in place of {wanted}");
        near(available.bps(ms(110), &view(35_000, 15_000), 0.0), 6e7);
        // A late end: 50 kB in 20 ms.
        near(available.bps(ms(130), &view(60_000, 40_000), 0.0), 8e7);
        // What is reserved stays.
        near(available.bps(ms(131), &view(60_000, 40_000), 9e7), 9e7);
        near(available.bps(ms(131), &view(60_000, 40_000), 1.1e8), 1e8);
    }

    /// Of 100 Mb/s less than 390 kb/s is no change.
    #[test]
    fn a_few_packets_more_or_less_count_for_nothing() {
        let mut available = measured();
        let (mut bytes, mut now) = (0, 0);
        let mut after = |kbps: u64| {
            now += 10;
            bytes += kbps * 10 / 8;
            (1e5 - available.bps(ms(now), &view(bytes, 0), 0.0) / 1e3).round()
        };
        assert_eq!(
            [after(384), after(1000), after(1384), after(640), after(600)],
            [0.0, 1000.0, 1000.0, 1000.0, 600.0]
        );
        // Less than that, and then nothing at all.
        assert_eq!([after(160), after(200), after(0)], [160.0, 160.0, 0.0]);
        assert_eq!(after(0), 0.0);
    }
}
