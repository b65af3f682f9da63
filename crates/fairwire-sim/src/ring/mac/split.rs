//! A station whose packets wait for their turn at the link beside the transit
//! traffic: one transit queue that goes first or takes turns, or a primary one (PTQ)
//! and a secondary one (STQ).
//!
//! Where there are two ([dvsr] §II-A, [rpr-enhanced-conservative] §II), class A
//! takes the primary queue and goes before all other data; classes B and C in transit
//! take the secondary queue, which takes turns with what the station adds for the
//! law to share, until it is so deep that it must go first. What the station has
//! reserved or committed goes before it as long as it has room for whatever may
//! come meanwhile. Nothing in transit is ever dropped for want of room, as long as
//! no link is slower than the one before it.
//!
//! `choose` decides who goes. Where a ring carries nothing but class C, `best_effort.rs` decides the same in a shorter
//! loop. Control frames go before all data.

use super::Mac;
use super::transit_queue::TransitQueue;
use crate::ring::adds::{Bucket, Kind, StationAdds};
use crate::ring::books::Ledger;
use crate::ring::wire::{Arrival, Frame, Packet, Wire};
use fairwire_core::{BitRate, Bytes};
use fairwire_laws::ring::{Datapath, StqThresholds};
use std::collections::VecDeque;

#[derive(Debug)]
pub struct Split {
    pub adds: StationAdds,
    /// Classes B and C in transit, where they have a queue of their own.
    pub secondary: Option<TransitQueue>,
    /// The station goes with transit by turns, not after it.
    alternates: bool,
    /// Whether the ring carries nothing but class C.
    pub(super) best_effort: bool,
    /// Deeper than this, the station adds nothing that is fairness eligible.
    pub(super) stop_bytes: u64,
    /// From here on the queue of classes B and C in transit goes before all that is
    /// fairness eligible.
    pub(super) outrank_bytes: u64,
    /// From here on before all but class A0: what is left is for what comes while
    /// others are on the link. A queue with no room for that has its outrank depth here.
    pub(super) full_bytes: u64,
    /// Shapes all but class A0 to what that leaves of the link, and lets it pass
    /// from `shaped_at` on: it lends one packet, and to transit that it does not hold any number.
    shaper: Option<Bucket>,
    /// Whether the secondary queue waits for the shaper, too.
    holds_transit: bool,
    shaped_at: u64,
    /// Which it may send at once after it was held up.
    burst_bytes: u64,
    /// What waits has come, and what may go may do so since then.
    pub(super) known_at: u64,
    /// Whose turn it is where they take turns.
    pub(super) station_next: bool,
    /// Control messages among the packets of the transit queue, in their order.
    pub(super) letters: VecDeque<Frame>,
    /// The largest packet.
    packet_bytes: u64,
}

/// What goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Primary,
    Secondary,
    Station(Kind),
}

impl Split {
    /// `secondary` bytes of room for classes B and C in transit, if they have a
    /// queue of their own; `shaper` has the rate and depth to which the link is
    /// shaped, if it is, and whether it holds transit; `best_effort` if no flow of the ring is of class A or B.
    pub fn new(
        datapath: Datapath,
        adds: StationAdds,
        secondary: Bytes,
        thresholds: StqThresholds,
        shaper: Option<(BitRate, Bytes, bool)>,
        packet: Bytes,
        best_effort: bool,
    ) -> Self {
        let dual = datapath == Datapath::DualQueue;
        let mut split = Self {
            adds,
            secondary: dual.then(|| TransitQueue::new(secondary)),
            alternates: datapath == Datapath::Alternating,
            stop_bytes: thresholds.stop.map_or(u64::MAX, Bytes::get),
            full_bytes: u64::MAX,
            best_effort,
            outrank_bytes: match datapath {
                Datapath::TransitFirst => 1,
                _ => thresholds.outrank.get().max(1),
            },
            shaper: shaper.map(|(rate, depth, _)| Bucket::of_rate(depth, rate)),
            holds_transit: shaper.is_some_and(|(.., holds)| holds),
            burst_bytes: shaper.map_or(0, |(_, depth, _)| depth.get()),
            shaped_at: 0,
            known_at: 0,
            station_next: false,
            letters: VecDeque::new(),
            packet_bytes: packet.get(),
        };
        split.expect_frames_of(0);
        split
    }

