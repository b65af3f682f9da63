//! A small network of packets for rate laws: ports with first-in-first-out queues, links with delays, sources and
//! destinations. Control packets are bytes all the way. They come back without waiting: the way back has no queues.

pub mod measures;
pub mod plan;
mod port;
pub mod random;
pub mod reference;

use fairwire_core::{BitRate, FlowId, Instant, RandomStream, Span, Streams};
use fairwire_laws::rate::{Leaving, RateLawChoice, Refusal, Sender};
pub use plan::{Change, FlowPlan, Plan, PortPlan};
pub use port::Port;
use rand::RngExt;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A packet on its way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Packet {
    pub flow: usize,
    /// Its size, also of a control packet.
    pub size_bytes: u32,
    /// The bytes of a control packet.
    pub control: Option<Vec<u8>>,
    /// Whether its flow sends nothing after it.
    pub last: bool,
    /// After so many steps of its way, out and back, it is lost.
    lost_after: Option<usize>,
    steps: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Start(usize),
    Change(usize),
    /// A source may send; only the wake-up that was asked for last counts.
    Wake(usize, u64),
    /// A packet comes to the port with this place on its route, or to the destination.
    Arrive(usize, Box<Packet>),
    /// A port has sent its first packet.
    Sent(usize),
    /// A control packet comes back past the port with this place on its route.
    Back(usize, Box<Packet>),
    Returned(Box<Packet>),
    Timeout(usize),
}

/// One flow as it runs.
pub struct Flow {
    pub plan: FlowPlan,
    pub sender: Sender,
    wake: u64,
    /// It says nothing before.
    resumes: Instant,
    /// Every change of its allowed rate.
    pub rates: Vec<(Instant, f64)>,
    pub data_sent: u64,
    pub control_sent: u64,
    /// Control packets that ports sent to it by themselves.
    pub control_noticed: u64,
    pub delivered_bytes: u64,
    pub refused: Vec<Refusal>,
}

pub struct World {
    pub now: Instant,
    law: RateLawChoice,
    pub ports: Vec<Port>,
    pub flows: Vec<Flow>,
    changes: Vec<(Instant, Change)>,
    control_loss: f64,
    events: BinaryHeap<Reverse<(Instant, u64, Event)>>,
    order: u64,
    losses: RandomStream,
}

impl World {
    pub fn new(law: &RateLawChoice, plan: &Plan) -> Self {
        let streams = Streams::new(plan.seed, 0);
        let ports = plan.ports.iter().enumerate();
        let flows = plan.flows.iter().map(|flow| Flow {
            plan: flow.clone(),
            sender: Sender::new(law, &flow.sending, &flow.terms),
            wake: 0,
            resumes: Instant::ZERO,
            rates: Vec::new(),
            data_sent: 0,
            control_sent: 0,
            control_noticed: 0,
            delivered_bytes: 0,
            refused: Vec::new(),
        });
        let mut world = Self {
            now: Instant::ZERO,
            law: law.clone(),
            ports: ports.map(|(at, port)| Port::new(law, port, streams.component(&format!("port/{at}")))).collect(),
            flows: flows.collect(),
            changes: plan.changes.clone(),
            control_loss: plan.control_loss,
            events: BinaryHeap::new(),
            order: 0,
            losses: streams.component("losses"),
        };
        for (at, flow) in plan.flows.iter().enumerate() {
            world.schedule(flow.start, Event::Start(at));
        }
        for (at, (time, _)) in plan.changes.iter().enumerate() {
            world.schedule(*time, Event::Change(at));
        }
        world
    }

    fn schedule(&mut self, at: Instant, event: Event) {
        self.order += 1;
        self.events.push(Reverse((at, self.order, event)));
    }

