//! Packets under way to one place.

use super::packet::Packet;
use crate::line::Line;

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

    /// How many have been taken so far.
    #[inline(always)]
    pub fn taken(&self) -> usize {
        self.arrivals.taken()
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
    pub fn sift(&mut self, until: u64, mut keeps: impl FnMut(&Arrival) -> bool) {
        let mut gone = |arrival: &Arrival| arrival.at <= until && !keeps(arrival);
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
