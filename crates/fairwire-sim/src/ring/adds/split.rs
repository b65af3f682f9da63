//! What a station adds where its packets wait for their turn at the link: a
//! queue for each class and egress, the rates reserved and committed, and the
//! limits that a law sets on fairness-eligible traffic.
//!
//! Class A sends at its reserved rate. A class B packet is within its committed
//! rate if that covers it when its turn comes, and fairness eligible otherwise;
//! class C always is ([rpr-enhanced-conservative] §II).

use super::bucket::Bucket;
use super::queue::{AddQueue, QueueState, unless_stopped};
use crate::ring::books::Ledger;
use crate::ring::wire::Packet;
use fairwire_core::{BitRate, Bytes, ServiceClass};

#[derive(Debug)]
pub struct StationAdds {
    lanes: Vec<Lane>,
    limits: Limits,
    /// Whether any queue has a guaranteed rate; if not, all that may go is fairness eligible.
    guarantees: bool,
    /// Whether each pair has one queue, in order, and all of it is fairness eligible.
    one_each: bool,
    /// What each pair has sent within committed rates, which laws do not control.
    committed: Vec<Committed>,
    /// The lane that is next of each kind, and from when on.
    turns: [Turn; KINDS],
    /// The first of these times.
    next_at: u64,
}

/// One station queue.
#[derive(Debug)]
struct Lane {
    queue: AddQueue,
    class: ServiceClass,
    /// The reserved or committed rate.
    guaranteed: Option<Bucket>,
    /// The pair all of it belongs to; none if its packets have different egresses.
    pair: Option<usize>,
    /// Whether it has a committed rate, and its pair another queue that has none.
    beside: bool,
    /// `pair`, if only that pair's limit can hold this lane's packets back.
    limited_by: Option<usize>,
    /// Since when its head is at the head: who waits longest goes first.
    since: u64,
    /// When its head may go within the guaranteed rate, and as fairness-eligible traffic.
    guaranteed_at: u64,
    eligible_at: u64,
}

/// The law's limits on fairness-eligible traffic.
#[derive(Debug)]
struct Limits {
    /// For each (ingress, egress) pair, and how many links it crosses.
    pairs: Vec<(Bucket, usize)>,
    station: Bucket,
    /// For what crosses more links than this.
    beyond: (usize, Bucket),
}

/// What a pair has sent within committed rates.
#[derive(Clone, Copy, Debug, Default)]
struct Committed {
    bytes: u64,
    /// The most that was ever offered beyond that: what waits may yet go within the rate.
    most_beyond: u64,
}

#[derive(Clone, Copy, Debug)]
struct Turn {
    at: u64,
    lane: usize,
}

/// Why a packet may go, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    ReservedA0,
    ReservedA1,
    Committed,
    Eligible,
}

const KINDS: usize = 4;
const NEVER: Turn = Turn { at: u64::MAX, lane: 0 };

/// A station queue as it is built.
pub struct LanePlan {
    pub queue: AddQueue,
    pub class: ServiceClass,
    pub guaranteed: BitRate,
    pub pair: Option<usize>,
}

impl StationAdds {
    /// Queues in the order in which equals go; `hops` of each pair; `packet`, the
    /// largest packet. Buckets hold two of these: one that is one packet deep earns
    /// nothing while that packet waits for the link, and falls short of its rate.
    pub fn new(lanes: Vec<LanePlan>, hops: &[usize], packet: Bytes, ledger: &Ledger) -> Self {
        let depth = Bytes::new(2 * packet.get());
        let lane = |plan: LanePlan| Lane {
            queue: plan.queue,
            class: plan.class,
            guaranteed: (plan.guaranteed > BitRate::ZERO).then(|| Bucket::of_rate(depth, plan.guaranteed)),
            pair: plan.pair,
            beside: false,
            limited_by: None,
            since: 0,
            guaranteed_at: u64::MAX,
            eligible_at: u64::MAX,
        };
        let limits = Limits {
            pairs: hops.iter().map(|&hops| (Bucket::open(depth), hops)).collect(),
            station: Bucket::open(depth),
            beyond: (usize::MAX, Bucket::open(depth)),
        };
        let mut lanes: Vec<Lane> = lanes.into_iter().map(lane).collect();
        let eligible: Vec<_> =
            lanes.iter().filter(|lane| lane.is_eligible_throughout()).map(|lane| lane.pair).collect();
        lanes.iter_mut().for_each(|lane| lane.beside = lane.guaranteed.is_some() && eligible.contains(&lane.pair));
        let guarantees = lanes.iter().any(|lane| lane.guaranteed_kind().is_some());
        let committed = vec![Committed::default(); if guarantees { hops.len() } else { 0 }];
        let is_its_own = |(pair, lane): (usize, &Lane)| lane.pair == Some(pair) && !lane.class.is_primary();
        let one_each = !guarantees && lanes.len() == hops.len() && lanes.iter().enumerate().all(is_its_own);
        let mut adds =
            Self { lanes, limits, guarantees, one_each, committed, turns: [NEVER; KINDS], next_at: u64::MAX };
        adds.find_limits();
        adds.look_at_all(ledger);
        adds
    }

