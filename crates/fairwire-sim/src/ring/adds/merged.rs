//! What a station adds to one ringlet: its queues, their limiters, and the
//! packets that these have let pass.
//!
//! Between two decisions of the law all rates stand still, so what passes the
//! limiters in that time does not depend on the link: it is worked out in one
//! go, in order of time, and the link takes it from [`Adds::released`] as it
//! takes transit packets from a wire.

use super::limiter::Limiter;
use super::queue::{AddQueue, QueueState, unless_stopped};
use crate::lots::Lots;
use crate::ring::books::Ledger;
use crate::ring::wire::{Arrivals, Packet};
use fairwire_core::BitRate;

#[derive(Debug)]
pub struct Adds {
    /// Past the limiter, on their way into the link's queue.
    pub released: Arrivals,
    queues: Vec<AddQueue>,
    /// What each queue's own limiter has let pass, on its way into `released`.
    lanes: Vec<Arrivals>,
    /// One for each (ingress, egress) pair that enters here.
    limiters: Vec<Limiter>,
    /// When each queue's head may pass.
    release_at: Vec<u64>,
    /// The first of them, and whose it is.
    first_release: u64,
    first_queue: usize,
    /// At most one packet is past the limiters at a time: for a link that holds stations back.
    one_by_one: bool,
    /// For queues whose heads may pass at the same nanosecond. Where one packet passes at a time whoever has just gone
    /// comes last by itself, and the first queue begins.
    lots: Lots,
}

impl Adds {
    pub fn new(queues: Vec<AddQueue>, limiters: Vec<Limiter>, one_by_one: bool, lots: Lots, ledger: &Ledger) -> Self {
        let mut adds = Self {
            released: Arrivals::new(),
            release_at: vec![u64::MAX; queues.len()],
            lanes: queues.iter().map(|_| Arrivals::new()).collect(),
            queues,
            limiters,
            first_release: u64::MAX,
            first_queue: 0,
            one_by_one,
            lots,
        };
        (0..adds.queues.len()).for_each(|queue| adds.look_at_head(queue, 0, ledger));
        adds.find_first();
        adds
    }

    /// For a station whose packets wait elsewhere.
    pub fn none() -> Self {
        Self {
            released: Arrivals::new(),
            release_at: Vec::new(),
            queues: Vec::new(),
            lanes: Vec::new(),
            limiters: Vec::new(),
            first_release: u64::MAX,
            first_queue: 0,
            one_by_one: false,
            lots: Lots::default(),
        }
    }

    pub fn queues(&self) -> &[AddQueue] {
        &self.queues
    }

    /// How many pairs have a limiter.
    pub fn pairs(&self) -> usize {
        self.limiters.len()
    }

    /// What pair `pair` is limited to, which has a queue of its own or shares one; none if it is not.
    pub fn rate(&self, pair: usize) -> Option<BitRate> {
        self.limiters.get(pair).and_then(Limiter::rate)
    }

