//! A station queue: what waits at a station to be let onto the ring.
//!
//! Sources are asked for what they made when it matters; ends of TCP connections bring
//! each packet at its time.

use super::ledger::Ledger;
use super::limiter::Metered;
use super::packet::{Arrival, Arrivals, Packet};
use crate::endpoint::source::Source;
use crate::endpoint::steady::Steady;
use crate::line::Line;
use fairwire_laws::ring::AddQueueView;

/// One station queue with what feeds it.
#[derive(Debug)]
pub struct AddQueue {
    waiting: Line<Packet>,
    /// Of what `waiting_bytes` counts, what has left one by one since sources were last asked.
    left: Vec<Arrival>,
    waiting_bytes: u64,
    buffer_bytes: u64,
    sources: Vec<Source>,
    feeders: Vec<Feeder>,
    ran_empty: u64,
    /// Its destination cannot be reached: nothing leaves.
    held: bool,
    /// When that was last over.
    resumed_at: u64,
}

/// A flow of TCP, whose ends bring its packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Feeder {
    pub flow: u32,
    /// Packets brought so far.
    pub offered: u64,
    pub offered_bytes: u64,
    /// Packets that found the queue full.
    pub refused: u64,
}

/// The packet at the head, or the one that will be.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// Since when it is there.
    pub at: u64,
    pub size: u16,
    pub flow: u32,
    /// When a packet not yet made would no longer be made.
    pub stop: u64,
}

impl AddQueue {
    pub fn new(buffer_bytes: u64, sources: Vec<Source>, feeders: Vec<Feeder>) -> Self {
        Self {
            waiting: Line::new(),
            left: Vec::new(),
            waiting_bytes: 0,
            buffer_bytes,
            sources,
            feeders,
            ran_empty: 0,
            held: false,
            resumed_at: 0,
        }
    }

    /// One that nothing ever enters.
    pub fn none() -> Self {
        Self::new(0, Vec::new(), Vec::new())
    }

    /// From `now` on holds all back, or no longer.
    pub fn hold(&mut self, held: bool, now: u64) {
        if self.held && !held {
            self.fill(now);
            self.resumed_at = now;
        }
        self.held = held;
    }

    /// Whether nothing leaves it, now at least.
    fn is_still(&self) -> bool {
        self.held || (self.sources.is_empty() && self.waiting.is_empty())
    }

    /// Packets of each flow that feeds it, over the whole run: how many came up, and how many of
    /// these found no room. A flow may be there more than once.
    pub fn counts(&self) -> impl Iterator<Item = (u32, u64, u64)> {
        let sources = self.sources.iter().map(|source| (source.flow, source.offered, source.refused));
        sources.chain(self.feeders.iter().map(|feeder| (feeder.flow, feeder.offered, feeder.refused)))
    }

    pub fn waiting(&self) -> impl Iterator<Item = &Packet> {
        self.waiting.iter()
    }

    /// A source that never runs out and has the queue to itself.
    fn is_endless(&self) -> bool {
        matches!(self.sources.as_slice(), [source] if source.is_greedy())
    }

    /// The packet that leaves next, if any ever will.
    #[inline]
    pub fn head(&self) -> Option<Head> {
        if self.held {
            return None;
        }
        if let Some(packet) = self.waiting.front() {
            return Some(Head { at: packet.born(), size: packet.size(), flow: packet.flow(), stop: u64::MAX });
        }
        let source = self.sources.get(self.next_source())?;
        let stop = if source.is_greedy() { source.stop() } else { u64::MAX };
        (source.next_at() < u64::MAX).then(|| Head {
            at: source.next_at(),
            size: source.next_size(),
            flow: source.flow,
            stop,
        })
    }

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
    fn settle(&mut self) {
        if let Some(last) = self.left.last() {
            self.fill(last.at);
        }
    }

