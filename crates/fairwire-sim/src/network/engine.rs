//! Walks a network through time.
//!
//! Every component has at most one pending event: a wire that its first packet
//! arrives, a micro-flow that it does something by itself, a queue that is not told late that
//! its link is free. The earliest is always next; at one instant queues go first, then
//! wires, then micro-flows, each by lot (`turns.rs`). What can be taken in without
//! keeping to the order of time is taken in at once (`routes.rs`). What rate laws add stands in `engine/rates.rs`, what
//! packets from outside add in `engine/brought.rs`.

mod ahead;
mod brought;
mod rates;

use super::build;
use super::capture::Capture;
use super::changes::Changes;
use super::hosts::Hosts;
use super::ledger::{Ledger, Owner};
use super::link::{Arriving, Link, Outcome};
use super::micro_flows::MicroFlow;
use super::packet::{Arrival, Flags, Packet, Wire};
use super::port::Port;
use super::routes::Routes;
use super::turns::Turns;
use super::visitors::Visitors;
use super::window_samples::WindowSamples;
use crate::brought::{Fate, Feed, Returns};
use crate::endpoint::periods::Periods;
use crate::endpoint::session::Output;
use crate::endpoint::stream::Next;
use crate::report::{Ending, Report, Wanted};
use crate::tournament::Tournament;
use fairwire_core::Streams;
use fairwire_plan::{Detail, NetworkPlan};
use std::sync::Arc;

/// Events between two reports at most.
const EVENTS_A_REPORT: u32 = 1 << 10;

/// A network in the middle of a run.
#[derive(Debug)]
pub struct Network {
    pub links: Vec<Link>,
    /// The rate laws, by link.
    pub ports: Vec<Option<Box<Port>>>,
    pub changes: Changes,
    /// By the link whose packets they carry.
    pub wires: Vec<Wire>,
    pub routes: Routes,
    pub hosts: Hosts,
    pub ledger: Ledger,
    pub periods: Vec<Arc<Periods>>,
    pub samples: Option<WindowSamples>,
    /// What was brought from outside.
    pub returns: Returns,
    /// Where all packets are: their connections.
    pub visitors: Option<Visitors>,
    /// What links have sent, if any are captured.
    pub capture: Option<Box<Capture>>,
    /// When which component's event is due, all but the micro-flows'.
    next: Tournament<Turns>,
    components: Vec<Component>,
    /// When which micro-flow does something by itself. They play apart, as they may be thousands: so the few others have a
    /// short way to the top.
    wakes: Tournament<Turns>,
    /// Places in the tree of wires and of queues; none of those that have no events.
    wire_places: Vec<u32>,
    queue_places: Vec<u32>,
    port_places: Vec<u32>,
    changes_place: u32,
    silence_place: u32,
    /// Whether there are so many micro-flows that what they need is fetched before they need it.
    looks_ahead: bool,
    /// Nothing is taken in from here on, until the network is taken farther.
    limit: u64,
}

/// Whose event it is, if it is no micro-flow's.
#[derive(Clone, Copy, Debug)]
pub enum Component {
    Samples,
    Changes,
    Silence,
    Queue(u32),
    Port(u32),
    Wire(u32),
}

const NO_PLACE: u32 = u32::MAX;

