//! One link, the queue in front of it, and the law of that queue.
//!
//! Two ways to serve a queue. Where the law leaves packets in the order of arrival, the
//! whole future of a packet is known when it is accepted: it goes onto the wire at once,
//! and the law is told of departures, each with its own time, before it is asked
//! about the next arrival (`late.rs`). Otherwise departures are events (`served.rs`).

use super::books::{Books, Depth};
use super::late::Late;
use super::ledger::{Ledger, Owner};
use super::packet::{Flags, Packet};
use super::served::Served;
use super::transmitter::Transmitter;
use crate::brought::Fate;
use crate::recorder::Recorder;
use fairwire_core::{Cx, FlowId, Instant, RandomStream, Streams};
use fairwire_laws::queue::{
    AnyQueueLaw, DropReason, Limit, Order, QueueLaw, QueueSite, QueueView, QueuedPacket, Verdict,
};
use fairwire_plan::{Detail, LinkChange, NetworkEngine, NetworkLinkPlan, NetworkPlan};
use std::collections::BTreeSet;

/// A link with its queue.
#[derive(Debug)]
pub struct Link {
    pub common: Common,
    service: Service,
}

/// What both ways to serve a queue need.
#[derive(Debug)]
pub struct Common {
    pub transmitter: Transmitter,
    pub law: AnyQueueLaw,
    rng: RandomStream,
    pub probe: Recorder,
    pub books: Books,
    /// When the law wants to be woken, `u64::MAX` if never.
    pub timeout: u64,
    /// Whether the law is drop-tail, which remembers nothing: it is told nothing either.
    pub forgetful: bool,
    pub limit: Limit,
    /// Bytes sent of packets that go before others.
    pub higher_bytes: u64,
    pub check: bool,
    /// When the capacity changes next as far as the law was told, `u64::MAX` if never.
    change_at: u64,
    /// Changes to tell the law of, the next one at the end.
    changes: Vec<LinkChange>,
    /// Flows that send no more, by the numbers that the law knows.
    stopped: BTreeSet<FlowId>,
}

#[derive(Debug)]
enum Service {
    Late(Late),
    Served(Box<Served>),
}

/// A packet that arrives: what a law may know of it, and whose it is.
#[derive(Clone, Copy, Debug)]
pub struct Arriving {
    pub queued: QueuedPacket,
    pub owner: Owner,
}

/// What came of a packet's arrival, or of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The packet goes onto the wire and arrives at its end then.
    Sent(u64),
    /// Nothing goes onto the wire.
    Nothing,
    /// Nothing, and this became of the packet then.
    Gone(Fate, u64),
}

