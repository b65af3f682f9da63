//! What is counted for each flow while packets move, and what packets of TCP carry.

use super::order::Order;
use super::parcels::{Content, Parcel, Parcels};
use super::receipt::Receipt;
use crate::brought::{Fate, Returns};
use crate::ring::protection::Fold;
use crate::ring::wire::{Arrival, Packet};
use fairwire_core::{FlowId, PacketMeta, Ringlet, ServiceClass, StationId};
use fairwire_plan::{FlowPlan, RingPlan};
use std::rc::Rc;

/// Numberings kept beside the stations' own.
const FOLDS_KEPT: usize = 8;

/// Books of all flows.
#[derive(Debug)]
pub struct Ledger {
    warmup: u64,
    window: u64,
    /// Of each flow; from there on, of each packet of TCP, by the number it was given.
    places: Vec<FlowEnds>,
    tallies: Vec<Tally>,
    receipts: Vec<Receipt>,
    /// Where a flow may be received from both ringlets.
    order: Option<Order>,
    pub parcels: Parcels,
    /// What was brought from outside.
    pub returns: Returns,
    /// The places as stations of a folded ring know them, of the folds that were asked for last.
    folded: Vec<(Rc<Fold>, Vec<FlowEnds>)>,
}

/// What a station must know of a flow.
#[derive(Clone, Copy, Debug, Default)]
struct FlowEnds {
    flow: u32,
    ingress: StationId,
    egress: StationId,
    /// Which of its station's (ingress, egress) pairs on its ringlet it belongs to.
    pair: u16,
    class: ServiceClass,
    /// Whether its packets must stay in order.
    strict: bool,
    wrap_eligible: bool,
    ringlet: Ringlet,
}

/// One flow's packets on the ring.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub entered: u64,
    pub dropped: u64,
    pub lost: u64,
    pub discarded: u64,
    /// Of these, before the warm-up ended.
    unmeasured_entered: u64,
    unmeasured_dropped: u64,
}

impl Ledger {
    /// Empty books for the flows of `plan`, whose pairs are numbered by `pair`.
    pub fn new(plan: &RingPlan, pair: impl Fn(&FlowPlan) -> u16) -> Self {
        let window = plan.window.as_nanos();
        let place = |(number, flow): (u32, &FlowPlan)| {
            let FlowPlan { from: ingress, to: egress, class, ringlet, wrap_eligible, .. } = *flow;
            FlowEnds {
                flow: number,
                ingress,
                egress,
                pair: pair(flow),
                class,
                strict: flow.strict_order,
                wrap_eligible,
                ringlet,
            }
        };
        Self {
            warmup: plan.warmup.as_nanos(),
            window,
            places: (0..).zip(&plan.flows).map(place).collect(),
            tallies: vec![Tally::default(); plan.flows.len()],
            receipts: plan.flows.iter().map(|_| Receipt::default()).collect(),
            order: plan.protection.as_ref().map(|_| Order::new(plan.flows.len())),
            parcels: Parcels::default(),
            returns: Returns::default(),
            folded: Vec::new(),
        }
    }

    /// The books of each flow.
    pub fn flows(&self) -> impl Iterator<Item = (&Tally, &Receipt)> {
        self.tallies.iter().zip(&self.receipts)
    }

    /// A law's view of `packet`, which may be one of TCP or is none.
    #[inline]
    pub fn meta<const TCP: bool>(&self, packet: &Packet) -> PacketMeta {
        // Every packet has its place. Put like this it is looked up only for laws that ask for something of it.
        let place = self.places.get(packet.flow() as usize).copied().unwrap_or_default();
        PacketMeta {
            flow: FlowId(if TCP { place.flow } else { packet.flow() }),
            ingress: place.ingress,
            egress: place.egress,
            size_bytes: packet.size().into(),
            class: place.class,
            fairness_eligible: !place.class.is_primary() && !packet.is_committed(),
        }
    }

    /// The same where nothing but class C is carried, so that nobody has to look.
    #[inline]
    pub fn best_effort_meta<const TCP: bool>(&self, packet: &Packet) -> PacketMeta {
        PacketMeta { class: ServiceClass::C, fairness_eligible: true, ..self.meta::<TCP>(packet) }
    }

