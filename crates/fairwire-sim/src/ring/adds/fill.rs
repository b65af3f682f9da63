//! How a station queue catches up with its sources.
//!
//! Sources are asked late, when the queue matters. A packet joins the queue if there was room when the packet was made, else
//! it is refused. So packets that left the queue in the meantime still take their room until the time at which they left.

use super::queue::AddQueue;
use super::sources::Maker;
use crate::endpoint::steady::Steady;
use crate::line::Line;
use crate::ring::wire::{Arrival, Packet};

/// A packet that leaves a queue.
pub(super) trait Departure {
    /// When it does, in ns.
    fn at(&self) -> u64;
    fn size(&self) -> u16;
}

impl Departure for Arrival {
    #[inline(always)]
    fn at(&self) -> u64 {
        self.at
    }

    #[inline(always)]
    fn size(&self) -> u16 {
        self.packet.size()
    }
}

/// A packet that has left, in its old place in the queue: its time of making is the time at which it left.
#[derive(Clone, Copy, Debug)]
pub(super) struct DepartedPacket(Packet);

impl Departure for DepartedPacket {
    #[inline(always)]
    fn at(&self) -> u64 {
        self.0.born()
    }

    #[inline(always)]
    fn size(&self) -> u16 {
        self.0.size()
    }
}

impl AddQueue {
    /// Takes in all that sources have made by `now`; what does not fit is refused.
    pub fn fill(&mut self, now: u64) {
        if self.left == 0 {
            return self.fill_beside::<DepartedPacket>(&[], now);
        }
        // The line may need the places of packets that have left.
        let mut leaving = std::mem::take(&mut self.leaving);
        leaving.extend(self.waiting.last_left(self.left).iter().copied().map(DepartedPacket));
        self.left = 0;
        self.fill_beside(&leaving, now);
        leaving.clear();
        self.leaving = leaving;
    }

    /// Takes in what sources made before the last of the packets that have left was gone.
    #[inline]
    pub(super) fn settle(&mut self) {
        if let [.., last] = self.waiting.last_left(self.left) {
            self.fill(last.born());
        }
    }

    /// As [`AddQueue::fill`], up to `now`, while the packets in `leaving` still take their room until each of them leaves:
    /// a packet finds the queue as it was when the packet was made.
    #[inline(never)]
    pub(super) fn fill_beside<D: Departure>(&mut self, leaving: &[D], now: u64) {
        if let ([source], []) = (self.sources.singles.as_slice(), self.sources.crowds.as_slice()) {
            match source.is_steady() {
                Some(true) => return self.fill_steadily::<true, D>(leaving, now),
                Some(false) => return self.fill_steadily::<false, D>(leaving, now),
                None => {}
            }
        }
        match (self.sources.crowds.is_empty(), self.sources.plays()) {
            (true, true) => self.fill_between(leaving, now, Self::fill_one_by_one::<true>),
            (true, false) => self.fill_between(leaving, now, Self::fill_one_by_one::<false>),
            (false, _) => self.fill_between(leaving, now, Self::fill_from_crowds),
        }
    }

    /// The same from departure to departure, between which `fill` takes in what sources make.
    #[inline(always)]
    fn fill_between<D: Departure>(&mut self, leaving: &[D], now: u64, fill: impl Fn(&mut Self, u64)) {
        for departure in leaving {
            fill(self, departure.at());
            self.waiting_bytes -= u64::from(departure.size());
        }
        fill(self, now);
    }

    #[inline]
    fn fill_steadily<const JITTERED: bool, D: Departure>(&mut self, mut leaving: &[D], now: u64) {
        let Self { waiting, waiting_bytes, buffer_bytes, sources, feeders, .. } = self;
        let [source] = sources.singles.as_mut_slice() else { return };
        let Some(steady) = source.take_out::<JITTERED>() else { return };
        // A source that stops at once never makes a packet.
        let (last, before) = (steady.stop().saturating_sub(1), waiting.len());
        let next = Packet::new(0, source.flow, source.next_size(), source.egress);
        let mut filling = Filling { steady, next, waiting, room_bytes: *buffer_bytes as i64 - *waiting_bytes as i64 };
        while let [first, ..] = leaving {
            filling.fill(last.min(first.at()));
            if feeders.is_empty() {
                leaving = filling.turn_over(leaving, last);
            }
            if let [first, rest @ ..] = leaving {
                filling.room_bytes += i64::from(first.size());
                leaving = rest;
            }
        }
        filling.fill(last.min(now));
        *waiting_bytes = (*buffer_bytes as i64 - filling.room_bytes) as u64;
        let taken = filling.waiting.len() - before;
        source.go_on(filling.steady, taken as u64);
    }

    /// From sources that play a tournament (`PLAY`), or are looked at one after the other.
    #[inline(never)]
    fn fill_one_by_one<const PLAY: bool>(&mut self, now: u64) {
        while !self.sources.is_empty() {
            let next = self.sources.next_single::<PLAY>();
            let source = &mut self.sources.singles[next];
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
            if PLAY {
                self.sources.has_moved(next);
            }
        }
    }

