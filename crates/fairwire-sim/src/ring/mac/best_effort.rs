//! A station whose packets wait beside the transit queues, on a ring that carries nothing
//! but class C.
//!
//! Then one transit queue is ever used, and the station adds packets for one reason. Who
//! goes first, transit or station, hangs on two depths of that queue, whatever the
//! datapath ([`Split`]). That is the usual case, and it fits into one loop. A checked run goes
//! through `split.rs` instead; tests compare the two.

use super::Mac;
use super::counting::{ADDED, ALL, SORTED};
use super::split::Split;
use super::transit_queue::TransitQueue;
use crate::ring::adds::Kind;
use crate::ring::books::Ledger;
use crate::ring::wire::{Arrival, Frame, OutgoingLink, Packet, Wire};
use fairwire_laws::ring::LinkCounters;
use std::collections::VecDeque;

/// What is still to come from upstream.
struct Coming<'a> {
    arrivals: &'a [Arrival],
    /// When the next packet comes that goes on from here.
    at: u64,
    /// When the last one came that was taken in.
    latest: u64,
}

impl Mac {
    /// As [`Mac::run_split`].
    #[inline(always)]
    pub(super) fn run_best_effort<const TCP: bool, const COUNT: u8>(
        &mut self,
        stop: u64,
        until: u64,
        inbound: &mut Wire,
        outbound: &mut Wire,
        ledger: &mut Ledger,
    ) {
        if self.link.has_frames() {
            self.send_frames::<TCP, COUNT>(stop, until, inbound, outbound, ledger);
        }
        // Often the link is still busy with a packet when the stretch is over.
        if self.link.free_at() < stop || inbound.data.next_at() <= until {
            self.run_best_effort_on::<TCP, COUNT>(stop, until, inbound, outbound, ledger);
        }
    }

    /// Sends the control frames that wait, which go first, as far as the link gets before `stop`.
    #[inline(never)]
    fn send_frames<const TCP: bool, const COUNT: u8>(
        &mut self,
        stop: u64,
        until: u64,
        inbound: &mut Wire,
        outbound: &mut Wire,
        ledger: &mut Ledger,
    ) {
        while self.link.has_frames() {
            let Some(split) = self.split.as_deref_mut() else { return };
            let now = self.link.free_at().max(split.known_at);
            if now >= stop {
                return;
            }
            let mut coming = Coming::new(self.station, inbound, until, ledger);
            let queue = split.secondary.as_mut().unwrap_or(&mut self.queue);
            coming.take_in::<TCP, COUNT>(self.station, now, until, &mut self.counters, queue, ledger);
            split.known_at = split.known_at.max(coming.latest);
            inbound.data.keep_last(coming.arrivals.len());
            self.link.wake(now);
            self.link.send_frame(now, outbound);
        }
    }

    /// Apart, so that it takes no registers from others.
    #[inline(never)]
    fn run_best_effort_on<const TCP: bool, const COUNT: u8>(
        &mut self,
        stop: u64,
        until: u64,
        inbound: &mut Wire,
        outbound: &mut Wire,
        ledger: &mut Ledger,
    ) {
        let (station, counters, link) = (self.station, &mut self.counters, &mut self.link);
        let last = &mut self.counting.last;
        let Some(split) = self.split.as_deref_mut() else { return };
        let Split { adds, secondary, letters, .. } = split;
        let queue = secondary.as_mut().unwrap_or(&mut self.queue);
        // Copies, which may stay in registers.
        let (stop_bytes, outrank_bytes) = (split.stop_bytes, split.outrank_bytes.min(split.full_bytes));
        let (mut known_at, mut station_next) = (split.known_at, split.station_next);
        let mut coming = Coming::new(station, inbound, until, ledger);
        // Frames come up between two calls of this; those that are left wait for `stop`, and so does all else.
        let stop = if link.has_frames() { 0 } else { stop };
        // Packets of transit and those of the station are sent in two places, so that whose they are need not be guessed
        // there.
        loop {
            let free_at = link.free_at().max(known_at);
            let own_at = adds.ready_at(Kind::Eligible);
            let (now, transit) = if !queue.is_empty() {
                let now = free_at;
                if now >= stop {
                    break;
                }
                coming.take_in::<TCP, COUNT>(station, now, until, counters, queue, ledger);
                let depth = queue.waiting_bytes();
                let may_add = own_at <= now && depth <= stop_bytes;
                let transit_goes = depth >= outrank_bytes || !(may_add && station_next);
                (now, if transit_goes { queue.pop() } else { None })
            } else if free_at.max(own_at) < coming.at {
                // Nobody comes by before the station's next packet.
                let now = free_at.max(own_at);
                if now >= stop {
                    break;
                }
                (now, None)
            } else {
                let now = free_at.max(coming.at);
                if now >= stop {
                    break;
                }
                let Some(&Arrival { at, packet }) = coming.take_first::<TCP, COUNT>(station, until, counters, ledger)
                else {
                    break;
                };
                if coming.at <= now || own_at <= now || !queue.lets_straight_through(&packet) {
                    // There is something to choose from.
                    known_at = known_at.max(at);
                    if !queue.push(packet) {
                        ledger.drop(at, packet);
                    }
                    continue;
                }
                (now, Some(packet))
            };
            match transit {
                Some(packet) => {
                    station_next = true;
                    if COUNT & (SORTED | ALL) > 0 && packet.is_letter() {
                        link.wake(now);
                        send_letter(now, letters, link, outbound);
                    } else {
                        Mac::count_sent::<TCP, COUNT>(counters, &packet, ledger);
                        send::<TCP, COUNT>(now, packet, last, link, outbound, ledger);
                    }
                }
                None => {
                    station_next = false;
                    let Some(packet) = adds.take_eligible(now, ledger) else {
                        known_at = known_at.max(coming.latest);
                        continue;
                    };
                    Mac::count_arrival::<TCP, COUNT>(counters, &packet, ledger);
                    Mac::count_sent::<TCP, COUNT>(counters, &packet, ledger);
                    if COUNT & ADDED > 0 {
                        counters.send_own(packet.size().into());
                    }
                    send::<TCP, COUNT>(now, packet, last, link, outbound, ledger);
                }
            }
        }
        coming.take_in::<TCP, COUNT>(station, until, until, counters, queue, ledger);
        (split.known_at, split.station_next) = (known_at.max(coming.latest), station_next);
        inbound.data.keep_last(coming.arrivals.len());
        inbound.data.tidy();
    }
}

