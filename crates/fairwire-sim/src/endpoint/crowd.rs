//! Many sources of one flow that make equal packets at one constant rate.
//!
//! They differ in nothing but the time at which each begins. So it need not be followed what each of them makes: each
//! makes one packet in every round, which takes a packet's time at the rate, always at the same place of the round. Who
//! is next, and how many packets arise until some time, is looked up among the places. What a full queue refuses
//! costs the same however many packets and sources it is.
//!
//! All in whole numbers, in units of which a bit takes 10⁹ and a nanosecond as many as the rate has bit/s.

use super::ranks::Ranks;
use crate::lots::Lots;
use fairwire_core::{BitRate, Instant};
use fairwire_plan::{Arrivals, Traffic};
use std::cell::OnceCell;

/// Units in a byte.
const BYTE: u64 = 8 * 1_000_000_000;

#[derive(Debug)]
pub struct Crowd {
    pub flow: u32,
    pub egress: u16,
    size: u16,
    /// The number of the first member; the others follow.
    first: u32,
    /// When each member starts, in ns.
    starts: Vec<u64>,
    /// When all stop for good.
    end: u64,
    /// From when on they have which rate, the next one at the end.
    to_come: Vec<(u64, BitRate)>,
    present: Stretch,
    offered: u64,
    refused: u64,
    /// When the next packet arises, `u64::MAX` if never.
    next_at: u64,
    moment: Moment,
}

/// While the rate stays the same.
#[derive(Debug, Default)]
struct Stretch {
    /// When it is over, in ns.
    stop: u64,
    /// Units in a nanosecond, and in the round that a packet takes.
    nano: u64,
    round: u64,
    /// In the order of their packets in a round.
    members: Vec<Member>,
    /// Whose packets have begun to arise.
    joined: Ranks,
    /// When others begin, and their places; the next one at the end.
    to_join: Vec<(u64, u32)>,
    next: Cursor,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    /// Where in a round its packets arise.
    phase: u64,
    number: u32,
    has_joined: bool,
}

/// A packet: in which round since time zero, and how many of those that have joined come before it in a round.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    round: u64,
    rank: usize,
}

/// The nanosecond of the next packet.
#[derive(Clone, Debug, Default)]
struct Moment {
    at: u64,
    /// The first packet in it.
    first: Cursor,
    /// How many have been taken.
    taken: usize,
    /// What all who make a packet in it draw, in order, where that was asked for.
    draws: OnceCell<Vec<u64>>,
}

impl Crowd {
    /// Whether sources of such traffic make equal packets at one constant rate, if greedy ones do so at their link's.
    pub fn suits(traffic: &Traffic) -> bool {
        let is_constant = match traffic.arrivals {
            Arrivals::Greedy => true,
            Arrivals::Cbr { jitter, .. } => jitter == 0.0,
            Arrivals::Poisson { .. } | Arrivals::ParetoOnOff { .. } => false,
        };
        let sizes = traffic.sizes();
        is_constant && sizes.start() == sizes.end()
    }

    /// Sources of `flow`, a source for each of these `starts`, whose packets go to `egress` and which stop at `stop`. They
    /// offer `line_rate` if the traffic is greedy, and each of the `changes` from some time on.
    /// The traffic [`Crowd::suits`].
    pub fn new(
        (flow, egress): (u32, u16),
        traffic: &Traffic,
        line_rate: BitRate,
        starts: Vec<u64>,
        stop: Instant,
        changes: impl IntoIterator<Item = (Instant, BitRate)>,
    ) -> Self {
        let rate = traffic.arrivals.mean_rate().unwrap_or(line_rate);
        let size = *traffic.sizes().start();
        let mut to_come: Vec<_> = changes.into_iter().map(|(at, rate)| (at.as_nanos(), rate)).collect();
        to_come.sort_by_key(|(at, _)| *at);
        to_come.insert(0, (0, rate));
        to_come.reverse();
        let mut crowd = Self {
            flow,
            egress,
            size,
            first: 0,
            starts,
            end: stop.as_nanos(),
            to_come,
            present: Stretch::default(),
            offered: 0,
            refused: 0,
            next_at: u64::MAX,
            moment: Moment::default(),
        };
        crowd.find_next();
        crowd
    }

    /// The same, of which the first member has this number.
    pub fn numbered_from(self, first: u32) -> Self {
        Self { first, ..self }
    }

    pub fn members(&self) -> usize {
        self.starts.len()
    }

    /// Of each packet.
    pub fn size(&self) -> u16 {
        self.size
    }

    /// When the next packet arises, in ns; `u64::MAX` if never.
    #[inline]
    pub fn next_at(&self) -> u64 {
        self.next_at
    }

    /// The flow, how many packets came up, and how many of these were refused.
    pub fn counts(&self) -> (u32, u64, u64) {
        (self.flow, self.offered, self.refused)
    }

    pub fn offered_bytes(&self) -> u64 {
        self.offered * u64::from(self.size)
    }

    /// The next packet is taken.
    pub fn take(&mut self) {
        self.offered += 1;
        self.moment.taken += 1;
        self.present.next.rank += 1;
        self.find_next();
    }

    /// All packets that arise up to and including `until` are refused.
    pub fn refuse_until(&mut self, until: u64) {
        while self.next_at <= until {
            let before = (until + 1).min(self.present.stop).min(self.present.next_joins());
            let passed = self.present.go_to(before);
            self.offered += passed;
            self.refused += passed;
            self.find_next();
        }
    }