    /// From crowds, and single sources beside them.
    #[inline(never)]
    fn fill_from_crowds(&mut self, now: u64) {
        loop {
            let room = self.buffer_bytes.saturating_sub(self.waiting_bytes);
            // Until a packet leaves room becomes less.
            let refused = self.sources.crowds.iter_mut().filter(|crowd| u64::from(crowd.size()) > room);
            refused.for_each(|crowd| crowd.refuse_until(now));
            let Some((maker, born)) = self.sources.next().filter(|(_, born)| *born <= now) else { return };
            let packet = self.sources.take(maker).made_at(born);
            let size = u64::from(packet.size());
            if size <= room {
                self.waiting_bytes += size;
                self.waiting.push(packet);
            } else if let Maker::Single(place) = maker {
                self.sources.singles[place].refused += 1;
            }
        }
    }
}

/// A steady source and the queue that it fills. It works on copies of what changes, which stay in registers.
struct Filling<'a, const JITTERED: bool> {
    steady: Steady<JITTERED>,
    /// What its packets look like; only their time of making differs.
    next: Packet,
    waiting: &'a mut Line<Packet>,
    /// Bytes left in the buffer; below zero where a larger packet was let in before.
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

    /// Works out a full queue in one go. Packets are all of one size: whenever one leaves, the next packet that is made
    /// takes the free place, and all after it are refused until another one leaves. The queue has been filled up to the
    /// time at which the first of `leaving` leaves. Returns the departures that are still to be worked out.
    #[inline(always)]
    fn turn_over<'l, D: Departure>(&mut self, leaving: &'l [D], last: u64) -> &'l [D] {
        let is_full = (0..i64::from(self.next.size())).contains(&self.room_bytes);
        if JITTERED || !is_full {
            return leaving;
        }
        let Some(table) = self.steady.timetable() else { return leaving };
        let begin = self.steady.next_at();
        let last = last.min(begin.saturating_add(table.longest()));
        let in_time = match leaving {
            [.., latest] if latest.at() <= last => leaving.len(),
            _ => leaving.partition_point(|departure| departure.at() <= last),
        };
        let (mut next, packet) = (0, self.next);
        let untils = leaving[..in_time].iter().skip(1).map(Departure::at);
        let taken = self.waiting.push_while(packet, untils, |until| {
            let born = begin + table.end_of(next);
            let finds_room = born <= until;
            if finds_room {
                next = table.first_after(until - begin);
            }
            finds_room.then(|| packet.made_at(born))
        });
        self.steady.go_by(&table, next, taken as u64);
        &leaving[taken..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::source::{Offering, Source};
    use crate::lots::Lots;
    use crate::ring::adds::Sources;
    use fairwire_core::{BitRate, Instant, RandomStream, Serialiser, Streams};
    use fairwire_plan::{Arrivals, Traffic};
    use rand::{Rng, RngExt};
    use std::collections::VecDeque;

    /// A queue that looks at each packet when it is made.
    struct Slow {
        spacing: Serialiser,
        size: u16,
        next_at: u64,
        stop: u64,
        room: usize,
        waiting: VecDeque<u64>,
        offered: u64,
        refused: u64,
    }

    impl Slow {
        fn fill(&mut self, now: u64) {
            while self.next_at <= now && self.next_at < self.stop {
                self.offered += 1;
                if self.waiting.len() < self.room {
                    self.waiting.push_back(self.next_at);
                } else {
                    self.refused += 1;
                }
                self.next_at += self.spacing.transmit(self.size.into()).as_nanos();
            }
        }
    }

    fn pair(draw: &mut RandomStream) -> (AddQueue, Slow) {
        let (size, rate) = (draw.random_range(64..1_500), BitRate::from_bps(draw.random_range(1..20_000_000_000)));
        let (start, lasts) = (draw.random_range(0..50_000), draw.random_range(1..5_000_000));
        let arrivals = Arrivals::Cbr { rate, jitter: 0.0 };
        let plan = Offering {
            traffic: Traffic { arrivals, packet_bytes: size, size_jitter: 0.0 },
            start: Instant::from_nanos(start),
            stop: Instant::from_nanos(start + lasts),
        };
        let rng = Streams::new(draw.next_u64(), 0).component("source");
        let source = Source::new(0, 1, &plan, false, rate, rng);
        let room = draw.random_range(1..40);
        let buffer_bytes = room as u64 * u64::from(size) + draw.random_range(0..u64::from(size));
        let slow = Slow {
            spacing: Serialiser::new(rate),
            size,
            next_at: start,
            stop: start + lasts,
            room,
            waiting: VecDeque::new(),
            offered: 0,
            refused: 0,
        };
        let mut sources = Sources::new(Lots::default());
        sources.add(source);
        (AddQueue::new(buffer_bytes, sources, Vec::new()), slow)
    }

    #[test]
    fn sources_are_asked_late_as_if_they_had_been_asked_at_once() {
        let mut draw = Streams::new(802, 17).component("fills");
        for _ in 0..2_000 {
            let (mut queue, mut slow) = pair(&mut draw);
            let (mut now, spacing) = (0, draw.random_range(1..30_000));
            for _ in 0..draw.random_range(1..400) {
                now += draw.random_range(0..2 * spacing);
                if draw.random_range(0..50) == 0 {
                    slow.fill(now);
                    assert_eq!(queue.state(now).packets as usize, slow.waiting.len());
                }
                if queue.head().is_some_and(|head| head.at <= now) {
                    slow.fill(now);
                    assert_eq!(queue.pop(now).map(|packet| packet.born()), slow.waiting.pop_front());
                }
            }
            queue.fill(now);
            slow.fill(now);
            assert!(queue.waiting().map(Packet::born).eq(slow.waiting));
            assert_eq!(queue.counts().collect::<Vec<_>>(), [(0, slow.offered, slow.refused)]);
        }
    }
}
