//! A station queue: what waits at a station to be let onto the ring. With one for each egress these are virtual output
//! queues (VOQ).
//!
//! Sources are asked for what they made when it matters; ends of TCP connections bring
//! each packet at its time.

use super::fill::DepartedPacket;
use super::sources::{Maker, Sources};
use crate::line::Line;
use crate::ring::wire::Packet;

/// One station queue with what feeds it.
#[derive(Debug)]
pub struct AddQueue {
    pub(super) waiting: Line<Packet>,
    /// Of what `waiting_bytes` counts, how many packets have left one by one since sources were last asked. Each has left
    /// in its place when that was.
    pub(super) left: usize,
    /// These, while sources are asked.
    pub(super) leaving: Vec<DepartedPacket>,
    pub(super) waiting_bytes: u64,
    pub(super) buffer_bytes: u64,
    pub(super) sources: Sources,
    pub(super) feeders: Vec<Feeder>,
    /// The size that all packets have, if it is one.
    equal_size: Option<u16>,
    pub(super) ran_empty: u64,
    /// Its destination cannot be reached: nothing leaves.
    pub(super) held: bool,
    /// What laws saw of the queue when the hold began. Laws see no demand while it lasts.
    seen_before: QueueState,
    /// When the last hold ended.
    pub(super) resumed_at: u64,
}

/// A flow whose packets are brought: by ends of TCP, or from outside.
#[derive(Clone, Copy, Debug, Default)]
pub struct Feeder {
    pub flow: u32,
    /// Packets brought so far.
    pub offered: u64,
    pub offered_bytes: u64,
    /// Packets that found the queue full.
    pub refused: u64,
}

/// What waits in a station queue, or of it for one pair.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueState {
    /// Packets that wait, `u32::MAX` of a source that never runs out.
    pub packets: u32,
    /// Bytes that wait, `u64::MAX` of such a source.
    pub bytes: u64,
    /// Bytes that its sources have offered so far.
    pub offered_bytes: u64,
    /// How often it has become empty so far.
    pub ran_empty: u64,
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

/// The packet that is at the head as soon as one has left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Next {
    pub size: u16,
    /// As in [`Head`].
    pub stop: u64,
}

/// The time `at` which a packet may leave that would no longer be made at `stop`.
#[inline(always)]
pub(super) fn unless_stopped(at: u64, stop: u64) -> u64 {
    if at < stop { at } else { u64::MAX }
}

impl Head {
    /// One that waits.
    #[inline(always)]
    fn of(packet: &Packet) -> Self {
        Self { at: packet.born(), size: packet.size(), flow: packet.flow(), stop: u64::MAX }
    }
}

impl AddQueue {
    pub fn new(buffer_bytes: u64, sources: Sources, feeders: Vec<Feeder>) -> Self {
        Self {
            waiting: Line::new(),
            left: 0,
            leaving: Vec::new(),
            waiting_bytes: 0,
            // More than anything ever holds, and what is left of it has a sign.
            buffer_bytes: buffer_bytes.min(i64::MAX as u64),
            equal_size: sources.equal_size().filter(|_| feeders.is_empty()),
            sources,
            feeders,
            ran_empty: 0,
            held: false,
            seen_before: QueueState::default(),
            resumed_at: 0,
        }
    }

    /// One that nothing ever enters.
    pub fn none() -> Self {
        Self::new(0, Sources::default(), Vec::new())
    }

    /// From `now` on holds all back, or no longer.
    pub fn hold(&mut self, held: bool, now: u64) {
        match (self.held, held) {
            (true, false) => {
                self.fill(now);
                self.resumed_at = now;
            }
            (false, true) => self.seen_before = QueueState { packets: 0, bytes: 0, ..self.state(now) },
            _ => {}
        }
        self.held = held;
    }

    /// Whether nothing leaves it, now at least.
    pub(super) fn is_still(&self) -> bool {
        self.held || (self.sources.is_empty() && self.waiting.is_empty())
    }

