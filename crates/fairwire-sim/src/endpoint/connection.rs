//! Both ends of one TCP connection.

use fairwire_core::Instant;
use fairwire_laws::transport::{Ack, Receiver, Segment, Sender, TcpSettings};

/// A connection in its place among those of a micro-flow, where one follows the other.
#[derive(Clone, Debug)]
pub struct Connection {
    pub sender: Sender,
    pub receiver: Receiver,
    /// Which one in this place it is: packets of an earlier one may still come.
    pub generation: u16,
    /// Until all is acknowledged.
    pub open: bool,
    pub start: u64,
    /// Bytes on the wire that it needs without loss, if it has an end.
    pub bytes: Option<u64>,
    segment_bytes: u32,
    segments: Option<u32>,
}

/// What a new connection is to carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Segments; none for no end.
    pub segments: Option<u32>,
    /// Size of the last.
    pub last_segment_bytes: u32,
}

impl Connection {
    pub fn new(
        sender: Sender,
        receiver: Receiver,
        settings: TcpSettings,
        load: Load,
        generation: u16,
        start: u64,
    ) -> Self {
        let segment_bytes = settings.segment.get() as u32;
        let all_but_last = |segments: u32| u64::from(segments - 1) * u64::from(segment_bytes);
        Self {
            sender,
            receiver,
            generation,
            open: true,
            start,
            bytes: load.segments.map(|segments| all_but_last(segments) + u64::from(load.last_segment_bytes)),
            segment_bytes,
            segments: load.segments,
        }
    }

    /// A segment arrived: the bytes that are in order now and were not before, and
    /// the acknowledgement to send now, if any.
    #[inline]
    pub fn on_segment(&mut self, now: Instant, segment: &Segment, marked: bool) -> (u64, Option<Ack>) {
        let before = self.receiver.in_order();
        let ack = self.receiver.on_segment(now, segment, marked);
        let after = self.receiver.in_order();
        let mut bytes = u64::from(after - before) * u64::from(self.segment_bytes);
        if Some(after) == self.segments && after > before {
            bytes = self.bytes.unwrap_or(0) - u64::from(before) * u64::from(self.segment_bytes);
        }
        (bytes, ack)
    }
}