    /// As [`AddQueue::fill`] where `leaving` have been taken off before their time, up to `now`: each packet finds what was
    /// waiting when it was made.
    #[inline(never)]
    fn fill_beside(&mut self, leaving: &[Arrival], now: u64) {
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
        let mut filling = Filling { steady, next, waiting, waiting_bytes: *waiting_bytes, buffer_bytes: *buffer_bytes };
        for Arrival { at, packet } in leaving {
            filling.fill(last.min(*at));
            filling.waiting_bytes -= u64::from(packet.size());
        }
        filling.fill(last.min(now));
        *waiting_bytes = filling.waiting_bytes;
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

    /// A packet is brought at the time at which it was made: whether there is room, and
    /// whether it is the next to leave.
    pub fn push(&mut self, feeder: usize, packet: Packet) -> Option<bool> {
        self.fill(packet.born());
        let feeder = &mut self.feeders[feeder];
        feeder.offered += 1;
        feeder.offered_bytes += u64::from(packet.size());
        let waiting_bytes = self.waiting_bytes + u64::from(packet.size());
        if waiting_bytes > self.buffer_bytes {
            feeder.refused += 1;
            return None;
        }
        self.waiting_bytes = waiting_bytes;
        self.waiting.push(packet);
        Some(self.waiting.len() == 1)
    }

    /// Takes the head at `now`, when it is there.
    #[inline]
    pub fn pop(&mut self, now: u64) -> Option<Packet> {
        if self.waiting.len() > 1 {
            // Whoever comes after does not change what leaves now.
            let packet = self.waiting.pop()?;
            self.left.push(Arrival { at: now, packet });
            return Some(packet);
        }
        self.pop_last(now)
    }

    /// The same if nothing waits behind it.
    #[inline(never)]
    fn pop_last(&mut self, now: u64) -> Option<Packet> {
        if self.waiting.is_empty() {
            return self.pop_straight(now);
        }
        self.fill(now);
        let packet = self.waiting.pop()?;
        self.waiting_bytes -= u64::from(packet.size());
        self.ran_empty += u64::from(self.waiting.is_empty());
        Some(packet)
    }

    /// The next packet made passes through the empty queue.
    #[inline]
    fn pop_straight(&mut self, now: u64) -> Option<Packet> {
        let next = self.next_source();
        let source = self.sources.get_mut(next)?;
        if source.is_greedy() && now >= source.stop() {
            source.end(); // It was held back past its stop.
            return None;
        }
        let born = if source.is_greedy() { now } else { source.next_at() };
        let packet = Packet::new(born, source.flow, source.take(), source.egress);
        if !source.is_greedy() {
            // What arose while the limiter held this packet up waits behind it, if
            // there was room beside it.
            let held = if born < now { u64::from(packet.size()) } else { 0 };
            self.waiting_bytes += held;
            self.fill(now);
            self.waiting_bytes -= held;
            self.ran_empty += u64::from(self.waiting.is_empty());
        }
        Some(packet)
    }

    /// Passes on what `limiter`, the only one here, lets pass from `at` on and
    /// before `stop`; returns when the next head may pass. It works on a copy of
    /// the limiter, which then stays in registers.
    pub fn trickle_until(
        &mut self,
        mut at: u64,
        stop: u64,
        limiter: &mut Metered,
        into: &mut Arrivals,
        ledger: &mut Ledger,
    ) -> u64 {
        let mut bucket = limiter.clone();
        let before = into.as_slice().len();
        self.settle();
        while at < stop {
            if self.is_endless() && self.waiting.is_empty() {
                at = self.trickle_endless(at, stop, &mut bucket, into);
                break;
            }
            let first = into.as_slice().len();
            at = self.trickle_backlog(at, stop, &mut bucket, into);
            if let [.., last] = &into.as_slice()[first..] {
                self.fill_beside(&into.as_slice()[first..], last.at);
            }
            if at >= stop {
                break;
            }
            if let Some(packet) = self.pop(at) {
                bucket.pass(at);
                into.push(at, packet);
            }
            at = match self.head() {
                Some(head) => Some(bucket.ready_at(head.at, head.size).max(at)).filter(|ready| *ready < head.stop),
                None => None,
            }
            .unwrap_or(u64::MAX);
        }
        *limiter = bucket;
        self.enter(&into.as_slice()[before..], ledger);
        at
    }

    /// The same for a source that never runs out: its packets are made as they pass.
    #[inline(always)]
    fn trickle_endless(&mut self, mut at: u64, stop: u64, bucket: &mut Metered, into: &mut Arrivals) -> u64 {
        let [source] = self.sources.as_mut_slice() else { return at };
        let (begin, end) = (source.next_at(), source.stop());
        let next = Packet::new(0, source.flow, source.next_size(), source.egress);
        if source.has_equal_sizes() {
            let before = into.as_slice().len();
            at = bucket.pass_all(at, stop.min(end), begin, next.size(), |at| into.push(at, next.made_at(at)));
            source.take_equal((into.as_slice().len() - before) as u64);
        }
        while at < stop.min(end) {
            into.push(at, Packet::new(at, source.flow, source.take(), source.egress));
            at = bucket.pass_on(at, begin, source.next_size());
        }
        if at < end { at } else { u64::MAX }
    }

    /// The same while another packet waits behind the one that passes: whoever
    /// comes after them does not change what leaves now.
    #[inline(always)]
    fn trickle_backlog(&mut self, mut at: u64, stop: u64, bucket: &mut Metered, into: &mut Arrivals) -> u64 {
        let mut passed = 0;
        for pair in self.waiting.as_slice().windows(2) {
            if at >= stop {
                break;
            }
            let (packet, next) = (&pair[0], &pair[1]);
            into.push(at, *packet);
            passed += 1;
            at = bucket.pass_on(at, next.born(), next.size());
        }
        self.waiting.drop_first(passed);
        at
    }

    /// Books packets of this queue that enter the ring.
    fn enter(&self, packets: &[Arrival], ledger: &mut Ledger) {
        match self.sources.as_slice() {
            [source] if self.feeders.is_empty() => ledger.enter_all(source.flow, packets),
            _ => packets.iter().for_each(|arrival| ledger.enter(arrival.at, &arrival.packet)),
        }
    }

    /// Passes on all that sources make before `stop`, for a queue in which
    /// nothing need wait.
    pub fn pour_until(&mut self, stop: u64, into: &mut Arrivals, ledger: &mut Ledger) {
        if self.is_still() {
            return;
        }
        self.settle();
        while let Some(packet) = self.waiting.pop() {
            let at = packet.born().max(self.resumed_at);
            self.waiting_bytes -= u64::from(packet.size());
            self.ran_empty += u64::from(self.waiting.is_empty());
            ledger.enter(at, &packet);
            into.push(at, packet);
        }
        if let [source] = self.sources.as_mut_slice()
            && let Some(jittered) = source.is_steady()
        {
            let before = into.as_slice().len();
            match jittered {
                true => pour_steadily::<true>(source, stop, into),
                false => pour_steadily::<false>(source, stop, into),
            }
            let added = &into.as_slice()[before..];
            ledger.enter_all(source.flow, added);
            self.ran_empty += added.len() as u64;
            return;
        }
        while !self.sources.is_empty() {
            let next = self.next_source();
            let source = &mut self.sources[next];
            let born = source.next_at();
            if born >= stop {
                return;
            }
            let packet = Packet::new(born, source.flow, source.take(), source.egress);
            self.ran_empty += 1;
            ledger.enter(born, &packet);
            into.push(born, packet);
        }
    }

    /// The queue as a law sees it at `now`.
    pub fn view(&mut self, now: u64) -> AddQueueView {
        self.fill(now);
        let endless = self.is_endless() && self.sources[0].next_at() <= now && now < self.sources[0].stop();
        let packets = if endless { u32::MAX } else { self.waiting.len() as u32 };
        AddQueueView { packets, offered_bytes: self.offered_bytes(|_| true), ran_empty: self.ran_empty }
    }

    /// The part of a shared queue, filled before, that belongs to the flows that are `mine`.
    pub fn view_of(&self, mine: impl Fn(u32) -> bool) -> AddQueueView {
        let packets = self.waiting.iter().filter(|packet| mine(packet.flow())).count() as u32;
        AddQueueView { packets, offered_bytes: self.offered_bytes(mine), ran_empty: self.ran_empty }
    }

    /// Of the flows that are `mine`.
    fn offered_bytes(&self, mine: impl Fn(u32) -> bool) -> u64 {
        let sources = self.sources.iter().map(|source| (source.flow, source.offered_bytes));
        let feeders = self.feeders.iter().map(|feeder| (feeder.flow, feeder.offered_bytes));
        sources.chain(feeders).filter(|(flow, _)| mine(*flow)).map(|(_, bytes)| bytes).sum()
    }

    /// The source whose packet arises first; the first declared of equals.
    #[inline]
    fn next_source(&self) -> usize {
        if self.sources.len() == 1 {
            return 0;
        }
        let earliest = self.sources.iter().enumerate().min_by_key(|(_, source)| source.next_at());
        earliest.map_or(0, |(index, _)| index)
    }
}

/// A steady source and the queue that it fills, on copies of what changes, which then stay in registers.
struct Filling<'a, const JITTERED: bool> {
    steady: Steady<JITTERED>,
    /// Its packets, whenever they are made.
    next: Packet,
    waiting: &'a mut Line<Packet>,
    waiting_bytes: u64,
    buffer_bytes: u64,
}

impl<const JITTERED: bool> Filling<'_, JITTERED> {
    /// Takes in what is made by `until` and finds room.
    #[inline(always)]
    fn fill(&mut self, until: u64) {
        while self.steady.next_at() <= until {
            let waiting_bytes = self.waiting_bytes + u64::from(self.next.size());
            if waiting_bytes > self.buffer_bytes {
                return self.steady.refuse_until(until);
            }
            self.waiting_bytes = waiting_bytes;
            self.waiting.push(self.next.made_at(self.steady.next_at()));
            self.steady.take();
        }
    }
}

/// Passes on all that a steady source makes before `stop`.
fn pour_steadily<const JITTERED: bool>(source: &mut Source, stop: u64, into: &mut Arrivals) {
    let Some(mut steady) = source.take_out::<JITTERED>() else { return };
    let (stop, before) = (stop.min(steady.stop()), into.as_slice().len());
    let packet = Packet::new(0, source.flow, source.next_size(), source.egress);
    while steady.next_at() < stop {
        let born = steady.next_at();
        into.push(born, packet.made_at(born));
        steady.take();
    }
    let poured = into.as_slice().len() - before;
    source.go_on(steady, poured as u64);
}