    /// Whether nothing ever enters here.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.queues.is_empty()
    }

    /// When the next own packet arrives at the link, as far as is known now.
    #[inline]
    pub fn next_at(&self) -> u64 {
        self.released.next_at().min(self.first_release)
    }

    /// Lets pass what the limiters let pass before `stop`.
    #[inline]
    pub fn release_until(&mut self, stop: u64, ledger: &mut Ledger) {
        if self.first_release < stop {
            self.release_some(stop, ledger);
        }
    }

    fn release_some(&mut self, stop: u64, ledger: &mut Ledger) {
        if self.one_by_one {
            if self.released.next_at() == u64::MAX {
                self.release_first(self.first_release, ledger);
            }
            return;
        }
        if let ([queue], [Limiter::Open { .. }]) = (self.queues.as_mut_slice(), self.limiters.as_slice()) {
            // Nothing ever waits here: what sources make goes straight to the link.
            queue.pour_until(stop, &mut self.released, ledger);
            self.look_at_head(0, 0, ledger);
            self.find_first();
            return;
        }
        // What pays for many costs more than it brings where one packet is all that may pass.
        if self.queues.len() == self.limiters.len()
            && self.limiters[self.first_queue].spacing() < stop - self.first_release
        {
            self.release_lanes(stop, ledger);
        }
        while self.first_release < stop {
            self.release_first(self.first_release, ledger);
        }
    }

    /// Where every queue has a limiter of its own, lets each pass what it may,
    /// one after the other, and then brings the packets into their order in time;
    /// those of one instant by lot.
    fn release_lanes(&mut self, stop: u64, ledger: &mut Ledger) {
        if let ([queue], [Limiter::Metered(limiter)]) = (self.queues.as_mut_slice(), self.limiters.as_mut_slice()) {
            self.first_release = queue.trickle_until(self.first_release, stop, limiter, &mut self.released, ledger);
            self.release_at[0] = self.first_release;
            return;
        }
        if self.limiters.iter().any(|limiter| matches!(limiter, Limiter::Open { .. })) {
            return;
        }
        let queues = self.queues.iter_mut().zip(&mut self.limiters);
        for ((queue, limiter), (at, lane)) in queues.zip(self.release_at.iter_mut().zip(&mut self.lanes)) {
            if let Limiter::Metered(limiter) = limiter
                && *at < stop
            {
                *at = queue.trickle_until(*at, stop, limiter, lane, ledger);
            }
        }
        self.merge_lanes();
        self.find_first();
    }

    fn merge_lanes(&mut self) {
        if let [one, other] = self.lanes.as_mut_slice() {
            return merge_two(one, other, &self.lots, &mut self.released);
        }
        loop {
            let (first, turn_ends) = first_lane(&self.lanes, &self.lots);
            let lane = &mut self.lanes[first];
            if lane.next_at() == u64::MAX {
                return;
            }
            while lane.next_at() < turn_ends {
                let Some(arrival) = lane.pop() else { break };
                self.released.push(arrival.at, arrival.packet);
            }
            lane.tidy();
        }
    }

    /// The one packet past the limiter was taken at `now`: lets the next one pass, if it is ready before `stop`.
    /// A source that stopped in the meantime has none, and the next in line has its turn.
    pub fn refill(&mut self, now: u64, stop: u64, ledger: &mut Ledger) {
        while self.one_by_one && self.first_release < stop && self.released.next_at() == u64::MAX {
            self.release_first(self.first_release.max(now), ledger);
        }
    }

    #[inline]
    fn release_first(&mut self, now: u64, ledger: &mut Ledger) {
        let queue = self.first_queue;
        if let Some(packet) = self.queues[queue].pop(now) {
            let pair = self.pair_of(queue, packet.flow(), ledger);
            self.limiters[pair].pass(now);
            ledger.enter(now, &packet);
            self.released.push(now, packet);
        }
        self.look_at_head(queue, now, ledger);
        self.find_first();
    }

    /// The limiter that a packet of `flow` at the head of `queue` must pass.
    #[inline]
    fn pair_of(&self, queue: usize, flow: u32, ledger: &Ledger) -> usize {
        if self.queues.len() == self.limiters.len() { queue } else { ledger.pair(flow) }
    }

    /// Learns when the head of `queue`, which is at the head since `now`, may pass.
    #[inline]
    fn look_at_head(&mut self, queue: usize, now: u64, ledger: &Ledger) {
        self.release_at[queue] = match self.queues[queue].head() {
            Some(head) => {
                let pair = self.pair_of(queue, head.flow, ledger);
                let ready = self.limiters[pair].ready_at(head.at, head.size).max(now);
                unless_stopped(ready, head.stop)
            }
            None => u64::MAX,
        };
    }

    #[inline]
    fn find_first(&mut self) {
        if let [only] = self.release_at.as_slice() {
            self.first_release = *only;
            return;
        }
        let (mut first, mut first_at) = (0, u64::MAX);
        let draws = !self.one_by_one;
        for (queue, &at) in self.release_at.iter().enumerate() {
            if at < first_at || (at == first_at && at < u64::MAX && draws && self.lots.prefer(at, queue, first)) {
                (first, first_at) = (queue, at);
            }
        }
        (self.first_queue, self.first_release) = (first, first_at);
    }

    /// A packet of TCP enters queue `slot`, if there is room.
    pub fn push(&mut self, slot: usize, feeder: usize, packet: Packet, ledger: &Ledger) -> bool {
        let taken = self.queues[slot].push(feeder, packet);
        if taken == Some(true) {
            self.look_at_queue(slot, packet.born(), ledger);
        }
        taken.is_some()
    }

    /// The run ends with all that arises before `end`.
    pub fn finish(&mut self, end: u64) {
        self.queues.iter_mut().filter(|_| end > 0).for_each(|queue| queue.fill(end - 1));
    }

    /// The law limits pair `pair` to `rate` from `now` on.
    pub fn set_rate(&mut self, now: u64, pair: usize, rate: BitRate, ledger: &Ledger) {
        self.limiters[pair].set_rate(now, rate);
        for queue in 0..self.queues.len() {
            let heads_pair = self.queues[queue].head().map(|head| self.pair_of(queue, head.flow, ledger));
            if heads_pair == Some(pair) {
                self.look_at_head(queue, now, ledger);
            }
        }
        self.find_first();
    }

    /// Takes queue `slot` away, and puts `queue` in its place.
    pub fn exchange_queue(&mut self, slot: usize, queue: AddQueue) -> AddQueue {
        std::mem::replace(&mut self.queues[slot], queue)
    }

    /// Another queue stands at `slot` since `now`, or may go again.
    pub fn look_at_queue(&mut self, slot: usize, now: u64, ledger: &Ledger) {
        self.look_at_head(slot, now, ledger);
        self.find_first();
    }

    /// What waits for each pair at `now`.
    pub fn states(&mut self, now: u64, ledger: &Ledger, states: &mut Vec<QueueState>) {
        states.clear();
        match self.queues.as_mut_slice() {
            [shared] if self.limiters.len() > 1 => {
                shared.fill(now);
                let state = |pair| shared.state_of(|flow| ledger.pair(flow) == pair);
                states.extend((0..self.limiters.len()).map(state));
            }
            queues => states.extend(queues.iter_mut().map(|queue| queue.state(now))),
        }
    }
}

