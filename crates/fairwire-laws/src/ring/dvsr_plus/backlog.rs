//! What a link takes off its room so that its queue stays short but not empty.

use super::frame::WHOLE_LINK;

/// The queue that a busy link keeps, in packets of the largest size: with less the
/// link runs dry between packets that happen to come close together.
const TARGET_PACKETS: f64 = 12.0;
/// Up to this far from the target, in packets, the gain is less in proportion: queues
/// that breathe by a few packets are no reason to move rates.
const CALM_PACKETS: f64 = 16.0;
/// The shortest time over which a deviation is paid back, in packets of the largest
/// size: on short rings one packet more or less in the queue must not move rates.
const SHORTEST_PACKETS: f64 = 64.0;
/// The part of a deviation that is paid back in one lap. What is told to the stations
/// shows in the queue a lap later; up to a quarter such a loop does not overshoot.
const PROPORTIONAL: f64 = 0.25;
/// The part that is remembered for good: an eighth of the above, slow beside it.
const INTEGRAL: f64 = 1.0 / 32.0;
/// Never more than half of the link is taken or given.
const MOST: f64 = 0.5;

/// The correction of one link's room.
#[derive(Clone, Copy, Debug, Default)]
pub struct Backlog {
    /// What claims are wrong by for good, as a fraction of the link.
    remembered: f64,
    /// What the ledger holds of this, in units of room.
    posted: i32,
}

impl Backlog {
    /// The ledger is new: nothing of this is in it.
    pub fn forget_posted(&mut self) {
        self.posted = 0;
    }

    /// How the room has to change now that `queued_bytes` wait, on a link that could
    /// send `lap_bytes` in the last lap. `taken` is the fraction of the link that
    /// uncontrolled traffic takes; `holds` says whether the link holds anybody back.
    pub fn change(&mut self, queued_bytes: f64, lap_bytes: f64, packet_bytes: f64, taken: f64, holds: bool) -> i32 {
        let off_bytes = TARGET_PACKETS * packet_bytes - queued_bytes;
        let per_lap = off_bytes / lap_bytes.max(SHORTEST_PACKETS * packet_bytes);
        let calm = (off_bytes.abs() / (CALM_PACKETS * packet_bytes)).min(1.0);
        if holds {
            let bound = TARGET_PACKETS / SHORTEST_PACKETS;
            self.remembered = (self.remembered + INTEGRAL * calm * per_lap.clamp(-bound, bound)).clamp(-MOST, MOST);
        } else {
            self.remembered *= 1.0 - 4.0 * INTEGRAL;
        }
        let correction = (PROPORTIONAL * calm * per_lap + self.remembered).clamp(-MOST, MOST) - taken;
        let due = (correction * f64::from(WHOLE_LINK)).round() as i32;
        let change = due - self.posted;
        self.posted = due;
        change
    }
}
