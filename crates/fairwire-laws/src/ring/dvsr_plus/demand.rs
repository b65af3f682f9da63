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
        self.calm_bps + waiting_bytes(queue) * 8.0 / drain.as_secs_f64()
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

/// What waits beyond what usually does, if all packets that wait are of one size.
fn waiting_bytes(queue: &AddQueueView) -> f64 {
    let beyond = queue.packets.saturating_sub(USUALLY_WAITING);
    if beyond == 0 { 0.0 } else { queue.bytes as f64 * f64::from(beyond) / f64::from(queue.packets) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A flow of packets of 1 kB, looked at each millisecond.
    #[derive(Clone, Default)]
    struct Flow {
        demand: Demand,
        queue: AddQueueView,
    }

    impl Flow {
        /// Offers a hundred packets a lap.
        fn steady() -> Self {
            let mut flow = Self::default();
            assert_eq!(flow.lap(100), 100.0, "the first lap is a surprise");
            flow
        }

        /// A lap in which so many packets are offered: the demand, in packets a lap.
        fn lap(&mut self, offered: u64) -> f64 {
            self.queue.offered_bytes += 1_000 * offered;
            let (window, drain) = (Span::from_millis(1), Span::from_millis(8));
            self.demand.after_lap(&self.queue, window, drain, 1_000.0) / 8e6
        }
    }

    #[test]
    fn one_lap_moves_the_demand_by_a_thirty_second_of_the_difference() {
        assert_eq!(Flow::steady().lap(116), 100.5);
    }

    #[test]
    fn a_lap_that_chance_hardly_brings_is_followed_at_once() {
        assert!(Flow::steady().lap(170) < 103.0, "chance");
        assert_eq!(Flow::steady().lap(171), 171.0);
        assert!(Flow::steady().lap(32) > 97.0, "chance");
        assert_eq!(Flow::steady().lap(31), 31.0);
    }

    #[test]
    fn a_lesser_change_that_lasts_is_followed_in_the_third_lap() {
        let mut flow = Flow::steady();
        let demands = [140, 140, 140].map(|offered| flow.lap(offered));
        assert!(demands[1] < 103.0 && demands[2] == 140.0, "{demands:?}");
    }

    #[test]
    fn what_waits_beyond_two_packets_is_asked_for_within_the_time_to_drain() {
        let asked = [0, 2, 3, 10].map(|packets| {
            let mut flow = Flow::default();
            (flow.queue.packets, flow.queue.bytes) = (packets, 1_000 * u64::from(packets));
            flow.lap(0)
        });
        assert_eq!(asked, [0.0, 0.0, 1.0 / 8.0, 1.0]);
    }

    /// A thousandth of the largest packet each.
    #[test]
    fn small_packets_ask_for_their_own_bytes() {
        let mut flow = Flow::default();
        (flow.queue.packets, flow.queue.bytes) = (1_002, 1_002);
        assert_eq!(flow.lap(0), 1.0 / 8.0);
    }
}
