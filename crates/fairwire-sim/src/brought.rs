//! Packets that are brought to a simulation from outside, and what becomes of each.

use fairwire_core::Instant;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A packet that somebody else made, to be sent by a flow of the plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct BroughtPacket {
    /// Whatever the bringer knows it by; it is handed back with the packet and means nothing here.
    pub number: u64,
    /// Its size on the wire, at least 1.
    pub size_bytes: u16,
    /// When its source sends it: not before the simulation's present time, and before its end.
    pub at: Instant,
    /// Which connection of its flow it belongs to, in the bringer's own numbers. Only where all packets are brought does
    /// the law of a network's queue tell connections apart; elsewhere it means nothing.
    pub connection: u32,
    /// Whether it goes back from the flow's destination to its source, as acknowledgements do. Only where all packets are
    /// brought.
    pub back: bool,
    /// Whether it may be marked instead of dropped.
    pub ecn_capable: bool,
}

/// Which packets come from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feed {
    /// None: the plan's own sources make all of them.
    Nothing,
    /// Some, beside those that the plan's sources make.
    Beside,
    /// All of them, acknowledgements of TCP included: the plan's sources and connections make none.
    All,
}

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It reached its destination.
    Arrived,
    /// It found the station queue of a ring full, and never entered the ring.
    Refused,
    /// A queue on its way did not take it, or dropped it when its turn came.
    Dropped,
    /// A queue had taken it and then made room for others.
    Evicted,
    /// A link lost it: by chance, or because it was cut.
    Lost,
    /// It was in strict order and came while the topology was unsettled.
    Discarded,
}

impl Fate {
    /// Its word in tables: `arrived`, `refused`, `dropped`, `evicted`, `lost`, `discarded`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Arrived => "arrived",
            Self::Refused => "refused",
            Self::Dropped => "dropped",
            Self::Evicted => "evicted",
            Self::Lost => "lost",
            Self::Discarded => "discarded",
        }
    }
}

/// A packet that was brought is handed back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// As it was brought.
    pub packet: BroughtPacket,
    /// The flow that it was brought to, by its place in the plan.
    pub flow: usize,
    /// What became of it.
    pub fate: Fate,
    /// When: of a packet that a link lost by chance, when its transmission began.
    pub at: Instant,
    /// Whether a queue marked it on its way.
    pub marked: bool,
}

/// A packet that cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BringError {
    /// Stations of a ring are built for what is brought, or without.
    #[error("this ring was not made to be fed with packets; begin it with `RingSimulation::fed`")]
    NotFed,
    /// The plan has not so many flows.
    #[error("there is no flow {flow}: the plan has {flows}, counted from 0")]
    NoFlow {
        /// The number asked for.
        flow: usize,
        /// How many there are.
        flows: usize,
    },
    /// Its sender decides what a connection sends.
    #[error(
        "flow {0} is made of TCP connections, which send what their senders decide; bring packets to a flow of datagrams"
    )]
    Tcp(String),
    /// Only what answers a flow goes back.
    #[error("flow {0} is made of datagrams, which nothing answers: no packet of it goes back")]
    NothingBack(String),
    /// Only where all packets are brought do any go back.
    #[error("packet {0} goes back; only where all packets are brought (`carried`) are answers brought, too")]
    NotCarried(u64),
    /// A packet without a byte takes no time.
    #[error("packet {0} has no bytes; it needs at least 1")]
    Empty(u64),
    /// No packet of a ring may be larger than the largest that its plan speaks of.
    #[error("packet {number} has {size_bytes} bytes, and the largest packet of this ring has {largest}")]
    TooLarge {
        /// The packet.
        number: u64,
        /// Its size.
        size_bytes: u16,
        /// The largest size that flows of the plan make.
        largest: u64,
    },
    /// What is over cannot be changed, and nothing is sent after the end.
    #[error("packet {number} is to be sent at {at}; the simulation stands at {now} and ends at {end}")]
    OutOfTime {
        /// The packet.
        number: u64,
        /// When it is to be sent, in ns.
        at: Instant,
        /// Where the simulation stands.
        now: Instant,
        /// Where it ends.
        end: Instant,
    },
}

impl BroughtPacket {
    /// Whether a simulation that stands at `now` and ends at `end` can take it.
    pub(crate) fn check(&self, now: Instant, end: Instant) -> Result<(), BringError> {
        if self.size_bytes == 0 {
            return Err(BringError::Empty(self.number));
        }
        if self.at < now || self.at >= end {
            return Err(BringError::OutOfTime { number: self.number, at: self.at, now, end });
        }
        Ok(())
    }
}

/// All packets that were brought and have not been handed back.
#[derive(Debug, Default)]
pub struct Returns {
    under_way: Vec<Entry>,
    free: Vec<u32>,
    /// Whose fate is known, the earliest first. Parts of a simulation may be ahead of its present time.
    decided: BinaryHeap<Reverse<Decided>>,
    brought: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    packet: BroughtPacket,
    flow: u32,
    /// How many were brought before.
    order: u64,
}

