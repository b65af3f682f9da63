//! A node of a network at work.

use super::device::{Device, Since};
use super::run::{AtWork, Router, Tools, enforce};
use crate::counts::ClassCounts;
use crate::envelope::{FlowHead, Stray};
use crate::error::EnforceError;
use crate::governor::node::NodeGovernor;
use crate::plan::{LinkPlan, NodePlan};
use crate::status::{FlowStatus, LinkStatus, NodeStatus};
use fairwire_core::{Instant, Span};
use fairwire_exchange::GovernedQueue;
use std::collections::VecDeque;
use std::net::IpAddr;
use std::time::{self, SystemTime, UNIX_EPOCH};

/// Counters that are younger are not read again, and nothing but a message is done: a hundred flows at once need that once.
const YOUNG: Span = Span::from_millis(1);
/// Nor are counters that are younger than so many times what it took to look at them, as that grows with flows.
const REST: u64 = 20;
/// But no longer than this: who was stopped meanwhile looks as if it had been long at it, and leases would end unseen.
const LONGEST_REST: Span = Span::from_millis(50);

/// A node at work.
pub struct Node<'a> {
    plan: &'a NodePlan,
    governor: NodeGovernor<'a>,
    /// One a link.
    devices: Vec<Device<'a>>,
    /// Control packets that have come and were not told yet.
    waiting: VecDeque<(FlowHead, Vec<u8>)>,
    /// Until when counters that were read are young.
    young_until: Instant,
    heard: u64,
    sent: u64,
}

impl NodePlan {
    /// Governs the node until `stop` says so, and tells from time to time what it looks like; when `tell` answers `false` it
    /// stops, too. Then all queues are taken away. Should the process be killed, all that is limited has its safe rate.
    ///
    /// # Errors
    /// [`EnforceError`]. Queues that were made are taken away.
    pub fn enforce(
        &self,
        stop: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(&NodeStatus) -> bool,
    ) -> Result<(), EnforceError> {
        enforce(self, stop, tell)
    }
}

impl AtWork for NodePlan {
    type Router<'a> = Node<'a>;
    type Status = NodeStatus;
}

impl<'a> Router<'a> for Node<'a> {
    type Plan = NodePlan;

    fn new(plan: &'a NodePlan) -> Result<Self, EnforceError> {
        let devices = plan.links.iter().map(|link| Device::new(&link.queue)).collect::<Result<_, _>>()?;
        let governor = NodeGovernor::new(plan, life());
        Ok(Self { plan, governor, devices, waiting: VecDeque::new(), young_until: Instant::ZERO, heard: 0, sent: 0 })
    }

    fn start(&mut self, now: Instant, tools: &mut Tools<'_>) -> Result<(), EnforceError> {
        let counts = self.counts(tools)?;
        self.governor.start(now, &counts);
        for (device, counts) in self.devices.iter_mut().zip(counts) {
            device.start(now, counts);
        }
        Ok(())
    }

    fn take(&mut self, datagram: &[u8], from: IpAddr) -> Result<(), Stray> {
        let (head, message) = self.plan.envelope.open(datagram)?;
        if !self.plan.is_next(head.flow, head.from, from) {
            return Err(Stray::Foreign);
        }
        self.heard += 1;
        self.waiting.push_back((head, message.to_vec()));
        Ok(())
    }

    fn due_at(&self) -> Option<Instant> {
        let due = self.governor.due_at().map(|due| due.max(self.young_until));
        if self.waiting.is_empty() { due } else { Some(Instant::ZERO) }
    }

    fn advance(&mut self, now: Instant, tools: &mut Tools<'_>) -> Result<(), EnforceError> {
        if self.due_at().is_none_or(|due| due > now) {
            return Ok(());
        }
        if self.young_until <= now {
            let begun = time::Instant::now();
            let counts = self.counts(tools)?;
            self.governor.look(now, &counts);
            let took = Span::from_nanos(begun.elapsed().as_nanos() as u64);
            self.young_until = now + young_for(took);
        }
        for (head, message) in self.waiting.drain(..) {
            self.governor.on_message(now, &head, message);
        }
        self.governor.advance(now);
        self.carry_out(tools)
    }

    fn status(&mut self, now: Instant, tools: &mut Tools<'_>) -> Result<NodeStatus, EnforceError> {
        let mut links = Vec::new();
        for (link, device) in self.plan.links.iter().zip(&mut self.devices) {
            let since = device.since(now, tools)?;
            links.push(status_of(link, &self.governor, &since));
        }
        Ok(NodeStatus {
            time_s: now.as_secs_f64(),
            node: self.plan.name.clone(),
            law: self.plan.law,
            links,
            messages_heard: self.heard,
            messages_sent: self.sent,
            refused: self.governor.refused(),
            strays: tools.strays.all,
            other_network: tools.strays.others,
        })
    }
}

impl Node<'_> {
    fn counts(&self, tools: &mut Tools<'_>) -> Result<Vec<ClassCounts>, EnforceError> {
        self.devices.iter().map(|device| device.counts(tools)).collect()
    }

    fn carry_out(&mut self, tools: &mut Tools<'_>) -> Result<(), EnforceError> {
        let wanted = self.governor.take_wanted();
        for (link, device) in self.devices.iter().enumerate() {
            let here = wanted.limits.iter().filter(|((at, _), _)| *at == link);
            let limits: Vec<_> = here.map(|((_, place), limit)| (*place, *limit)).collect();
            device.limit(&limits, tools)?;
        }
        for (to, head, message) in wanted.messages {
            // One that does not go is lost on its way, which laws heal.
            let datagram = self.plan.envelope.seal(&head, &message);
            self.sent += u64::from(tools.socket.send_to(&datagram, to.at).is_ok());
        }
        Ok(())
    }
}

/// What a link looks like.
fn status_of(link: &LinkPlan, governor: &NodeGovernor<'_>, since: &Since) -> LinkStatus {
    let flow = |(place, number): (usize, &u32)| {
        let (class, source) = (GovernedQueue::class_of(place), governor.source(*number));
        FlowStatus {
            flow: governor.name_of(*number),
            limit_bps: source.map(|source| source.limit().as_bps()),
            leased: source.map(|source| source.is_leased()),
            rate_bps: since.rate_bps(class),
            waiting_bytes: since.waiting_bytes(class),
            dropped: since.dropped(class),
        }
    };
    LinkStatus {
        link: link.name.clone(),
        device: link.queue.device.clone(),
        capacity_bps: link.queue.capacity.as_bps(),
        rest_bps: since.rate_bps(GovernedQueue::REST),
        control_bps: since.rate_bps(GovernedQueue::CONTROL),
        flows: link.flows.iter().enumerate().map(flow).collect(),
    }
}

/// So long are counters young that it took so long to look at.
fn young_for(took: Span) -> Span {
    (took * REST).clamp(YOUNG, LONGEST_REST)
}

/// Another number for each process: the time at which it begins.
fn life() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_nanos() as u64 ^ u64::from(std::process::id()).rotate_right(16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_stopped_at_a_look_soon_looks_again() {
        let us = |us: u64| Span::from_nanos(us * 1_000);
        assert_eq!([10, 200].map(|took| young_for(us(took))), [YOUNG, us(4_000)]);
        assert_eq!(young_for(us(5_000_000)), us(50_000));
    }
}