    /// Packets of each flow that feeds it, over the whole run: how many came up, and how many of
    /// these found no room. A flow may be there more than once.
    pub fn counts(&self) -> impl Iterator<Item = (u32, u64, u64)> {
        self.sources.counts().chain(self.feeders.iter().map(|feeder| (feeder.flow, feeder.offered, feeder.refused)))
    }

    /// Packets and bytes that wait, of those that sources have been asked for.
    pub fn depth(&self) -> (u64, u64) {
        (self.waiting.len() as u64, self.waiting.iter().map(|packet| u64::from(packet.size())).sum())
    }

    pub fn waiting(&self) -> impl Iterator<Item = &Packet> {
        self.waiting.iter()
    }

    /// A source that never runs out and has the queue to itself.
    pub(super) fn is_endless(&self) -> bool {
        matches!(self.sources.singles.as_slice(), [source] if source.is_greedy())
    }

    /// The packet that leaves next, if any ever will.
    #[inline(always)]
    pub fn head(&self) -> Option<Head> {
        match self.waiting.front() {
            _ if self.held => None,
            Some(packet) => Some(Head::of(packet)),
            None => self.next_head(),
        }
    }

    /// The same where nothing waits.
    #[inline(never)]
    fn next_head(&self) -> Option<Head> {
        match self.sources.next()? {
            (_, u64::MAX) => None,
            (Maker::Single(place), at) => {
                let source = &self.sources.singles[place];
                let stop = if source.is_greedy() { source.stop() } else { u64::MAX };
                Some(Head { at, size: source.next_size(), flow: source.flow, stop })
            }
            (Maker::Crowd(place), at) => {
                let crowd = &self.sources.crowds[place];
                Some(Head { at, size: crowd.size(), flow: crowd.flow, stop: u64::MAX })
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
        match self.pop_plain(now) {
            Some((packet, _)) => Some(packet),
            None => self.pop_last(now),
        }
    }

    /// The same where it is plain what is at the head then, and at hand, which is told too: another packet that waits, or one
    /// as large of a source that never runs out.
    #[inline(always)]
    pub(super) fn pop_plain(&mut self, now: u64) -> Option<(Packet, Next)> {
        if let [packet, next, ..] = *self.waiting.as_slice() {
            // Whoever comes after does not change what leaves now.
            self.waiting.leave(packet.made_at(now));
            self.left += 1;
            // Asking the packet itself would take long where it has waited long, and others wait for the answer.
            let size = self.equal_size.unwrap_or_else(|| next.size());
            return Some((packet, Next { size, stop: u64::MAX }));
        }
        let ([], [source]) = (self.waiting.as_slice(), self.sources.singles.as_mut_slice()) else { return None };
        if !source.is_greedy() || !source.has_equal_sizes() || now >= source.stop() {
            return None;
        }
        source.take_equal(1);
        let (size, stop) = (source.next_size(), source.stop());
        Some((Packet::new(now, source.flow, size, source.egress), Next { size, stop }))
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
        let (maker, made_at) = self.sources.next()?;
        let endless = match maker {
            Maker::Single(place) => self.sources.singles.get_mut(place).filter(|source| source.is_greedy()),
            Maker::Crowd(_) => None,
        };
        let is_endless = endless.is_some();
        if let Some(source) = endless.filter(|source| now >= source.stop()) {
            source.end(); // It was held back past its stop.
            return None;
        }
        let born = if is_endless { now } else { made_at };
        let packet = self.sources.take(maker).made_at(born);
        if !is_endless {
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

    /// The queue at `now`.
    pub fn state(&mut self, now: u64) -> QueueState {
        if self.held {
            return self.seen_before;
        }
        self.fill(now);
        let endless =
            self.is_endless() && self.sources.singles[0].next_at() <= now && now < self.sources.singles[0].stop();
        let (packets, bytes) =
            if endless { (u32::MAX, u64::MAX) } else { (self.waiting.len() as u32, self.waiting_bytes) };
        QueueState { packets, bytes, offered_bytes: self.offered_bytes(|_| true), ran_empty: self.ran_empty }
    }

    /// The part of a shared queue, filled before, that belongs to the flows that are `mine`.
    pub fn state_of(&self, mine: impl Fn(u32) -> bool) -> QueueState {
        let (mut packets, mut bytes) = (0, 0);
        for packet in self.waiting.iter().filter(|packet| mine(packet.flow())) {
            packets += 1;
            bytes += u64::from(packet.size());
        }
        QueueState { packets, bytes, offered_bytes: self.offered_bytes(mine), ran_empty: self.ran_empty }
    }

    /// Of the flows that are `mine`.
    fn offered_bytes(&self, mine: impl Fn(u32) -> bool) -> u64 {
        let feeders = self.feeders.iter().filter(|feeder| mine(feeder.flow)).map(|feeder| feeder.offered_bytes);
        feeders.sum::<u64>() + self.sources.offered_bytes(&mine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::crowd::Crowd;
    use crate::endpoint::source::{Offering, Source};
    use crate::lots::Lots;
    use crate::ring::adds::FEW_SOURCES;
    use fairwire_core::{BitRate, Instant, RandomStream, Span, Streams};
    use fairwire_plan::{Arrivals, Traffic};
    use rand::{Rng, RngExt};

    /// Sources of all kinds, many of which make packets at the same nanosecond.
    fn sources(count: u32, draw: &mut RandomStream) -> Vec<Source> {
        let streams = Streams::new(draw.next_u64(), 0);
        let line_rate = BitRate::from_bps(8_000_000_000);
        let source = |flow: u32| {
            let rate = BitRate::from_bps([8_000_000, 80_000_000][draw.random_range(0..2)]);
            let arrivals = match draw.random_range(0..5) {
                0 | 1 => Arrivals::Greedy,
                2 => Arrivals::Cbr { rate, jitter: [0.0, 0.5][draw.random_range(0..2)] },
                3 => Arrivals::Poisson { rate },
                _ => {
                    let (mean_on, mean_off) = (Span::from_micros(100), Span::from_micros(300));
                    Arrivals::ParetoOnOff { peak: rate, mean_on, mean_off, shape: 1.5 }
                }
            };
            let plan = Offering {
                traffic: Traffic { arrivals, packet_bytes: 1_000, size_jitter: [0.0, 0.1][draw.random_range(0..2)] },
                start: Instant::from_nanos(draw.random_range(0..3) * 1_000),
                stop: Instant::from_nanos(draw.random_range(0..2_000_000)),
            };
            Source::new(flow, 1, &plan, true, line_rate, streams.component(&format!("source/{flow}")))
        };
        (0..count).map(source).collect()
    }

    #[test]
    fn many_sources_take_turns_as_few_do() {
        let mut draw = Streams::new(1_955, 0).component("queues");
        for count in [FEW_SOURCES as u32 + 1, 40, 300] {
            let lots = Lots::new(Streams::new(draw.next_u64(), 0).component("turns"));
            let buffer_bytes = draw.random_range(1_000..50_000);
            let [mut many, mut few] = [(); 2].map(|()| Sources::new(lots));
            for source in sources(count, &mut draw) {
                many.add(source.clone());
                few.add(source);
            }
            let mut queue = AddQueue::new(buffer_bytes, many.ready(), Vec::new());
            assert!(queue.sources.plays());
            let mut slow = AddQueue::new(buffer_bytes, few, Vec::new());
            let (mut now, mut popped) = (0, 0);
            for _ in 0..1_500 {
                now += draw.random_range(0..3_000);
                let heads = [&queue, &slow].map(|queue| queue.head().map(|head| (head.at, head.size, head.flow)));
                assert_eq!(heads[0], heads[1]);
                if heads[0].is_some_and(|(at, ..)| at <= now) {
                    let packets = [&mut queue, &mut slow]
                        .map(|queue| queue.pop(now).map(|packet| (packet.born(), packet.size(), packet.flow())));
                    assert_eq!(packets[0], packets[1]);
                    popped += 1;
                }
            }
            [&mut queue, &mut slow].into_iter().for_each(|queue| queue.fill(now));
            assert!(popped > 500, "{popped} packets of {count} sources");
            assert!(queue.counts().eq(slow.counts()));
        }
    }

    /// A crowd, or none of them, and its members one by one.
    fn crowd(flow: u32, draw: &mut RandomStream) -> (Option<Crowd>, Vec<Source>) {
        let line_rate = BitRate::from_bps(622_000_000);
        let rate = |draw: &mut RandomStream| BitRate::from_bps([7_000_003, 80_000_000, 0][draw.random_range(0..3)]);
        let arrivals = match rate(draw) {
            BitRate::ZERO => Arrivals::Greedy,
            rate => Arrivals::Cbr { rate, jitter: 0.0 },
        };
        let traffic = Traffic { arrivals, packet_bytes: [300, 1_000][draw.random_range(0..2)], size_jitter: 0.0 };
        let latest = [0, 3, 20_000, 2_000_000][draw.random_range(0..4)];
        let starts: Vec<u64> = (0..draw.random_range(1..60)).map(|_| draw.random_range(0..=latest)).collect();
        let stop = Instant::from_nanos(draw.random_range(0..4_000_000));
        let changes: Vec<_> = (0..draw.random_range(0..4))
            .map(|_| (Instant::from_nanos(draw.random_range(0..40) * 100_000), rate(draw)))
            .collect();
        let member = |start: &u64| {
            let plan = Offering { traffic, start: Instant::from_nanos(*start), stop };
            let source = Source::new(flow, 1, &plan, true, line_rate, Streams::new(0, 0).component("member"));
            source.with_changes(&plan, changes.clone())
        };
        let members = starts.iter().map(member).collect();
        let together = draw.random_range(0..4) > 0;
        let crowd = || Crowd::new((flow, 1), &traffic, line_rate, starts, stop, changes.clone());
        (together.then(crowd), members)
    }

    #[test]
    fn crowds_make_what_their_members_make_one_by_one() {
        let mut draw = Streams::new(25_000, 0).component("crowds");
        let (mut crowded, mut popped) = (0, 0);
        for _ in 0..200 {
            let lots = Lots::new(Streams::new(draw.next_u64(), 0).component("turns"));
            let [mut together, mut apart] = [(); 2].map(|()| Sources::new(lots));
            for flow in 0..draw.random_range(1..4) {
                let (crowd, members) = crowd(flow, &mut draw);
                crowded += usize::from(crowd.is_some());
                match crowd {
                    Some(crowd) => together.add_crowd(crowd),
                    None => members.iter().cloned().for_each(|member| together.add(member)),
                }
                members.into_iter().for_each(|member| apart.add(member));
            }
            let (buffer_bytes, often) = (draw.random_range(0..30_000), draw.random_range(1..30_000));
            let mut queue = AddQueue::new(buffer_bytes, together.ready(), Vec::new());
            let mut slow = AddQueue::new(buffer_bytes, apart, Vec::new());
            let mut now = 0;
            while now < 5_000_000 {
                now += draw.random_range(0..often);
                let heads = [&queue, &slow].map(|queue| queue.head().map(|head| (head.at, head.size, head.flow)));
                assert_eq!(heads[0], heads[1]);
                if heads[0].is_some_and(|(at, ..)| at <= now) {
                    let packets = [&mut queue, &mut slow]
                        .map(|queue| queue.pop(now).map(|packet| (packet.born(), packet.size(), packet.flow())));
                    assert_eq!(packets[0], packets[1]);
                    popped += 1;
                }
                if draw.random_range(0..20) == 0 {
                    let states = [&mut queue, &mut slow].map(|queue| queue.state(now));
                    let [one, other] = states.map(|state| (state.packets, state.bytes, state.offered_bytes));
                    assert_eq!((one, states[0].ran_empty), (other, states[1].ran_empty));
                }
            }
            let counts = [queue, slow].map(|queue| {
                let of = |flow| {
                    queue
                        .counts()
                        .filter(|count| count.0 == flow)
                        .fold((0, 0), |sum, count| (sum.0 + count.1, sum.1 + count.2))
                };
                [0, 1, 2].map(of)
            });
            assert_eq!(counts[0], counts[1]);
        }
        assert!(crowded > 200 && popped > 50_000, "{popped} packets of {crowded} crowds");
    }
}
