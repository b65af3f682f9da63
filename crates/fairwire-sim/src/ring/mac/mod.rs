//! One station's access to one ringlet: the outgoing link, the queue in front
//! of it, and what the station adds.
//!
//! Nothing in here is an event but "the link is free and something waits". How packets
//! move is told where they do: in one queue (`merged.rs`), or the station's beside those of
//! transit (`best_effort.rs` and `split.rs`).

mod best_effort;
mod counting;
mod merged;
mod split;
mod transit_queue;

pub use split::Split;
pub use transit_queue::TransitQueue;

use crate::ring::adds::{AddQueue, Adds, QueueState};
use crate::ring::books::Ledger;
use crate::ring::wire::{Frame, OutgoingLink, Packet, Wire};
use counting::{ADDED, ALL, Counting, SORTED};
use fairwire_core::BitRate;
use fairwire_laws::PackedMessage;
use fairwire_laws::ring::{Datapath, LinkCounters};
use fairwire_plan::TransitPlan;

const SORTED_ADDED: u8 = SORTED | ADDED;

/// One station on one ringlet.
pub struct Mac {
    pub station: u16,
    /// What is counted for the law.
    pub counters: LinkCounters,
    counting: Counting,
    /// Which loop packets go through.
    road: Road,
    /// Transit traffic and the station's own, or only transit where the path is split.
    pub queue: TransitQueue,
    pub link: OutgoingLink,
    pub adds: Adds,
    /// Where the station's packets wait beside the transit queues.
    pub split: Option<Box<Split>>,
    /// Bytes that the station leaves free for transit, if it holds back at all:
    /// room for packets, and for those that come while the largest frame goes out.
    pub(super) hold_reserve: Option<u64>,
    /// Whether packets of TCP may come by.
    pub(super) carries_tcp: bool,
    /// Whether packets ever come by; if not, there are only control frames to send.
    pub packets_pass: bool,
    pub(super) largest_frame: u64,
    /// When a packet last left the queue and made room.
    pub(super) last_pop: u64,
}

/// The loop that packets go through. Each is built for what there is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Road {
    /// All packets wait in one queue.
    Merged,
    /// The station's packets wait beside the transit queues. So they do below, on rings that carry nothing but class C.
    Split,
    /// Nothing is counted.
    BestEffort,
    /// What the station adds is counted.
    BestEffortAdds,
    /// And whose packets go how far.
    BestEffortSorted,
    /// All is counted.
    BestEffortInFull,
    /// Likewise, and packets of TCP come by.
    BestEffortOfTcp,
}

/// What of a station's own traffic a law limits.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// What goes to one egress, by the number of the pair.
    Pair(usize),
    /// All that is fairness eligible.
    Station,
    /// What crosses more links than this.
    Beyond(usize),
}

impl Mac {
    pub fn new(
        station: u16,
        counters: LinkCounters,
        queue: TransitQueue,
        link: OutgoingLink,
        adds: Adds,
        hold_reserve: Option<u64>,
        carries_tcp: bool,
    ) -> Self {
        let (split, largest_frame, last_pop, packets_pass) = (None, 0, 0, true);
        Self {
            station,
            counting: Counting::of(counters.wanted()),
            road: Road::Merged,
            counters,
            queue,
            link,
            adds,
            split,
            hold_reserve,
            carries_tcp,
            packets_pass,
            largest_frame,
            last_pop,
        }
    }

    /// One whose packets wait beside the transit queues, of which `primary` is the first.
    pub fn split(
        station: u16,
        counters: LinkCounters,
        primary: TransitQueue,
        link: OutgoingLink,
        split: Split,
        carries_tcp: bool,
    ) -> Self {
        let mut mac = Self {
            split: Some(Box::new(split)),
            ..Self::new(station, counters, primary, link, Adds::none(), None, carries_tcp)
        };
        mac.find_road();
        mac
    }

    /// Finds the code that is built for what packets go through here.
    fn find_road(&mut self) {
        self.road = match &self.split {
            None => Road::Merged,
            Some(split) if !split.best_effort => Road::Split,
            Some(_) if self.carries_tcp => Road::BestEffortOfTcp,
            Some(_) => match self.counting.of_class_c {
                0 => Road::BestEffort,
                ADDED => Road::BestEffortAdds,
                SORTED_ADDED => Road::BestEffortSorted,
                _ => Road::BestEffortInFull,
            },
        };
    }