impl Network {
    /// A network at time zero; of no use if it was no longer `wanted`.
    pub fn new(plan: &NetworkPlan, feed: Feed, wanted: &Wanted<'_>) -> Self {
        let carried = feed == Feed::All;
        let streams = Streams::new(plan.seed, plan.run);
        let high = build::links_of_high_priority(plan);
        let links = plan.links.iter().zip(high);
        let links: Vec<_> = links.map(|(link, high)| Link::new(plan, link, high, &streams)).collect();
        let routes = Routes::new(plan, carried, |link| links[link].tells_late());
        let periods = build::periods(plan, &streams);
        let hosts = build::hosts(plan, &streams, (&routes, &periods), carried, wanted);
        let full = plan.detail == Detail::Full;
        let mut network = Self {
            wires: plan.links.iter().map(|link| Wire::new(link.reordering.as_nanos() > 0)).collect(),
            ledger: Ledger::new(plan.flows.len(), plan.warmup.as_nanos(), plan.window.as_nanos()),
            samples: full.then(|| WindowSamples::new(plan.window.as_nanos(), plan.flows.len())),
            next: Tournament::new(Vec::new(), Turns::default()),
            components: Vec::new(),
            wakes: Tournament::new(hosts.wakes(), Turns::of_micro_flows(&streams, hosts.micro_flows.len())),
            wire_places: vec![NO_PLACE; links.len()],
            queue_places: vec![NO_PLACE; links.len()],
            port_places: vec![NO_PLACE; links.len()],
            changes_place: NO_PLACE,
            silence_place: NO_PLACE,
            ports: plan.links.iter().map(|link| Port::of(plan, link, &streams)).collect(),
            changes: Changes::new(plan),
            looks_ahead: Self::has_many(hosts.micro_flows.len()),
            returns: Returns::default(),
            visitors: carried.then(Visitors::default),
            capture: None,
            limit: 0,
            links,
            routes,
            hosts,
            periods,
        };
        network.place_components(&streams);
        network
    }

    fn place_components(&mut self, streams: &Streams) {
        if self.samples.is_some() {
            self.components.push(Component::Samples);
        }
        if !self.changes.is_empty() {
            self.changes_place = self.components.len() as u32;
            self.components.push(Component::Changes);
        }
        for link in (0..self.links.len()).filter(|link| !self.links[*link].tells_late()) {
            self.queue_places[link] = self.components.len() as u32;
            self.components.push(Component::Queue(link as u32));
        }
        for link in (0..self.links.len()).filter(|link| self.ports[*link].is_some()) {
            self.port_places[link] = self.components.len() as u32;
            self.components.push(Component::Port(link as u32));
        }
        if self.visitors.is_some() {
            // Whoever falls silent does so after all that left queues at that instant.
            self.silence_place = self.components.len() as u32;
            self.components.push(Component::Silence);
        }
        let mut waited_for = vec![false; self.links.len()];
        for pair in self.routes.steps.windows(2) {
            if let Some(link) = pair[0].link() {
                waited_for[link] |= !pair[1].at_once;
            }
        }
        for link in (0..self.links.len()).filter(|link| waited_for[*link]) {
            self.wire_places[link] = self.components.len() as u32;
            self.components.push(Component::Wire(link as u32));
        }
        let keys = self.components.iter().map(|component| match *component {
            Component::Samples => self.samples.as_ref().map_or(u64::MAX, WindowSamples::next_at),
            Component::Changes => self.changes.next_at(),
            Component::Queue(link) => self.links[link as usize].next_at(),
            Component::Port(link) => self.ports[link as usize].as_ref().map_or(u64::MAX, |port| port.next_at()),
            Component::Wire(_) | Component::Silence => u64::MAX,
        });
        self.next = Tournament::new(keys.collect(), Turns::of_components(streams, &self.components));
    }