/// Brings the packets of two lanes, which are empty then, into their order in time, those of one instant by lot.
fn merge_two(one: &mut Arrivals, other: &mut Arrivals, lots: &Lots, into: &mut Arrivals) {
    let (mut left, mut right) = (one.as_slice(), other.as_slice());
    while let ([first, left_rest @ ..], [second, right_rest @ ..]) = (left, right) {
        let takes_left = first.at < second.at || (first.at == second.at && !lots.prefer(first.at, 1, 0));
        let arrival = if takes_left { first } else { second };
        into.push(arrival.at, arrival.packet);
        (left, right) = if takes_left { (left_rest, right) } else { (left, right_rest) };
    }
    left.iter().chain(right).for_each(|arrival| into.push(arrival.at, arrival.packet));
    [one, other].into_iter().for_each(Arrivals::clear);
}

/// Whose packet comes first, by lot of equals, and when it is another's turn.
fn first_lane(lanes: &[Arrivals], lots: &Lots) -> (usize, u64) {
    let (mut first, mut first_at, mut second_at) = (0, u64::MAX, u64::MAX);
    for (lane, at) in lanes.iter().map(Arrivals::next_at).enumerate() {
        if at < first_at || (at == first_at && at < u64::MAX && lots.prefer(at, lane, first)) {
            (first, first_at, second_at) = (lane, at, first_at);
        } else {
            second_at = second_at.min(at);
        }
    }
    (first, second_at.max(first_at.saturating_add(1)))
}