impl Common {
    /// Calls the law at `now`; its next timeout may be another afterwards.
    #[inline(always)]
    pub fn call<T>(&mut self, now: u64, call: impl FnOnce(&mut AnyQueueLaw, &mut Cx<'_>) -> T) -> T {
        if now >= self.change_at {
            self.tell_capacity(now);
        }
        let mut cx = Cx { now: Instant::from_nanos(now), rng: &mut self.rng, probe: self.probe.as_probe() };
        let answer = call(&mut self.law, &mut cx);
        // A time gone by means now.
        self.timeout = self.law.poll_timeout().map_or(u64::MAX, Instant::as_nanos).max(now);
        answer
    }

    /// Tells the law of capacities up to `now`, each with its own time.
    #[cold]
    fn tell_capacity(&mut self, now: u64) {
        while let Some(change) = self.changes.pop_if(|change| change.at.as_nanos() <= now) {
            self.law.on_capacity(change.at, change.capacity);
        }
        self.change_at = self.changes.last().map_or(u64::MAX, |change| change.at.as_nanos());
    }

    /// A packet of `flow` has left the queue: was it the last one of a flow that sends no more?
    #[inline(always)]
    pub fn after_leaving(&mut self, flow: FlowId, waits: impl FnOnce() -> bool) {
        if !self.stopped.is_empty() && self.stopped.contains(&flow) && !waits() {
            self.law.on_flow_gone(flow);
        }
    }

    /// What becomes of a packet that arrives at `now`.
    #[inline(always)]
    pub fn ask(&mut self, now: u64, queued: &QueuedPacket, view: &QueueView<'_>) -> Verdict {
        if let AnyQueueLaw::droptail(law) = &mut self.law {
            let mut cx = Cx { now: Instant::from_nanos(now), rng: &mut self.rng, probe: self.probe.as_probe() };
            return law.on_arrival(&mut cx, queued, view);
        }
        self.call(now, |law, cx| law.on_arrival(cx, queued, view))
    }

    /// A packet leaves the queue at `now`.
    #[inline(always)]
    pub fn tell_departure(&mut self, now: u64, queued: &QueuedPacket, view: &QueueView<'_>) {
        if !self.forgetful {
            self.call(now, |law, cx| law.on_departure(cx, queued, view));
        }
    }

    /// The link has sent its last packet at `now`, and nothing waits.
    #[inline(always)]
    pub fn tell_idle(&mut self, now: u64) {
        if !self.forgetful {
            self.call(now, |law, cx| law.on_idle(cx.now));
        }
    }

    /// The law was woken at `now` and must not want to be woken then again.
    #[inline]
    pub fn after_timeout(&mut self, now: u64) {
        if self.timeout <= now {
            self.books.violations.push(format!("the law wants to be woken at {now} ns once more"));
            self.timeout = u64::MAX;
        }
    }

    /// A packet arrives at `now`.
    #[inline(always)]
    pub fn arrive(&mut self, now: u64, waiting: u32) {
        if self.check && now < self.books.last_arrival {
            self.books.violations.push(format!("time went back from {} to {now} ns", self.books.last_arrival));
        }
        self.books.reach(now, waiting);
        self.books.last_arrival = now;
        self.books.arrived += 1;
    }

    /// A packet was accepted, and so much waits with it.
    #[inline(always)]
    pub fn deepen(&mut self, depth: Depth) {
        self.books.deepen(depth);
        if self.check && is_over(self.limit, depth) {
            self.books.violations.push(format!("{depth:?} waits where {:?} is the limit", self.limit));
        }
    }

    /// Marks a packet, if it is capable.
    #[cold]
    pub fn mark(&mut self, packet: &mut Packet, owner: Owner, ledger: &mut Ledger) {
        if packet.flags.has(Flags::ECN_CAPABLE) && !packet.flags.has(Flags::MARKED) {
            packet.flags = packet.flags.with(Flags::MARKED, true);
            self.books.mark();
            ledger.mark(owner);
        }
    }
}

/// Whether more waits than the limit allows.
pub fn is_over(limit: Limit, depth: Depth) -> bool {
    match limit {
        Limit::Packets(most) => depth.packets > most,
        Limit::Bytes(most) => depth.bytes > most.get(),
    }
}

impl Link {
    /// A link; `has_high` if packets that go before others take it.
    pub fn new(plan: &NetworkPlan, link: &NetworkLinkPlan, has_high: bool, streams: &Streams) -> Self {
        let site = QueueSite {
            start: Instant::ZERO,
            capacity: link.capacity,
            delay: link.delay,
            limit: link.limit,
            mean_packet: link.mean_packet,
        };
        let law = link.queue.build(&site);
        let full = plan.detail == Detail::Full;
        let fifo = law.order() == Order::Fifo;
        let service = match (law.order(), plan.engine) {
            (Order::Fifo, NetworkEngine::Ahead) if !has_high => Service::Late(Late::new()),
            _ => Service::Served(Box::new(Served::new(fifo))),
        };
        let common = Common {
            transmitter: Transmitter::new(link, streams),
            timeout: law.poll_timeout().map_or(u64::MAX, Instant::as_nanos),
            forgetful: matches!(law, AnyQueueLaw::droptail(_)),
            law,
            rng: streams.component(&format!("queue/{}", link.name)),
            probe: Recorder::new(plan.window, full),
            books: Books::new(plan.warmup.as_nanos(), full.then_some(plan.window.as_nanos())),
            limit: link.limit,
            higher_bytes: 0,
            check: plan.check,
            change_at: link.changes.first().map_or(u64::MAX, |change| change.at.as_nanos()),
            changes: link.changes.iter().rev().copied().collect(),
            stopped: BTreeSet::new(),
        };
        Self { common, service }
    }

    /// Whether departures are told late, so that it has no events of its own.
    pub fn tells_late(&self) -> bool {
        matches!(self.service, Service::Late(_))
    }

    /// When its next event of its own is due, `u64::MAX` if none is.
    #[inline]
    pub fn next_at(&self) -> u64 {
        match &self.service {
            Service::Late(_) => u64::MAX,
            Service::Served(served) => served.next_at(&self.common),
        }
    }