    /// When the link will next look for a packet, as far as is known now; the next one that goes on from here arrives at
    /// `passing_at`.
    #[inline(always)]
    pub fn next_service(&self, passing_at: u64) -> u64 {
        if let Some(split) = &self.split {
            return self.next_look(split, passing_at);
        }
        if self.has_to_send() {
            return self.link.free_at();
        }
        if !self.packets_pass {
            return u64::MAX;
        }
        self.link.free_at().max(passing_at.min(self.adds.next_at()))
    }

    /// Whether anything waits for the link.
    #[inline]
    pub fn has_to_send(&self) -> bool {
        self.link.has_frames() || (self.packets_pass && (!self.queue.is_empty() || self.secondary_bytes() > 0))
    }

    #[inline]
    fn secondary_bytes(&self) -> u64 {
        self.split.as_ref().map_or(0, |split| split.secondary_bytes())
    }

    /// When the station's next own packet comes up, as far as is known now.
    #[inline]
    pub fn next_own_at(&self) -> u64 {
        if !self.packets_pass {
            return u64::MAX;
        }
        self.split.as_ref().map_or_else(|| self.adds.next_at(), |split| split.adds.next_at())
    }

    /// Whether the station adds anything, ever.
    #[inline]
    pub fn adds_nothing(&self) -> bool {
        !self.packets_pass || self.split.as_ref().map_or_else(|| self.adds.is_empty(), |split| split.adds.is_empty())
    }

    /// The station's queues.
    pub fn add_queues(&self) -> impl Iterator<Item = &AddQueue> {
        let split = self.split.iter().flat_map(|split| split.adds.queues());
        self.adds.queues().iter().chain(split)
    }

    /// Takes station queue `slot` away, and puts `queue` in its place.
    pub fn exchange_queue(&mut self, slot: usize, queue: AddQueue) -> AddQueue {
        match &mut self.split {
            Some(split) => split.adds.exchange_queue(slot, queue),
            None => self.adds.exchange_queue(slot, queue),
        }
    }

    /// A packet of TCP enters the station queue at `slot`, if there is room.
    #[must_use]
    pub fn push(&mut self, slot: usize, feeder: usize, packet: Packet, ledger: &Ledger) -> bool {
        match &mut self.split {
            Some(split) => split.adds.push(slot, feeder, packet, ledger),
            None => self.adds.push(slot, feeder, packet, ledger),
        }
    }

    /// Another queue stands at `slot` since `now`, or may go again.
    pub fn look_at_queue(&mut self, slot: usize, now: u64, ledger: &Ledger) {
        match &mut self.split {
            Some(split) => {
                split.learn(now);
                split.adds.look_at_queue(slot, now, ledger);
            }
            None => self.adds.look_at_queue(slot, now, ledger),
        }
    }

    /// What the queue at `slot` is limited to, where each queue is limited by itself
    /// and a law has set it.
    pub fn queue_limit(&self, slot: usize) -> Option<BitRate> {
        if self.split.is_some() { None } else { self.adds.rate(slot) }
    }

    /// What pair `pair` is limited to; none if it is not.
    pub fn pair_limit(&self, pair: usize) -> Option<BitRate> {
        match &self.split {
            Some(split) => split.adds.rate(pair),
            None => self.adds.rate(pair),
        }
    }

    /// What all that the station adds is limited to; none if it is not.
    pub fn station_limit(&self) -> Option<BitRate> {
        self.split.as_ref().and_then(|split| split.adds.station_rate())
    }

    /// Lifts all limits at `now`, to the link's capacity, where packets wait for their
    /// turn. Where they join the transit queue open limits flood the ring, so
    /// that there the old ones stand until the law sets others.
    pub fn lift_limits(&mut self, now: u64, pairs: usize, ledger: &Ledger) {
        if self.split.is_none() {
            return;
        }
        let capacity = self.link.capacity();
        let all = (0..pairs).map(Limit::Pair).chain([Limit::Station, Limit::Beyond(usize::MAX)]);
        for limit in all {
            // A station that cannot be limited as a whole has no such limit to lift.
            let _ = self.limit(now, limit, capacity, ledger);
        }
    }

