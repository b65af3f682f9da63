//! A packet and the wire it travels on.

use super::outage::Outages;
use crate::line::Line;
use fairwire_core::Ringlet;
use std::collections::VecDeque;

/// A data packet: sixteen bytes, copied from queue to wire to queue.
#[derive(Clone, Copy, Debug, Default)]
pub struct Packet {
    /// When its source made it, in ns.
    pub born: u64,
    /// The number of its flow; of a packet of TCP, the number that the ledger gave it.
    pub flow: u32,
    pub size: u16,
    /// The station where it leaves; the top bits mark a class B packet within its
    /// committed rate, and a packet that somebody there answers to.
    pub egress: u16,
}

/// The flow of a control message that waits in a transit queue, in its turn.
const LETTER: u32 = u32::MAX;
const COMMITTED: u16 = 1 << 15;
const ANSWERED: u16 = 1 << 14;

/// Stations on the largest ring there can be.
pub const MOST_STATIONS: usize = ANSWERED as usize;

impl Packet {
    /// The place of a control message of `size` bytes among the packets.
    pub fn letter(size: u16) -> Self {
        Self { born: 0, flow: LETTER, size, egress: 0 }
    }

    pub fn is_letter(&self) -> bool {
        self.flow == LETTER
    }

    /// The same packet, within its flow's committed rate.
    pub fn committed(self) -> Self {
        Self { egress: self.egress | COMMITTED, ..self }
    }

    pub fn is_committed(&self) -> bool {
        self.egress & COMMITTED != 0
    }

    /// The same packet, which somebody at its egress answers to.
    pub fn answered(self) -> Self {
        Self { egress: self.egress | ANSWERED, ..self }
    }

    pub fn egress(&self) -> u16 {
        self.egress & !(COMMITTED | ANSWERED)
    }
}

/// A packet and when it arrives.
#[derive(Clone, Copy, Debug, Default)]
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
pub struct Wire {
    pub data: Arrivals,
    /// Packets of TCP that end where the wire ends: each is an event there.
    pub ending: Arrivals,
    /// What these have as their egress.
    ends: u16,
    frames: VecDeque<(u64, Frame)>,
    outages: Outages,
}

/// A control message on its way to a neighbour.
#[derive(Clone, Debug)]
pub struct Frame {
    pub bytes: Vec<u8>,
    pub to: Addressee,
}

/// Who a control message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressee {
    /// The law of this ringlet: messages to the upstream neighbour travel on the other one.
    Law(Ringlet),
    /// The same, at the other end of a ring that is open here: it goes there the long way.
    LawAtOtherEnd(Ringlet),
    /// The station's protection.
    Protection,
}

impl Wire {
    /// One that leads to station `to`.
    pub fn new(to: u16, outages: Outages) -> Self {
        let (data, ending) = (Arrivals::new(), Arrivals::new());
        Self { data, ending, ends: to | ANSWERED, frames: VecDeque::new(), outages }
    }

    /// A packet is under way and arrives at `arrival`.
    #[inline(always)]
    pub fn push(&mut self, arrival: u64, packet: Packet) {
        if packet.egress & !COMMITTED == self.ends {
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

    /// When the next control frame arrives, `u64::MAX` if none is under way.
    #[inline(always)]
    pub fn next_frame_at(&self) -> u64 {
        self.frames.front().map_or(u64::MAX, |(at, _)| *at)
    }

    pub fn push_frame(&mut self, at: u64, frame: Frame) {
        self.frames.push_back((at, frame));
    }

    pub fn pop_frame(&mut self) -> Option<(u64, Frame)> {
        self.frames.pop_front()
    }
}
