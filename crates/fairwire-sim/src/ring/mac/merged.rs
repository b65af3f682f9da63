//! A station whose own packets join those in transit, in one queue.
//!
//! Arrivals from upstream and from the station are taken in, in their order in
//! time, when the link next looks for a packet, which gives the same result as
//! taking each in at its own moment.

use super::Mac;
use super::counting::{ALL, ARRIVED};
use crate::ring::books::Ledger;
use crate::ring::wire::{Arrival, Arrivals, Packet, Wire};

/// What arrives next from upstream and from the station, in a stretch in which nothing is put on the wire.
struct Coming<'a> {
    /// Still on the wire.
    transit: &'a [Arrival],
    transit_at: u64,
    add_at: u64,
}

impl Coming<'_> {
    #[inline(always)]
    fn first_at(&self) -> u64 {
        self.transit_at.min(self.add_at)
    }

    /// Transit comes before the station where both come at once.
    #[inline(always)]
    fn transit_is_first(&self) -> bool {
        self.transit_at <= self.add_at
    }
}

impl Mac {
    /// As [`Mac::run`], which has looked whether there is something to do.
    #[inline(never)]
    pub(super) fn run_merged(
        &mut self,
        stop: u64,
        until: u64,
        inbound: &mut Wire,
        outbound: &mut Wire,
        ledger: &mut Ledger,
    ) {
        self.adds.release_until(until + 1, ledger);
        self.run_frames(stop, until, inbound, outbound, ledger);
        if !self.link.has_frames() {
            match (self.counting.of_class_c, self.hold_reserve, self.carries_tcp) {
                (_, _, true) => self.run_with_tcp(stop, until, inbound, outbound, ledger),
                (0, None, _) => self.run_data::<false, false, 0>(stop, until, inbound, outbound, ledger),
                (0, Some(_), _) => self.run_data::<true, false, 0>(stop, until, inbound, outbound, ledger),
                (ARRIVED, None, _) => {
                    self.run_data::<false, false, ARRIVED>(stop, until, inbound, outbound, ledger);
                }
                (_, None, _) => self.run_data::<false, false, ALL>(stop, until, inbound, outbound, ledger),
                (_, Some(_), _) => self.run_data::<true, false, ALL>(stop, until, inbound, outbound, ledger),
            }
        }
        if inbound.data.next_at().min(self.adds.released.next_at()) <= until {
            self.take_in(until, until, inbound, ledger);
        }
        self.adds.released.tidy();
        self.queue.tidy();
        inbound.data.tidy();
    }

    /// Sends the control frames that wait, as far as the link gets before `stop`.
    #[inline]
    fn run_frames(&mut self, stop: u64, until: u64, inbound: &mut Wire, outbound: &mut Wire, ledger: &mut Ledger) {
        while self.link.has_frames() && self.link.free_at() < stop {
            let now = self.link.free_at();
            self.take_in(now, until, inbound, ledger);
            self.link.send_frame(now, outbound);
        }
    }

    /// Apart, so that it takes no registers from the others.
    #[inline(never)]
    fn run_with_tcp(&mut self, stop: u64, until: u64, inbound: &mut Wire, outbound: &mut Wire, ledger: &mut Ledger) {
        self.run_data::<true, true, ALL>(stop, until, inbound, outbound, ledger);
    }

    /// The hot loop, built apart for stations that may hold back and those that do
    /// not, for rings with and without TCP, and for laws for which packets are counted or not. Frames are queued by laws, between two calls of
    /// it, so none come up here.
    fn run_data<const HOLDS: bool, const TCP: bool, const COUNT: u8>(
        &mut self,
        stop: u64,
        until: u64,
        inbound: &mut Wire,
        outbound: &mut Wire,
        ledger: &mut Ledger,
    ) {
        let mut coming = self.coming::<HOLDS>(until, &inbound.data, ledger);
        loop {
            let mut now = self.link.free_at();
            if self.queue.is_empty() {
                // Whoever comes first ends the link's idle time, if it is idle.
                now = now.max(coming.first_at());
            }
            if now >= stop {
                break;
            }
            let mut straight = None;
            if self.queue.is_empty() {
                self.link.wake(now);
                // Where nothing is counted the loop is so short that this would cost more than it saves.
                if !HOLDS && COUNT > 0 {
                    straight = self.take_straight::<TCP, COUNT>(now, &mut coming, until, ledger);
                }
            }
            while coming.first_at() <= now {
                self.take_in_first::<HOLDS, TCP, COUNT, false>(&mut coming, until, ledger);
            }
            if let Some(packet) = straight.or_else(|| self.queue.pop()) {
                if HOLDS {
                    self.last_pop = now;
                }
                Self::count_sent::<TCP, COUNT>(&mut self.counters, &packet, ledger);
                if !self.link.send_packet::<TCP>(now, packet, outbound) {
                    ledger.lose(now, packet);
                }
                if HOLDS {
                    coming.add_at = self.next_add_at::<HOLDS>();
                }
            }
        }
        let left = coming.transit.len();
        inbound.data.keep_last(left);
    }

    /// Takes what comes first to an empty queue: the packet, if it is sent at `now` as nothing else comes by then; else it joins
    /// the queue.
    #[inline(always)]
    fn take_straight<const TCP: bool, const COUNT: u8>(
        &mut self,
        now: u64,
        coming: &mut Coming<'_>,
        until: u64,
        ledger: &mut Ledger,
    ) -> Option<Packet> {
        let (at, packet) = self.take_first::<false>(coming, until, ledger)?;
        if coming.first_at() > now && self.queue.lets_straight_through(&packet) {
            Self::count_arrival::<TCP, COUNT>(&mut self.counters, &packet, ledger);
            return Some(packet);
        }
        self.enqueue::<TCP, COUNT, false>(at, packet, ledger);
        None
    }

