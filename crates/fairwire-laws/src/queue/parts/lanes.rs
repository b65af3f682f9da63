//! Waiting packets, in lanes: what a driver keeps and a law looks at.

use crate::queue::QueuedPacket;
use fairwire_core::Instant;
use std::collections::VecDeque;

/// A law may use this many lanes.
pub const MOST_LANES: u32 = 1 << 20;

/// The lanes of one queue, made as they are used.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    lanes: Vec<Lane>,
    packets: u32,
    bytes: u64,
}

/// One lane: first in, first out.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    waiting: VecDeque<Waiting>,
    bytes: u64,
}

/// A packet that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// What a law may know of it.
    pub packet: QueuedPacket,
    /// When it came.
    pub since: Instant,
    /// Whether it was marked with congestion experienced as it came.
    pub marked: bool,
    /// By what its driver knows it.
    pub handle: u32,
}

impl Lanes {
    /// Packets in all lanes.
    pub fn packets(&self) -> u32 {
        self.packets
    }

    /// Bytes in all lanes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A lane; an empty one if it was never used.
    pub fn lane(&self, lane: u32) -> &Lane {
        static EMPTY: Lane = Lane { waiting: VecDeque::new(), bytes: 0 };
        self.lanes.get(lane as usize).unwrap_or(&EMPTY)
    }

    /// Puts a packet at the end of a lane.
    ///
    /// # Panics
    /// From [`MOST_LANES`] on.
    pub fn push(&mut self, lane: u32, waiting: Waiting) {
        assert!(lane < MOST_LANES, "lane {lane} of at most {MOST_LANES}");
        if self.lanes.len() <= lane as usize {
            self.lanes.resize_with(lane as usize + 1, Lane::default);
        }
        let place = &mut self.lanes[lane as usize];
        place.bytes += u64::from(waiting.packet.size_bytes);
        place.waiting.push_back(waiting);
        self.packets += 1;
        self.bytes += u64::from(waiting.packet.size_bytes);
    }

    /// Takes the packet at `place` of a lane, 0 at its head, if there is one.
    pub fn take(&mut self, lane: u32, place: usize) -> Option<Waiting> {
        let lane = self.lanes.get_mut(lane as usize)?;
        let waiting = if place == 0 { lane.waiting.pop_front() } else { lane.waiting.remove(place) }?;
        lane.bytes -= u64::from(waiting.packet.size_bytes);
        self.packets -= 1;
        self.bytes -= u64::from(waiting.packet.size_bytes);
        Some(waiting)
    }
}

impl Lane {
    /// Packets in it.
    pub fn packets(&self) -> usize {
        self.waiting.len()
    }

    /// Bytes in it.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The packet that has waited longest.
    pub fn head(&self) -> Option<&Waiting> {
        self.waiting.front()
    }

    /// The packet at a place, 0 at the head.
    pub fn get(&self, place: usize) -> Option<&Waiting> {
        self.waiting.get(place)
    }
}
