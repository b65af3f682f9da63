//! One output port: its queue, its link, its law.

use super::{Packet, PortPlan};
use fairwire_core::{BitRate, Cx, FlowId, Instant, RandomStream, Span};
use fairwire_laws::rate::{Admission, AnyRateLaw, PortSite, PortView, RateLawChoice, Refusal, Terms};
use std::collections::VecDeque;

pub struct Port {
    pub law: AnyRateLaw,
    pub delay: Span,
    capacity: BitRate,
    higher_bps: f64,
    /// What higher priority has sent up to `since`, in bytes.
    higher_bytes: f64,
    since: Instant,
    buffer: u32,
    queue: VecDeque<(usize, Box<Packet>)>,
    /// When the link is free, with its fraction of a nanosecond.
    free_ns: f64,
    controlled_bytes: u64,
    open: Vec<usize>,
    /// When the law is woken next.
    timeout: Instant,
    rng: RandomStream,
    /// Since the last [`Port::begin`]: the longest queue, the most flows.
    pub longest: usize,
    pub most_open: usize,
    /// The longest queue of all time that a data packet ended.
    pub longest_with_data: usize,
    /// Data packets dropped by the law, by flow; then those for which the buffer was full.
    pub dropped: Vec<(usize, Admission)>,
    pub overflowed: Vec<usize>,
}

impl Port {
    pub fn new(law: &RateLawChoice, plan: &PortPlan, rng: RandomStream) -> Self {
        let capacity = BitRate::from_bps(plan.capacity_bps);
        Self {
            law: law.port(&PortSite { start: Instant::ZERO, capacity }),
            delay: plan.delay,
            capacity,
            higher_bps: 0.0,
            higher_bytes: 0.0,
            since: Instant::ZERO,
            buffer: plan.buffer,
            queue: VecDeque::new(),
            free_ns: 0.0,
            controlled_bytes: 0,
            open: Vec::new(),
            timeout: Instant::NEVER,
            rng,
            longest: 0,
            most_open: 0,
            longest_with_data: 0,
            dropped: Vec::new(),
            overflowed: Vec::new(),
        }
    }

    /// Queue and flows are measured anew.
    pub fn begin(&mut self) {
        (self.longest, self.most_open) = (self.queue.len(), self.open.len());
    }

    /// Packets in the queue.
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    fn count_higher(&mut self, now: Instant) {
        self.higher_bytes += self.higher_bps / 8.0 * now.since(self.since).as_secs_f64();
        self.since = now;
    }

    fn view(&mut self, now: Instant) -> PortView {
        self.count_higher(now);
        PortView {
            capacity: self.capacity,
            packets: self.queue.len() as u32,
            controlled_bytes: self.controlled_bytes,
            higher_bytes: self.higher_bytes as u64,
            uncontrolled_bytes: 0,
        }
    }

    pub fn terms(&mut self, now: Instant, flow: FlowId, terms: &Terms) {
        if self.open.contains(&flow.index()) {
            self.law.on_terms(&mut Cx { now, rng: &mut self.rng, probe: None }, flow, terms);
        }
    }

    pub fn capacity(&mut self, now: Instant, capacity: BitRate) {
        self.capacity = capacity;
        self.law.on_capacity(now, capacity);
    }

    pub fn higher(&mut self, now: Instant, bps: f64) {
        self.count_higher(now);
        self.higher_bps = bps;
    }

    /// A packet comes: when the link will have sent it, if the link was idle; or why it is refused.
    pub fn arrive(
        &mut self,
        now: Instant,
        hop: usize,
        mut packet: Box<Packet>,
        terms: &Terms,
    ) -> Result<Option<Instant>, (usize, Refusal)> {
        let view = self.view(now);
        let (at, flow, last) = (packet.flow, FlowId(packet.flow as u32), packet.last);
        let cx = &mut Cx { now, rng: &mut self.rng, probe: None };
        let is_open = self.open.contains(&at);
        let says_again = !is_open && last && packet.control.is_some();
        if !is_open && !says_again {
            self.open.push(at);
            self.most_open = self.most_open.max(self.open.len());
            self.law.on_open(cx, flow, terms);
        }
        let verdict = match &mut packet.control {
            _ if says_again => Ok(Admission::Accept),
            Some(bytes) => self.law.on_forward_of_open(cx, flow, terms, bytes, &view).map(|()| Admission::Accept),
            None => Ok(self.law.on_data(cx, flow, packet.size_bytes, &view)),
        };
        if last && !says_again {
            self.law.on_close(cx, flow);
            self.open.retain(|open| *open != at);
        }
        match verdict.map_err(|refusal| (at, refusal))? {
            Admission::Accept if self.queue.len() >= self.buffer as usize => self.overflowed.push(at),
            Admission::Accept => {
                self.controlled_bytes += u64::from(packet.size_bytes);
                if packet.control.is_none() {
                    self.longest_with_data = self.longest_with_data.max(self.queue.len() + 1);
                }
                self.queue.push_back((hop, packet));
                self.longest = self.longest.max(self.queue.len());
                if self.queue.len() == 1 {
                    return Ok(Some(self.transmit(now)));
                }
            }
            admission => self.dropped.push((at, admission)),
        }
        Ok(None)
    }

    /// The first packet begins to be sent: when it will have been.
    fn transmit(&mut self, now: Instant) -> Instant {
        let bits = self.queue.front().map_or(0.0, |(_, packet)| f64::from(packet.size_bytes) * 8.0);
        let now_ns = now.as_nanos() as f64;
        let begin = if self.free_ns.floor() == now_ns { self.free_ns } else { now_ns };
        self.free_ns = begin + bits / (self.capacity.as_bps_f64() - self.higher_bps) * 1e9;
        Instant::from_nanos(self.free_ns as u64)
    }

    /// The first packet has been sent: it, its place on its route, and when the next one will have been.
    pub fn sent(&mut self, now: Instant) -> ((usize, Box<Packet>), Option<Instant>) {
        let first = self.queue.pop_front().expect("a packet was in transmission");
        let next = (!self.queue.is_empty()).then(|| self.transmit(now));
        (first, next)
    }

    pub fn back(&mut self, now: Instant, packet: &mut Packet) -> Result<(), Refusal> {
        let view = self.view(now);
        let bytes = packet.control.as_mut().expect("only control packets come back");
        let cx = &mut Cx { now, rng: &mut self.rng, probe: None };
        self.law.on_backward(cx, FlowId(packet.flow as u32), bytes, &view)
    }

    pub fn timeout(&mut self, now: Instant) {
        let view = self.view(now);
        self.timeout = Instant::NEVER;
        if self.law.poll_timeout().is_some_and(|at| at <= now) {
            self.law.handle_timeout(&mut Cx { now, rng: &mut self.rng, probe: None }, &view);
        }
    }

    /// When the law wants to be woken, if that is earlier than it was before.
    pub fn watch_timeout(&mut self, now: Instant) -> Option<Instant> {
        let at = self.law.poll_timeout()?.max(now);
        (at < self.timeout).then(|| {
            self.timeout = at;
            at
        })
    }
}