    /// Up to `limit`, or to a while after `watch` has had enough: all that happens before the time that it answers, and
    /// nothing else, has happened then. What `watch` is told is a part of `end`. With [`Ending::AtOnce`] it is none as soon as
    /// `watch` has had enough.
    pub fn walk(&mut self, limit: u64, end: u64, ending: Ending, watch: &mut dyn FnMut(f64) -> bool) -> Option<u64> {
        self.limit = limit;
        self.take_in_parked();
        let mut report = Report::new(end, EVENTS_A_REPORT);
        let mut watched = true;
        loop {
            let (place, next_at) = self.next.first();
            let (micro_flow, wake_at) = self.wakes.first();
            let now = next_at.min(wake_at);
            if now >= self.limit {
                return Some(self.limit);
            }
            if watched && !report.go_on(now, watch) {
                if ending == Ending::AtOnce {
                    return None;
                }
                // Some parts are ahead; all stop at one instant that none has passed.
                watched = false;
                let ahead = self.links.iter().map(|link| link.common.transmitter.busy_until()).max();
                self.limit = self.limit.min(ahead.unwrap_or(0).max(now) + 1);
            }
            if wake_at < next_at {
                self.on_micro_flow(micro_flow as u32, now);
                if self.looks_ahead {
                    self.look_ahead_of(micro_flow);
                }
                continue;
            }
            match self.components[place] {
                Component::Wire(link) => self.on_wire(link as usize, place, now),
                Component::Queue(link) => self.on_queue(link as usize, now),
                Component::Port(link) => self.on_port(link as usize, now),
                Component::Changes => self.on_changes(now),
                Component::Silence => self.on_silence(now),
                Component::Samples => self.on_samples(now),
            }
        }
    }

    /// The first packet of a wire arrives.
    #[inline]
    fn on_wire(&mut self, link: usize, place: usize, now: u64) {
        if let Some(mut packet) = self.wires[link].pop() {
            self.next.update(place, self.wires[link].next_at());
            if self.looks_ahead {
                self.look_along(link);
            }
            self.take_in(now, &mut packet);
        }
    }

    /// A packet arrives at the end of a wire.
    #[inline(always)]
    fn take_in(&mut self, now: u64, packet: &mut Packet) {
        packet.step += 1;
        if packet.flags.has(Flags::BACKWARD) && !self.pass_backward(now, packet) {
            return;
        }
        match self.routes.steps[packet.step as usize].link() {
            Some(link) => self.carry(link, now, packet),
            None if packet.is_ack() => self.on_ack(now, packet),
            None if packet.flags.has(Flags::BACKWARD) => self.on_return(now, packet),
            None => {
                if let Some(link) = self.receive(now, packet) {
                    self.carry(link, now, packet);
                }
            }
        }
    }

    /// Takes in what arrives before the limit and would have been taken in at once, had it not been for the last limit. What
    /// is farther on a way goes first, so that packets stay in their order.
    fn take_in_parked(&mut self) {
        for place in 0..self.routes.last_first.len() {
            let link = self.routes.last_first[place] as usize;
            while let Some(Arrival { at, mut packet }) = self.wires[link].pop_parked(self.limit) {
                self.take_in(at, &mut packet);
            }
        }
    }

    /// Takes a packet to a link's queue at `now`, and onward to where it has to wait.
    fn carry(&mut self, mut link: usize, mut now: u64, packet: &mut Packet) {
        loop {
            if self.ports[link].is_some() && !self.pass(link, now, packet) {
                return;
            }
            let (queued, owner) = self.hosts.describe(packet);
            let outcome = self.links[link].arrive(now, packet, &Arriving { queued, owner }, &mut self.ledger);
            if self.queue_places[link] != NO_PLACE {
                self.after_queue(link, now);
            }
            match self.forward(link, outcome, packet) {
                Some(next) => (link, now) = next,
                None => return,
            }
        }
    }

    /// What came of an arrival or an event at `link`: the next link and the time at which the
    /// packet, or its answer, is there, if that is taken in at once; otherwise it waits on the wire.
    #[inline(always)]
    fn forward(&mut self, link: usize, outcome: Outcome, packet: &mut Packet) -> Option<(usize, u64)> {
        if self.capture.is_some() {
            self.see(link, outcome, packet);
        }
        let arrival = match outcome {
            Outcome::Sent(arrival) => arrival,
            Outcome::Nothing => return None,
            Outcome::Gone(fate, at) => {
                self.give_up(packet, fate, at);
                return None;
            }
        };
        let step = self.routes.steps[packet.step as usize + 1];
        if !step.at_once {
            self.put_on_wire(link, arrival, packet);
            return None;
        }
        if arrival >= self.limit {
            self.wires[link].park(arrival, *packet);
            return None;
        }
        packet.step += 1;
        let next = match step.link() {
            Some(next) => Some(next),
            None => self.receive(arrival, packet),
        };
        next.map(|next| (next, arrival))
    }

