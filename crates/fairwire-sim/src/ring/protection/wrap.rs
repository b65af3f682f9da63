//! Wrapping at one station: what would leave over a dead span goes down the other ringlet
//! instead, and what comes back on that one at the other end of the ring goes on down its own.
//!
//! A station loops right in front of the dead span (an edge wrap): a packet passes its
//! queues and its link as if the span were whole, and then arrives, without having gone
//! anywhere, on the other ringlet. To both ringlets it is transit traffic. While it is on the
//! ringlet that it was not sent on no station takes it, so that nothing is overtaken
//! that took the same way, and nothing arrives twice.
//!
//! What may not be wrapped, and what is for a station that the edge cannot reach, is lost at
//! the edge: so nothing comes to be wrapped a third time. When the ring has closed, whatever is still on
//! the other ringlet is lost at the next station, since nothing would ever take it off.

use crate::ring::books::Ledger;
use crate::ring::station::{Station, Wires};
use crate::ring::wire::{Addressee, Arrival, Arrivals, Frame, Outages, OutgoingLink, Packet, Sent, Wire};
use fairwire_core::{Bytes, Ringlet, StationId};
use fairwire_laws::PackedMessage;
use fairwire_laws::frame::Address;
use fairwire_laws::protection::{Protection, ProtectionMode, Side};
use fairwire_laws::ring::Sends;

/// Wrapping at one station.
#[derive(Debug)]
pub struct Wrap {
    /// What leaves on this ringlet is looped to the other one; none if no span here, or both, are dead.
    from: Option<Ringlet>,
    /// What the looped link has sent.
    sent: Wire,
    /// What of it arrives on each ringlet, and when: packets, and messages for the law there.
    turning: [Wire; 2],
    /// Who can be reached, by number, by themselves or wrapped.
    reached: Vec<bool>,
    /// Whether the ring is open, here or elsewhere.
    open: bool,
    /// Whether it ever was.
    was_open: bool,
}

impl Wrap {
    /// At `station` of a ring of so many.
    pub fn new(station: StationId, stations: usize) -> Self {
        let wire = || Wire::new(station.0, Outages::none());
        let (reached, turning) = (vec![true; stations], [wire(), wire()]);
        Self { from: None, sent: wire(), turning, reached, open: false, was_open: false }
    }

    /// The topology is another since `now`, or what is done about it.
    pub fn follow(&mut self, now: u64, machine: &Protection) {
        let topology = machine.topology();
        for (number, reached) in self.reached.iter_mut().enumerate() {
            *reached = topology.stations().contains(&Address::of(StationId(number as u16)));
        }
        self.open = !topology.is_closed();
        self.was_open |= self.open;
        let wraps = machine.mode() == ProtectionMode::Wrap && topology.stations().len() > 1;
        let from = Side::BOTH.into_iter().find(|side| wraps && topology.is_edge(*side)).map(Side::leaving);
        if from != self.from {
            // What is half on the other ringlet already gets there.
            self.turning.iter_mut().for_each(|wire| wire.hurry(now));
            self.from = from;
        }
    }

    /// Whether what leaves here on `ringlet` is looped to the other one.
    pub fn loops(&self, ringlet: Ringlet) -> bool {
        self.from == Some(ringlet)
    }

    /// The ringlet that is looped to the other one, if one is.
    pub fn looped(&self) -> Option<Ringlet> {
        self.from
    }

    /// When the next packets that turn here arrive on `ringlet`: those that pass or leave, and those
    /// that somebody here answers to.
    pub fn next_at(&self, ringlet: Ringlet) -> u64 {
        self.turning[ringlet.index()].data.next_at().min(self.next_ending_at(ringlet))
    }

    pub fn next_ending_at(&self, ringlet: Ringlet) -> u64 {
        self.turning[ringlet.index()].ending.next_at()
    }

    /// When the next message that turns here arrives on `ringlet`.
    pub fn next_frame_at(&self, ringlet: Ringlet) -> u64 {
        self.turning[ringlet.index()].next_frame_at()
    }

