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
    pub fn find_passing<M>(&mut self, wire: &Wire<M>) {
        self.passing_at = wire.next_passing_at(&mut self.ending, MOST_LATE);
    }

    /// Something else was.
    #[inline(always)]
    pub fn find_event<M>(&mut self, wire: &Wire<M>) {
        self.event_at = wire.next_frame_at().min(wire.ending.next_at());
    }

    /// Something may have been put on the wire, where all comes in the order in which it was sent: whether the first packet
    /// that calls, and the first event, came up only now.
    #[inline(always)]
    pub fn hear<M>(&mut self, wire: &Wire<M>) -> (bool, bool) {
        let (no_packet, no_event) = (self.passing_at == u64::MAX, self.event_at == u64::MAX);
        if no_packet {
            self.find_passing(wire);
        }
        if no_event {
            self.find_event(wire);
        }
        (no_packet && self.passing_at < u64::MAX, no_event && self.event_at < u64::MAX)
    }
}