    /// The link carries so much from `now` on. A limit at the link's capacity stays one, and none is above it: those that
    /// laws have set hold until they set others, which they do when they have heard of the change.
    pub fn set_capacity(&mut self, now: u64, capacity: BitRate, ledger: &Ledger) {
        let before = self.link.capacity();
        self.link.set_capacity(now, capacity);
        let adapted = |rate: &BitRate| *rate == before || *rate > capacity;
        for (limit, _) in self.limits().into_iter().filter(|(_, rate)| adapted(rate)) {
            let _ = self.limit(now, limit, capacity, ledger);
        }
        if let Some(split) = &mut self.split {
            split.follow_capacity(now, before, capacity);
        }
    }

    /// How many flows, or pairs of an ingress and an egress, have a limit of their own.
    #[inline]
    pub fn pairs(&self) -> usize {
        self.split.as_ref().map_or_else(|| self.adds.pairs(), |split| split.adds.pairs())
    }

    /// The limits that have been set.
    fn limits(&self) -> Vec<(Limit, BitRate)> {
        let beyond = self.split.as_ref().and_then(|split| split.adds.beyond_rate());
        let of_pairs = (0..self.pairs()).filter_map(|pair| Some((Limit::Pair(pair), self.pair_limit(pair)?)));
        let of_station = self.station_limit().map(|rate| (Limit::Station, rate));
        of_pairs.chain(of_station).chain(beyond.map(|(hops, rate)| (Limit::Beyond(hops), rate))).collect()
    }

    /// Pairs cross other numbers of links from now on than before.
    pub fn set_hops(&mut self, hops: impl Iterator<Item = usize>) {
        if let Some(split) = &mut self.split {
            split.adds.set_hops(hops);
        }
    }

    /// Class A0 has so much of the link from `now` on.
    pub fn reserve(&mut self, now: u64, reserved: BitRate) {
        let left = self.link.capacity().as_bps().saturating_sub(reserved.as_bps()).max(1);
        if let Some(split) = &mut self.split {
            split.shape(now, BitRate::from_bps(left));
        }
    }

    /// What waits for each pair at `now`.
    pub fn queue_states(&mut self, now: u64, ledger: &Ledger, states: &mut Vec<QueueState>) {
        match &mut self.split {
            Some(split) => split.adds.states(now, ledger, states),
            None => self.adds.states(now, ledger, states),
        }
    }

    /// The transit queues.
    pub fn transit_queues(&self) -> impl Iterator<Item = &TransitQueue> {
        let secondary = self.split.as_ref().and_then(|split| split.secondary.as_ref());
        std::iter::once(&self.queue).chain(secondary)
    }

    /// The queue that is shown over time: the only one, or that of classes B and C.
    pub fn shown_queue(&self) -> &TransitQueue {
        self.split.as_ref().and_then(|split| split.secondary.as_ref()).unwrap_or(&self.queue)
    }

    /// Ends a row: bytes waiting now in the queue that is shown, and the most that waited in it.
    pub fn close_queue_row(&mut self) -> (u32, u32) {
        let secondary = self.split.as_mut().and_then(|split| split.secondary.as_mut());
        secondary.unwrap_or(&mut self.queue).close_row()
    }

    /// Packets that found no room in transit.
    pub fn dropped(&self) -> u64 {
        self.transit_queues().map(TransitQueue::dropped).sum()
    }

    /// The run ends with all that arises before `end`.
    pub fn finish(&mut self, end: u64) {
        match &mut self.split {
            Some(split) => split.adds.finish(end),
            None => self.adds.finish(end),
        }
    }

    /// Does what the law wants done with the station's own traffic; `false` if
    /// this station cannot.
    #[must_use]
    #[inline]
    pub fn limit(&mut self, now: u64, limit: Limit, rate: BitRate, ledger: &Ledger) -> bool {
        let Some(split) = &mut self.split else {
            if let Limit::Pair(pair) = limit {
                self.adds.set_rate(now, pair, rate, ledger);
            }
            return matches!(limit, Limit::Pair(_));
        };
        split.learn(now);
        match limit {
            Limit::Pair(pair) => split.adds.set_rate(now, pair, rate, ledger),
            Limit::Station => split.adds.set_station_rate(now, rate, ledger),
            Limit::Beyond(hops) => split.adds.set_beyond_rate(now, hops, rate, ledger),
        }
        true
    }