    /// A packet is no more.
    #[inline]
    fn give_up(&mut self, packet: &Packet, fate: Fate, at: u64) {
        if packet.is_control() {
            self.hosts.count_lost_control(packet, false);
        }
        self.hosts.forget(packet);
        if packet.flags.has(Flags::BROUGHT) {
            self.hand_back(packet, fate, at);
        }
    }

    #[inline]
    fn put_on_wire(&mut self, link: usize, arrival: u64, packet: &Packet) {
        let first = self.wires[link].push(arrival, *packet);
        let place = self.wire_places[link];
        if first && place != NO_PLACE {
            self.next.update(place as usize, arrival);
        }
    }

    /// A data packet reaches its destination. If that answers, `packet` is the
    /// acknowledgement, which takes the link that is told.
    #[inline]
    fn receive(&mut self, now: u64, packet: &mut Packet) -> Option<usize> {
        let micro_flow = packet.micro_flow as usize;
        let owner = Owner::flow(self.hosts.identities[micro_flow].flow);
        let session = match self.hosts.micro_flows.get_mut(micro_flow) {
            MicroFlow::Datagrams(_) => {
                self.ledger.arrive(owner, now, packet.born, packet.size.into());
                if packet.flags.has(Flags::BROUGHT) {
                    self.hand_back(packet, Fate::Arrived, now);
                }
                return None;
            }
            MicroFlow::Rate(_) if packet.is_control() => {
                *packet = self.hosts.turn(packet)?;
                return self.routes.steps[packet.step as usize].link();
            }
            MicroFlow::Rate(end) => {
                end.on_data(now);
                self.ledger.arrive(owner, now, packet.born, packet.size.into());
                return None;
            }
            MicroFlow::Tcp(session) => session,
        };
        let marked = packet.flags.has(Flags::MARKED);
        let (bytes, ack) = session.on_segment(now, packet.place, packet.generation, &packet.segment(), marked);
        self.ledger.arrive(owner, now, packet.born, bytes);
        match ack {
            Some(ack) => {
                *packet = self.hosts.ack(packet.micro_flow, packet.place, packet.generation, &ack);
                self.routes.steps[packet.step as usize].link()
            }
            None => {
                self.after_micro_flow(packet.micro_flow, now);
                None
            }
        }
    }

    /// An acknowledgement reaches its sender.
    #[inline]
    fn on_ack(&mut self, now: u64, packet: &Packet) {
        if packet.flags.has(Flags::BROUGHT) {
            return self.hand_back(packet, Fate::Arrived, now);
        }
        let ack = self.hosts.take_ack(packet);
        let (micro_flow, place) = (packet.micro_flow, packet.place);
        let MicroFlow::Tcp(session) = self.hosts.micro_flows.get_mut(micro_flow as usize) else { return };
        session.on_ack(now, place, packet.generation, &ack);
        loop {
            let MicroFlow::Tcp(session) = self.hosts.micro_flows.get_mut(micro_flow as usize) else { return };
            let Some(segment) = session.poll_segment(now, place) else { break };
            let generation = session.generation(place);
            self.send_segment(now, micro_flow, place, generation, &segment);
        }
        self.after_micro_flow(micro_flow, now);
    }

