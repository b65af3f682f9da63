//! A queue from which the link takes packet after packet, each at its time.

use super::books::Depth;
use super::high::{High, HighPacket};
use super::ledger::{Ledger, Owner};
use super::link::{Arriving, Common, Outcome};
use super::packet::{Flags, Packet};
use crate::brought::Fate;
use fairwire_core::{FlowId, Instant};
use fairwire_laws::queue::{DropReason, Lanes, QueueView, Selection, Verdict, Waiting};

/// Waiting packets, and what the link is doing.
#[derive(Debug)]
pub struct Served {
    /// Whether the law leaves packets in the order of arrival: it is not asked then.
    fifo: bool,
    lanes: Lanes,
    /// Lanes below this may have been used.
    lanes_used: u32,
    /// What such a law sees of the lanes.
    no_lanes: Lanes,
    /// What goes before all lanes.
    high: High,
    /// Whether what is being sent is of that.
    sends_high: bool,
    /// Whether the link is sending; its next event is then the end of the transmission.
    sending: bool,
    packets: Vec<(Packet, Owner)>,
    free: Vec<u32>,
    evicted: Vec<(Packet, Fate)>,
}

impl Served {
    pub fn new(fifo: bool) -> Self {
        Self {
            fifo,
            lanes: Lanes::default(),
            lanes_used: 0,
            no_lanes: Lanes::default(),
            high: High::default(),
            sends_high: false,
            sending: false,
            packets: Vec::new(),
            free: Vec::new(),
            evicted: Vec::new(),
        }
    }

    pub fn next_at(&self, link: &Common) -> u64 {
        if self.sending { link.transmitter.free_at.min(link.timeout) } else { link.timeout }
    }

    /// All that waits.
    pub fn depth(&self) -> Depth {
        let high = self.high.depth();
        Depth { packets: self.lanes.packets() + high.packets, bytes: self.lanes.bytes() + high.bytes }
    }

    fn lanes_depth(&self) -> Depth {
        Depth { packets: self.lanes.packets(), bytes: self.lanes.bytes() }
    }

    /// Packets in the lanes, and the one of them in transmission.
    pub fn packets_and_one_sent(&self) -> u32 {
        self.lanes.packets() + u32::from(self.sending && !self.sends_high)
    }

    /// So much of the link is kept for the lanes, in bit/s.
    pub fn reserve(&mut self, reserved_bps: f64) {
        self.high.reserve(reserved_bps);
    }

    pub fn arrive(
        &mut self,
        link: &mut Common,
        now: u64,
        packet: &mut Packet,
        arriving: &Arriving,
        ledger: &mut Ledger,
    ) -> Outcome {
        link.arrive(now, self.depth().packets);
        let Arriving { queued, owner } = *arriving;
        if packet.flags.has(Flags::HIGH) {
            return self.arrive_high(link, now, packet, owner, ledger);
        }
        let view = view(&self.lanes, self.fifo.then_some(&self.no_lanes));
        let (lane, mark) = match link.ask(now, &queued, &view) {
            Verdict::Accept { lane, mark } => (lane, mark),
            Verdict::Drop(reason) => {
                link.books.drop(reason);
                ledger.drop(owner, now);
                // A law may make room by what it throws away, and then not need it.
                self.evict(link, now, ledger);
                return Outcome::Gone(Fate::Dropped, now);
            }
        };
        if mark {
            link.mark(packet, owner, ledger);
        }
        let handle = self.keep(*packet, owner);
        self.lanes_used = self.lanes_used.max(lane + 1);
        self.lanes.push(lane, Waiting { packet: queued, since: Instant::from_nanos(now), marked: mark, handle });
        self.evict(link, now, ledger);
        let outcome = self.serve(link, now, packet, ledger);
        link.deepen(self.lanes_depth());
        outcome
    }

