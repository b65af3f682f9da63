//! Ports and sources of a node, and the ways of control packets.
//!
//! A control packet leaves the source, passes the port of each link on the way of its flow, is turned where the flow ends, and
//! comes back by the same routers, past the same ports in reverse.

use super::order::{Order, Passage};
use super::port::Port;
use super::source::Source;
use crate::counts::{ClassCount, ClassCounts};
use crate::envelope::FlowHead;
use crate::plan::{FlowPlan, Hop, LinkPlan, NodePlan};
use fairwire_core::{BitRate, Instant};
use fairwire_exchange::GovernedQueue;
use fairwire_laws::rate::Refusal;
use std::collections::BTreeMap;

/// What laws want done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// Control packets in their order: to whom, and what they are about.
    pub messages: Vec<(Hop, FlowHead, Vec<u8>)>,
    /// Flows whose limits are others from now on: the link by its place, the flow by its place there.
    pub limits: Vec<((usize, usize), BitRate)>,
}

/// So many control packets leave at a time: neighbours take in no more at once.
const MOST_AT_A_TIME: u32 = 64;

/// Ports and sources of a node.
pub struct NodeGovernor<'a> {
    plan: &'a NodePlan,
    /// One a link, if it has a law.
    ports: Vec<Option<Port>>,
    sources: BTreeMap<u32, Source<'a>>,
    /// Control packets that have passed, by flow.
    orders: BTreeMap<u32, Order>,
    /// The source whose turn is next.
    turn: u32,
    wanted: Wanted,
    /// Control packets that were refused, since it began.
    refused: u64,
}

impl<'a> NodeGovernor<'a> {
    /// At rest. In each process sources begin with another `life`.
    pub fn new(plan: &'a NodePlan, life: u64) -> Self {
        let port = |link: &LinkPlan| Some(Port::new(link, link.law.as_ref()?, &plan.flows, plan.options.lease, life));
        let entering = plan.flows.iter().filter(|(_, flow)| flow.before.is_none());
        let (lease, tick) = (plan.options.lease, plan.options.tick);
        Self {
            plan,
            ports: plan.links.iter().map(port).collect(),
            sources: entering.map(|(number, flow)| (*number, Source::new(flow, lease, tick, life))).collect(),
            orders: BTreeMap::new(),
            turn: 0,
            wanted: Wanted::default(),
            refused: 0,
        }
    }

    /// Sources begin. `counts` are those of the links, one each.
    pub fn start(&mut self, now: Instant, counts: &[ClassCounts]) {
        for (number, source) in &mut self.sources {
            source.start(now, &count_of(&self.plan.flows[number], counts));
        }
        self.look(now, counts);
    }

    /// The classes of the links have counted so much.
    pub fn look(&mut self, now: Instant, counts: &[ClassCounts]) {
        for (port, counts) in self.ports.iter_mut().zip(counts) {
            if let Some(port) = port {
                port.look(now, counts);
            }
        }
        for (number, source) in &mut self.sources {
            source.look(now, &count_of(&self.plan.flows[number], counts));
        }
    }

    /// A control packet has come from a neighbour on the way of its flow. One that is late, or comes twice, is refused.
    pub fn on_message(&mut self, now: Instant, head: &FlowHead, bytes: Vec<u8>) {
        let plan = self.plan;
        let Some(flow) = plan.flows.get(&head.flow) else { return };
        let is_from = |hop: Option<Hop>| hop.is_some_and(|hop| hop.node == head.from);
        let passes = if is_from(flow.before) {
            self.forward(now, head, bytes)
        } else if is_from(flow.after) {
            self.backward(now, head, bytes)
        } else {
            Ok(())
        };
        self.refused += u64::from(passes.is_err());
    }

    /// A control packet is on its way to the destination.
    fn forward(&mut self, now: Instant, head: &FlowHead, mut bytes: Vec<u8>) -> Result<(), Refusal> {
        let flow = &self.plan.flows[&head.flow];
        let order = self.orders.entry(head.flow).or_default();
        let passage = order.forward(head.life, head.number).ok_or(Refusal::Stale)?;
        if let Some(port) = flow.leaves.and_then(|(link, _)| self.ports[link].as_mut()) {
            if passage == Passage::Reborn {
                port.close(now, head.flow);
            }
            port.on_forward(now, head.flow, &flow.terms, &mut bytes)?;
        }
        match (flow.after, flow.before) {
            (Some(after), _) => self.send(after, head, bytes),
            // It ends here, and so does the way.
            (None, Some(before)) => {
                flow.law.turn(&flow.terms, &mut bytes)?;
                self.send(before, head, bytes);
            }
            (None, None) => {}
        }
        Ok(())
    }