    /// The message that arrives first on `ringlet`, if it turned here and nothing comes on the wire before.
    pub fn pop_message(&mut self, ringlet: Ringlet, on_wire_at: u64) -> Option<(u64, PackedMessage)> {
        let at = self.next_frame_at(ringlet);
        if at == u64::MAX || at > on_wire_at {
            return None;
        }
        match self.turning[ringlet.index()].pop_frame()? {
            (at, Frame::Law(message) | Frame::Addressed { message, .. } | Frame::Advice(message)) => {
                Some((at, message))
            }
            (_, Frame::Protection(_)) => None,
        }
    }

    /// Packets that turn here.
    pub fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.turning.iter().flat_map(|wire| wire.packets())
    }

    /// Loses what arrives up to and including `until` where nothing should: from a span that is out of
    /// use, and on the other ringlet once the ring has closed.
    fn clear(&self, until: u64, inbound: &mut [&mut Wire; 2], ledger: &mut Ledger) {
        for ringlet in Ringlet::BOTH {
            let wire = &mut inbound[ringlet.index()];
            if self.loops(ringlet.opposite()) {
                let mut lose = |arrival: &Arrival| {
                    ledger.lose(arrival.at, arrival.packet);
                    false
                };
                wire.data.sift(until, &mut lose);
                wire.ending.sift(until, &mut lose);
            } else if self.was_open && !self.open {
                let mut due = wire.data.as_slice().iter().take_while(|arrival| arrival.at <= until);
                if due.any(|arrival| arrival.packet.is_wrapped()) {
                    wire.data.sift(until, |Arrival { at, packet }| {
                        if packet.is_wrapped() {
                            ledger.lose(*at, *packet);
                        }
                        !packet.is_wrapped()
                    });
                }
            }
        }
    }

    /// What the looped link has sent turns to the other ringlet, as far as it may; `discards` what must stay in order.
    fn turn(&mut self, ringlet: Ringlet, link: &OutgoingLink, real: &mut Wire, discards: bool, ledger: &mut Ledger) {
        let (onto, delay) = (ringlet.opposite(), link.delay());
        while let Some(arrival) = self.sent.data.pop() {
            let packet = arrival.packet.wrapped();
            if discards && ledger.is_strict(&packet) {
                ledger.discard(arrival.at, &packet);
            } else if self.may_turn(&arrival.packet, ledger) {
                self.turning[onto.index()].push(arrival.at - delay, packet);
            } else {
                ledger.lose(arrival.at, packet);
            }
        }
        self.sent.data.tidy();
        while let Some((at, frame)) = self.sent.pop_frame() {
            match frame {
                Frame::Addressed { to: Addressee::Law(governed), .. } if governed == ringlet => {
                    self.turning[onto.index()].push_frame(at - delay, frame);
                }
                _ => {
                    let sending = (Bytes::new(frame.size().into()) / link.capacity()).as_nanos();
                    let sent_at = at - delay - sending.min(at - delay);
                    if real.carries_frame(sent_at, at, frame.is_of_law(), || Sent::frame(&frame)) {
                        real.push_frame(at, frame);
                    }
                }
            }
        }
    }

    fn may_turn(&self, packet: &Packet, ledger: &Ledger) -> bool {
        let egress = if packet.is_wrapped() { packet.wrapped() } else { *packet }.egress();
        let reached = self.reached.get(usize::from(egress)).is_some_and(|reached| *reached);
        reached && (packet.is_wrapped() || ledger.is_wrap_eligible(packet))
    }

    /// What has turned by `until` arrives, before all else that comes on that ringlet.
    fn deliver(&mut self, until: u64, ringlet: Ringlet, inbound: &mut Wire) {
        let turning = &mut self.turning[ringlet.index()];
        for (line, turned) in [(&mut inbound.data, &mut turning.data), (&mut inbound.ending, &mut turning.ending)] {
            if turned.next_at() <= until {
                line.prepend(turned.take_until(until));
            }
        }
    }
}

