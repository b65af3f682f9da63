//! Max-Min by marking: the scheme that WMFQC improves on.
//!
//! Every port marks its flows constrained or not, shares the bandwidth equally among those that are not, and writes the
//! share of a flow into each of its control packets ([`super::parts::marking`], eq. (1)). One control packet that changes
//! anything costs time in proportion to the flows.
//!
//! | rule | source |
//! | --- | --- |
//! | ERm = min(ERf, ERb) | [wmfqc] §2.3 |
//! | A, and marks until none changes | §2.3, eq. (1) |
//! | ER = CA, the share of the flow, whoever it is | §2.3 |
//! | ER = PR at the source, min(PR, SR) from the destination on; AR = ER | §2.2 |
//! | all flows constrained: A = ABW − Σ CA + max CA | ours, as in Charny's rule |
//!
//! It knows neither minimums nor weights. As every port writes its share, the limit of a flow is its share at all ports
//! of its way: bandwidth that a flow leaves is not taken up where flows cross two controlled ports (§2.3, last
//! paragraph). That is kept as it was published.

use super::cell::{RateCell, RateFormat};
use super::parts::available::Available;
use super::parts::lasting;
use super::parts::limits::Limits;
use super::parts::marking::Marking;
use super::parts::roster::Roster;
use super::plain_source::{Explicit, PlainLaw, PlainSource};
use super::{Admission, PortSite, PortView, RateLaw, Refusal, Terms};
use crate::LawAbout;
use fairwire_core::{BitRate, Cx, FlowId, Instant, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What Max-Min may be set to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// For how long the port measures the bandwidth that other traffic leaves. Above 0 s.
    pub measure: Span,
    /// Who sends nothing for this long, and for some times its usual gap, no longer counts.
    pub idle_after: Span,
    /// How rates stand in control packets.
    pub rates: RateFormat,
}

impl Default for Params {
    fn default() -> Self {
        Self { measure: Span::from_millis(10), idle_after: Span::from_millis(100), rates: RateFormat::Exact }
    }
}

/// Max-Min at one output port.
#[derive(Clone, Debug)]
pub struct Law {
    capacity_bps: f64,
    available: Available,
    flows: Roster<Limits>,
    marking: Marking,
    /// The bandwidth that marks were settled for, and whether they are settled.
    settled_bps: f64,
    is_settled: bool,
}

impl Law {
    fn write_share(&mut self, now: Instant, slot: u32, message: &mut RateCell, port: &PortView) {
        let Some(limits) = self.flows.get(slot).map(|member| member.own) else { return };
        if self.marking.set(slot, limits.least_bps()) {
            self.is_settled = false;
        }
        let available_bps = self.available.bps(now, port, 0.0);
        if !self.is_settled || available_bps != self.settled_bps {
            self.marking.settle(available_bps);
            (self.settled_bps, self.is_settled) = (available_bps, true);
        }
        if let Some(share_bps) = self.marking.share(slot) {
            message.explicit_bps = share_bps;
        }
    }

    fn forget(&mut self, flow: FlowId) {
        if let Some((slot, _)) = self.flows.close(flow) {
            self.marking.remove(slot);
            self.is_settled = false;
        }
    }
}

impl RateLaw for Law {
    type Params = Params;
    type Message = RateCell;
    type Source = PlainSource<Self>;

    const ABOUT: LawAbout = LawAbout {
        name: "max-min-marking",
        summary: "Equal shares by marking flows, looking at all of them; loses what a flow that stops leaves",
        source: "Tsang and Wong, as told in [wmfqc] §2.3",
    };

    fn problem(params: &Params) -> Option<String> {
        lasting::problem(&[("measure", params.measure), ("idle-after", params.idle_after)])
    }

    fn new(params: &Params, site: &PortSite) -> Self {
        Self {
            capacity_bps: site.capacity.as_bps_f64(),
            available: Available::new(params.measure, site.start),
            flows: Roster::new(params.idle_after),
            marking: Marking::new(),
            settled_bps: 0.0,
            is_settled: false,
        }
    }

    fn turn(_params: &Params, terms: &Terms, message: &mut RateCell) {
        message.explicit_bps = Self::EXPLICIT.at_destination(terms);
    }

    fn on_open(&mut self, cx: &mut Cx<'_>, flow: FlowId, terms: &Terms) {
        let limits = Limits { forward_bps: self.capacity_bps, backward_bps: self.capacity_bps };
        let slot = self.flows.open(cx.now, flow, terms, limits);
        self.marking.set(slot, self.capacity_bps);
        self.is_settled = false;
    }

    fn on_terms(&mut self, _cx: &mut Cx<'_>, flow: FlowId, terms: &Terms) {
        self.flows.set_terms(flow, terms);
    }

    fn on_close(&mut self, _cx: &mut Cx<'_>, flow: FlowId) {
        self.forget(flow);
    }

    #[inline]
    fn on_data(&mut self, cx: &mut Cx<'_>, flow: FlowId, _size_bytes: u32, _port: &PortView) -> Admission {
        self.flows.on_data(cx.now, flow);
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
            member.own.forward_bps = message.explicit_bps;
        }
        self.write_share(cx.now, slot, message, port);
        Ok(())
    }

    fn on_backward(
        &mut self,
        cx: &mut Cx<'_>,
        flow: FlowId,
        message: &mut RateCell,
        port: &PortView,
    ) -> Result<(), Refusal> {
        let slot = self.flows.on_backward(flow, message.number)?;
        if let Some(member) = self.flows.get_mut(slot) {
            member.own.backward_bps = message.explicit_bps;
        }
        self.write_share(cx.now, slot, message, port);
        Ok(())
    }

    #[inline]
    fn look_ahead(&self, flow: FlowId, control: bool) {
        self.flows.look_ahead(flow, control);
    }

    fn on_capacity(&mut self, _now: Instant, capacity: BitRate) {
        self.capacity_bps = capacity.as_bps_f64();
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.flows.poll_timeout()
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_>, _port: &PortView) {
        while let Some(flow) = self.flows.silent(cx.now) {
            self.forget(flow);
        }
    }

    fn violation(&self) -> Option<String> {
        let counted = (self.marking.len(), self.flows.len());
        let wrong = || format!("{} flows are marked where {} are known", counted.0, counted.1);
        self.flows.violation().or_else(|| (counted.0 != counted.1).then(wrong))
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