    /// Lets everything happen that happens before `until`.
    pub fn run(&mut self, until: Instant) {
        while self.events.peek().is_some_and(|Reverse((at, _, _))| *at < until) {
            if let Some(Reverse((at, _, event))) = self.events.pop() {
                self.now = at;
                self.happen(event);
            }
        }
        self.now = until;
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Start(flow) => {
                let stop = self.flows[flow].plan.stop;
                self.flows[flow].sender.start(self.now, stop, None);
                self.note_rate(flow);
                self.wake_later(flow);
            }
            Event::Change(at) => self.change(at),
            Event::Wake(flow, wake) if wake == self.flows[flow].wake => self.send(flow),
            Event::Wake(..) => {}
            Event::Arrive(hop, packet) => self.arrive(hop, packet),
            Event::Sent(port) => self.sent(port),
            Event::Back(hop, packet) => self.back(hop, packet),
            Event::Returned(packet) => self.returned(&packet),
            Event::Timeout(port) => {
                self.ports[port].timeout(self.now);
                self.watch_timeout(port);
                self.send_notices(port);
            }
        }
    }

    /// What a port sends to sources by itself. Notices are lost like other control packets.
    fn send_notices(&mut self, port: usize) {
        let mut bytes = Vec::new();
        while let Some(FlowId(flow)) = self.ports[port].law.poll_notice(&mut bytes) {
            let flow = flow as usize;
            self.flows[flow].control_noticed += 1;
            let Some(hop) = self.flows[flow].plan.route.iter().position(|at| *at == port) else { continue };
            let is_lost = self.losses.random_bool(self.control_loss);
            let lost_after = is_lost.then(|| self.losses.random_range(0..hop + 1));
            let size_bytes = bytes.len() as u32;
            let control = Some(std::mem::take(&mut bytes));
            let packet = Packet { flow, size_bytes, control, last: false, lost_after, steps: 0 };
            self.back_from(hop, Box::new(packet));
        }
    }

    fn change(&mut self, at: usize) {
        match self.changes[at].1.clone() {
            Change::Terms { flow, terms } => {
                self.flows[flow].plan.terms = terms;
                for hop in 0..self.flows[flow].plan.route.len() {
                    let port = self.flows[flow].plan.route[hop];
                    self.ports[port].terms(self.now, FlowId(flow as u32), &terms);
                    self.watch_timeout(port);
                }
                if self.flows[flow].sender.on_terms(self.now, &terms) && self.flows[flow].sender.is_on() {
                    self.note_rate(flow);
                    self.wake_later(flow);
                }
            }
            Change::Pause { flow, span } => {
                self.flows[flow].resumes = self.now + span;
                self.wake_later(flow);
            }
            Change::Capacity { port, bps } => self.ports[port].capacity(self.now, BitRate::from_bps(bps)),
            Change::Higher { port, bps } => self.ports[port].higher(self.now, bps as f64),
        }
    }

    fn note_rate(&mut self, flow: usize) {
        let rate = self.flows[flow].sender.allowed_bps();
        self.flows[flow].rates.push((self.now, rate));
    }

    fn wake_later(&mut self, flow: usize) {
        if self.now < self.flows[flow].resumes {
            let resumes = self.flows[flow].resumes;
            self.flows[flow].sender.pause(resumes);
        }
        self.flows[flow].wake += 1;
        let (at, wake) = (self.flows[flow].sender.poll_timeout(), self.flows[flow].wake);
        if at != Instant::NEVER {
            self.schedule(at.max(self.now), Event::Wake(flow, wake));
        }
    }

    fn send(&mut self, at: usize) {
        let mut bytes = Vec::new();
        let flow = &mut self.flows[at];
        let taken = flow.sender.take(self.now, &mut bytes);
        let (sending, access, hops) = (flow.plan.sending, flow.plan.access, flow.plan.route.len());
        if let Some((leaving, last)) = taken {
            let control = (leaving == Leaving::Control).then_some(bytes);
            let size_bytes = control.as_ref().map_or(u32::from(sending.packet_bytes), |bytes| bytes.len() as u32);
            if control.is_some() {
                flow.control_sent += 1;
            } else {
                flow.data_sent += 1;
            }
            let is_lost = control.is_some() && self.losses.random_bool(self.control_loss);
            let lost_after = is_lost.then(|| self.losses.random_range(0..2 * hops + 1));
            let packet = Packet { flow: at, size_bytes, control, last, lost_after, steps: 0 };
            self.travel(access, Box::new(packet), |packet| Event::Arrive(0, packet));
        }
        self.wake_later(at);
    }

    /// A packet goes one step on, unless it is lost on it.
    fn travel(&mut self, delay: Span, mut packet: Box<Packet>, event: impl FnOnce(Box<Packet>) -> Event) {
        packet.steps += 1;
        if packet.lost_after.is_none_or(|steps| packet.steps <= steps) {
            self.schedule(self.now + delay, event(packet));
        }
    }

    fn arrive(&mut self, hop: usize, mut packet: Box<Packet>) {
        let flow = &mut self.flows[packet.flow];
        let Some(&port) = flow.plan.route.get(hop) else {
            flow.delivered_bytes += u64::from(packet.size_bytes);
            if let Some(bytes) = &mut packet.control {
                match self.law.turn(&flow.plan.terms, bytes) {
                    Ok(()) => self.back_from(hop, packet),
                    Err(refusal) => flow.refused.push(refusal),
                }
            }
            return;
        };
        let terms = flow.plan.terms;
        match self.ports[port].arrive(self.now, hop, packet, &terms) {
            Ok(Some(sent_at)) => self.schedule(sent_at, Event::Sent(port)),
            Ok(None) => {}
            Err((flow, refusal)) => self.flows[flow].refused.push(refusal),
        }
        self.watch_timeout(port);
    }

    fn sent(&mut self, port: usize) {
        let ((hop, packet), next) = self.ports[port].sent(self.now);
        if let Some(sent_at) = next {
            self.schedule(sent_at, Event::Sent(port));
        }
        let delay = self.ports[port].delay;
        self.travel(delay, packet, |packet| Event::Arrive(hop + 1, packet));
    }

    /// A control packet leaves backward from what comes after the port at `hop - 1`.
    fn back_from(&mut self, hop: usize, packet: Box<Packet>) {
        let plan = &self.flows[packet.flow].plan;
        match hop.checked_sub(1) {
            Some(before) => {
                let delay = self.ports[plan.route[before]].delay;
                self.travel(delay, packet, |packet| Event::Back(before, packet));
            }
            None => self.travel(plan.access, packet, Event::Returned),
        }
    }

    fn back(&mut self, hop: usize, mut packet: Box<Packet>) {
        let port = self.flows[packet.flow].plan.route[hop];
        match self.ports[port].back(self.now, &mut packet) {
            Ok(()) => self.back_from(hop, packet),
            Err(refusal) => self.flows[packet.flow].refused.push(refusal),
        }
        self.watch_timeout(port);
    }

    fn returned(&mut self, packet: &Packet) {
        let (at, now) = (packet.flow, self.now);
        let Some(bytes) = &packet.control else { return };
        match self.flows[at].sender.on_return(now, bytes) {
            Ok(changed) if self.flows[at].sender.is_on() => {
                if changed {
                    self.note_rate(at);
                }
                self.wake_later(at);
            }
            Ok(_) => {}
            Err(refusal) => self.flows[at].refused.push(refusal),
        }
    }

    fn watch_timeout(&mut self, port: usize) {
        if let Some(at) = self.ports[port].watch_timeout(self.now) {
            self.schedule(at, Event::Timeout(port));
        }
    }
}
