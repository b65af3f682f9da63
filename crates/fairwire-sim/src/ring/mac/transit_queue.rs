//! The first-in-first-out queue in front of a link, for transit and station
//! traffic alike.

use crate::line::Line;
use crate::ring::wire::Packet;
use fairwire_core::Bytes;

#[derive(Debug)]
pub struct TransitQueue {
    packets: Line<Packet>,
    waiting_bytes: u64,
    buffer_bytes: u64,
    dropped: u64,
    /// Deepest since a row or a look ended last; in the current row and since the last look, but for that; and in the rows
    /// before.
    lately_deepest: u64,
    row_deepest: u64,
    look_deepest: u64,
    deepest: u64,
}

impl TransitQueue {
    pub fn new(buffer: Bytes) -> Self {
        Self {
            packets: Line::new(),
            waiting_bytes: 0,
            buffer_bytes: buffer.get(),
            dropped: 0,
            lately_deepest: 0,
            row_deepest: 0,
            look_deepest: 0,
            deepest: 0,
        }
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Appends `packet` if there is room; counts it as dropped if not.
    #[inline(always)]
    pub fn push(&mut self, packet: Packet) -> bool {
        let waiting = self.waiting_bytes + u64::from(packet.size());
        if waiting > self.buffer_bytes {
            self.dropped += 1;
            return false;
        }
        self.waiting_bytes = waiting;
        if waiting > self.lately_deepest {
            self.lately_deepest = waiting;
        }
        self.packets.push(packet);
        true
    }

    /// Whether `packet`, which leaves as soon as it comes, fits at all; if so it has been here.
    #[inline(always)]
    pub fn lets_straight_through(&mut self, packet: &Packet) -> bool {
        let waiting = self.waiting_bytes + u64::from(packet.size());
        if waiting > self.buffer_bytes {
            return false;
        }
        if waiting > self.lately_deepest {
            self.lately_deepest = waiting;
        }
        true
    }

    #[inline(always)]
    pub fn pop(&mut self) -> Option<Packet> {
        let packet = self.packets.pop()?;
        self.waiting_bytes -= u64::from(packet.size());
        Some(packet)
    }

    /// Gives up the room of those that have left, where that is cheap.
    #[inline]
    pub fn tidy(&mut self) {
        self.packets.tidy();
    }

    #[inline(always)]
    pub fn waiting_bytes(&self) -> u64 {
        self.waiting_bytes
    }

    #[inline(always)]
    pub fn buffer_bytes(&self) -> u64 {
        self.buffer_bytes
    }

    pub fn waiting(&self) -> Bytes {
        Bytes::new(self.waiting_bytes)
    }

    pub fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.packets.iter()
    }

    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Deepest over the whole run.
    pub fn deepest(&self) -> Bytes {
        Bytes::new(self.deepest.max(self.row_deepest).max(self.lately_deepest))
    }

    /// What is wrong with the books, if anything.
    pub fn violation(&self) -> Option<String> {
        let held: u64 = self.packets.iter().map(|packet| u64::from(packet.size())).sum();
        if held != self.waiting_bytes {
            return Some(format!("the queue counts {} bytes and holds {held}", self.waiting_bytes));
        }
        let deepest = self.deepest();
        (deepest.get() > self.buffer_bytes)
            .then(|| format!("the queue held {deepest} in a buffer of {}", Bytes::new(self.buffer_bytes)))
    }

    /// Ends a row: bytes waiting now, and the most that waited in it.
    pub fn close_row(&mut self) -> (u32, u32) {
        self.note_deepest();
        let row = (saturate(self.waiting_bytes), saturate(self.row_deepest));
        self.deepest = self.deepest.max(self.row_deepest);
        self.row_deepest = self.waiting_bytes;
        row
    }

    /// The most that waited since the last look.
    #[inline]
    pub fn look(&mut self) -> Bytes {
        self.note_deepest();
        Bytes::new(std::mem::replace(&mut self.look_deepest, self.waiting_bytes))
    }

    #[inline]
    fn note_deepest(&mut self) {
        let lately = std::mem::replace(&mut self.lately_deepest, self.waiting_bytes);
        self.row_deepest = self.row_deepest.max(lately);
        self.look_deepest = self.look_deepest.max(lately);
    }
}

fn saturate(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