impl Station {
    /// The links' packets before `stop`, and arrivals up to and including `until`, where stations wrap:
    /// the looped link first, since it sends to the other one.
    #[inline(never)]
    pub fn run_wrapping_links(&mut self, stop: u64, until: u64, wires: &mut Wires<'_>, ledger: &mut Ledger) {
        let Some(guard) = &mut self.guard else { return };
        guard.contain(until, &mut wires.inbound, ledger);
        let (discards, fold) = (guard.is_resting(), guard.fold.clone());
        let Some(wrap) = &mut guard.wrap else { return };
        if let Some(fold) = &fold {
            ledger.exchange_numbers(fold);
        }
        wrap.clear(until, &mut wires.inbound, ledger);
        let first = wrap.from.unwrap_or(Ringlet::Zero);
        for ringlet in [first, first.opposite()] {
            let (mac, on) = (&mut self.sides[ringlet.index()].mac, ringlet.index());
            let (inbound, outbound) = (&mut *wires.inbound[on], &mut *wires.outbound[on]);
            wrap.deliver(until, ringlet, inbound);
            if wrap.loops(ringlet) {
                mac.run(stop, until, inbound, &mut wrap.sent, ledger);
                wrap.turn(ringlet, &mac.link, outbound, discards, ledger);
            } else {
                mac.run(stop, until, inbound, outbound, ledger);
            }
        }
        if let Some(fold) = &fold {
            ledger.exchange_numbers(fold);
        }
        ledger.judge_order();
    }

    /// As [`Station::earliest_send`].
    #[inline(never)]
    pub fn earliest_wrapping_send(&self, ringlet: Ringlet, inbound: [&Wire; 2], arriving: [u64; 2]) -> u64 {
        let at = self.earliest_send_as::<true>(ringlet, inbound, arriving);
        let Some(wrap) = self.guard.as_ref().and_then(|guard| guard.wrap.as_ref()) else { return at };
        let can_send = |ringlet: Ringlet, at: u64, from: u64| {
            let mac = &self.sides[ringlet.index()].mac;
            if mac.has_to_send() { at } else { at.min(from.max(mac.link.free_at())) }
        };
        // What turns may go on, and may make laws act on both.
        let messages = Ringlet::BOTH.map(|ringlet| wrap.next_frame_at(ringlet));
        let turns = |ringlet: Ringlet| wrap.next_at(ringlet).min(messages[0]).min(messages[1]);
        let at = can_send(ringlet, at, turns(ringlet));
        let Some(looped) = wrap.from.filter(|looped| looped.opposite() == ringlet) else { return at };
        let loops = can_send(looped, self.earliest_send_as::<true>(looped, inbound, arriving), turns(looped));
        can_send(ringlet, at, loops)
    }

    /// Up to when, inclusively, all that turns here is known, if nothing unknown arrives before.
    pub fn known_until(&self, inbound: [&Wire; 2]) -> u64 {
        let looped = self.guard.as_ref().and_then(|guard| guard.wrap.as_ref()).and_then(|wrap| wrap.looped());
        // Packets that only pass need no event here.
        let has_events = self.ends.is_some() || self.needs.sends == Sends::BothWays;
        looped.filter(|_| has_events).map_or(u64::MAX, |ringlet| {
            self.sides[ringlet.index()].mac.next_service(inbound[ringlet.index()].data.next_at())
        })
    }
}

impl Wire {
    /// All packets that are under way arrive at `now`.
    fn hurry(&mut self, now: u64) {
        for line in [&mut self.data, &mut self.ending] {
            let mut hurried = Arrivals::new();
            while let Some(arrival) = line.pop() {
                hurried.push(arrival.at.min(now), arrival.packet);
            }
            *line = hurried;
        }
    }
}

impl Arrivals {
    /// Takes out those that arrive up to and including `until`.
    fn take_until(&mut self, until: u64) -> Arrivals {
        let mut taken = Arrivals::new();
        while self.next_at() <= until
            && let Some(arrival) = self.pop()
        {
            taken.push(arrival.at, arrival.packet);
        }
        self.tidy();
        taken
    }
}
