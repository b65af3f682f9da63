//! Ports that count active flows and measure load over averaging intervals: what all forms of ERICA have in common.
//!
//! At the end of an interval a law hears what came in it, and finds rates that it tells flows until the next one is over.

use super::active::{ActiveFlows, Sums, earlier};
use super::available::Available;
use super::averaging::Load;
use super::roster::Roster;
use crate::rate::cell::{RateCell, RateFormat};
use crate::rate::packets::Packets;
use crate::rate::plain_source::{Explicit, PlainLaw, PlainSource};
use crate::rate::{Admission, PortSite, PortView, RateLaw, Refusal, Terms};
use crate::{LawAbout, WireMessage};
use fairwire_core::{BitRate, Cx, FlowId, Instant, Span};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

/// What a law makes of what such a port has counted.
pub trait Rules: Clone + Debug + 'static {
    /// What a scenario may set.
    type Params: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema;
    /// What the law keeps of a flow.
    type Kept: Clone + Copy + Debug + Default;

    /// Name, idea and source.
    const ABOUT: LawAbout;
    /// What its explicit rate means.
    const EXPLICIT: Explicit;
    /// Whether the sum of all minimums is kept from traffic of higher priority.
    const KEEPS_MINIMUMS: bool;

    /// What is wrong with the parameters, as [`RateLaw::problem`].
    fn problem(params: &Self::Params) -> Option<String>;

    /// How the port counts and measures.
    fn counting(params: &Self::Params) -> Counting;

    /// The rules at a port that has counted nothing yet.
    fn new(params: &Self::Params, capacity_bps: f64) -> Self;

    /// An averaging interval is over: `load` came in it, of the flows whose sums are `active`, and other traffic leaves
    /// `available_bps`.
    fn end_interval(&mut self, available_bps: f64, port: &PortView, load: Load, active: Sums);

    /// What a flow is told in the averaging interval of that number, in bit/s.
    fn explicit_bps(&mut self, interval: u64, current_bps: f64, kept: &mut Self::Kept, terms: &Terms) -> f64;

    /// The link carries `factor` times what it did: what is told changes in proportion, until the interval is over.
    fn scale(&mut self, factor: f64);
}

/// How a port counts and measures.
#[derive(Clone, Copy, Debug)]
pub struct Counting {
    /// The averaging interval.
    pub interval: Span,
    /// It ends after so many packets at the latest; 0 packets: by time alone.
    pub interval_packets: Packets,
    /// For how long the bandwidth that other traffic leaves is measured.
    pub measure: Span,
    /// After how long without a packet a flow is forgotten.
    pub idle_after: Span,
    /// How rates stand in control packets.
    pub rates: RateFormat,
}

/// A law at one output port.
#[derive(Clone, Debug)]
pub struct CountingPort<R: Rules> {
    rules: R,
    capacity_bps: f64,
    available: Available,
    flows: Roster<FlowCount<R::Kept>>,
    active: ActiveFlows,
}

/// What is kept of a flow.
#[derive(Clone, Copy, Debug, Default)]
struct FlowCount<K> {
    /// CCR in bit/s; zero until a control packet came.
    current_bps: f64,
    /// The averaging interval in which a packet of it came last.
    heard_in: u64,
    kept: K,
}

impl<R: Rules> CountingPort<R> {
    fn end_interval(&mut self, now: Instant, port: &PortView, load: Load, active: Sums) {
        let available_bps = self.available.bps(now, port, self.reserved_bps());
        self.rules.end_interval(available_bps, port, load, active);
    }

    #[inline]
    fn on_packet(&mut self, now: Instant, slot: Option<u32>, size_bytes: u32, port: &PortView) {
        let Some(member) = slot.and_then(|slot| self.flows.get_mut(slot)) else { return };
        let over = self.active.on_packet(now, size_bytes, port, &mut member.own.heard_in, &member.terms);
        if let Some((load, active)) = over {
            self.end_interval(now, port, load, active);
        }
    }
}

