//! How much a flow asks for.

use crate::ring::AddQueueView;
use fairwire_core::Span;

/// Weight of one more lap in the mean: an eighth, so that what a lap's count is
/// off by (a packet or so) counts for little.
const LAP_WEIGHT: f64 = 1.0 / 8.0;
/// A count this many standard deviations of a Poisson process away from the mean
/// is no chance: one lap in some hundreds.
const SURPRISE: f64 = 3.0;
/// Packets that wait though the flow gets what it asks for: one at the head and
/// one behind it.
const USUALLY_WAITING: u32 = 2;

/// What one flow offers, estimated lap by lap.
#[derive(Clone, Copy, Debug, Default)]
pub struct Demand {
    mean_bps: f64,
    offered_bytes: u64,
}

impl Demand {
    /// A lap of length `window` is over: returns the rate that would serve what the
    /// flow offers and empty its queue within a `drain` of time, in bit/s; infinite
    /// for a source that never runs out.
    pub fn after_lap(&mut self, queue: &AddQueueView, window: Span, drain: Span, max_packet_bytes: f64) -> f64 {
        let bytes = (queue.offered_bytes - self.offered_bytes.min(queue.offered_bytes)) as f64;
        self.offered_bytes = queue.offered_bytes;
        let seconds = window.as_secs_f64();
        if seconds > 0.0 {
            self.follow(bytes, seconds, max_packet_bytes);
        }
        if queue.packets == u32::MAX {
            return f64::INFINITY;
        }
        let waiting_bytes = f64::from(queue.packets.saturating_sub(USUALLY_WAITING)) * max_packet_bytes;
        self.mean_bps + waiting_bytes * 8.0 / drain.as_secs_f64()
    }

    /// A mean that forgets at once when the flow is surely another than it was.
    fn follow(&mut self, bytes: f64, seconds: f64, max_packet_bytes: f64) {
        let usual_bytes = self.mean_bps * seconds / 8.0;
        let deviation_bytes = (max_packet_bytes * (usual_bytes + max_packet_bytes)).sqrt();
        let off_bytes = bytes - usual_bytes;
        let weight = if off_bytes.abs() > SURPRISE * deviation_bytes { 1.0 } else { LAP_WEIGHT };
        self.mean_bps += weight * off_bytes * 8.0 / seconds;
    }
}