    /// Finds out which lanes have to look at one limit only.
    fn find_limits(&mut self) {
        let Self { lanes, limits, guarantees, .. } = self;
        for lane in lanes {
            let alone = |pair: &usize| !*guarantees && !lane.class.is_primary() && limits.is_alone(*pair);
            lane.limited_by = lane.pair.filter(alone);
        }
    }

    pub fn queues(&self) -> impl Iterator<Item = &AddQueue> {
        self.lanes.iter().map(|lane| &lane.queue)
    }

    /// Queues of class A.
    pub fn primary_lanes(&self) -> u64 {
        self.lanes.iter().filter(|lane| lane.class.is_primary()).count() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    /// When the first packet of `kind` may go.
    #[inline]
    pub fn ready_at(&self, kind: Kind) -> u64 {
        self.turns[kind as usize].at
    }

    /// When anything may go, the link and the transit queues permitting.
    #[inline]
    pub fn next_at(&self) -> u64 {
        self.next_at
    }

    /// Sends the packet whose turn it is, which was ready by `now`. A source that
    /// stopped in the meantime has none.
    pub fn take(&mut self, kind: Kind, now: u64, ledger: &mut Ledger) -> Option<Packet> {
        if kind == Kind::Eligible {
            return self.take_eligible(now, ledger);
        }
        let turn = self.turns[kind as usize].lane;
        let Self { lanes, committed, .. } = self;
        let lane = &mut lanes[turn];
        let packet = lane.queue.pop(now).map(|packet| {
            ledger.enter(now, &packet);
            if let Some(guaranteed) = &mut lane.guaranteed {
                guaranteed.pass(now, packet.size());
            }
            if kind != Kind::Committed {
                return packet;
            }
            committed[lane.pair.unwrap_or_else(|| ledger.pair(packet.flow()))].bytes += u64::from(packet.size());
            packet.committed()
        });
        self.look_at(turn, ledger);
        packet
    }

    /// The same for fairness-eligible traffic.
    #[inline(always)]
    pub fn take_eligible(&mut self, now: u64, ledger: &mut Ledger) -> Option<Packet> {
        let turn = self.turns[Kind::Eligible as usize].lane;
        if let Some(lane) = self.lanes.get_mut(turn)
            && let Some(pair) = lane.limited_by
            && let Some((bucket, _)) = self.limits.pairs.get_mut(pair)
            && let Some((packet, next)) = lane.queue.pop_plain(now)
        {
            // The usual case: what waits behind it waits for nothing but its pair's limit.
            ledger.enter(now, &packet);
            lane.since = now;
            bucket.pass(now, packet.size());
            lane.eligible_at = unless_stopped(bucket.ready_at(next.size).max(now), next.stop);
            self.find_turn();
            return Some(packet);
        }
        self.take_limited(turn, now, ledger)
    }

    #[inline(never)]
    fn take_limited(&mut self, turn: usize, now: u64, ledger: &mut Ledger) -> Option<Packet> {
        let Self { lanes, limits, .. } = self;
        let alone = lanes.len() == 1;
        let lane = &mut lanes[turn];
        lane.since = now;
        let packet = lane.queue.pop(now);
        let shared = packet.is_some_and(|packet| {
            ledger.enter(now, &packet);
            let pair = lane.pair.unwrap_or_else(|| ledger.pair(packet.flow()));
            limits.pass(pair, now, packet.size())
        });
        if shared && !alone {
            self.look_at_all(ledger);
        } else {
            lane.look(limits, ledger);
            self.find_turns();
        }
        packet
    }

    #[inline(always)]
    fn look_at(&mut self, lane: usize, ledger: &Ledger) {
        self.lanes[lane].look(&mut self.limits, ledger);
        self.find_turns();
    }

    /// The law limits pair `pair` from `now` on.
    pub fn set_rate(&mut self, now: u64, pair: usize, rate: BitRate, ledger: &Ledger) {
        self.limits.pairs[pair].0.set_rate(now, rate);
        self.look_at_those(|lane| lane.pair.is_none_or(|its| its == pair), ledger);
    }

    /// How many pairs there are.
    pub fn pairs(&self) -> usize {
        self.limits.pairs.len()
    }

    /// What is limited that crosses more links than so many, and to how much; none if nothing is.
    pub fn beyond_rate(&self) -> Option<(usize, BitRate)> {
        let (hops, bucket) = &self.limits.beyond;
        bucket.rate().map(|rate| (*hops, rate))
    }

    /// What pair `pair` is limited to; none if it is not.
    pub fn rate(&self, pair: usize) -> Option<BitRate> {
        self.limits.pairs.get(pair).and_then(|(bucket, _)| bucket.rate())
    }

    /// What all fairness-eligible traffic is limited to; none if it is not.
    pub fn station_rate(&self) -> Option<BitRate> {
        self.limits.station.rate()
    }

    /// How many links each pair crosses from now on.
    pub fn set_hops(&mut self, hops: impl Iterator<Item = usize>) {
        self.limits.pairs.iter_mut().zip(hops).for_each(|(pair, hops)| pair.1 = hops);
        self.find_limits();
    }

    /// The law limits all fairness-eligible traffic from `now` on.
    pub fn set_station_rate(&mut self, now: u64, rate: BitRate, ledger: &Ledger) {
        self.limits.station.set_rate(now, rate);
        self.find_limits();
        self.look_at_all(ledger);
    }

    /// The law limits what crosses more than `hops` links from `now` on.
    pub fn set_beyond_rate(&mut self, now: u64, hops: usize, rate: BitRate, ledger: &Ledger) {
        self.limits.beyond.0 = hops;
        self.limits.beyond.1.set_rate(now, rate);
        self.find_limits();
        self.look_at_all(ledger);
    }

    fn look_at_all(&mut self, ledger: &Ledger) {
        self.look_at_those(|_| true, ledger);
    }

    #[inline(always)]
    fn look_at_those(&mut self, changed: impl Fn(&Lane) -> bool, ledger: &Ledger) {
        if let [only] = self.lanes.as_mut_slice() {
            if changed(only) {
                only.look(&mut self.limits, ledger);
                self.find_turns();
            }
            return;
        }
        for lane in self.lanes.iter_mut().filter(|lane| changed(lane)) {
            lane.look_apart(&mut self.limits, ledger);
        }
        self.find_turns();
    }

    #[inline(always)]
    fn find_turns(&mut self) {
        if self.guarantees { self.find_turns_of_all_kinds() } else { self.find_turn() }
    }

    /// Who is next where all is fairness eligible.
    #[inline(always)]
    fn find_turn(&mut self) {
        let turn = Turn::of_first(&self.lanes, |lane| lane.eligible_at);
        self.turns[Kind::Eligible as usize] = turn;
        self.next_at = turn.at;
    }

    fn find_turns_of_all_kinds(&mut self) {
        for kind in [Kind::ReservedA0, Kind::ReservedA1, Kind::Committed] {
            let is_guaranteed = |lane: &Lane| lane.guaranteed_kind() == Some(kind);
            let at = |lane: &Lane| if is_guaranteed(lane) { lane.guaranteed_at } else { u64::MAX };
            self.turns[kind as usize] = Turn::of_first(&self.lanes, at);
        }
        self.turns[Kind::Eligible as usize] = Turn::of_first(&self.lanes, |lane| lane.eligible_at);
        self.next_at = self.turns.iter().map(|turn| turn.at).min().unwrap_or(u64::MAX);
    }

    /// Takes queue `slot` away, and puts `queue` in its place.
    pub fn exchange_queue(&mut self, slot: usize, queue: AddQueue) -> AddQueue {
        std::mem::replace(&mut self.lanes[slot].queue, queue)
    }

    /// Another queue stands at `slot` since `now`, or may go again.
    pub fn look_at_queue(&mut self, slot: usize, now: u64, ledger: &Ledger) {
        self.lanes[slot].since = now;
        self.look_at_all(ledger);
    }

    /// A packet of TCP enters the queue at `slot`, if there is room.
    pub fn push(&mut self, slot: usize, feeder: usize, packet: Packet, ledger: &Ledger) -> bool {
        let taken = self.lanes[slot].queue.push(feeder, packet);
        if taken == Some(true) {
            self.look_at(slot, ledger);
        }
        taken.is_some()
    }

    /// What waits for each pair and is fairness eligible, or is if nothing is left of the committed rate when its turn comes.
    /// What has gone within that rate was not offered, and a queue that has one says nothing of whether a pair ever ran
    /// empty where the pair has another one.
    pub fn states(&mut self, now: u64, ledger: &Ledger, states: &mut Vec<QueueState>) {
        states.clear();
        if self.one_each {
            return states.extend(self.lanes.iter_mut().map(|lane| lane.queue.state(now)));
        }
        states.resize(self.limits.pairs.len(), QueueState::default());
        for lane in self.lanes.iter_mut().filter(|lane| !lane.class.is_primary()) {
            let beside = lane.beside;
            let seen = |state: QueueState| if beside { QueueState { ran_empty: 0, ..state } } else { state };
            match lane.pair {
                Some(pair) => join(&mut states[pair], seen(lane.queue.state(now))),
                None => {
                    lane.queue.fill(now);
                    for (pair, state) in states.iter_mut().enumerate() {
                        join(state, seen(lane.queue.state_of(|flow| ledger.pair(flow) == pair)));
                    }
                }
            }
        }
        for (state, committed) in states.iter_mut().zip(&mut self.committed) {
            committed.most_beyond = committed.most_beyond.max(state.offered_bytes.saturating_sub(committed.bytes));
            state.offered_bytes = committed.most_beyond;
        }
    }

    /// The run ends with all that arises before `end`.
    pub fn finish(&mut self, end: u64) {
        self.lanes.iter_mut().filter(|_| end > 0).for_each(|lane| lane.queue.fill(end - 1));
    }
}

impl Turn {
    /// It is the lane's that may go first, and of equals the one's that has waited longest.
    #[inline(always)]
    fn of_first(lanes: &[Lane], at: impl Fn(&Lane) -> u64) -> Self {
        let is_before = |one: &Lane, other: &Lane| {
            let (one_at, other_at) = (at(one), at(other));
            one_at < other_at || (one_at == other_at && one.since < other.since)
        };
        match lanes {
            [] => NEVER,
            [only] => Self { at: at(only), lane: 0 },
            [first, second] => Self { at: at(first).min(at(second)), lane: usize::from(is_before(second, first)) },
            lanes => {
                let first = (1..lanes.len())
                    .fold(0, |first, lane| if is_before(&lanes[lane], &lanes[first]) { lane } else { first });
                Self { at: at(&lanes[first]), lane: first }
            }
        }
    }
}

impl Lane {
    fn is_eligible_throughout(&self) -> bool {
        !self.class.is_primary() && self.guaranteed.is_none()
    }