    /// What may come in, from a link no faster than this one and shaped alike, that
    /// a queue cannot answer for: while a packet or a frame of the station's goes
    /// out, as much comes in; class A may then go before the secondary queue as often
    /// as its buckets allow.
    fn bursts(&self, largest_frame: u64) -> u64 {
        self.packet_bytes * (2 + 2 * self.adds.primary_lanes()) + 2 * largest_frame + 2 * self.burst_bytes
    }

    /// Control frames of up to `largest` bytes pass here.
    pub fn expect_frames_of(&mut self, largest: u64) {
        if let Some(secondary) = &self.secondary {
            let safe = secondary.buffer_bytes().saturating_sub(self.bursts(largest));
            // Less would go before all else ere the law sees a queue that it acts upon.
            self.full_bytes = if safe >= self.outrank_bytes / 2 { safe } else { self.outrank_bytes };
        }
    }

    /// Whether transit finds room whatever comes, from a link no faster than this
    /// one and shaped alike.
    pub fn is_lossless(&self, primary: &TransitQueue, largest_frame: u64) -> bool {
        let bursts = self.bursts(largest_frame);
        let has_room = |queue: &TransitQueue, full: u64| full.saturating_add(bursts) <= queue.buffer_bytes();
        let secondary = self.secondary.as_ref();
        has_room(primary, 0) && secondary.is_none_or(|queue| has_room(queue, self.full_bytes) && self.leaves_room())
    }

    /// Whether what comes in leaves room for the station's own class A.
    fn leaves_room(&self) -> bool {
        self.holds_transit || self.adds.primary_lanes() == 0
    }

    #[inline]
    pub fn secondary_bytes(&self) -> u64 {
        self.secondary.as_ref().map_or(0, TransitQueue::waiting_bytes)
    }

    /// Something came up at `now`: no packet leaves sooner on its account.
    #[inline]
    pub fn learn(&mut self, now: u64) {
        self.known_at = self.known_at.max(now);
    }

    /// All but class A0 is shaped to `rate` from `now` on, if it is shaped at all.
    pub fn shape(&mut self, now: u64, rate: BitRate) {
        if let Some(shaper) = &mut self.shaper {
            shaper.set_rate(now, rate);
            self.shaped_at = shaper.ready_at(0);
            self.learn(now);
        }
    }

    /// The link carries more or less than before, and class A0 has as much of it as it had.
    pub fn follow_capacity(&mut self, now: u64, before: BitRate, capacity: BitRate) {
        let Some(shaped) = self.shaper.as_ref().and_then(Bucket::rate) else { return };
        let reserved = before.as_bps().saturating_sub(shaped.as_bps());
        self.shape(now, BitRate::from_bps(capacity.as_bps().saturating_sub(reserved).max(1)));
    }

    fn is_stopped(&self) -> bool {
        self.secondary_bytes() > self.stop_bytes
    }

    /// Whether the secondary queue goes before what is fairness eligible.
    fn is_outranked(&self) -> bool {
        self.secondary_bytes() >= self.outrank_bytes || self.is_full()
    }

    /// Whether it goes before all but class A0.
    fn is_full(&self) -> bool {
        self.secondary_bytes() >= self.full_bytes
    }