    /// A packet arrives at `now`. Afterwards `packet` is the one that the outcome speaks of,
    /// which may be another.
    #[inline(always)]
    pub fn arrive(&mut self, now: u64, packet: &mut Packet, arriving: &Arriving, ledger: &mut Ledger) -> Outcome {
        match &mut self.service {
            Service::Late(late) => late.arrive(&mut self.common, now, packet, arriving, ledger),
            Service::Served(served) => served.arrive(&mut self.common, now, packet, arriving, ledger),
        }
    }

    /// The time that [`Link::next_at`] told has come. Afterwards `packet` is the one that the
    /// outcome speaks of, if any.
    pub fn handle_event(&mut self, now: u64, packet: &mut Packet, ledger: &mut Ledger) -> Outcome {
        match &mut self.service {
            Service::Late(_) => Outcome::Nothing,
            Service::Served(served) => served.handle_event(&mut self.common, now, packet, ledger),
        }
    }

    /// Packets in the queue of those that no others go before, at `now`; the one in transmission included.
    pub fn controlled_packets(&mut self, now: u64, ledger: &mut Ledger) -> u32 {
        match &mut self.service {
            Service::Late(late) => late.packets_and_one_sent(&mut self.common, now, ledger),
            Service::Served(served) => served.packets_and_one_sent(),
        }
    }

    /// A packet is dropped before the queue's own law sees it.
    #[cold]
    pub fn drop_before(&mut self, now: u64, owner: Owner, reason: DropReason, ledger: &mut Ledger) {
        self.catch_up_to(now, ledger);
        let waiting = self.depth().packets;
        self.common.arrive(now, waiting);
        self.common.books.drop(reason);
        ledger.drop(owner, now);
    }

    fn catch_up_to(&mut self, now: u64, ledger: &mut Ledger) {
        if let Service::Late(late) = &mut self.service {
            late.catch_up(&mut self.common, now, ledger);
        }
    }

    /// So much of the link is kept for packets that others go before, in bit/s.
    #[inline]
    pub fn reserve(&mut self, reserved_bps: impl FnOnce() -> f64) {
        if let Service::Served(served) = &mut self.service {
            served.reserve(reserved_bps());
        }
    }

    /// `flow` sends no more. Its law is told now, and again whenever the last of its packets
    /// that are still on their way has left the queue.
    #[cold]
    pub fn stop(&mut self, flow: FlowId) {
        self.common.stopped.insert(flow);
        let waits = match &self.service {
            Service::Late(late) => late.holds(flow),
            Service::Served(served) => served.holds(flow),
        };
        if !waits {
            self.common.law.on_flow_gone(flow);
        }
    }

    /// Nothing of `flow` is on its way at `now`, and its number may be another's from now on.
    #[cold]
    pub fn forget(&mut self, now: u64, flow: FlowId, ledger: &mut Ledger) {
        self.catch_up_to(now, ledger);
        self.common.law.on_flow_gone(flow);
    }

    /// A packet that was dropped though it had been accepted, since the last call.
    pub fn take_evicted(&mut self) -> Option<(Packet, Fate)> {
        match &mut self.service {
            Service::Late(_) => None,
            Service::Served(served) => served.take_evicted(),
        }
    }

    /// Tells the law, and counts, all that happened before `now`.
    pub fn catch_up(&mut self, now: u64, ledger: &mut Ledger) {
        if let Service::Late(late) = &mut self.service {
            late.catch_up_before(&mut self.common, now, ledger);
        }
    }

    /// The run has ended at `reached`: accounts for what happened before.
    pub fn finish(&mut self, reached: u64, ledger: &mut Ledger) {
        match &mut self.service {
            Service::Late(late) => late.finish(&mut self.common, reached, ledger),
            Service::Served(served) => served.finish(&mut self.common, reached),
        }
    }

    /// What waits.
    pub fn depth(&self) -> Depth {
        match &self.service {
            Service::Late(late) => late.depth(),
            Service::Served(served) => served.depth(),
        }
    }

    /// Owners of packets that wait here and are on no wire yet.
    pub fn waiting_owners(&self) -> Vec<Owner> {
        match &self.service {
            Service::Late(late) => late.lost_owners().collect(),
            Service::Served(served) => served.owners().collect(),
        }
    }

    /// What does not add up, in words.
    pub fn violation(&self) -> Option<String> {
        let counted = match &self.service {
            Service::Late(late) => late.count(),
            Service::Served(served) => served.count(),
        };
        (counted != self.depth()).then(|| format!("{counted:?} waits, but {:?} is what it counted", self.depth()))
    }
}
