//! Available bandwidth: what a link has for the flows that a law controls.

use super::PortView;
use fairwire_core::{Instant, Span};

/// Other traffic that moves by less than this part of the capacity is taken for steady.
const STEADY: f64 = 1.0 / 256.0;

/// ABW: the capacity less what traffic of higher priority and uncontrolled traffic took in the last interval
/// ([wmfqc] §2.1), never less than what is reserved. As long as there is no other traffic it is the capacity, exactly.
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
        (port.capacity.as_bps_f64() - self.other_bps).max(reserved_bps)
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
