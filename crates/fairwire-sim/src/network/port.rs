//! A port: a rate law at the queue in front of a link.

use super::ledger::{Ledger, Owner};
use super::link::Link;
use super::micro_flows::{MicroFlow, MicroFlows};
use crate::recorder::Recorder;
use fairwire_core::{BitRate, Cx, FlowId, Instant, RandomStream, Streams};
use fairwire_laws::queue::DropReason;
use fairwire_laws::rate::{Admission, AnyRateLaw, PortSite, PortView, Refusal, Terms};
use fairwire_plan::{Detail, LinkChange, NetworkLinkPlan, NetworkPlan, PortRecord};

/// A rate law at one link.
#[derive(Debug)]
pub struct Port {
    law: AnyRateLaw,
    rng: RandomStream,
    pub probe: Recorder,
    /// Flows that have sent something and not their last packet, a bit for each micro-flow.
    open: Vec<u64>,
    capacity: BitRate,
    /// When the capacity changes next, `u64::MAX` if never, and to what; the next change at the end.
    change_at: u64,
    changes: Vec<LinkChange>,
    controlled_bytes: u64,
    uncontrolled_bytes: u64,
    pub record: PortRecord,
}

/// A packet of a flow that a rate law controls, on its way forward.
#[derive(Clone, Copy, Debug)]
pub struct Controlled<'a> {
    pub flow: FlowId,
    pub owner: Owner,
    /// The ends of all flows, where its terms are: they are far away, and few packets ask for them.
    pub ends: &'a MicroFlows,
    pub size_bytes: u32,
    pub is_last: bool,
}

impl Controlled<'_> {
    /// What was agreed for its flow.
    fn terms(&self) -> Option<&Terms> {
        match self.ends.get(self.flow.index()) {
            MicroFlow::Rate(end) => Some(end.terms()),
            MicroFlow::Datagrams(_) | MicroFlow::Tcp(_) => None,
        }
    }
}

impl Port {
    /// The port of a link, if it has a rate law.
    pub fn of(plan: &NetworkPlan, link: &NetworkLinkPlan, streams: &Streams) -> Option<Box<Self>> {
        let choice = link.rate.as_ref()?;
        let law = choice.port(&PortSite { start: Instant::ZERO, capacity: link.capacity });
        Some(Box::new(Self {
            law,
            rng: streams.component(&format!("port/{}", link.name)),
            probe: Recorder::new(plan.window, plan.detail == Detail::Full),
            open: Vec::new(),
            capacity: link.capacity,
            change_at: link.changes.first().map_or(u64::MAX, |change| change.at.as_nanos()),
            changes: link.changes.iter().rev().copied().collect(),
            controlled_bytes: 0,
            uncontrolled_bytes: 0,
            record: PortRecord { law: choice.about().name, ..PortRecord::default() },
        }))
    }

    /// When the law wants to be woken, `u64::MAX` if never.
    pub fn next_at(&self) -> u64 {
        self.law.poll_timeout().map_or(u64::MAX, Instant::as_nanos)
    }

    /// A packet of a flow comes soon: what the law keeps of it is fetched into the cache.
    #[inline]
    pub fn look_ahead(&self, flow: FlowId, control: bool) {
        self.law.look_ahead(flow, control);
    }

