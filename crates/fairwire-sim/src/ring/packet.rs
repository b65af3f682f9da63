//! A packet and the wire it travels on.

use super::frame::Frame;
use super::outage::Outages;
use crate::line::Line;
use std::collections::VecDeque;
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

/// Stations on the largest ring there can be.
pub const MOST_STATIONS: usize = ANSWERED as usize;

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

/// A packet and when it arrives.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    pub at: u64,
    pub packet: Packet,
}

/// Packets under way to one place, in order of arrival.
#[derive(Debug)]
pub struct Arrivals {
    arrivals: Line<Arrival>,
}

impl Arrivals {
    pub fn new() -> Self {
        Self { arrivals: Line::new() }
    }

    /// When the next one arrives, `u64::MAX` if none is under way.
    #[inline(always)]
    pub fn next_at(&self) -> u64 {
        self.arrivals.front().map_or(u64::MAX, |arrival| arrival.at)
    }

    #[inline(always)]
    pub fn push(&mut self, at: u64, packet: Packet) {
        self.arrivals.push(Arrival { at, packet });
    }

    #[inline(always)]
    pub fn pop(&mut self) -> Option<Arrival> {
        self.arrivals.pop()
    }

    /// Those under way, first one first.
    #[inline]
    pub fn as_slice(&self) -> &[Arrival] {
        self.arrivals.as_slice()
    }

    /// Takes all.
    pub fn clear(&mut self) {
        self.arrivals.clear();
    }

    /// Takes all but the last `left`.
    #[inline]
    pub fn keep_last(&mut self, left: usize) {
        self.arrivals.drop_first(self.arrivals.len() - left);
    }

    /// Takes out those that arrive up to and including `until` and are not to be kept.
    pub fn sift(&mut self, until: u64, mut keeps: impl FnMut(&Packet) -> bool) {
        let mut gone = |arrival: &Arrival| arrival.at <= until && !keeps(&arrival.packet);
        let kept: Vec<Arrival> = self.arrivals.iter().filter(|arrival| !gone(arrival)).copied().collect();
        if kept.len() < self.arrivals.len() {
            self.arrivals.drop_first(usize::MAX);
            self.arrivals.tidy();
            kept.into_iter().for_each(|arrival| self.arrivals.push(arrival));
        }
    }

    /// Puts `first`, which arrive before all others, in front of them.
    pub fn prepend(&mut self, first: Arrivals) {
        if first.arrivals.is_empty() {
            return;
        }
        let rest: Vec<Arrival> = self.arrivals.iter().copied().collect();
        *self = first;
        rest.into_iter().for_each(|arrival| self.arrivals.push(arrival));
    }

    /// Gives up the room of those that were taken, where that is cheap.
    #[inline]
    pub fn tidy(&mut self) {
        self.arrivals.tidy();
    }

    pub fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.arrivals.iter().map(|arrival| &arrival.packet)
    }
}

/// One directed link between its sender's serialiser and its receiver: what has
/// been sent and not yet been taken in.
#[derive(Debug)]
pub struct Wire<M> {
    pub data: Arrivals,
    /// Packets of TCP that end where the wire ends: each is an event there.
    pub ending: Arrivals,
    /// What these have as their egress.
    ends: u16,
    /// Frames that make something happen when they arrive, and what is only to be noted.
    frames: VecDeque<(u64, Frame<M>)>,
    notes: VecDeque<(u64, M)>,
    outages: Outages,
}

impl<M> Wire<M> {
    /// One that leads to station `to`.
    pub fn new(to: u16, outages: Outages) -> Self {
        let (data, ending) = (Arrivals::new(), Arrivals::new());
        Self { data, ending, ends: to | ANSWERED, frames: VecDeque::new(), notes: VecDeque::new(), outages }
    }

    /// A packet is under way and arrives at `arrival`.
    #[inline(always)]
    pub fn push(&mut self, arrival: u64, packet: Packet) {
        if packet.marked_egress() & !COMMITTED == self.ends {
            self.push_ending(arrival, packet);
        } else {
            self.data.push(arrival, packet);
        }
    }

    #[cold]
    fn push_ending(&mut self, arrival: u64, packet: Packet) {
        self.ending.push(arrival, packet);
    }

    /// All packets under way.
    pub fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.data.packets().chain(self.ending.packets())
    }

    /// Whether what begins to be sent at `sent` and arrives at `arrival` gets there.
    #[inline(always)]
    pub fn carries(&self, sent: u64, arrival: u64) -> bool {
        self.outages.carries(sent, arrival)
    }

    /// When the next control frame arrives that makes something happen, `u64::MAX` if none is under way.
    #[inline(always)]
    pub fn next_frame_at(&self) -> u64 {
        self.frames.front().map_or(u64::MAX, |(at, _)| *at)
    }

    /// A message is under way that is only to be noted when it arrives at `at`.
    #[inline(always)]
    pub fn push_note(&mut self, at: u64, message: M) {
        self.notes.push_back((at, message));
    }

    #[inline(always)]
    pub fn push_frame(&mut self, at: u64, frame: Frame<M>) {
        match frame {
            Frame::Note(message) => self.push_note(at, message),
            frame => self.frames.push_back((at, frame)),
        }
    }

    /// What arrived up to and including `now` to be noted, one after the other, and when.
    #[inline]
    pub fn pop_note(&mut self, now: u64) -> Option<(u64, M)> {
        let has_come = self.notes.front().is_some_and(|(at, _)| *at <= now);
        if has_come { self.notes.pop_front() } else { None }
    }

    /// All control frames under way that make something happen when they arrive.
    pub fn take_frames(&mut self) -> VecDeque<(u64, Frame<M>)> {
        std::mem::take(&mut self.frames)
    }

    #[inline]
    pub fn pop_frame(&mut self) -> Option<(u64, Frame<M>)> {
        self.frames.pop_front()
    }
}
