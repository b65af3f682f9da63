//! Available bandwidth, filtered: what other traffic takes counts at once, what it leaves once that has lasted.

use super::super::PortView;
use super::super::parts::available::Available;
use fairwire_core::{Instant, Span};

/// Measured bandwidth that falls at once and rises slowly: to grant what other traffic is about to take again fills
/// queues, to keep it back for a while costs little.
#[derive(Clone, Debug)]
pub(super) struct Bandwidth {
    available: Available,
    /// For so long it has to last that other traffic takes less.
    hold: Span,
    /// What other traffic takes, in bit/s, as it is believed.
    other_bps: f64,
    /// The most that it took since `since`, when it last took as much as is believed.
    lower_bps: f64,
    since: Instant,
}

impl Bandwidth {
    /// Measured over `interval`, from `start` on.
    pub fn new(interval: Span, start: Instant) -> Self {
        Self {
            available: Available::new(interval, start),
            hold: interval * 2,
            other_bps: 0.0,
            lower_bps: 0.0,
            since: start,
        }
    }

    /// ABW in bit/s at `now`, never less than what is reserved.
    #[inline]
    pub fn bps(&mut self, now: Instant, port: &PortView, reserved_bps: f64) -> f64 {
        let capacity_bps = port.capacity.as_bps_f64();
        let other_bps = capacity_bps - self.available.bps(now, port, 0.0);
        if other_bps >= self.other_bps {
            (self.other_bps, self.lower_bps, self.since) = (other_bps, 0.0, now);
        } else {
            self.lower_bps = self.lower_bps.max(other_bps);
            if now.since(self.since) >= self.hold {
                (self.other_bps, self.lower_bps, self.since) = (self.lower_bps, 0.0, now);
            }
        }
        (capacity_bps - self.other_bps).max(reserved_bps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_core::BitRate;

    #[test]
    fn falls_at_once_and_rises_when_that_has_lasted() {
        let mut bandwidth = Bandwidth::new(Span::from_millis(10), Instant::ZERO);
        let mut bytes = 0;
        let mut after = |ms: u64, other_mbps: u64| {
            bytes += other_mbps * 1_250;
            let view = PortView { capacity: BitRate::from_mbps(100), higher_bytes: bytes, ..PortView::default() };
            bandwidth.bps(Instant::ZERO + Span::from_millis(ms), &view, 30e6) / 1e6
        };
        // Other traffic in Mb/s in each 10 ms, and what is left as it is believed.
        let told: Vec<f64> = [0, 0, 40, 60, 20, 50, 20, 10, 10, 90, 0, 0, 0]
            .into_iter()
            .enumerate()
            .map(|(ms, other)| after(10 * (ms as u64 + 1), other).round())
            .collect();
        assert_eq!(told, [100.0, 100.0, 60.0, 40.0, 40.0, 50.0, 50.0, 80.0, 80.0, 30.0, 30.0, 100.0, 100.0]);
    }
}
