//! How much a flow asks for.

use crate::ring::AddQueueView;
use fairwire_core::Span;

/// Weight of one more lap in the mean that is told: what a lap's count is off by (a
/// packet or so) must not move anybody's rate.
const CALM: f64 = 1.0 / 32.0;
/// Weight of one more lap in the mean that watches for changes.
const WATCHFUL: f64 = 1.0 / 4.0;
/// Means that are this many standard deviations of a Poisson process apart are no
/// chance: one lap in some ten thousands.
const SURPRISE: f64 = 4.0;
/// Packets that wait though the flow gets what it asks for: one at the head and
/// one behind it.
const USUALLY_WAITING: u32 = 2;

/// What one flow offers, estimated lap by lap.
#[derive(Clone, Copy, Debug, Default)]
pub struct Demand {
    calm_bps: f64,
    watchful_bps: f64,
    offered_bytes: u64,
    /// What was offered so far was not seen.
    unknown: bool,
}

impl Demand {
    /// Of a flow that has been at work before anybody looked: it may want everything.
    pub fn unknown() -> Self {
        Self { unknown: true, ..Self::default() }
    }

    /// A lap of length `window` is over: returns the rate that would serve what the
    /// flow offers and empty its queue within a `drain` of time, in bit/s; infinite
    /// for a source that never runs out.
    pub fn after_lap(&mut self, queue: &AddQueueView, window: Span, drain: Span, max_packet_bytes: f64) -> f64 {
        let bytes = (queue.offered_bytes - self.offered_bytes.min(queue.offered_bytes)) as f64;
        self.offered_bytes = queue.offered_bytes;
        let seconds = window.as_secs_f64();
        if std::mem::take(&mut self.unknown) {
            return if queue.packets > 0 { f64::INFINITY } else { 0.0 };
        }
        if seconds > 0.0 {
            self.follow(bytes, seconds, max_packet_bytes);
        }
        if queue.packets == u32::MAX {
            return f64::INFINITY;
        }
        let waiting_bytes = f64::from(queue.packets.saturating_sub(USUALLY_WAITING)) * max_packet_bytes;
        self.calm_bps + waiting_bytes * 8.0 / drain.as_secs_f64()
    }

    /// A slow mean that forgets at once when a faster one is surely elsewhere.
    fn follow(&mut self, bytes: f64, seconds: f64, max_packet_bytes: f64) {
        let bps = bytes * 8.0 / seconds;
        self.calm_bps += CALM * (bps - self.calm_bps);
        self.watchful_bps += WATCHFUL * (bps - self.watchful_bps);
        let usual_bytes = self.calm_bps * seconds / 8.0;
        let variance = max_packet_bytes * (usual_bytes + max_packet_bytes) * WATCHFUL / (2.0 - WATCHFUL);
        let off_bytes = (self.watchful_bps - self.calm_bps).abs() * seconds / 8.0;
        if off_bytes > SURPRISE * variance.sqrt() {
            self.calm_bps = bps;
            self.watchful_bps = bps;
        }
    }
}
