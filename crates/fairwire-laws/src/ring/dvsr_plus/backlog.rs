//! What a link takes off its room so that its queue stays short but not empty.

use super::frame::WHOLE_LINK;

/// The queue that a busy link keeps, in packets of the largest size: with less the
/// link runs dry between packets that happen to come close together.
pub const TARGET_PACKETS: f64 = 12.0;
/// Up to this far from the target, in packets, the gain is less in proportion: queues
/// that breathe by a few packets are no reason to move rates.
const CALM_PACKETS: f64 = 16.0;
/// The shortest time over which a deviation is paid back, in packets of the largest
/// size: on short rings one packet more or less in the queue must not move rates.
const SHORTEST_PACKETS: f64 = 64.0;
/// The part of a deviation that is paid back in one lap. What is told to the stations
/// shows in the queue a lap later; up to a quarter such a loop does not overshoot.
const PROPORTIONAL: f64 = 0.25;
/// The part of what is paid back that is remembered for good: slow beside it. While the link holds nobody, the same
/// part of what is remembered is forgotten in each lap.
const LASTING: f64 = 1.0 / 8.0;
/// What is paid back in one lap at most, in packets. On crowded rings whoever has least
/// moves by ten times what one link moves by, so that a queue that does no harm must
/// not cost more.
const MOST_A_LAP: f64 = 0.5;
/// A lap of more packets is a long one: half a packet of it cannot make good what claims are wrong by. To remember, half
/// a packet counts for as much more as the lap is longer.
const LONG_LAP_PACKETS: f64 = 640.0;
/// What is paid back as fast as may be is no sign of claims that are wrong for good, but where it is less than this part
/// of what a long lap has beyond others.
const TRANSIENT: f64 = 1.0 / 128.0;
/// A queue of so many packets does harm: beyond, more is paid back, soon very much more.
const HARMFUL_PACKETS: f64 = 96.0;
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
    /// The ledger holds nothing of this.
    pub fn forget_posted(&mut self) {
        self.posted = 0;
    }

    /// What the ledger holds of this, or has to if it is new.
    pub fn posted(&self) -> i32 {
        self.posted
    }

    /// How the room has to change now that `queued_bytes` wait, on a link that could
    /// send `lap_bytes` in the last lap. `taken` is the fraction of the link that
    /// uncontrolled traffic takes; `holds` says whether the link holds anybody back.
    pub fn change(&mut self, queued_bytes: f64, lap_bytes: f64, packet_bytes: f64, taken: f64, holds: bool) -> i32 {
        let lap_bytes = lap_bytes.max(SHORTEST_PACKETS * packet_bytes);
        let off_bytes = TARGET_PACKETS * packet_bytes - queued_bytes;
        let calm = (off_bytes.abs() / (CALM_PACKETS * packet_bytes)).min(1.0);
        let due_bytes = calm * off_bytes;
        let harm = (queued_bytes / (HARMFUL_PACKETS * packet_bytes)).powi(4).max(1.0);
        let most_bytes = MOST_A_LAP * harm * packet_bytes;
        let paid_bytes = PROPORTIONAL * due_bytes;
        if !holds {
            self.remembered *= 1.0 - LASTING;
        } else if paid_bytes.abs() <= most_bytes.max(TRANSIENT * (lap_bytes - LONG_LAP_PACKETS * packet_bytes)) {
            let most_bytes = MOST_A_LAP * packet_bytes.max(lap_bytes / LONG_LAP_PACKETS);
            let step = LASTING * paid_bytes.clamp(-most_bytes, most_bytes) / lap_bytes;
            self.remembered = (self.remembered + step).clamp(-MOST, MOST);
        } else if queued_bytes == 0.0 && self.remembered < 0.0 {
            // Nothing waits, and yet the room is kept short: what is remembered is of a queue that is gone.
            self.remembered *= 1.0 - LASTING;
        }
        let paid = paid_bytes.clamp(-most_bytes, most_bytes) / lap_bytes;
        let correction = (paid + self.remembered).clamp(-MOST, MOST) - taken;
        let due = (correction * f64::from(WHOLE_LINK)).round() as i32;
        let change = due - self.posted;
        self.posted = due;
        change
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: f64 = 1_000.0;

    /// What a link takes off its room when so many packets wait after a lap of so many, in packets of that lap. The link
    /// holds nobody, so that nothing is remembered.
    fn taken_off(queued: f64, lap: f64) -> f64 {
        let units = Backlog::default().change(queued * PACKET, lap * PACKET, PACKET, 0.0, false);
        -f64::from(units) / 16_384.0 * lap
    }

    /// What one lap of a link that holds somebody leaves in memory, in packets of that lap.
    fn remembered(queued: f64, lap: f64) -> f64 {
        let mut backlog = Backlog::default();
        backlog.change(queued * PACKET, lap * PACKET, PACKET, 0.0, true);
        -backlog.remembered * lap
    }

    #[test]
    fn twelve_packets_are_kept_and_a_few_more_or_less_hardly_move_the_room() {
        let moved = [12.0, 14.0, 10.0, 16.0, 8.0].map(|queued| taken_off(queued, 64.0));
        assert_eq!(moved, [0.0, 1.0 / 16.0, -1.0 / 16.0, 1.0 / 4.0, -1.0 / 4.0]);
    }

    #[test]
    fn half_a_packet_is_paid_back_in_a_lap_at_most() {
        for queued in [18.0, 28.0, 60.0, 96.0] {
            assert_eq!(taken_off(queued, 64.0), 0.5, "{queued} packets");
        }
        assert_eq!(taken_off(0.0, 64.0), -0.5);
    }

    #[test]
    fn beyond_96_packets_more_is_paid_back_and_soon_a_quarter_of_all_that_is_too_much() {
        assert_eq!(taken_off(192.0, 1_024.0), 8.0, "twice as many: sixteen times as much");
        assert_eq!(taken_off(384.0, 1_024.0), (384.0 - 12.0) / 4.0);
    }

    #[test]
    fn a_lap_of_less_than_64_packets_counts_as_one_of_64() {
        let units = |lap: f64| Backlog::default().change(28.0 * PACKET, lap * PACKET, PACKET, 0.0, false);
        assert_eq!([1.0, 63.0, 64.0, 128.0].map(units), [-128, -128, -128, -64]);
    }

    #[test]
    fn half_of_the_link_is_taken_or_given_at_most() {
        assert_eq!(taken_off(10_000.0, 64.0), 32.0);
        let mut backlog = Backlog::default();
        let mut lap = |queued: f64| {
            backlog.change(queued * PACKET, 64.0 * PACKET, PACKET, 0.0, true);
            backlog.posted()
        };
        assert_eq!((0..4_000).map(|_| lap(8.0)).max(), Some(8_192));
        assert!(lap(16.0) < 8_192, "what cannot be given is not remembered");
    }

    #[test]
    fn an_eighth_of_what_is_paid_back_is_remembered_and_forgotten_where_nobody_is_held() {
        let mut backlog = Backlog::default();
        backlog.change(16.0 * PACKET, 64.0 * PACKET, PACKET, 0.0, true);
        assert_eq!(backlog.remembered * 64.0, -0.25 / 8.0);
        backlog.change(16.0 * PACKET, 64.0 * PACKET, PACKET, 0.0, false);
        assert_eq!(backlog.remembered * 64.0, -0.25 / 8.0 * 7.0 / 8.0);
    }

    /// What is left after a hundred laps of so many packets that wait of what was remembered of a longer queue.
    fn left_of_what_was_remembered(queued: f64) -> f64 {
        let mut backlog = Backlog { remembered: -0.1, posted: 0 };
        for _ in 0..100 {
            backlog.change(queued * PACKET, 64.0 * PACKET, PACKET, 0.0, true);
        }
        backlog.remembered / -0.1
    }

    #[test]
    fn what_is_remembered_of_a_queue_that_is_gone_is_forgotten() {
        assert!(left_of_what_was_remembered(0.0) < 1e-5, "nothing waits, and yet the room is kept short");
        assert_eq!(left_of_what_was_remembered(1.0), 1.0);
    }

    #[test]
    fn what_is_paid_back_as_fast_as_may_be_is_remembered_on_long_laps_only() {
        assert_eq!([18.0, 28.0, 96.0, 0.0].map(|queued| remembered(queued, 64.0)), [0.0; 4]);
        assert_eq!(remembered(0.0, 927.0), 0.0);
        assert!(remembered(0.0, 928.0) < 0.0);
    }

    /// An eighth of half a packet, whatever is paid back; and of a lap that is twice as long as 640 packets twice that.
    #[test]
    fn of_a_lap_little_is_remembered_and_more_of_a_long_one() {
        assert_eq!([320.0, 640.0, 1_280.0].map(|lap| remembered(384.0, lap)), [1.0 / 16.0, 1.0 / 16.0, 1.0 / 8.0]);
    }

    /// In laps of so many packets: the link's queue after so many of them, and what goes over the link as a
    /// fraction of it, where stations bring all of the room that is told, and claims are wrong by `wrong` of the link.
    fn after_laps(laps: usize, packets: f64, wrong: f64) -> (f64, f64) {
        let (mut backlog, mut room, mut queued, mut brought) = (Backlog::default(), 0, 0.0f64, 1.0);
        for _ in 0..laps {
            // What was told a lap ago has come since.
            let arrived = brought * packets;
            queued = (queued + arrived - packets).max(0.0);
            brought = 1.0 + wrong + f64::from(room) / f64::from(WHOLE_LINK);
            room += backlog.change(queued * PACKET, packets * PACKET, PACKET, 0.0, true);
        }
        (queued, brought.min(1.0))
    }

    #[test]
    fn claims_that_are_wrong_for_good_are_made_good_however_many_packets_a_lap_has() {
        for packets in [100.0, 1_000.0, 5_000.0] {
            for wrong in [-0.004, 0.004] {
                let (queued, used) = after_laps(1_000, packets, wrong);
                assert!(used > 0.9995, "{packets} packets, {wrong}: the link sends {used} of what it could");
                assert!(queued < 288.0, "{packets} packets, {wrong}: {queued} wait");
            }
        }
    }
}