    /// The class of `flow`.
    #[inline]
    pub fn class(&self, flow: u32) -> ServiceClass {
        self.places[flow as usize].class
    }

    /// The pair that `flow` belongs to.
    #[inline]
    pub fn pair(&self, flow: u32) -> usize {
        self.places[flow as usize].pair.into()
    }

    /// The flow that `packet` belongs to.
    #[inline]
    pub fn flow_of(&self, packet: &Packet) -> u32 {
        self.places[packet.flow() as usize].flow
    }

    /// A packet of TCP comes up for `flow`: the number by which it goes.
    pub fn post(&mut self, flow: u32, parcel: Parcel) -> u32 {
        let flows = self.tallies.len();
        let place = self.places[flow as usize];
        let (number, is_new) = self.parcels.keep(parcel);
        let put = |places: &mut Vec<FlowEnds>, place: FlowEnds| match places.get_mut(flows + number as usize) {
            Some(known) if !is_new => *known = place,
            _ => places.push(place),
        };
        put(&mut self.places, place);
        for (fold, places) in &mut self.folded {
            put(places, place.folded(fold));
        }
        flows as u32 + number
    }

    /// From now on tells laws of packets by the numbers that stations have in `fold`, until it
    /// is called again: then by their own again.
    pub fn exchange_numbers(&mut self, fold: &Rc<Fold>) {
        let known = self.folded.iter().position(|(known, _)| known == fold);
        let at = known.unwrap_or_else(|| {
            // A ring has few parts at a time; what it has been before need not be kept.
            if self.folded.len() == FOLDS_KEPT {
                self.folded.remove(0);
            }
            let places = self.places.iter().map(|place| place.folded(fold)).collect();
            self.folded.push((Rc::clone(fold), places));
            self.folded.len() - 1
        });
        std::mem::swap(&mut self.places, &mut self.folded[at].1);
    }

    /// Whether an edge may put `packet` on the other ringlet.
    pub fn is_wrap_eligible(&self, packet: &Packet) -> bool {
        self.places.get(packet.flow() as usize).is_some_and(|place| place.wrap_eligible)
    }

    /// What a packet of TCP carries, which is no more; none of another packet.
    pub fn open(&mut self, packet: &Packet) -> Option<Parcel> {
        let number = packet.flow().checked_sub(self.tallies.len() as u32)?;
        self.parcels.take(number)
    }

    /// A packet is no more: hands it back if it was brought.
    pub fn close(&mut self, now: u64, packet: &Packet, fate: Fate) {
        if let Some(Parcel { content: Content::Brought(handle), .. }) = self.open(packet) {
            self.returns.decide(handle, fate, now);
        }
    }

    /// What a packet of TCP carries, or one that was brought from outside; none of another packet.
    pub fn recall(&self, packet: &Packet) -> Option<Parcel> {
        self.parcels.recall(packet.flow().checked_sub(self.tallies.len() as u32)?)
    }

    /// How many packets of TCP there are.
    pub fn parcels(&self) -> usize {
        self.parcels.count()
    }

    /// Packets of `flow` enter the ring, in order of time.
    pub fn enter_all(&mut self, flow: u32, packets: &[Arrival]) {
        let tally = &mut self.tallies[flow as usize];
        let unmeasured = match packets {
            [first, ..] if first.at < self.warmup => packets.partition_point(|arrival| arrival.at < self.warmup),
            _ => 0,
        };
        tally.entered += packets.len() as u64;
        tally.unmeasured_entered += unmeasured as u64;
    }

    #[inline]
    pub fn enter(&mut self, now: u64, packet: &Packet) {
        match self.tallies.get_mut(packet.flow() as usize) {
            Some(tally) => tally.enter(now >= self.warmup),
            None => self.enter_tcp(now, packet),
        }
    }

    #[cold]
    fn enter_tcp(&mut self, now: u64, packet: &Packet) {
        let flow = self.flow_of(packet) as usize;
        self.tallies[flow].enter(now >= self.warmup);
    }

    #[inline]
    pub fn drop(&mut self, now: u64, packet: Packet) {
        match self.tallies.get_mut(packet.flow() as usize) {
            Some(tally) => tally.drop(now >= self.warmup),
            None => self.drop_tcp(now, packet),
        }
    }