    /// When something could go, the link permitting, if nothing new comes.
    fn ready_at(&self, primary: &TransitQueue) -> u64 {
        if !primary.is_empty() || (!self.holds_transit && self.secondary_bytes() > 0) {
            return 0;
        }
        let adds = &self.adds;
        let mut unshaped = if self.secondary_bytes() > 0 { 0 } else { adds.ready_at(Kind::Committed) };
        if !self.is_stopped() {
            unshaped = unshaped.min(adds.ready_at(Kind::Eligible));
        }
        let mut first = adds.ready_at(Kind::ReservedA0);
        if !self.is_full() {
            unshaped = unshaped.min(adds.ready_at(Kind::ReservedA1));
        }
        if unshaped < first {
            first = first.min(unshaped.max(self.shaped_at));
        }
        first
    }

    /// Who goes at `now`: the primary transit queue (PTQ); the station's own class A0; its class A1 and its class B within the
    /// commitment, unless the secondary transit queue (STQ) is full; the STQ from its outrank depth on; else the STQ and what is
    /// fairness eligible at the station, by turns. A scheduler that alternates knows turns alone.
    #[inline]
    fn choose(&self, now: u64, primary: &TransitQueue) -> Option<Choice> {
        if self.alternates {
            return self.take_turns(now, !primary.is_empty(), Choice::Primary);
        }
        if !primary.is_empty() {
            return Some(Choice::Primary);
        }
        if self.adds.ready_at(Kind::ReservedA0) <= now {
            return Some(Choice::Station(Kind::ReservedA0));
        }
        let waiting = self.secondary_bytes() > 0;
        if self.shaped_at > now {
            return (waiting && !self.holds_transit).then_some(Choice::Secondary);
        }
        let guaranteed = [Kind::ReservedA1, Kind::Committed];
        if !self.is_full()
            && let Some(kind) = guaranteed.into_iter().find(|kind| self.adds.ready_at(*kind) <= now)
        {
            return Some(Choice::Station(kind));
        }
        if waiting && self.is_outranked() {
            return Some(Choice::Secondary);
        }
        self.take_turns(now, waiting, Choice::Secondary)
    }

    /// Who went last goes last where they take turns.
    #[inline]
    fn note_turn(&mut self, choice: Option<Choice>) {
        match choice {
            Some(Choice::Secondary) => self.station_next = true,
            Some(Choice::Primary) if self.alternates => self.station_next = true,
            Some(Choice::Station(Kind::Eligible)) => self.station_next = false,
            Some(Choice::Station(_)) if self.alternates => self.station_next = false,
            _ => {}
        }
    }

    /// Transit, if any waits, and the station by turns.
    #[inline]
    fn take_turns(&self, now: u64, waiting: bool, transit: Choice) -> Option<Choice> {
        let station = self.station_choice(now);
        let station_goes = station.is_some() && (!waiting || self.station_next);
        if station_goes { station } else { waiting.then_some(transit) }
    }

    #[inline]
    fn station_choice(&self, now: u64) -> Option<Choice> {
        let ready = |kind| self.adds.ready_at(kind) <= now;
        let kind = if self.alternates && ready(Kind::ReservedA0) {
            Kind::ReservedA0
        } else if self.shaped_at > now {
            return None;
        } else if self.alternates && ready(Kind::ReservedA1) {
            Kind::ReservedA1
        } else if ready(Kind::Committed) {
            Kind::Committed
        } else if ready(Kind::Eligible) && !self.is_stopped() {
            Kind::Eligible
        } else {
            return None;
        };
        Some(Choice::Station(kind))
    }
}

impl Mac {
    /// Everything the link does before `stop`, and then all arrivals up to and
    /// including `until`.
    #[inline(never)]
    pub(super) fn run_split(
        &mut self,
        stop: u64,
        until: u64,
        inbound: &mut Wire,
        outbound: &mut Wire,
        ledger: &mut Ledger,
    ) {
        let Some(mut split) = self.split.take() else { return };
        loop {
            let now = self.next_look(&split, inbound.data.next_at());
            if now >= stop {
                break;
            }
            self.take_in_transit(now, &mut split, inbound, ledger);
            self.serve(now, &mut split, outbound, ledger);
        }
        self.take_in_transit(until, &mut split, inbound, ledger);
        self.split = Some(split);
    }

