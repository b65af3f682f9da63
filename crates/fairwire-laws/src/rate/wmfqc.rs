//! WMFQC: weighted max-min fair rates with minimums, and queue control.
//!
//! Every port gives the excess, what the minimums leave of the bandwidth, to its flows by weight, but no flow more than
//! it can use elsewhere. It writes a share into a control packet only where the flow is not held elsewhere. So the limit
//! of a flow at its bottleneck stays what the rest of the way allows, and bandwidth that another flow leaves is taken up.
//!
//! | rule | source |
//! | --- | --- |
//! | ERm = min(ERf, ERb), the least that either direction told | §3.1; printed as min{ERb, ERm}, which never rises |
//! | C = ABW − Σ MR; NFS is the share at which the unconstrained take up what the constrained leave | §3.1, Theorem 1 |
//! | ER = NFS·w, if NFS ≤ ERm/w | §3.1 |
//! | nothing is left (C = 0): ER = 0 | ours: the text leaves ER as it came, which would be above the share |
//! | NFS by a search in a tree of ERm/w with partial sums | §3.1, Theorem 2 |
//! | ER = PR − MR at the source, SR − MR from the destination on | §3.1 |
//! | above Q_T control packets on their way back have CI set | §3.2 |
//! | above Q_D data packets are dropped | §3.2 |
//! | GB = GF·Σ MR is kept from traffic of higher priority | §3.2 |
//! | AR = MR if CI, else min(PR, MR + ER) | §3.2, eq. (3); the clip is ours, see [`super::plain_source::Explicit`] |
//!
//! Two bottlenecks with the same share write rates that differ by rounding. They count as one rate, or a flow between
//! them would never come to rest.

use super::cell::{RateCell, RateFormat};
use super::packets::Packets;
use super::parts::available::Available;
use super::parts::lasting;
use super::parts::shares::Shares;
use super::plain_source::{Explicit, PlainLaw, PlainSource};
use super::queue_control::{QueueControl, QueueThresholds};
use super::{Admission, PortSite, PortView, RateLaw, Refusal, Terms};
use crate::LawAbout;
use fairwire_core::{BitRate, Cx, FlowId, Instant, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What WMFQC may be set to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// Whether queues are controlled. Without, `q-t` and `q-d` mean nothing.
    pub queue_control: bool,
    /// Q_T: above this queue sources are told to fall to their minimums. Below `q-d`; about 60 % of it.
    pub q_t: Packets,
    /// Q_D: above this queue data packets are dropped.
    pub q_d: Packets,
    /// GF: the part of the minimums that is kept beside them from traffic of higher priority.
    #[schemars(range(min = 0, max = 1))]
    pub guard: f64,
    /// For how long the port measures the bandwidth that other traffic leaves. Above 0 s.
    pub measure: Span,
    /// Who sends nothing for this long, and for some times its usual gap, no longer counts.
    pub idle_after: Span,
    /// How rates stand in control packets.
    pub rates: RateFormat,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            queue_control: true,
            q_t: Packets(60),
            q_d: Packets(100),
            guard: 0.05,
            measure: Span::from_millis(10),
            idle_after: Span::from_millis(100),
            rates: RateFormat::Exact,
        }
    }
}

/// WMFQC at one output port.
#[derive(Clone, Debug)]
pub struct Law {
    queue: QueueControl,
    guard: f64,
    capacity_bps: f64,
    available: Available,
    flows: Shares<()>,
}

impl Law {
    /// Writes the share of a flow into a control packet of it.
    fn write_share(&mut self, now: Instant, slot: u32, message: &mut RateCell, port: &PortView) {
        let available_bps = self.available.bps(now, port, self.reserved_bps());
        message.explicit_bps = self.flows.explicit_bps(slot, available_bps, message.explicit_bps);
    }
}

impl RateLaw for Law {
    type Params = Params;
    type Message = RateCell;
    type Source = PlainSource<Self>;

    const ABOUT: LawAbout = LawAbout {
        name: "wmfqc",
        summary: "Minimums first and the rest by weight, by a search in a tree for each control packet; queues by two thresholds",
        source: "[wmfqc] §3",
    };

    fn problem(params: &Params) -> Option<String> {
        if !(0.0..=1.0).contains(&params.guard) {
            return Some(format!("`guard` is {}; write a part from 0 to 1, such as 0.05", params.guard));
        }
        lasting::problem(&[("measure", params.measure), ("idle-after", params.idle_after)])
            .or_else(|| Self::queue_thresholds(params).problem())
    }

    fn queue_thresholds(params: &Params) -> QueueThresholds {
        let threshold = |packets| params.queue_control.then_some(packets);
        QueueThresholds { q_t: threshold(params.q_t), q_d: threshold(params.q_d) }
    }

    fn with_queue_thresholds(params: &Params, q_t: Packets, q_d: Packets) -> Option<Params> {
        Some(Params { q_t, q_d, ..params.clone() })
    }

    fn new(params: &Params, site: &PortSite) -> Self {
        Self {
            queue: QueueControl::new(Self::queue_thresholds(params)),
            guard: params.guard,
            capacity_bps: site.capacity.as_bps_f64(),
            available: Available::new(params.measure, site.start),
            flows: Shares::new(params.rates.slack(), params.idle_after),
        }
    }

    fn turn(_params: &Params, terms: &Terms, message: &mut RateCell) {
        message.explicit_bps = Self::EXPLICIT.at_destination(terms);
    }

    fn on_open(&mut self, cx: &mut Cx<'_>, flow: FlowId, terms: &Terms) {
        self.flows.open(cx.now, flow, terms, self.capacity_bps, ());
    }

    fn on_terms(&mut self, _cx: &mut Cx<'_>, flow: FlowId, terms: &Terms) {
        self.flows.set_terms(flow, terms);
    }

    fn on_close(&mut self, _cx: &mut Cx<'_>, flow: FlowId) {
        self.flows.close(flow);
    }

    #[inline]
    fn on_data(&mut self, cx: &mut Cx<'_>, flow: FlowId, _size_bytes: u32, port: &PortView) -> Admission {
        self.flows.on_data(cx.now, flow);
        self.queue.admit(port)
    }

    fn on_forward(
        &mut self,
        cx: &mut Cx<'_>,
        flow: FlowId,
        message: &mut RateCell,
        port: &PortView,
    ) -> Result<(), Refusal> {
        let slot = self.flows.on_forward(cx.now, flow, message.number, message.explicit_bps)?;
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
        let slot = self.flows.on_backward(flow, message.number, message.explicit_bps)?;
        self.write_share(cx.now, slot, message, port);
        message.congestion |= self.queue.is_congested(port);
        Ok(())
    }

    #[inline]
    fn look_ahead(&self, flow: FlowId, control: bool) {
        self.flows.look_ahead(flow, control);
    }

    fn on_capacity(&mut self, _now: Instant, capacity: BitRate) {
        self.capacity_bps = capacity.as_bps_f64();
    }

    fn reserved_bps(&self) -> f64 {
        self.flows.minimums_bps() * (1.0 + self.guard)
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.flows.poll_timeout()
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_>, _port: &PortView) {
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
    const EXPLICIT: Explicit = Explicit::BeyondMinimum;

    fn format(params: &Params) -> RateFormat {
        params.rates
    }
}
