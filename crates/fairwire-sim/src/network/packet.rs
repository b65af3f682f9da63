//! A packet and the wire it travels on.

use crate::line::Line;
use fairwire_core::Instant;
use fairwire_laws::transport::Segment;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A packet: 32 bytes, copied from wire to wire.
#[derive(Clone, Copy, Debug, Default)]
pub struct Packet {
    /// When it was sent, in ns; of an acknowledgement, when the segment was that it answers.
    pub born: u64,
    /// Of a segment its number; of an acknowledgement the first that is missing.
    pub number: u32,
    pub micro_flow: u32,
    /// Where it is in the table of routes.
    pub step: u32,
    /// Its place among the blocks, or the control packets, that are under way; 0 for none.
    pub blocks: u32,
    /// Which of its micro-flow's connections.
    pub place: u16,
    pub generation: u16,
    pub size: u16,
    pub flags: Flags,
}

/// What else is to be known of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flags(u16);

impl Flags {
    pub const ACK: Self = Self(1);
    /// Of an acknowledgement: the segment that it answers was.
    pub const RETRANSMITTED: Self = Self(2);
    pub const ECN_CAPABLE: Self = Self(4);
    pub const MARKED: Self = Self(8);
    pub const WINDOW_REDUCED: Self = Self(16);
    /// The receiver echoes a mark.
    pub const ECHO: Self = Self(32);
    /// It was brought from outside; its number is its handle.
    pub const BROUGHT: Self = Self(64);
    /// Its flow's rate is told by switches.
    pub const CONTROLLED: Self = Self(128);
    /// It is a control packet; `blocks` is the place of its bytes.
    pub const CONTROL: Self = Self(256);
    /// Of a control packet: it is on its way back.
    pub const BACKWARD: Self = Self(512);
    /// It is the last of its flow.
    pub const LAST: Self = Self(1024);
    /// It goes before others.
    pub const HIGH: Self = Self(2048);
    /// Of a control packet: a port sent it by itself, and no source.
    pub const NOTICE: Self = Self(4096);

    #[inline(always)]
    pub fn has(self, flag: Self) -> bool {
        self.0 & flag.0 != 0
    }

    #[inline(always)]
    pub fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    #[inline(always)]
    pub fn without(self, flag: Self) -> Self {
        Self(self.0 & !flag.0)
    }

    #[inline(always)]
    pub fn with(self, flag: Self, set: bool) -> Self {
        Self(self.0 | (flag.0 * u16::from(set)))
    }
}

impl Packet {
    #[inline(always)]
    pub fn is_ack(&self) -> bool {
        self.flags.has(Flags::ACK)
    }

    #[inline(always)]
    pub fn is_control(&self) -> bool {
        self.flags.has(Flags::CONTROL)
    }

    /// The segment that it carries.
    #[inline]
    pub fn segment(&self) -> Segment {
        Segment {
            number: self.number,
            size_bytes: self.size.into(),
            retransmitted: self.flags.has(Flags::RETRANSMITTED),
            ecn_capable: self.flags.has(Flags::ECN_CAPABLE),
            window_reduced: self.flags.has(Flags::WINDOW_REDUCED),
            sent_at: Instant::from_nanos(self.born),
        }
    }
}

/// A packet and when it arrives.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    pub at: u64,
    pub packet: Packet,
}

/// What has been sent over a link and has not been taken in at its end.
#[derive(Debug)]
pub struct Wire {
    line: Line<Arrival>,
    /// Where packets overtake each other.
    shuffled: Option<Box<Shuffled>>,
    /// What would be taken in at once, but arrives after the time that the network is taken to.
    parked: Line<Arrival>,
}

#[derive(Debug, Default)]
struct Shuffled {
    heap: BinaryHeap<Numbered>,
    pushed: u64,
}

/// The earlier arrival is the greater, and of two at one time the one that was sent first.
#[derive(Debug)]
struct Numbered {
    arrival: Arrival,
    number: u64,
}

impl Wire {
    pub fn new(reorders: bool) -> Self {
        Self { line: Line::new(), shuffled: reorders.then(Box::default), parked: Line::new() }
    }

    /// When the next packet arrives, `u64::MAX` if none is under way.
    #[inline(always)]
    pub fn next_at(&self) -> u64 {
        match &self.shuffled {
            None => self.line.front().map_or(u64::MAX, |arrival| arrival.at),
            Some(shuffled) => shuffled.heap.peek().map_or(u64::MAX, |numbered| numbered.arrival.at),
        }
    }

    /// Puts a packet on the wire; whether it is now the one that arrives next.
    #[inline(always)]
    pub fn push(&mut self, at: u64, packet: Packet) -> bool {
        match &mut self.shuffled {
            None => {
                let first = self.line.is_empty();
                self.line.push(Arrival { at, packet });
                first
            }
            Some(shuffled) => shuffled.push(Arrival { at, packet }),
        }
    }

    #[inline(always)]
    pub fn pop(&mut self) -> Option<Packet> {
        match &mut self.shuffled {
            None => self.line.pop().map(|arrival| arrival.packet),
            Some(shuffled) => shuffled.heap.pop().map(|numbered| numbered.arrival.packet),
        }
    }

    /// Keeps a packet, which is not to be taken in at its time but when the network goes on.
    #[cold]
    pub fn park(&mut self, at: u64, packet: Packet) {
        self.parked.push(Arrival { at, packet });
    }

    /// Takes the first packet that was kept and arrives before `end`.
    pub fn pop_parked(&mut self, end: u64) -> Option<Arrival> {
        self.parked.front().is_some_and(|arrival| arrival.at < end).then(|| self.parked.pop()).flatten()
    }

    /// The packet that arrives after so many others, where they do not overtake each other.
    #[inline]
    pub fn after(&self, others: usize) -> Option<&Packet> {
        self.line.as_slice().get(others).map(|arrival| &arrival.packet)
    }

    /// All that are under way, in no order.
    pub fn packets(&self) -> impl Iterator<Item = &Packet> {
        let shuffled = self.shuffled.iter().flat_map(|shuffled| shuffled.heap.iter());
        let all = self.line.iter().chain(self.parked.iter()).chain(shuffled.map(|numbered| &numbered.arrival));
        all.map(|arrival| &arrival.packet)
    }
}

impl Shuffled {
    fn push(&mut self, arrival: Arrival) -> bool {
        let first = self.heap.peek().is_none_or(|next| arrival.at < next.arrival.at);
        self.heap.push(Numbered { arrival, number: self.pushed });
        self.pushed += 1;
        first
    }
}

impl Numbered {
    fn key(&self) -> (u64, u64) {
        (self.arrival.at, self.number)
    }
}

impl Ord for Numbered {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl PartialOrd for Numbered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Numbered {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Numbered {}