/// Compared by time, and then by what does not depend on when packets were brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Decided {
    at: u64,
    flow: u32,
    sent_at: Instant,
    order: u64,
    packet: BroughtPacket,
    fate: Fate,
    marked: bool,
}

impl Returns {
    /// Takes a packet: by which number it is known here until its fate is known.
    pub fn bring(&mut self, flow: usize, packet: BroughtPacket) -> u32 {
        let entry = Entry { packet, flow: flow as u32, order: self.brought };
        self.brought += 1;
        match self.free.pop() {
            Some(handle) => {
                self.under_way[handle as usize] = entry;
                handle
            }
            None => {
                self.under_way.push(entry);
                (self.under_way.len() - 1) as u32
            }
        }
    }

    /// What becomes of packet `handle` at `at`. That number may be another packet's from now on.
    pub fn decide(&mut self, handle: u32, fate: Fate, at: u64) {
        self.decide_marked(handle, fate, at, false);
    }

    /// As [`Returns::decide`], of a packet that was `marked` or not.
    pub fn decide_marked(&mut self, handle: u32, fate: Fate, at: u64, marked: bool) {
        let Entry { packet, flow, order } = self.under_way[handle as usize];
        self.free.push(handle);
        self.decided.push(Reverse(Decided { at, flow, sent_at: packet.at, order, packet, fate, marked }));
    }

    /// The packet known as `handle`.
    pub fn packet(&self, handle: u32) -> &BroughtPacket {
        &self.under_way[handle as usize].packet
    }

    /// Hands back all whose fate was decided before `now`, in order of time.
    pub fn take(&mut self, now: u64) -> Vec<Delivery> {
        let mut taken = Vec::new();
        while let Some(Reverse(decided)) = self.decided.peek().copied()
            && decided.at < now
        {
            self.decided.pop();
            taken.push(Delivery {
                packet: decided.packet,
                flow: decided.flow as usize,
                fate: decided.fate,
                at: Instant::from_nanos(decided.at),
                marked: decided.marked,
            });
        }
        taken
    }

    /// How many have not been handed back.
    pub fn outstanding(&self) -> usize {
        self.under_way.len() - self.free.len() + self.decided.len()
    }
}

/// Packets that were brought and wait for the time at which they are sent; of those of one instant the first that was
/// brought goes first.
#[derive(Clone, Debug, Default)]
pub struct BroughtLine {
    waiting: BinaryHeap<Reverse<(u64, u64, Due)>>,
    count: u64,
}

/// A packet that is sent when its time has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    pub size_bytes: u16,
    /// As [`Returns::bring`] gave it.
    pub handle: u32,
}

impl BroughtLine {
    pub fn bring(&mut self, at: u64, due: Due) {
        self.waiting.push(Reverse((at, self.count, due)));
        self.count += 1;
    }

    /// When the next one is sent, `u64::MAX` if there is none.
    pub fn next_at(&self) -> u64 {
        self.waiting.peek().map_or(u64::MAX, |Reverse((at, ..))| *at)
    }

    /// The next one, if it is sent before `end`.
    pub fn take_before(&mut self, end: u64) -> Option<Due> {
        (self.next_at() < end).then(|| self.waiting.pop()).flatten().map(|Reverse((.., due))| due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(number: u64, at: u64) -> BroughtPacket {
        BroughtPacket { number, size_bytes: 100, at: Instant::from_nanos(at), ..BroughtPacket::default() }
    }

    #[test]
    fn each_is_handed_back_once_in_order_of_time() {
        let mut returns = Returns::default();
        let handles: Vec<_> = (0..4).map(|number| returns.bring(0, packet(number, number))).collect();
        returns.decide(handles[2], Fate::Arrived, 50);
        returns.decide(handles[0], Fate::Lost, 20);
        assert_eq!(returns.bring(1, packet(9, 10)), handles[0], "places are taken again");
        returns.decide(handles[3], Fate::Dropped, 20);
        let taken: Vec<_> = returns.take(50).iter().map(|delivery| (delivery.packet.number, delivery.fate)).collect();
        assert_eq!(taken, [(0, Fate::Lost), (3, Fate::Dropped)], "50 is not before 50");
        assert_eq!(returns.take(50), []);
        assert_eq!(returns.take(51).len(), 1);
        assert_eq!(returns.outstanding(), 2, "1 and 9 are under way");
    }

    #[test]
    fn what_is_over_or_empty_is_not_taken() {
        let [now, end] = [10, 20].map(Instant::from_nanos);
        for (packet, fits) in
            [(packet(1, 9), false), (packet(1, 10), true), (packet(1, 19), true), (packet(1, 20), false)]
        {
            assert_eq!(packet.check(now, end).is_ok(), fits);
        }
        assert_eq!(BroughtPacket { size_bytes: 0, ..packet(7, 10) }.check(now, end), Err(BringError::Empty(7)));
    }
}