    #[cold]
    fn drop_tcp(&mut self, now: u64, packet: Packet) {
        let flow = self.flow_of(&packet) as usize;
        self.tallies[flow].drop(now >= self.warmup);
        self.close(now, &packet, Fate::Dropped);
    }

    /// The wire is cut on which `packet` is sent at `now`, or arrives then.
    #[cold]
    pub fn lose(&mut self, now: u64, packet: Packet) {
        let flow = self.flow_of(&packet) as usize;
        self.tallies[flow].lost += 1;
        self.close(now, &packet, Fate::Lost);
    }

    /// A strict `packet` comes to a station that finds the topology unsettled.
    pub fn discard(&mut self, now: u64, packet: &Packet) {
        let flow = self.flow_of(packet) as usize;
        self.tallies[flow].discarded += 1;
        self.close(now, packet, Fate::Discarded);
    }

    /// Whether `packet` must not be overtaken.
    pub fn is_strict(&self, packet: &Packet) -> bool {
        self.places.get(packet.flow() as usize).is_some_and(|place| place.strict)
    }

    /// A station has taken both its ringlets equally far.
    #[inline]
    pub fn judge_order(&mut self) {
        if let Some(order) = &mut self.order {
            order.judge();
        }
    }

    /// Packets of `flow` that were overtaken.
    pub fn overtaken(&self, flow: usize) -> u64 {
        self.order.as_ref().map_or(0, |order| order.overtaken(flow))
    }

    /// `packet` leaves the ring.
    #[inline(always)]
    pub fn deliver(&mut self, now: u64, packet: &Packet) {
        if let Some(order) = &mut self.order {
            order.note(now, packet);
        }
        let (warmup, window) = (self.warmup, self.window);
        self.receipts[packet.flow() as usize].take(now, packet.born(), packet.size().into(), warmup, window);
    }

    /// Of `arrivals` those leave the ring that end at `station`, until one goes on or arrives after `until`; returns
    /// what is left.
    #[inline(never)]
    pub fn deliver_first<'a>(&mut self, station: u16, mut arrivals: &'a [Arrival], until: u64) -> &'a [Arrival] {
        let ends = |arrival: &Arrival| arrival.packet.leaves_unmarked_at(station) && arrival.at <= until;
        if let Some(order) = &mut self.order {
            arrivals
                .iter()
                .take_while(|arrival| ends(arrival))
                .for_each(|arrival| order.note(arrival.at, &arrival.packet));
        }
        let (warmup, window, receipts) = (self.warmup, self.window, self.receipts.as_mut_slice());
        while let [arrival, rest @ ..] = arrivals
            && ends(arrival)
        {
            let Arrival { at, packet } = arrival;
            receipts[packet.flow() as usize].take(*at, packet.born(), packet.size().into(), warmup, window);
            arrivals = rest;
        }
        arrivals
    }

    /// A packet of TCP that was made at `born` is delivered, which brings so many bytes that
    /// were not there before.
    pub fn receive(&mut self, flow: u32, now: u64, born: u64, bytes: u32) {
        if let Some(order) = &mut self.order {
            order.note(now, &Packet::new(born, flow, 0, 0));
        }
        let (warmup, window) = (self.warmup, self.window);
        self.receipts[flow as usize].take(now, born, bytes, warmup, window);
    }
}

impl FlowEnds {
    /// The same with the numbers that stations have in `fold`.
    fn folded(&self, fold: &Fold) -> Self {
        let number = |station: StationId| StationId(fold.number(self.ringlet, station));
        Self { ingress: number(self.ingress), egress: number(self.egress), ..*self }
    }
}

impl Tally {
    #[inline(always)]
    fn enter(&mut self, measured: bool) {
        self.entered += 1;
        if !measured {
            self.unmeasured_entered += 1;
        }
    }

    #[inline(always)]
    fn drop(&mut self, measured: bool) {
        self.dropped += 1;
        if !measured {
            self.unmeasured_dropped += 1;
        }
    }

    /// Those that entered since the warm-up ended.
    pub fn measured_entered(&self) -> u64 {
        self.entered - self.unmeasured_entered
    }

    /// Those dropped since then.
    pub fn measured_dropped(&self) -> u64 {
        self.dropped - self.unmeasured_dropped
    }
}