    #[inline]
    fn call<T>(&mut self, now: u64, call: impl FnOnce(&mut AnyRateLaw, &mut Cx<'_>) -> T) -> T {
        while now >= self.change_at {
            self.change_capacity(now);
        }
        let mut cx = Cx { now: Instant::from_nanos(now), rng: &mut self.rng, probe: self.probe.as_probe() };
        call(&mut self.law, &mut cx)
    }

    #[cold]
    fn change_capacity(&mut self, now: u64) {
        while let Some(change) = self.changes.pop_if(|change| change.at.as_nanos() <= now) {
            self.capacity = change.capacity;
            self.law.on_capacity(change.at, change.capacity);
        }
        self.change_at = self.changes.last().map_or(u64::MAX, |change| change.at.as_nanos());
    }

    /// What the law may know of the link at `now`.
    fn view(&self, now: u64, link: &mut Link, ledger: &mut Ledger) -> PortView {
        PortView {
            capacity: self.capacity,
            packets: link.controlled_packets(now, ledger),
            controlled_bytes: self.controlled_bytes,
            higher_bytes: link.common.higher_bytes,
            uncontrolled_bytes: self.uncontrolled_bytes,
        }
    }

    fn is_open(&self, flow: FlowId) -> bool {
        self.open.get(flow.index() / 64).is_some_and(|bits| bits >> (flow.index() % 64) & 1 == 1)
    }

    fn set_open(&mut self, flow: FlowId, open: bool) {
        let (word, bit) = (flow.index() / 64, 1 << (flow.index() % 64));
        if word >= self.open.len() {
            self.open.resize(word + 1, 0);
        }
        if open {
            self.open[word] |= bit;
        } else {
            self.open[word] &= !bit;
        }
    }

    fn open(&mut self, now: u64, packet: &Controlled<'_>) {
        if !self.is_open(packet.flow)
            && let Some(terms) = packet.terms()
        {
            self.set_open(packet.flow, true);
            self.call(now, |law, cx| law.on_open(cx, packet.flow, terms));
        }
        self.controlled_bytes += u64::from(packet.size_bytes);
    }

    fn close(&mut self, now: u64, packet: &Controlled<'_>) {
        if packet.is_last {
            self.set_open(packet.flow, false);
            self.call(now, |law, cx| law.on_close(cx, packet.flow));
        }
    }

    /// A data packet arrives: whether it may go on to the queue. The last one of a flow always may, as the rest of the way
    /// learns from it that the flow is over.
    pub fn on_data(&mut self, now: u64, packet: &Controlled<'_>, link: &mut Link, ledger: &mut Ledger) -> bool {
        self.open(now, packet);
        let port = self.view(now, link, ledger);
        self.record.deepest_packets = self.record.deepest_packets.max(port.packets);
        let admission = self.call(now, |law, cx| law.on_data(cx, packet.flow, packet.size_bytes, &port));
        self.close(now, packet);
        let reason = match admission {
            Admission::TooLong => DropReason::Early,
            Admission::AboveAllowed => DropReason::Unfair,
            Admission::Accept => return true,
        };
        if packet.is_last {
            return true;
        }
        self.record.dropped[usize::from(admission == Admission::AboveAllowed)] += 1;
        link.drop_before(now, packet.owner, reason, ledger);
        false
    }

    /// A control packet arrives on its way forward: whether it goes on. One that ends a flow which is not open has nothing to
    /// tell, and opens none.
    pub fn on_forward(
        &mut self,
        now: u64,
        packet: &Controlled<'_>,
        bytes: &mut Vec<u8>,
        link: &mut Link,
        ledger: &mut Ledger,
    ) -> bool {
        if packet.is_last && !self.is_open(packet.flow) {
            self.controlled_bytes += u64::from(packet.size_bytes);
            return true;
        }
        self.open(now, packet);
        let port = self.view(now, link, ledger);
        self.record.deepest_packets = self.record.deepest_packets.max(port.packets);
        let Some(terms) = packet.terms() else { return true };
        let result = self.call(now, |law, cx| law.on_forward_of_open(cx, packet.flow, terms, bytes, &port));
        self.close(now, packet);
        self.count(result)
    }

    /// A control packet comes back: whether it goes on.
    pub fn on_backward(
        &mut self,
        now: u64,
        flow: FlowId,
        bytes: &mut Vec<u8>,
        link: &mut Link,
        ledger: &mut Ledger,
    ) -> bool {
        let port = self.view(now, link, ledger);
        let result = self.call(now, |law, cx| law.on_backward(cx, flow, bytes, &port));
        // A flow that is over here may still have packets on their way back.
        self.count(result) || result == Err(Refusal::UnknownFlow)
    }

    fn count(&mut self, result: Result<(), Refusal>) -> bool {
        match result {
            Ok(()) => self.record.control += 1,
            Err(refusal) => self.record.refused[refusal.index()] += 1,
        }
        result.is_ok()
    }

    /// Something arrives that no rate law controls, nor goes before what it does.
    #[inline]
    pub fn on_uncontrolled(&mut self, size_bytes: u32) {
        self.uncontrolled_bytes += u64::from(size_bytes);
    }

    /// What was agreed for a flow is another.
    pub fn on_terms(&mut self, now: u64, flow: FlowId, terms: &Terms) {
        if self.is_open(flow) {
            self.call(now, |law, cx| law.on_terms(cx, flow, terms));
        }
    }

    /// The time that [`Port::next_at`] told has come.
    pub fn on_timeout(&mut self, now: u64, link: &mut Link, ledger: &mut Ledger) {
        let port = self.view(now, link, ledger);
        self.call(now, |law, cx| law.handle_timeout(cx, &port));
        if self.next_at() <= now {
            self.record_violation(now, link);
        }
    }

    /// The flow to whose source the law sends a control packet by itself, if any, written into `bytes`.
    pub fn poll_notice(&mut self, bytes: &mut Vec<u8>) -> Option<FlowId> {
        self.law.poll_notice(bytes)
    }

    #[cold]
    fn record_violation(&mut self, now: u64, link: &mut Link) {
        link.common.books.violations.push(format!("the rate law wants to be woken at {now} ns once more"));
    }

    /// What must be left to the flows by what goes before them, in bit/s.
    pub fn reserved_bps(&self) -> f64 {
        self.law.reserved_bps()
    }

    /// The record of a run that is over, and what does not add up.
    pub fn finish(&mut self) -> (PortRecord, Option<String>) {
        self.record.flows = self.law.flows();
        (self.record.clone(), self.law.violation())
    }
}
