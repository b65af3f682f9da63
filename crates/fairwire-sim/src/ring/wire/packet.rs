//! A packet.

use fairwire_plan::{MOST_STATIONS, MOST_WRAPPING};
use std::num::NonZeroU64;

/// A data packet: two words, copied from queue to wire to queue.
///
/// As four fields of their own sizes it would be copied through memory, and whoever
/// needed its size next would wait for the copy.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// When its source made it, in ns.
    born: u64,
    /// From the lowest bit: 16 bits of size, 16 of marked egress, and 32 of flow. No packet is empty, so
    /// that a packet or none is two words, too.
    label: NonZeroU64,
}

/// The flow of a control message that waits in a transit queue, in its turn.
const LETTER: u32 = u32::MAX;
const EGRESS_SHIFT: u32 = 16;
const FLOW_SHIFT: u32 = 32;
// The top bits of the egress mark a class B packet within its committed rate, a packet that
// somebody there answers to, and one that an edge has put on the ringlet that it was not
// sent on, where no station takes it.
const COMMITTED: u16 = 1 << 15;
const ANSWERED: u16 = 1 << 14;
/// Only on rings that wrap, which are so small that no station has this bit in its number.
const WRAPPED: u16 = 1 << 13;

// Station numbers leave these bits free.
const _: () = assert!(MOST_STATIONS <= ANSWERED as usize && MOST_WRAPPING < WRAPPED as usize);

impl Packet {
    /// A packet made at `born`, in ns, for station `egress`. `flow` is the number of its flow; of a
    /// packet of TCP, the number that the ledger gave it.
    #[inline(always)]
    pub fn new(born: u64, flow: u32, size: u16, egress: u16) -> Self {
        Self::labelled(born, u64::from(flow) << FLOW_SHIFT | u64::from(egress) << EGRESS_SHIFT | u64::from(size))
    }

    #[inline(always)]
    fn labelled(born: u64, label: u64) -> Self {
        Self { born, label: NonZeroU64::new(label).unwrap_or(NonZeroU64::MIN) }
    }

    /// The place of a control message of `size` bytes among the packets.
    pub fn letter(size: u16) -> Self {
        Self::new(0, LETTER, size, 0)
    }

    pub fn is_letter(&self) -> bool {
        self.flow() == LETTER
    }

    /// The same packet, made at `born`.
    #[inline(always)]
    pub fn made_at(self, born: u64) -> Self {
        Self { born, ..self }
    }

    /// When its source made it, in ns.
    #[inline(always)]
    pub fn born(&self) -> u64 {
        self.born
    }

    #[inline(always)]
    pub fn flow(&self) -> u32 {
        (self.label.get() >> FLOW_SHIFT) as u32
    }

    #[inline(always)]
    pub fn size(&self) -> u16 {
        self.label.get() as u16
    }

    /// The station where it leaves; of a packet that is wrapped none.
    #[inline(always)]
    pub fn egress(&self) -> u16 {
        self.marked_egress() & !(COMMITTED | ANSWERED)
    }

    /// Whether it leaves at `station` and bears no mark.
    #[inline(always)]
    pub fn leaves_unmarked_at(&self, station: u16) -> bool {
        self.marked_egress() == station
    }

    /// Whether it leaves at `station`, where somebody answers to it.
    #[inline(always)]
    pub fn is_answered_at(&self, station: u16) -> bool {
        self.marked_egress() & !COMMITTED == station | ANSWERED
    }

    #[inline(always)]
    fn marked_egress(&self) -> u16 {
        (self.label.get() >> EGRESS_SHIFT) as u16
    }

    /// The same packet, within its flow's committed rate.
    pub fn committed(self) -> Self {
        self.marked(COMMITTED)
    }

    pub fn is_committed(&self) -> bool {
        self.marked_egress() & COMMITTED != 0
    }

    /// The same packet, which somebody at its egress answers to.
    pub fn answered(self) -> Self {
        self.marked(ANSWERED)
    }

    /// The same packet on the other ringlet, or back on its own.
    pub fn wrapped(self) -> Self {
        Self::labelled(self.born, self.label.get() ^ u64::from(WRAPPED) << EGRESS_SHIFT)
    }

    /// Whether it is on the ringlet that it was not sent on, where stations wrap.
    pub fn is_wrapped(&self) -> bool {
        self.marked_egress() & WRAPPED != 0
    }

    fn marked(self, mark: u16) -> Self {
        Self { label: self.label | u64::from(mark) << EGRESS_SHIFT, ..self }
    }
}
