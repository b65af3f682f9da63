//! What on the wires calls a station, where the earliest event goes first.
//!
//! Control frames do, and packets that go on from there or that somebody there answers to. A packet that ends where its
//! wire ends does not: it needs no link, and no law hears of it. It is delivered when the station next does something,
//! as of the time at which it came.

use crate::ring::wire::Wire;

/// Packets that wait on a wire to be delivered at most: one more calls its station, so that memory stays small where
/// nothing else ever happens.
const MOST_LATE: usize = 64;

/// What calls the station at the end of one wire.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// When the first packet arrives that the link has to look for.
    pub passing_at: u64,
    /// When the first of all else arrives.
    pub event_at: u64,
    /// Packets before this one, in the order in which they were sent, end there.
    ending: usize,
}

impl Call {
    pub const NONE: Self = Self { passing_at: u64::MAX, event_at: u64::MAX, ending: 0 };

    /// Packets were taken off the wire.
    #[inline(always)]
    pub fn find_passing(&mut self, wire: &Wire) {
        self.passing_at = wire.next_passing_at(&mut self.ending, MOST_LATE);
    }

    /// Something else was.
    #[inline(always)]
    pub fn find_event(&mut self, wire: &Wire) {
        self.event_at = wire.next_frame_at().min(wire.ending.next_at());
    }

    /// Something may have been put on the wire, where packets come in the order in which they were sent, and so do events
    /// unless laws are called late: whether the first packet that calls, and the first event, came up only now.
    #[inline(always)]
    pub fn hear(&mut self, wire: &Wire) -> (bool, bool) {
        let (no_packet, known_event) = (self.passing_at == u64::MAX, self.event_at);
        if no_packet {
            self.find_passing(wire);
        }
        if known_event == u64::MAX || wire.wakes_late() {
            self.find_event(wire);
        }
        (no_packet && self.passing_at < u64::MAX, self.event_at < known_event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ring::wire::{Outages, Packet};
    use fairwire_laws::PackedMessage;

    fn message() -> PackedMessage {
        PackedMessage::Bytes(Box::new([0; 8]))
    }

    /// Packets of one byte, each a nanosecond after the one before, for station 3, which the wire leads to, or beyond.
    fn send(wire: &mut Wire, at: u64, egress: u16) {
        wire.push(at, Packet::new(0, 0, 1, egress));
    }

    #[test]
    fn who_only_delivers_is_not_called() {
        let mut wire = Wire::new(3, Outages::none());
        let mut call = Call::NONE;
        send(&mut wire, 10, 3);
        assert_eq!((call.hear(&wire), call.passing_at), ((false, false), u64::MAX));
        send(&mut wire, 11, 4);
        send(&mut wire, 12, 3);
        assert_eq!((call.hear(&wire), call.passing_at), ((true, false), 11));
        send(&mut wire, 13, 4);
        assert_eq!(call.hear(&wire), (false, false), "not the first");
        wire.data.keep_last(2);
        call.find_passing(&wire);
        assert_eq!(call.passing_at, 13);
        wire.data.keep_last(0);
        call.find_passing(&wire);
        assert_eq!(call.passing_at, u64::MAX);
    }

    #[test]
    fn events_call() {
        let mut wire = Wire::new(3, Outages::none());
        let mut call = Call::NONE;
        wire.push_message::<true>(5, message());
        assert_eq!(call.hear(&wire), (false, false), "advice does not");
        wire.push_message::<false>(20, message());
        assert_eq!((call.hear(&wire), call.event_at), ((false, true), 20));
        wire.push_message::<false>(30, message());
        assert_eq!(call.hear(&wire), (false, false));
        assert!(wire.pop_frame().is_some());
        call.find_event(&wire);
        assert_eq!(call.event_at, 30);
    }

    #[test]
    fn not_many_wait_to_be_delivered() {
        let mut wire = Wire::new(3, Outages::none());
        let mut call = Call::NONE;
        let mut most = 0;
        for at in 0..10 * MOST_LATE as u64 {
            send(&mut wire, at, 3);
            call.hear(&wire);
            most = most.max(wire.packets().count());
            if call.passing_at <= at {
                wire.data.keep_last(0);
                call.find_passing(&wire);
            }
        }
        assert_eq!(most, MOST_LATE + 1, "with the one that calls");
    }
}
