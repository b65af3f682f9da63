//! How a station queue catches up with its sources: what they have made since they were last
//! asked finds room, or is refused.

use super::queue::AddQueue;
use crate::endpoint::steady::Steady;
use crate::line::Line;
use crate::ring::wire::{Arrival, Packet};

impl AddQueue {
    /// Takes in all that sources have made by `now`; what does not fit is refused.
    pub fn fill(&mut self, now: u64) {
        if self.left.is_empty() {
            return self.fill_beside(&[], now);
        }
        let mut left = std::mem::take(&mut self.left);
        self.fill_beside(&left, now);
        left.clear();
        self.left = left;
    }

    /// Takes in what found the queue as it was before the packets left that have left.
    #[inline]
    pub(super) fn settle(&mut self) {
        if let Some(last) = self.left.last() {
            self.fill(last.at);
        }
    }

    /// As [`AddQueue::fill`] where `leaving` have been taken off before their time, up to
    /// `now`: each packet finds what was waiting when it was made.
    #[inline(never)]
    pub(super) fn fill_beside(&mut self, leaving: &[Arrival], now: u64) {
        if let [source] = self.sources.as_slice() {
            match source.is_steady() {
                Some(true) => return self.fill_steadily::<true>(leaving, now),
                Some(false) => return self.fill_steadily::<false>(leaving, now),
                None => {}
            }
        }
        for Arrival { at, packet } in leaving {
            self.fill_one_by_one(*at);
            self.waiting_bytes -= u64::from(packet.size());
        }
        self.fill_one_by_one(now);
    }

    fn fill_steadily<const JITTERED: bool>(&mut self, leaving: &[Arrival], now: u64) {
        let Self { waiting, waiting_bytes, buffer_bytes, sources, .. } = self;
        let [source] = sources.as_mut_slice() else { return };
        let Some(steady) = source.take_out::<JITTERED>() else { return };
        // A source that stops at once never makes a packet.
        let (last, before) = (steady.stop().saturating_sub(1), waiting.len());
        let next = Packet::new(0, source.flow, source.next_size(), source.egress);
        let mut filling = Filling { steady, next, waiting, room_bytes: *buffer_bytes as i64 - *waiting_bytes as i64 };
        for Arrival { at, packet } in leaving {
            filling.fill(last.min(*at));
            filling.room_bytes += i64::from(packet.size());
        }
        filling.fill(last.min(now));
        *waiting_bytes = (*buffer_bytes as i64 - filling.room_bytes) as u64;
        let taken = filling.waiting.len() - before;
        source.go_on(filling.steady, taken as u64);
    }

    fn fill_one_by_one(&mut self, now: u64) {
        while !self.sources.is_empty() {
            let next = self.next_source();
            let source = &mut self.sources[next];
            let born = source.next_at();
            if born > now || source.is_greedy() {
                return;
            }
            let size = source.take();
            if self.waiting_bytes + u64::from(size) <= self.buffer_bytes {
                self.waiting_bytes += u64::from(size);
                self.waiting.push(Packet::new(born, source.flow, size, source.egress));
            } else {
                source.refused += 1;
            }
        }
    }
}

/// A steady source and the queue that it fills, on copies of what changes, which then stay in registers.
struct Filling<'a, const JITTERED: bool> {
    steady: Steady<JITTERED>,
    /// Its packets, whenever they are made.
    next: Packet,
    waiting: &'a mut Line<Packet>,
    /// What is left of the buffer; below zero where a packet that was let in is larger.
    room_bytes: i64,
}

impl<const JITTERED: bool> Filling<'_, JITTERED> {
    /// Takes in what is made by `until` and finds room.
    #[inline(always)]
    fn fill(&mut self, until: u64) {
        while self.steady.next_at() <= until {
            let size = i64::from(self.next.size());
            if self.room_bytes < size {
                return self.steady.refuse_until(until);
            }
            self.room_bytes -= size;
            self.waiting.push(self.next.made_at(self.steady.next_at()));
            self.steady.take();
        }
    }
}