    /// A packet that goes before others: as many may wait as the queue holds of the others.
    fn arrive_high(
        &mut self,
        link: &mut Common,
        now: u64,
        packet: &mut Packet,
        owner: Owner,
        ledger: &mut Ledger,
    ) -> Outcome {
        let Depth { packets, bytes } = self.high.depth();
        if !link.limit.admits(packets, bytes, packet.size.into()) {
            link.books.drop(DropReason::Full);
            ledger.drop(owner, now);
            return Outcome::Gone(Fate::Dropped, now);
        }
        self.high.push(HighPacket { packet: *packet, owner, since: now });
        self.serve(link, now, packet, ledger)
    }

    /// A transmission ends, or the law's timeout is due.
    pub fn handle_event(&mut self, link: &mut Common, now: u64, packet: &mut Packet, ledger: &mut Ledger) -> Outcome {
        link.books.reach(now, self.depth().packets);
        if self.sending && link.transmitter.free_at <= now {
            self.sending = false;
            if self.depth().packets == 0 {
                link.tell_idle(now);
            } else {
                let outcome = self.serve(link, now, packet, ledger);
                if outcome != Outcome::Nothing {
                    // A timeout of the same instant is the next event.
                    return outcome;
                }
            }
        }
        if link.timeout <= now {
            let view = view(&self.lanes, self.fifo.then_some(&self.no_lanes));
            link.call(now, |law, cx| law.handle_timeout(cx, &view));
            link.after_timeout(now);
        }
        self.serve(link, now, packet, ledger)
    }

    /// If the link is free, sends what the law selects: then `sent` is that.
    fn serve(&mut self, link: &mut Common, now: u64, sent: &mut Packet, ledger: &mut Ledger) -> Outcome {
        if !self.sending && self.high.depth().packets > 0 {
            let behind = self.lanes.lane(0).get(0).map(|waiting| waiting.packet.size_bytes);
            if let Some(first) = self.high.take(behind) {
                *sent = first.packet;
                return self.send_high(link, now, &first, behind.is_some(), ledger);
            }
        }
        while !self.sending && self.lanes.packets() > 0 {
            let view = view(&self.lanes, self.fifo.then_some(&self.no_lanes));
            let selection = match self.fifo {
                true => Some(Selection::Send { lane: 0, mark: false }),
                false => link.call(now, |law, cx| law.select(cx, &view)),
            };
            match selection {
                None => break,
                Some(Selection::Drop { lane, reason }) => {
                    let dropped = self.lanes.take(lane, 0);
                    self.throw_away(link, now, dropped, (reason, Fate::Dropped), ledger);
                }
                Some(Selection::Send { lane, mark }) => {
                    let Some(head) = self.lanes.take(lane, 0) else {
                        link.books.violations.push(format!("the law sends from lane {lane}, where nothing waits"));
                        break;
                    };
                    *sent = self.packets[head.handle as usize].0;
                    return self.send(link, now, sent, &head, mark, ledger);
                }
            }
        }
        Outcome::Nothing
    }

    fn send(
        &mut self,
        link: &mut Common,
        now: u64,
        packet: &mut Packet,
        head: &Waiting,
        mark: bool,
        ledger: &mut Ledger,
    ) -> Outcome {
        let (_, owner) = self.give_up(head.handle);
        if mark {
            link.mark(packet, owner, ledger);
        }
        link.books.depart(head.since.as_nanos(), now, head.packet.size_bytes);
        let view = view(&self.lanes, self.fifo.then_some(&self.no_lanes));
        link.tell_departure(now, &head.packet, &view);
        link.after_leaving(head.packet.flow, || self.holds(head.packet.flow));
        (self.sending, self.sends_high) = (true, false);
        let arrival = link.transmitter.send(now, head.packet.size_bytes);
        if self.high.depth().packets > 0 {
            self.high.earn(link.transmitter.free_at - now);
        }
        match arrival {
            Some(at) => Outcome::Sent(at),
            None => {
                link.books.lost += 1;
                ledger.lose(owner, now);
                Outcome::Gone(Fate::Lost, now)
            }
        }
    }