    /// Why its packets may go by the guaranteed rate, if there is one.
    #[inline]
    fn guaranteed_kind(&self) -> Option<Kind> {
        self.guaranteed.as_ref()?;
        match self.class {
            ServiceClass::A0 => Some(Kind::ReservedA0),
            ServiceClass::A1 => Some(Kind::ReservedA1),
            ServiceClass::B => Some(Kind::Committed),
            ServiceClass::C => None,
        }
    }

    /// Learns when the head may go.
    #[inline(always)]
    fn look(&mut self, limits: &mut Limits, ledger: &Ledger) {
        let Some(head) = self.queue.head() else {
            (self.guaranteed_at, self.eligible_at) = (u64::MAX, u64::MAX);
            return;
        };
        let there = head.at.max(self.since);
        if let Some(pair) = self.limited_by
            && let Some((bucket, _)) = limits.pairs.get_mut(pair)
        {
            self.eligible_at = unless_stopped(bucket.ready_at(head.size).max(there), head.stop);
            return;
        }
        if let Some(guaranteed) = &mut self.guaranteed {
            self.guaranteed_at = unless_stopped(guaranteed.ready_at(head.size).max(there), head.stop);
        }
        if !self.class.is_primary() {
            let pair = self.pair.unwrap_or_else(|| ledger.pair(head.flow));
            self.eligible_at = unless_stopped(limits.ready_at(pair, head.size).max(there), head.stop);
        }
    }