/// The first control message among the packets goes.
#[inline(never)]
fn send_letter(now: u64, letters: &mut VecDeque<Frame>, link: &mut OutgoingLink, outbound: &mut Wire) {
    if let Some(frame) = letters.pop_front() {
        link.send_letter(now, frame, outbound);
    }
}

#[inline(always)]
fn send<const TCP: bool, const COUNT: u8>(
    now: u64,
    packet: Packet,
    last: &mut Option<Packet>,
    link: &mut OutgoingLink,
    outbound: &mut Wire,
    ledger: &mut Ledger,
) {
    if COUNT & ADDED > 0 {
        *last = Some(packet);
    }
    if !link.wake_to_send::<TCP>(now, packet, outbound) {
        ledger.lose(now, packet);
    }
}

impl<'a> Coming<'a> {
    /// What comes over `inbound`, of which a stretch until `until` takes in what it needs.
    #[inline(always)]
    fn new(station: u16, inbound: &'a Wire, until: u64, ledger: &mut Ledger) -> Self {
        let mut coming = Self { arrivals: inbound.data.as_slice(), at: 0, latest: 0 };
        coming.find(station, until, ledger);
        coming
    }

    /// Finds the next packet that goes on; those before it are delivered, up to and including
    /// `until`, which needs no link.
    #[inline(always)]
    fn find(&mut self, station: u16, until: u64, ledger: &mut Ledger) {
        if self.arrivals.first().is_some_and(|arrival| arrival.packet.leaves_unmarked_at(station)) {
            self.arrivals = ledger.deliver_first(station, self.arrivals, until);
        }
        self.at = self.arrivals.first().map_or(u64::MAX, |arrival| arrival.at);
    }

    /// Takes in what comes up to and including `now`.
    #[inline(always)]
    fn take_in<const TCP: bool, const COUNT: u8>(
        &mut self,
        station: u16,
        now: u64,
        until: u64,
        counters: &mut LinkCounters,
        queue: &mut TransitQueue,
        ledger: &mut Ledger,
    ) {
        while self.at <= now {
            let Some(&Arrival { at, packet }) = self.take_first::<TCP, COUNT>(station, until, counters, ledger) else {
                return;
            };
            if !queue.push(packet) {
                ledger.drop(at, packet);
            }
        }
    }

    /// Takes the packet that comes first.
    #[inline(always)]
    fn take_first<const TCP: bool, const COUNT: u8>(
        &mut self,
        station: u16,
        until: u64,
        counters: &mut LinkCounters,
        ledger: &mut Ledger,
    ) -> Option<&'a Arrival> {
        let [first, rest @ ..] = self.arrivals else { return None };
        Mac::count_arrival::<TCP, COUNT>(counters, &first.packet, ledger);
        self.latest = first.at;
        self.arrivals = rest;
        self.find(station, until, ledger);
        Some(first)
    }
}