    fn send_high(
        &mut self,
        link: &mut Common,
        now: u64,
        first: &HighPacket,
        others_wait: bool,
        ledger: &mut Ledger,
    ) -> Outcome {
        let size_bytes = u32::from(first.packet.size);
        link.books.depart(first.since, now, size_bytes);
        (self.sending, self.sends_high) = (true, true);
        let arrival = link.transmitter.send(now, size_bytes);
        link.higher_bytes += u64::from(size_bytes);
        if others_wait {
            self.high.earn(link.transmitter.free_at - now);
        }
        match arrival {
            Some(at) => Outcome::Sent(at),
            None => {
                link.books.lost += 1;
                ledger.lose(first.owner, now);
                Outcome::Gone(Fate::Lost, now)
            }
        }
    }

    fn evict(&mut self, link: &mut Common, now: u64, ledger: &mut Ledger) {
        while !self.fifo {
            let view = view(&self.lanes, None);
            let Some(eviction) = link.call(now, |law, cx| law.poll_eviction(cx, &view)) else { return };
            let evicted = self.lanes.take(eviction.lane, eviction.place);
            if !self.throw_away(link, now, evicted, (eviction.reason, Fate::Evicted), ledger) {
                return;
            }
        }
    }

    /// Whether there was anything.
    fn throw_away(
        &mut self,
        link: &mut Common,
        now: u64,
        dropped: Option<Waiting>,
        (reason, fate): (DropReason, Fate),
        ledger: &mut Ledger,
    ) -> bool {
        let Some(dropped) = dropped else {
            link.books.violations.push("the law throws away a packet that is not there".to_owned());
            return false;
        };
        let (packet, owner) = self.give_up(dropped.handle);
        link.books.waited(dropped.since.as_nanos(), now, dropped.packet.size_bytes);
        link.books.drop(reason);
        ledger.drop(owner, now);
        self.evicted.push((packet, fate));
        link.after_leaving(dropped.packet.flow, || self.holds(dropped.packet.flow));
        true
    }

    fn keep(&mut self, packet: Packet, owner: Owner) -> u32 {
        match self.free.pop() {
            Some(handle) => {
                self.packets[handle as usize] = (packet, owner);
                handle
            }
            None => {
                self.packets.push((packet, owner));
                (self.packets.len() - 1) as u32
            }
        }
    }

    fn give_up(&mut self, handle: u32) -> (Packet, Owner) {
        self.free.push(handle);
        self.packets[handle as usize]
    }

    pub fn take_evicted(&mut self) -> Option<(Packet, Fate)> {
        self.evicted.pop()
    }

    /// Accounts for what waits at the end.
    pub fn finish(&mut self, link: &mut Common, reached: u64) {
        for waiting in self.waiting() {
            link.books.waited(waiting.since.as_nanos(), reached, waiting.packet.size_bytes);
        }
        for first in self.high.iter() {
            link.books.waited(first.since, reached, first.packet.size.into());
        }
    }

    fn waiting(&self) -> impl Iterator<Item = &Waiting> {
        let lanes = (0..self.lanes_used).map(|lane| self.lanes.lane(lane));
        lanes.flat_map(|lane| (0..lane.packets()).filter_map(|place| lane.get(place)))
    }

    /// Whether a packet of `flow` waits.
    pub fn holds(&self, flow: FlowId) -> bool {
        self.waiting().any(|waiting| waiting.packet.flow == flow)
    }

    /// Whose packets wait.
    pub fn owners(&self) -> impl Iterator<Item = Owner> {
        let high = self.high.iter().map(|first| first.owner);
        self.waiting().map(|waiting| self.packets[waiting.handle as usize].1).chain(high)
    }

    /// What waits, counted anew.
    pub fn count(&self) -> Depth {
        let bytes: u64 = self.waiting().map(|waiting| u64::from(waiting.packet.size_bytes)).sum();
        let high: u64 = self.high.iter().map(|first| u64::from(first.packet.size)).sum();
        Depth { packets: self.waiting().count() as u32 + self.high.iter().count() as u32, bytes: bytes + high }
    }
}

/// What the law sees; lanes are none of its business where it does not choose.
fn view<'a>(lanes: &'a Lanes, instead: Option<&'a Lanes>) -> QueueView<'a> {
    QueueView { packets: lanes.packets(), bytes: lanes.bytes(), lanes: instead.unwrap_or(lanes) }
}
