//! What a flow can use, from the counters of its class where it enters.
//!
//! Whoever keeps packets waiting can use all it is given. Whoever does not is told to the law as one that wants little more
//! than it sends, so that others get the rest. It may always grow a little; what it sends beyond its limit then waits, and tells
//! that it can use all.

use crate::counts::ClassCount;
use fairwire_core::{Instant, Span};

/// What is sent is measured over so long.
const WINDOW: Span = Span::from_millis(50);
/// The busiest of so many windows counts, so that bursts do not come too late.
const WINDOWS: usize = 10;
/// A flow wants so much more than it sends.
const HEADROOM: f64 = 1.25;
/// A change by less than this part is none.
const STEADY: f64 = 1.0 / 16.0;
/// Looks within a window.
const LOOKS: u64 = 5;

/// What a flow can use.
#[derive(Clone, Debug)]
pub struct Demand {
    least_bps: f64,
    most_bps: f64,
    told_bps: f64,
    began: Instant,
    /// What had been sent, or waited, when the window began.
    offered_bytes: u64,
    /// Whether packets have waited at all looks of the window.
    always_waits: bool,
    /// What was sent in the last windows, in bit/s; the latest first.
    sent_bps: [f64; WINDOWS],
}

impl Demand {
    /// Of a flow that is taken for one that can use `most_bps`, and is never taken for one that can use less than `least_bps`.
    pub fn new(least_bps: f64, most_bps: f64) -> Self {
        Self {
            least_bps: least_bps.min(most_bps),
            most_bps,
            told_bps: most_bps,
            began: Instant::ZERO,
            offered_bytes: 0,
            always_waits: true,
            sent_bps: [most_bps; WINDOWS],
        }
    }

    /// The counters at the beginning.
    pub fn start(&mut self, now: Instant, count: &ClassCount) {
        (self.began, self.offered_bytes) = (now, offered_bytes(count));
    }

    /// When it wants to look at the counters again.
    pub fn look_at(&self, looked: Instant) -> Instant {
        looked + Span::from_nanos(WINDOW.as_nanos() / LOOKS)
    }

    /// The counters are these at `now`: what the flow can use in bit/s, if that is another than before.
    pub fn look(&mut self, now: Instant, count: &ClassCount) -> Option<f64> {
        self.always_waits &= count.waiting_packets > 0;
        let window = now.since(self.began);
        if window < WINDOW {
            return None;
        }
        let offered_bytes = offered_bytes(count);
        let sent_bytes = offered_bytes.saturating_sub(self.offered_bytes);
        self.sent_bps.rotate_right(1);
        self.sent_bps[0] = sent_bytes as f64 * 8.0 / window.as_secs_f64();
        let busiest_bps = self.sent_bps.iter().copied().fold(0.0, f64::max);
        let wants_bps = if self.always_waits { self.most_bps } else { busiest_bps * HEADROOM };
        let wants_bps = wants_bps.clamp(self.least_bps, self.most_bps);
        (self.began, self.offered_bytes, self.always_waits) = (now, offered_bytes, true);
        let is_another = (wants_bps - self.told_bps).abs() > STEADY * self.told_bps;
        let is_another = is_another || (wants_bps == self.most_bps) != (self.told_bps == self.most_bps);
        is_another.then(|| {
            self.told_bps = wants_bps;
            wants_bps
        })
    }
}

fn offered_bytes(count: &ClassCount) -> u64 {
    count.sent_bytes + u64::from(count.waiting_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is told while so many bytes are sent in each 10 ms, and so many packets wait.
    fn told(demand: &mut Demand, count: &mut ClassCount, from_ms: u64, bytes: u64, waiting_packets: u32) -> Vec<f64> {
        let look = |step: u64| {
            count.sent_bytes += bytes;
            count.waiting_packets = waiting_packets;
            demand.look(Instant::from_nanos((from_ms + step * 10) * 1_000_000), count)
        };
        (1..=60).filter_map(look).collect()
    }

    #[test]
    fn who_sends_little_wants_little_more_and_who_keeps_packets_waiting_wants_all() {
        let (mut demand, mut count) = (Demand::new(1e5, 2e7), ClassCount::default());
        // The busiest of the last ten windows, of which the first were not seen.
        assert_eq!(told(&mut demand, &mut count, 0, 2_500, 0), [2.5e6]);
        assert!(told(&mut demand, &mut count, 600, 2_600, 0).is_empty(), "a little more is nothing new");
        assert_eq!(told(&mut demand, &mut count, 1_200, 2_600, 1), [2e7]);
        assert_eq!(told(&mut demand, &mut count, 1_800, 0, 0), [2.6e6, 1e5]);
    }
}