    /// A control packet is on its way back to the source.
    fn backward(&mut self, now: Instant, head: &FlowHead, mut bytes: Vec<u8>) -> Result<(), Refusal> {
        let flow = &self.plan.flows[&head.flow];
        let order = self.orders.entry(head.flow).or_default();
        order.backward(head.life, head.number).ok_or(Refusal::Stale)?;
        if let Some(port) = flow.leaves.and_then(|(link, _)| self.ports[link].as_mut()) {
            port.on_backward(now, head.flow, &mut bytes)?;
        }
        self.back_from_here(now, head, bytes)
    }

    /// A control packet has passed this node's port on its way back, or comes from there.
    fn back_from_here(&mut self, now: Instant, head: &FlowHead, bytes: Vec<u8>) -> Result<(), Refusal> {
        match (self.plan.flows[&head.flow].before, self.sources.get_mut(&head.flow)) {
            (Some(before), _) => self.send(before, head, bytes),
            (None, Some(source)) => source.on_return(now, head.number, &bytes)?,
            (None, None) => {}
        }
        Ok(())
    }

    fn send(&mut self, to: Hop, head: &FlowHead, bytes: Vec<u8>) {
        self.wanted.messages.push((to, FlowHead { from: self.plan.node, ..*head }, bytes));
    }

    /// When there is something to do without a message.
    pub fn due_at(&self) -> Option<Instant> {
        let ports = self.ports.iter().flatten().filter_map(Port::due_at);
        ports.chain(self.sources.values().map(Source::due_at)).min()
    }

    /// Does what is due.
    pub fn advance(&mut self, now: Instant) {
        let from = self.plan.node;
        let notices: Vec<_> = self.ports.iter_mut().flatten().flat_map(|port| port.advance(now)).collect();
        for (flow, bytes) in notices {
            let Some(life) = self.orders.get(&flow).and_then(Order::life) else { continue };
            let head = FlowHead { flow, from, life, number: 0 };
            self.refused += u64::from(self.back_from_here(now, &head, bytes).is_err());
        }
        let (before, after): (Vec<u32>, Vec<u32>) = self.sources.keys().partition(|flow| **flow < self.turn);
        let mut left = MOST_AT_A_TIME;
        for flow in after.into_iter().chain(before) {
            let mut bytes = Vec::new();
            let Some(source) = self.sources.get_mut(&flow) else { continue };
            let Some((life, number)) = source.advance(now, &mut bytes) else { continue };
            let head = FlowHead { flow, from, life, number };
            self.refused += u64::from(self.forward(now, &head, bytes).is_err());
            left -= 1;
            if left == 0 {
                // The others have their turn the next time.
                self.turn = flow + 1;
                return;
            }
        }
    }

    /// What is to be done since it was asked last.
    pub fn take_wanted(&mut self) -> Wanted {
        for (number, source) in &mut self.sources {
            if let (Some(place), Some(limit)) = (self.plan.flows[number].leaves, source.moved()) {
                self.wanted.limits.push((place, limit));
            }
        }
        std::mem::take(&mut self.wanted)
    }

    /// The source of a flow that enters here.
    pub fn source(&self, flow: u32) -> Option<&Source<'a>> {
        self.sources.get(&flow)
    }

    /// The name of a flow.
    pub fn name_of(&self, flow: u32) -> String {
        self.plan.flows.get(&flow).map_or_else(String::new, |flow| flow.name.clone())
    }

    /// Control packets that were refused, since it began.
    pub const fn refused(&self) -> u64 {
        self.refused
    }
}

/// What the class of a flow has counted.
fn count_of(flow: &FlowPlan, counts: &[ClassCounts]) -> ClassCount {
    let count = |(link, place): (usize, usize)| counts.get(link)?.get(&GovernedQueue::class_of(place)).copied();
    flow.leaves.and_then(count).unwrap_or_default()
}