    /// Everything the link does before `stop`, and then all arrivals up to and
    /// including `until`, whether the link looks for them or not.
    #[inline(always)]
    pub fn run(&mut self, stop: u64, until: u64, inbound: &mut Wire, outbound: &mut Wire, ledger: &mut Ledger) {
        if self.is_quiet(until, inbound) {
            return;
        }
        match self.road {
            Road::BestEffort => self.run_best_effort::<false, 0>(stop, until, inbound, outbound, ledger),
            Road::BestEffortAdds => self.run_best_effort::<false, ADDED>(stop, until, inbound, outbound, ledger),
            Road::BestEffortSorted => {
                self.run_best_effort::<false, SORTED_ADDED>(stop, until, inbound, outbound, ledger);
            }
            Road::BestEffortInFull => self.run_best_effort::<false, ALL>(stop, until, inbound, outbound, ledger),
            Road::BestEffortOfTcp => self.run_best_effort::<true, ALL>(stop, until, inbound, outbound, ledger),
            Road::Merged => self.run_merged(stop, until, inbound, outbound, ledger),
            Road::Split => self.run_split(stop, until, inbound, outbound, ledger),
        }
    }

    /// Nothing waits here and nothing arrives up to and including `until`.
    #[inline(always)]
    fn is_quiet(&self, until: u64, inbound: &Wire) -> bool {
        if !self.packets_pass {
            return !self.link.has_frames();
        }
        // A station that is at work most often has a packet of its own.
        self.next_own_at() > until && inbound.data.next_at() > until && !self.has_to_send()
    }

    /// A control frame comes up at `now` and goes out before all data.
    pub fn send_frame(&mut self, now: u64, frame: Frame) {
        self.link.wake(now);
        self.expect_frames_of(frame.size().into());
        self.link.queue_frame(frame);
    }

    /// The same where links have come as far as `now`: it is put on the wire if the link is free.
    #[inline(always)]
    pub fn send_frame_now(&mut self, now: u64, frame: Frame, outbound: &mut Wire) {
        self.expect_frames_of(frame.size().into());
        self.link.send_or_queue_frame(now, frame, outbound);
    }

    /// The same for a message to the law of the other ringlet, which may be advice.
    #[inline(always)]
    pub fn send_message_now<const ADVICE: bool>(&mut self, now: u64, message: PackedMessage, outbound: &mut Wire) {
        self.expect_frames_of(message.wire_bytes() as u64);
        self.link.send_or_queue_message::<ADVICE>(now, message, outbound);
    }

    /// A message that goes nowhere takes the time that its `bytes` take on the link from `now` on, ahead of all that waits.
    pub fn spend_time(&mut self, now: u64, bytes: u64) {
        self.expect_frames_of(bytes);
        self.link.spend_time(now, bytes);
    }

    /// Control frames of this size pass here.
    pub fn expect_frames_of(&mut self, size: u64) {
        if size <= self.largest_frame {
            return;
        }
        self.largest_frame = size;
        if let Some(split) = &mut self.split {
            split.expect_frames_of(size);
        }
    }

    /// The largest control frame expected here.
    pub fn largest_frame(&self) -> u64 {
        self.largest_frame
    }

    /// Whether transit finds room whatever comes, from a link no faster than this one.
    pub fn is_lossless(&self, plan: &TransitPlan) -> bool {
        match plan.datapath {
            Datapath::Merged => {
                self.hold_reserve.is_some_and(|reserve| reserve + self.largest_frame <= self.queue.buffer_bytes())
            }
            // It may have to wait for a station's packet with every packet of its own.
            Datapath::Alternating => false,
            Datapath::TransitFirst | Datapath::DualQueue => {
                self.split.as_ref().is_some_and(|split| split.is_lossless(&self.queue, self.largest_frame))
            }
        }
    }
}
