//! Ports in a row, and flows over some of them, in a world where anything may happen to control packets: they are late,
//! lost, repeated, out of order or broken. Every call is checked.

use crate::rate_contract::checks;
use fairwire_core::{BitRate, Cx, FlowId, Instant, RandomStream, Span, Streams};
use fairwire_laws::rate::{
    Admission, AnyRateLaw, AnyRateSource, FirstRate, PortSite, PortView, RateLawChoice, Refusal, Terms,
};
use std::ops::Range;

/// Time passes no further than to so many timeouts; what else is due comes late.
const MOST_WAKES: usize = 60;
/// Of more letters the oldest are lost.
const MOST_LETTERS: usize = 40;

/// A law at one port, with what its driver keeps.
#[derive(Clone, Debug)]
pub struct Port {
    pub law: AnyRateLaw,
    pub view: PortView,
    rng: RandomStream,
    /// Flows of which a packet came, and not the last one.
    pub open: Vec<usize>,
}

/// A flow and its source.
#[derive(Clone, Debug)]
pub struct Flow {
    pub terms: Terms,
    pub source: AnyRateSource,
    /// The ports on its way.
    pub route: Range<usize>,
}

/// A control packet on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    pub flow: usize,
    pub bytes: Vec<u8>,
    /// Ports that it has passed, out and back, and its destination.
    pub steps: usize,
    /// Whether its bytes are as a source or a port wrote them.
    pub is_sound: bool,
}

/// What came of something.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    Data(Admission),
    Passed(Result<(), Refusal>),
    /// All that can be seen from outside.
    Seen {
        wakes: Vec<Option<Span>>,
        flows: Vec<usize>,
        reserved_bps: Vec<f64>,
        sources: Vec<(f64, bool, bool)>,
    },
}

#[derive(Clone, Debug)]
pub struct Chain {
    law: RateLawChoice,
    start: Instant,
    pub now: Instant,
    pub ports: Vec<Port>,
    pub flows: Vec<Flow>,
    pub letters: Vec<Letter>,
    pub deeds: Vec<Deed>,
}

impl Chain {
    /// Ports of these capacities in Mb/s, and flows with their first rates and routes.
    pub fn new(law: &RateLawChoice, start: Instant, mbps: &[u64], flows: &[(Terms, FirstRate, Range<usize>)]) -> Self {
        let port = |(at, mbps): (usize, &u64)| {
            let capacity = BitRate::from_mbps(*mbps);
            Port {
                law: law.port(&PortSite { start, capacity }),
                view: PortView { capacity, ..PortView::default() },
                rng: Streams::new(1, 0).component(&format!("port/{at}")),
                open: Vec::new(),
            }
        };
        let flow = |(terms, first, route): &(Terms, FirstRate, Range<usize>)| Flow {
            terms: *terms,
            source: law.source(terms, *first),
            route: route.clone(),
        };
        Self {
            law: law.clone(),
            start,
            now: start,
            ports: mbps.iter().enumerate().map(port).collect(),
            flows: flows.iter().map(flow).collect(),
            letters: Vec::new(),
            deeds: Vec::new(),
        }
    }