    /// When the link next looks for something to send, or for what arrives at `arriving_at`.
    #[inline]
    pub(super) fn next_look(&self, split: &Split, arriving_at: u64) -> u64 {
        let free_at = self.link.free_at().max(split.known_at);
        if self.link.has_frames() {
            return free_at;
        }
        let ready = split.ready_at(&self.queue);
        if ready <= free_at { free_at } else { free_at.max(ready.min(arriving_at)) }
    }

    #[inline(always)]
    fn take_in_transit(&mut self, until: u64, split: &mut Split, inbound: &mut Wire, ledger: &mut Ledger) {
        if inbound.data.next_at() <= until {
            self.take_in_some(until, split, inbound, ledger);
        }
    }

    #[inline(never)]
    fn take_in_some(&mut self, until: u64, split: &mut Split, inbound: &mut Wire, ledger: &mut Ledger) {
        while inbound.data.next_at() <= until {
            let Some(Arrival { at, packet }) = inbound.data.pop() else { return };
            if packet.egress() == self.station {
                ledger.deliver(at, &packet);
                continue;
            }
            if self.counters.wanted().counts_arrivals() {
                self.counters.arrive(&ledger.meta::<true>(&packet));
            }
            let queue = match &mut split.secondary {
                Some(secondary) if !ledger.class(packet.flow()).is_primary() => secondary,
                _ => &mut self.queue,
            };
            if !queue.push(packet) {
                ledger.drop(at, packet);
            }
            split.learn(at);
        }
    }

    /// Sends what goes at `now`, if anything does.
    #[inline]
    fn serve(&mut self, now: u64, split: &mut Split, outbound: &mut Wire, ledger: &mut Ledger) {
        if self.link.has_frames() {
            self.link.wake(now);
            return self.link.send_frame(now, outbound);
        }
        let choice = split.choose(now, &self.queue);
        split.note_turn(choice);
        let packet = match choice {
            None => return,
            Some(Choice::Primary) => self.queue.pop(),
            Some(Choice::Secondary) => split.secondary.as_mut().and_then(TransitQueue::pop),
            Some(Choice::Station(kind)) => {
                let packet = split.adds.take(kind, now, ledger);
                if let Some(packet) = packet.filter(|_| self.counters.wanted().counts_arrivals()) {
                    self.counters.arrive(&ledger.meta::<true>(&packet));
                }
                packet
            }
        };
        let Some(packet) = packet else { return };
        self.link.wake(now);
        self.send(now, packet, split, outbound, ledger);
    }

    #[inline]
    fn send(&mut self, now: u64, packet: Packet, split: &mut Split, outbound: &mut Wire, ledger: &mut Ledger) {
        if packet.is_letter() {
            if let Some(frame) = split.letters.pop_front() {
                self.link.send_letter(now, frame, outbound);
            }
            return;
        }
        if self.counters.wanted().counts_sent() {
            self.counters.send_in_full(&ledger.meta::<true>(&packet));
        }
        if let Some(shaper) = &mut split.shaper
            && ledger.class(packet.flow()) != fairwire_core::ServiceClass::A0
        {
            shaper.pass_or_owe(now, packet.size());
            split.shaped_at = shaper.ready_at(0);
        }
        if !self.link.send_packet::<true>(now, packet, outbound) {
            ledger.lose(now, packet);
        }
    }

    /// A control message waits its turn among the transit traffic.
    pub fn queue_letter(&mut self, now: u64, frame: Frame) {
        let Some(split) = &mut self.split else { return self.send_frame(now, frame) };
        let letter = Packet::letter(frame.size());
        let queue = split.secondary.as_mut().unwrap_or(&mut self.queue);
        // One that finds no room is lost, as on any link.
        if queue.push(letter) {
            split.letters.push_back(frame);
            split.learn(now);
        }
    }
}