    /// The least lot of those who make a packet at [`Crowd::next_at`] that has not been taken.
    pub fn draw(&self, lots: &Lots) -> u64 {
        let Moment { at, first, taken, ref draws } = self.moment;
        let all = || self.present.members_in(at, first).map(|member| lots.draw(at, self.first + member.number));
        if taken == 0 {
            // Most often nobody else has room.
            return all().min().unwrap_or(u64::MAX);
        }
        let in_order = || {
            let mut draws: Vec<_> = all().collect();
            draws.sort_unstable();
            draws
        };
        draws.get_or_init(in_order).get(taken).copied().unwrap_or(u64::MAX)
    }

    fn find_next(&mut self) {
        self.next_at = loop {
            if let Some(at) = self.present.next_at() {
                break at;
            }
            let Some((from, rate)) = self.to_come.pop() else { break u64::MAX };
            let stop = self.to_come.last().map_or(self.end, |(next, _)| self.end.min(*next));
            self.present = Stretch::new(from..stop, rate, self.size, &self.starts);
        };
        if self.next_at != self.moment.at || self.moment.taken == 0 {
            self.moment = Moment { at: self.next_at, first: self.present.next, ..Moment::default() };
        }
    }
}

impl Stretch {
    /// Of all whose `starts` are before its end; nobody offers anything at no rate.
    fn new(span: std::ops::Range<u64>, rate: BitRate, size: u16, starts: &[u64]) -> Self {
        let (nano, round) = (rate.as_bps(), u64::from(size) * BYTE);
        let phase = |begin: u64| (u128::from(begin) * u128::from(nano) % u128::from(round)) as u64;
        let begins = starts.iter().map(|start| span.start.max(*start)).enumerate();
        let mut members: Vec<_> = begins
            .filter(|(_, begin)| nano > 0 && *begin < span.end)
            .map(|(number, begin)| (Member { phase: phase(begin), number: number as u32, has_joined: false }, begin))
            .collect();
        members.sort_by_key(|(member, _)| member.phase);
        let mut to_join: Vec<_> =
            members.iter().enumerate().map(|(place, (_, begin))| (*begin, place as u32)).collect();
        to_join.sort_unstable_by(|one, other| other.cmp(one));
        let members: Vec<_> = members.into_iter().map(|(member, _)| member).collect();
        let joined = Ranks::of_none(members.len());
        Self { stop: span.end, nano, round, members, joined, to_join, next: Cursor::default() }
    }

    /// When another member begins; `u64::MAX` if all have.
    fn next_joins(&self) -> u64 {
        self.to_join.last().map_or(u64::MAX, |(begin, _)| *begin)
    }

    /// When the next packet arises, in ns; none if that is not before the end. Whoever begins by then joins in.
    fn next_at(&mut self) -> Option<u64> {
        let mut at = self.next_of_joined();
        while self.next_joins() <= at && !self.to_join.is_empty() {
            let begin = self.next_joins();
            self.go_to(begin);
            while let Some((_, place)) = self.to_join.pop_if(|(other, _)| *other == begin) {
                self.members[place as usize].has_joined = true;
                self.joined.insert(place as usize);
            }
            at = self.next_of_joined();
        }
        Some(at).filter(|at| *at < self.stop)
    }

    /// The same among those that have joined; `u64::MAX` if nobody has.
    fn next_of_joined(&mut self) -> u64 {
        if self.next.rank == self.joined.count() {
            self.next = Cursor { round: self.next.round + 1, rank: 0 };
        }
        let Some(place) = self.joined.place_of(self.next.rank) else { return u64::MAX };
        let units = self.begin_of(self.next.round) + u128::from(self.members[place].phase);
        (units / u128::from(self.nano)) as u64
    }

    fn begin_of(&self, round: u64) -> u128 {
        u128::from(round) * u128::from(self.round)
    }

    /// The next packet is the first that arises at `at` or later; returns how many are skipped, if it is later than now.
    fn go_to(&mut self, at: u64) -> u64 {
        let units = u128::from(at) * u128::from(self.nano);
        let (round, phase) = ((units / u128::from(self.round)) as u64, (units % u128::from(self.round)) as u64);
        let rank = self.joined.rank(self.members.partition_point(|member| member.phase < phase));
        let before = std::mem::replace(&mut self.next, Cursor { round, rank });
        let rounds = round.wrapping_sub(before.round);
        rounds.wrapping_mul(self.joined.count() as u64).wrapping_add(rank as u64).wrapping_sub(before.rank as u64)
    }

    /// Who makes a packet in the nanosecond `at`, from the packet `first` on.
    fn members_in(&self, at: u64, first: Cursor) -> impl Iterator<Item = &Member> {
        let over = (u128::from(at) + 1) * u128::from(self.nano);
        let before = move |round: u64| {
            let phase = over.saturating_sub(self.begin_of(round));
            self.members.partition_point(|member| u128::from(member.phase) < phase)
        };
        let place = self.joined.place_of(first.rank).unwrap_or(self.members.len());
        let in_first = &self.members[place..before(first.round).max(place)];
        let in_later = (first.round + 1..).map(before).take_while(|before| *before > 0);
        let in_later = in_later.flat_map(|before| &self.members[..before]);
        in_first.iter().chain(in_later).filter(|member| member.has_joined)
    }
}