    /// Calls the law of a port, and checks what it then shows. What it refuses changes nothing.
    fn call<T>(
        &mut self,
        port: usize,
        call: impl FnOnce(&mut AnyRateLaw, &mut Cx<'_>, &PortView) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let Port { law, view, rng, .. } = &mut self.ports[port];
        let before = law.clone();
        let result = call(law, &mut Cx { now: self.now, rng, probe: None }, view);
        if result.is_err() {
            checks::is_the_same(&before, law);
        }
        checks::port(&self.ports[port]);
        result
    }

    fn tell(&mut self, port: usize, call: impl FnOnce(&mut AnyRateLaw, &mut Cx<'_>, &PortView)) {
        let told = self.call(port, |law, cx, view| {
            call(law, cx, view);
            Ok(())
        });
        assert_eq!(told, Ok(()));
    }

    /// The first packet of a flow opens it.
    fn open(&mut self, port: usize, flow: usize) {
        if !self.ports[port].open.contains(&flow) {
            self.ports[port].open.push(flow);
            let terms = self.flows[flow].terms;
            self.tell(port, |law, cx, _| law.on_open(cx, FlowId(flow as u32), &terms));
        }
    }

    /// The last packet of a flow has come.
    pub fn close(&mut self, port: usize, flow: usize) {
        if self.ports[port].open.contains(&flow) {
            self.ports[port].open.retain(|open| *open != flow);
            self.tell(port, |law, cx, _| law.on_close(cx, FlowId(flow as u32)));
        }
    }

    /// A data packet comes to all ports on its way.
    pub fn data(&mut self, flow: usize, size_bytes: u32) {
        for port in self.flows[flow].route.clone() {
            self.open(port, flow);
            let on_data = |law: &mut AnyRateLaw, cx: &mut Cx<'_>, view: &PortView| {
                Ok(law.on_data(cx, FlowId(flow as u32), size_bytes, view))
            };
            let admission = self.call(port, on_data).expect("data is not refused");
            self.ports[port].view.controlled_bytes += u64::from(size_bytes);
            self.deeds.push(Deed::Data(admission));
            if admission != Admission::Accept {
                break;
            }
        }
    }

    /// The source of a flow writes a control packet.
    pub fn write(&mut self, flow: usize, closing: bool) {
        let mut bytes = Vec::new();
        self.flows[flow].source.write(self.now, closing, &mut bytes);
        self.letters.push(Letter { flow, bytes, steps: 0, is_sound: true });
        if self.letters.len() > MOST_LETTERS {
            self.letters.remove(0);
        }
    }

    /// A letter goes one step on; it stands again among the others, unless it is refused or has come back.
    pub fn step(&mut self, mut letter: Letter) {
        let (flow, route) = (letter.flow, self.flows[letter.flow].route.clone());
        let hops = route.len();
        let id = FlowId(flow as u32);
        let before = letter.bytes.clone();
        let bytes = &mut letter.bytes;
        let result = match letter.steps {
            step if step < hops => {
                let port = route.start + step;
                self.open(port, flow);
                let size = bytes.len() as u64;
                let terms = self.flows[flow].terms;
                let result = self.call(port, |law, cx, view| law.on_forward_of_open(cx, id, &terms, bytes, view));
                self.ports[port].view.controlled_bytes += size;
                result
            }
            step if step == hops => self.law.turn(&self.flows[flow].terms, bytes),
            step if step <= 2 * hops => {
                let port = route.start + 2 * hops - step;
                self.call(port, |law, cx, view| law.on_backward(cx, id, bytes, view))
            }
            _ => {
                let source = &mut self.flows[flow].source;
                let told = source.allowed_bps();
                let result = source.on_return(self.now, bytes);
                assert!(result.is_ok() || source.allowed_bps() == told, "what is refused tells nothing");
                result
            }
        };
        if let Err(refusal) = result {
            assert_eq!(letter.bytes, before, "what is refused stays as it was");
            let malformed =
                matches!(refusal, Refusal::Length | Refusal::Checksum | Refusal::Field | Refusal::Direction);
            assert!(!(letter.is_sound && malformed), "{refusal:?} of a packet that is as a law wrote it");
        } else if letter.steps <= 2 * hops {
            letter.steps += 1;
            self.letters.push(letter);
        }
        self.deeds.push(Deed::Passed(result));
    }

    /// A control packet of a flow goes all the way, and comes back to its source.
    pub fn round(&mut self, flow: usize) {
        let others = std::mem::take(&mut self.letters);
        self.write(flow, false);
        while let Some(letter) = self.letters.pop() {
            self.step(letter);
        }
        self.letters = others;
    }

    /// A flow has other terms.
    pub fn terms(&mut self, flow: usize, terms: &Terms) {
        self.flows[flow].terms = *terms;
        self.flows[flow].source.on_terms(terms);
        for port in self.flows[flow].route.clone() {
            if self.ports[port].open.contains(&flow) {
                self.tell(port, |law, cx, _| law.on_terms(cx, FlowId(flow as u32), terms));
            }
        }
    }

    /// A flow begins with the number of another one, of which control packets may still be on their way. Ports may not have
    /// heard that that one is over.
    pub fn renew(&mut self, flow: usize, terms: &Terms, first: FirstRate, is_closed: bool) {
        if is_closed {
            self.flows[flow].route.clone().for_each(|port| self.close(port, flow));
        }
        self.flows[flow].source = self.law.source(terms, first);
        self.flows[flow].terms = *terms;
    }

    pub fn capacity(&mut self, port: usize, kbps: u64) {
        let capacity = BitRate::from_bps(kbps * 1000);
        self.ports[port].view.capacity = capacity;
        let now = self.now;
        self.tell(port, |law, _, _| law.on_capacity(now, capacity));
    }

    /// Time passes, and who wants to be woken meanwhile is, in time unless it was due before.
    pub fn pass(&mut self, span: Span) {
        let until = self.now + span;
        for _ in 0..MOST_WAKES {
            let due = |port: &Port| port.law.poll_timeout().filter(|due| *due <= until);
            let next = (0..self.ports.len()).filter_map(|at| Some((due(&self.ports[at])?, at))).min();
            let Some((due, port)) = next else { break };
            self.now = self.now.max(due);
            self.tell(port, |law, cx, view| law.handle_timeout(cx, view));
            let (next, now) = (self.ports[port].law.poll_timeout(), self.now);
            assert!(next.is_none_or(|next| next > now), "{next:?} is not to come at {now:?}");
        }
        self.now = until;
    }

    /// Time passes in which nobody is called.
    pub fn stall(&mut self, span: Span) {
        self.now += span;
    }

    /// Writes down what can be seen.
    pub fn look(&mut self) {
        for flow in &self.flows {
            checks::source(flow);
        }
        let wakes = |port: &Port| port.law.poll_timeout().map(|at| at.since(self.start));
        let told =
            |Flow { source, .. }: &Flow| (source.allowed_bps(), source.may_send_data(), source.asks_at().is_some());
        self.deeds.push(Deed::Seen {
            wakes: self.ports.iter().map(wakes).collect(),
            flows: self.ports.iter().map(|port| port.law.flows()).collect(),
            reserved_bps: self.ports.iter().map(|port| port.law.reserved_bps()).collect(),
            sources: self.flows.iter().map(told).collect(),
        });
    }
}