    /// The same, not built into a loop that might be over after one lane.
    #[inline(never)]
    fn look_apart(&mut self, limits: &mut Limits, ledger: &Ledger) {
        self.look(limits, ledger);
    }
}

impl Limits {
    /// Whether there is no other for `pair` than its own.
    fn is_alone(&self, pair: usize) -> bool {
        self.station.is_open() && self.pairs.get(pair).is_some_and(|(_, hops)| *hops <= self.beyond.0)
    }

    #[inline(always)]
    fn ready_at(&mut self, pair: usize, size: u16) -> u64 {
        let (bucket, hops) = &mut self.pairs[pair];
        let own = bucket.ready_at(size).max(self.station.ready_at(size));
        if *hops > self.beyond.0 { own.max(self.beyond.1.ready_at(size)) } else { own }
    }

    /// Whether others than the pair's own packets have to wait for it.
    #[inline(always)]
    fn pass(&mut self, pair: usize, now: u64, size: u16) -> bool {
        let (bucket, hops) = &mut self.pairs[pair];
        bucket.pass(now, size);
        self.station.pass(now, size);
        let beyond = *hops > self.beyond.0;
        if beyond {
            self.beyond.1.pass(now, size);
        }
        !self.station.is_open() || (beyond && !self.beyond.1.is_open())
    }
}

fn join(all: &mut QueueState, lane: QueueState) {
    all.packets = all.packets.saturating_add(lane.packets);
    all.bytes = all.bytes.saturating_add(lane.bytes);
    all.offered_bytes += lane.offered_bytes;
    all.ran_empty += lane.ran_empty;
}
