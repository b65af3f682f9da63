//! Early ERICA: equal shares from counted flows and measured load.
//!
//! At the end of every averaging interval a port knows how many flows were active and how much they sent. It tells a flow
//! the larger of two rates: an equal share of the target, or the rate that the flow has, divided by the overload.
//!
//! | rule | source |
//! | --- | --- |
//! | target = f·ABW, f = 95 % | Jain and others, ERICA (1995), as told in [wmfqc] §1 |
//! | z = input rate / target; FairShare = target / N; N: flows of which a packet came in the interval | ERICA (1995) |
//! | CCR of a flow: as its last control packet on the way forward has it | ERICA (1995) |
//! | ER = min(ER, max(FairShare, CCR/z), target), on the way back | ERICA (1995) |
//! | the interval ends after `interval`, or after `interval-packets` packets if that is earlier | ERICA (1996), §4 |
//! | another capacity changes what is told in proportion, until the interval is over | ours |
//! | before the first interval is over, and after one without input: ER = min(ER, target) | ours |
//! | ER = PR at the source; the destination keeps the smaller of ER and min(PR, SR); AR = ER, not below MR | [wmfqc] §2.2; the smaller one is ours |
//!
//! It knows neither minimums nor weights. It comes to rest with a load of one, wherever that is: if all bottlenecked flows
//! are at or above the equal share then, their rates stay different. A flow that sends less than a packet an interval is
//! counted in some intervals and not in others, so that N flickers, and FairShare with it.

use super::active::{ActiveFlows, Sums, earlier};
use super::available::Available;
use super::averaging::Load;
use super::cell::{RateCell, RateFormat};
use super::lasting;
use super::overload::{load_share, overload};
use super::packets::Packets;
use super::plain_source::{Explicit, PlainLaw, PlainSource};
use super::roster::Roster;
use super::{Admission, PortSite, PortView, RateLaw, Refusal, Terms};
use crate::{LawAbout, WireMessage};
use fairwire_core::{BitRate, Cx, FlowId, Instant, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What early ERICA may be set to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// f: the part of the available bandwidth that is to be used.
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub target: f64,
    /// The averaging interval.
    pub interval: Span,
    /// An averaging interval ends after so many packets at the latest; 0 packets: by time alone.
    pub interval_packets: Packets,
    /// For how long the port measures the bandwidth that other traffic leaves. Above 0 s.
    pub measure: Span,
    /// A flow is forgotten after this long without a packet, or after four of its usual gaps if that is longer. Above 0 s.
    pub idle_after: Span,
    /// How rates stand in control packets.
    pub rates: RateFormat,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            target: 0.95,
            interval: Span::from_millis(5),
            interval_packets: Packets(0),
            measure: Span::from_millis(10),
            idle_after: Span::from_millis(100),
            rates: RateFormat::Exact,
        }
    }
}

/// Early ERICA at one output port.
#[derive(Clone, Debug)]
pub struct Law {
    target: f64,
    capacity_bps: f64,
    available: Available,
    flows: Roster<Seen>,
    active: ActiveFlows,
    told: Told,
}

/// What is kept of a flow.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// CCR in bit/s; zero until a control packet came.
    current_bps: f64,
    /// The averaging interval in which a packet of it came last.
    heard_in: u64,
}

/// What flows are told until the next averaging interval is over, in bit/s.
#[derive(Clone, Copy, Debug)]
struct Told {
    target_bps: f64,
    /// FairShare.
    share_bps: f64,
    /// z.
    overload: f64,
}

impl Law {
    fn end_interval(&mut self, now: Instant, port: &PortView, load: Load, active: Sums) {
        let target_bps = self.target * self.available.bps(now, port, 0.0);
        self.told = Told {
            target_bps,
            share_bps: target_bps / f64::from(active.flows.max(1)),
            overload: overload(load.input_bps, target_bps),
        };
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

impl RateLaw for Law {
    type Params = Params;
    type Message = RateCell;
    type Source = PlainSource<Self>;

    const ABOUT: LawAbout = LawAbout {
        name: "erica-early",
        summary: "Equal shares of 95 % from counted flows and measured load; may come to rest unfair",
        source: "Jain and others, ERICA (1995), as told in [wmfqc] §1",
    };

    fn problem(params: &Params) -> Option<String> {
        if !(params.target > 0.0 && params.target <= 1.0) {
            return Some(format!("`target` is {}; write a part above 0, up to 1, such as 0.95", params.target));
        }
        let times = [("interval", params.interval), ("measure", params.measure), ("idle-after", params.idle_after)];
        lasting::problem(&times)
    }

    fn new(params: &Params, site: &PortSite) -> Self {
        let target_bps = params.target * site.capacity.as_bps_f64();
        Self {
            target: params.target,
            capacity_bps: site.capacity.as_bps_f64(),
            available: Available::new(params.measure, site.start),
            flows: Roster::new(params.idle_after),
            active: ActiveFlows::new(params.interval, params.interval_packets),
            told: Told { target_bps, share_bps: target_bps, overload: 0.0 },
        }
    }

    fn turn(_params: &Params, terms: &Terms, message: &mut RateCell) {
        message.explicit_bps = message.explicit_bps.min(Self::EXPLICIT.at_destination(terms));
    }

    fn on_open(&mut self, cx: &mut Cx<'_>, flow: FlowId, terms: &Terms) {
        self.flows.open(cx.now, flow, terms, Seen::default());
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
        if let Some(member) = self.flows.get(slot) {
            let own_bps = load_share(member.own.current_bps, self.told.overload);
            let share_bps = self.told.share_bps.max(own_bps).min(self.told.target_bps);
            message.explicit_bps = message.explicit_bps.min(share_bps);
        }
        Ok(())
    }

    #[inline]
    fn look_ahead(&self, flow: FlowId, control: bool) {
        self.flows.look_ahead(flow, control);
    }

    fn on_capacity(&mut self, _now: Instant, capacity: BitRate) {
        let factor = capacity.as_bps_f64() / self.capacity_bps;
        self.capacity_bps = capacity.as_bps_f64();
        self.told.target_bps *= factor;
        self.told.share_bps *= factor;
        self.told.overload /= factor;
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

impl PlainLaw for Law {
    const EXPLICIT: Explicit = Explicit::Whole;

    fn format(params: &Params) -> RateFormat {
        params.rates
    }
}