    /// A micro-flow does something by itself.
    fn on_micro_flow(&mut self, micro_flow: u32, now: u64) {
        match self.hosts.micro_flows.get_mut(micro_flow as usize) {
            MicroFlow::Datagrams(stream) => match stream.take() {
                Next::Made { size_bytes } => {
                    let mut packet = self.hosts.datagram(micro_flow, now, size_bytes);
                    self.send(now, &mut packet);
                }
                Next::Brought { handle, .. } => self.send_brought(micro_flow, now, handle),
            },
            MicroFlow::Rate(end) => {
                let mut bytes = self.hosts.cells.buffer();
                let taken = end.take(now, &mut bytes);
                self.send_controlled(micro_flow, now, taken, bytes);
            }
            MicroFlow::Tcp(session) => {
                session.wake(now);
                loop {
                    let MicroFlow::Tcp(session) = self.hosts.micro_flows.get_mut(micro_flow as usize) else { return };
                    match session.poll(now) {
                        Some(Output::Segment(place, segment)) => {
                            let generation = session.generation(place);
                            self.send_segment(now, micro_flow, place, generation, &segment);
                        }
                        Some(Output::Ack(place, ack)) => {
                            let generation = session.generation(place);
                            let mut ack = self.hosts.ack(micro_flow, place, generation, &ack);
                            if let Some(link) = self.routes.steps[ack.step as usize].link() {
                                self.carry(link, now, &mut ack);
                            }
                        }
                        None => break,
                    }
                }
            }
        }
        self.after_micro_flow(micro_flow, now);
    }

    #[inline(always)]
    fn send_segment(
        &mut self,
        now: u64,
        micro_flow: u32,
        place: u16,
        generation: u16,
        segment: &fairwire_laws::transport::Segment,
    ) {
        let mut packet = self.hosts.segment(micro_flow, place, generation, segment);
        self.send(now, &mut packet);
    }

    /// A data packet leaves its source.
    #[inline]
    fn send(&mut self, now: u64, packet: &mut Packet) {
        let owner = Owner::flow(self.hosts.identities[packet.micro_flow as usize].flow);
        self.ledger.send(owner, now, packet.flags.has(Flags::RETRANSMITTED));
        if let Some(link) = self.routes.steps[packet.step as usize].link() {
            self.carry(link, now, packet);
        }
    }

    /// A micro-flow may want to be woken at another time. A time gone by means `now`.
    #[inline(always)]
    fn after_micro_flow(&mut self, micro_flow: u32, now: u64) {
        let next_at = self.hosts.next_at(micro_flow as usize).max(now);
        self.wakes.update(micro_flow as usize, next_at);
        if self.hosts.makes_no_more(micro_flow as usize) && self.visitors.is_none() {
            self.after_last(micro_flow as usize);
        }
    }

    /// A micro-flow does nothing more by itself. If it sends no more, queues on its routes are told.
    #[cold]
    fn after_last(&mut self, micro_flow: usize) {
        let Some(flows) = self.hosts.take_over(micro_flow) else { return };
        let (forward, reverse) = self.routes.begins[self.hosts.identities[micro_flow].flow as usize];
        for begin in [forward, reverse] {
            let route = self.routes.steps[begin as usize..].iter().map_while(|step| step.link());
            for (link, flow) in route.flat_map(|link| flows.iter().map(move |flow| (link, *flow))) {
                self.links[link].stop(flow);
            }
        }
    }

    /// A transmission ends, or a law is to be woken.
    fn on_queue(&mut self, link: usize, now: u64) {
        let mut packet = Packet::default();
        let outcome = self.links[link].handle_event(now, &mut packet, &mut self.ledger);
        self.after_queue(link, now);
        if let Some((link, now)) = self.forward(link, outcome, &mut packet) {
            self.carry(link, now, &mut packet);
        }
    }

    #[inline(never)]
    fn after_queue(&mut self, link: usize, now: u64) {
        while let Some((evicted, fate)) = self.links[link].take_evicted() {
            self.give_up(&evicted, fate, now);
        }
        self.next.update(self.queue_places[link] as usize, self.links[link].next_at());
    }

    #[cold]
    fn on_samples(&mut self, now: u64) {
        if let Some(samples) = &mut self.samples {
            samples.take(now, &self.hosts);
            let next_at = samples.next_at();
            self.next.update(0, next_at);
        }
    }
}