impl<R: Rules> RateLaw for CountingPort<R> {
    type Params = R::Params;
    type Message = RateCell;
    type Source = PlainSource<Self>;

    const ABOUT: LawAbout = R::ABOUT;

    fn problem(params: &R::Params) -> Option<String> {
        R::problem(params)
    }

    fn new(params: &R::Params, site: &PortSite) -> Self {
        let (counting, capacity_bps) = (R::counting(params), site.capacity.as_bps_f64());
        Self {
            rules: R::new(params, capacity_bps),
            capacity_bps,
            available: Available::new(counting.measure, site.start),
            flows: Roster::new(counting.idle_after),
            active: ActiveFlows::new(counting.interval, counting.interval_packets),
        }
    }

    fn turn(_params: &R::Params, terms: &Terms, message: &mut RateCell) {
        message.explicit_bps = message.explicit_bps.min(R::EXPLICIT.at_destination(terms));
    }

    fn on_open(&mut self, cx: &mut Cx<'_>, flow: FlowId, terms: &Terms) {
        self.flows.open(cx.now, flow, terms, FlowCount::default());
    }

    fn on_terms(&mut self, _cx: &mut Cx<'_>, flow: FlowId, terms: &Terms) {
        self.flows.set_terms(flow, terms);
    }

    fn on_close(&mut self, _cx: &mut Cx<'_>, flow: FlowId) {
        self.flows.close(flow);
    }

    #[inline]
    fn on_data(&mut self, cx: &mut Cx<'_>, flow: FlowId, size_bytes: u32, port: &PortView) -> Admission {
        let slot = self.flows.on_data(cx.now, flow);
        self.on_packet(cx.now, slot, size_bytes, port);
        Admission::Accept
    }

    fn on_forward(
        &mut self,
        cx: &mut Cx<'_>,
        flow: FlowId,
        message: &mut RateCell,
        port: &PortView,
    ) -> Result<(), Refusal> {
        let slot = self.flows.on_forward(cx.now, flow, message.number)?;
        if let Some(member) = self.flows.get_mut(slot) {
            member.own.current_bps = message.current_bps;
        }
        self.on_packet(cx.now, Some(slot), message.wire_bytes() as u32, port);
        Ok(())
    }

    fn on_backward(
        &mut self,
        _cx: &mut Cx<'_>,
        flow: FlowId,
        message: &mut RateCell,
        _port: &PortView,
    ) -> Result<(), Refusal> {
        let slot = self.flows.on_backward(flow, message.number)?;
        if let Some(member) = self.flows.get_mut(slot) {
            let (interval, seen) = (self.active.interval(), &mut member.own);
            let told_bps = self.rules.explicit_bps(interval, seen.current_bps, &mut seen.kept, &member.terms);
            message.explicit_bps = message.explicit_bps.min(told_bps);
        }
        Ok(())
    }

    #[inline]
    fn look_ahead(&self, flow: FlowId, control: bool) {
        self.flows.look_ahead(flow, control);
    }

    fn on_capacity(&mut self, _now: Instant, capacity: BitRate) {
        self.rules.scale(capacity.as_bps_f64() / self.capacity_bps);
        self.capacity_bps = capacity.as_bps_f64();
    }

    fn reserved_bps(&self) -> f64 {
        if R::KEEPS_MINIMUMS { self.flows.minimums_bps() } else { 0.0 }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        earlier(self.flows.poll_timeout(), self.active.poll_timeout())
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_>, port: &PortView) {
        if let Some((load, active)) = self.active.on_timeout(cx.now, port) {
            self.end_interval(cx.now, port, load, active);
        }
        while let Some(flow) = self.flows.silent(cx.now) {
            self.flows.close(flow);
        }
    }

    fn violation(&self) -> Option<String> {
        self.flows.violation()
    }

    fn flows(&self) -> usize {
        self.flows.len()
    }
}

impl<R: Rules> PlainLaw for CountingPort<R> {
    const EXPLICIT: Explicit = R::EXPLICIT;

    fn format(params: &R::Params) -> RateFormat {
        R::counting(params).rates
    }
}
