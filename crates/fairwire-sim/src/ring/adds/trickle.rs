//! What a station queue passes on between two calls of the law.
//!
//! Limits stand still between two calls. So all packets that pass until then are worked out in one loop: those that the
//! queue's limiter lets pass, or all packets if nothing limits the queue.

use super::limiter::Metered;
use super::queue::AddQueue;
use crate::endpoint::source::Source;
use crate::ring::books::Ledger;
use crate::ring::wire::{Arrival, Arrivals, Packet};

impl AddQueue {
    /// Passes on what `limiter` lets pass from `at` on and before `stop`, where it is the only limiter. Returns when the next
    /// packet may pass. It works on a copy of the limiter, which stays in registers.
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
            if at >= stop || self.waiting.len() > 1 {
                continue;
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
        let [source] = self.sources.singles.as_mut_slice() else { return at };
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
    fn trickle_backlog(&mut self, at: u64, stop: u64, bucket: &mut Metered, into: &mut Arrivals) -> u64 {
        let waiting = self.waiting.as_slice();
        let (at, passed) = bucket.pass_backlog(at, stop, waiting, |at, packet| into.push(at, packet));
        self.waiting.drop_first(passed);
        at
    }

    /// Books packets of this queue that enter the ring.
    fn enter(&self, packets: &[Arrival], ledger: &mut Ledger) {
        match self.sources.only_flow() {
            Some(flow) if self.feeders.is_empty() => ledger.enter_all(flow, packets),
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
        if let ([source], []) = (self.sources.singles.as_mut_slice(), self.sources.crowds.as_slice())
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
        while let Some((maker, born)) = self.sources.next().filter(|(_, born)| *born < stop) {
            let packet = self.sources.take(maker).made_at(born);
            self.ran_empty += 1;
            ledger.enter(born, &packet);
            into.push(born, packet);
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