    /// Takes in arrivals up to and including `now`, in a stretch that lasts until `until`.
    #[inline]
    fn take_in(&mut self, now: u64, until: u64, inbound: &mut Wire, ledger: &mut Ledger) {
        let mut coming = self.coming::<true>(until, &inbound.data, ledger);
        while coming.first_at() <= now {
            self.take_in_first::<true, true, ALL, true>(&mut coming, until, ledger);
        }
        let left = coming.transit.len();
        inbound.data.keep_last(left);
    }

    #[inline(always)]
    fn coming<'a, const HOLDS: bool>(&self, until: u64, wire: &'a Arrivals, ledger: &mut Ledger) -> Coming<'a> {
        let mut coming = Coming { transit: wire.as_slice(), transit_at: u64::MAX, add_at: self.next_add_at::<HOLDS>() };
        self.find_transit(&mut coming, until, ledger);
        coming
    }

    /// Finds the next packet that goes on from here; those before it that end here
    /// are delivered, up to and including `until`, which needs no link.
    #[inline(always)]
    fn find_transit(&self, coming: &mut Coming<'_>, until: u64, ledger: &mut Ledger) {
        if coming.transit.first().is_some_and(|arrival| arrival.packet.leaves_unmarked_at(self.station)) {
            coming.transit = ledger.deliver_first(self.station, coming.transit, until);
        }
        coming.transit_at = coming.transit.first().map_or(u64::MAX, |arrival| arrival.at);
    }

    /// Takes in the arrival that is first, which `WAKES` the link if that has not been done.
    #[inline(always)]
    fn take_in_first<const HOLDS: bool, const TCP: bool, const COUNT: u8, const WAKES: bool>(
        &mut self,
        coming: &mut Coming<'_>,
        until: u64,
        ledger: &mut Ledger,
    ) {
        if COUNT == 0 {
            return self.take_in_uncounted::<HOLDS, TCP, WAKES>(coming, until, ledger);
        }
        if let Some((at, packet)) = self.take_first::<HOLDS>(coming, until, ledger) {
            self.enqueue::<TCP, COUNT, WAKES>(at, packet, ledger);
        }
        if HOLDS {
            coming.add_at = self.next_add_at::<HOLDS>();
        }
    }

    /// As [`Mac::take_in_first`], in one place for transit and in another for own packets, so that whose a packet is need not be found
    /// out again. Where packets are counted the loop would get too large for that.
    #[inline(always)]
    fn take_in_uncounted<const HOLDS: bool, const TCP: bool, const WAKES: bool>(
        &mut self,
        coming: &mut Coming<'_>,
        until: u64,
        ledger: &mut Ledger,
    ) {
        if coming.transit_is_first() {
            let [Arrival { at, packet }, rest @ ..] = coming.transit else { return };
            self.enqueue::<TCP, 0, WAKES>(*at, *packet, ledger);
            coming.transit = rest;
            self.find_transit(coming, until, ledger);
            if !HOLDS {
                return;
            }
        } else {
            let at = coming.add_at;
            if let Some(packet) = self.take_own::<HOLDS>(at, until, ledger) {
                self.enqueue::<TCP, 0, WAKES>(at, packet, ledger);
            }
        }
        coming.add_at = self.next_add_at::<HOLDS>();
    }

    /// Takes the arrival that is first, and tells when it came. Where the station holds back, when its next packet comes is left to
    /// whoever takes this one in.
    #[inline(always)]
    fn take_first<const HOLDS: bool>(
        &mut self,
        coming: &mut Coming<'_>,
        until: u64,
        ledger: &mut Ledger,
    ) -> Option<(u64, Packet)> {
        if coming.transit_is_first() {
            let [Arrival { at, packet }, rest @ ..] = coming.transit else { return None };
            coming.transit = rest;
            self.find_transit(coming, until, ledger);
            return Some((*at, *packet));
        }
        let at = coming.add_at;
        let own = self.take_own::<HOLDS>(at, until, ledger);
        if !HOLDS {
            coming.add_at = self.next_add_at::<false>();
        }
        own.map(|packet| (at, packet))
    }

    /// Takes the station's packet that comes at `at`.
    #[inline(always)]
    fn take_own<const HOLDS: bool>(&mut self, at: u64, until: u64, ledger: &mut Ledger) -> Option<Packet> {
        let arrival = self.adds.released.pop();
        if HOLDS {
            self.adds.refill(at, until + 1, ledger);
        }
        arrival.map(|arrival| arrival.packet)
    }

    /// When the station's next own packet joins the queue.
    #[inline(always)]
    fn next_add_at<const HOLDS: bool>(&self) -> u64 {
        let at = self.adds.released.next_at();
        let Some(reserve) = self.hold_reserve.filter(|_| HOLDS) else { return at };
        let full = self.queue.waiting_bytes() + reserve + self.largest_frame > self.queue.buffer_bytes();
        if at == u64::MAX || (full && !self.queue.is_empty()) { u64::MAX } else { at.max(self.last_pop) }
    }

    #[inline(always)]
    fn enqueue<const TCP: bool, const COUNT: u8, const WAKES: bool>(
        &mut self,
        at: u64,
        packet: Packet,
        ledger: &mut Ledger,
    ) {
        Self::count_arrival::<TCP, COUNT>(&mut self.counters, &packet, ledger);
        if WAKES && self.queue.is_empty() && !self.link.has_frames() {
            self.link.wake(at);
        }
        if !self.queue.push(packet) {
            ledger.drop(at, packet);
        }
    }
}
