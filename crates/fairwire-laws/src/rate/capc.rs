//! CAPC: congestion avoidance by proportional control.
//!
//! A port tells all flows one rate, ERS. It rises while less arrives than is to be used, and falls while more does, each
//! in proportion to the difference. Ports know no flows.
//!
//! | rule | source |
//! | --- | --- |
//! | z = input rate / (0.95·ABW), over an interval | Barnhart, ATM Forum 94-0983 |
//! | z < 1: ERS = ERS · min(ERU, 1 + (1 − z)·Rup) | 94-0983 |
//! | z ≥ 1: ERS = ERS · max(ERF, 1 − (z − 1)·Rdn) | 94-0983 |
//! | ER = min(ER, ERS), on the way back | 94-0983 |
//! | the queue is above a threshold: CI on the way back | 94-0983 |
//! | ERS begins at 0.95 of the capacity | ours: a port does not know how many flows will come |
//! | ERS is a cell of 53 bytes a second at least, and ABW at most | ours: nothing rises from zero, and what nobody uses must not rise for ever |
//! | an interval that ends late is one interval; a port rests when nothing comes and ERS is at its most | ours |
//! | another capacity changes ERS in proportion | ours |
//! | ER = PR at the source; the destination keeps the smaller of ER and min(PR, SR); AR = MR if CI, else ER, not below MR | [wmfqc] §2.2; the smaller one is ours |
//!
//! It knows neither minimums nor weights. With CI a source falls to its minimum, as everywhere here; to nothing if that is
//! zero, until its next control packet 100 ms later. So the threshold is meant for emergencies.

use super::cell::{RateCell, RateFormat};
use super::packets::Packets;
use super::parts::available::Available;
use super::parts::averaging::{Averaging, Load};
use super::parts::lasting;
use super::parts::one_rate::LEAST_BPS;
use super::parts::overload::overload;
use super::plain_source::{Explicit, PlainLaw, PlainSource};
use super::queue_control::{QueueControl, QueueThresholds};
use super::{Admission, PortSite, PortView, RateLaw, Refusal, Terms};
use crate::{LawAbout, WireMessage};
use fairwire_core::{BitRate, Cx, FlowId, Instant, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What CAPC may be set to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// The part of the available bandwidth that is to be used.
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub target: f64,
    /// The interval after which ERS changes.
    pub interval: Span,
    /// Rup: how fast ERS rises; 0.025 to 0.1.
    #[schemars(range(max = 10), extend("exclusiveMinimum" = 0))]
    pub rup: f64,
    /// Rdn: how fast ERS falls; 0.2 to 0.8.
    #[schemars(range(max = 10), extend("exclusiveMinimum" = 0))]
    pub rdn: f64,
    /// ERU: the most by which ERS is multiplied.
    #[schemars(range(max = 10), extend("exclusiveMinimum" = 1))]
    pub eru: f64,
    /// ERF: the least by which ERS is multiplied.
    #[schemars(range(min = 0), extend("exclusiveMaximum" = 1))]
    pub erf: f64,
    /// Above this queue sources are told to fall to their minimums.
    pub q_t: Packets,
    /// For how long the port measures the bandwidth that other traffic leaves. Above 0 s.
    pub measure: Span,
    /// How rates stand in control packets.
    pub rates: RateFormat,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            target: 0.95,
            interval: Span::from_millis(5),
            rup: 0.1,
            rdn: 0.8,
            eru: 1.5,
            erf: 0.5,
            q_t: Packets(1000),
            measure: Span::from_millis(10),
            rates: RateFormat::Exact,
        }
    }
}

/// CAPC at one output port.
#[derive(Clone, Debug)]
pub struct Law {
    params: Params,
    capacity_bps: f64,
    queue: QueueControl,
    available: Available,
    averaging: Averaging,
    /// ERS, in bit/s.
    rate_bps: f64,
}

impl Law {
    /// Says whether ERS is at its most.
    fn end_interval(&mut self, now: Instant, port: &PortView, load: Load) -> bool {
        let Params { target, rup, rdn, eru, erf, .. } = self.params;
        let available_bps = self.available.bps(now, port, 0.0);
        let z = overload(load.input_bps, target * available_bps);
        let factor = if z < 1.0 { eru.min(1.0 + (1.0 - z) * rup) } else { erf.max(1.0 - (z - 1.0) * rdn) };
        self.rate_bps = (self.rate_bps * factor).max(LEAST_BPS).min(available_bps);
        self.rate_bps == available_bps
    }

    #[inline]
    fn on_packet(&mut self, now: Instant, size_bytes: u32, port: &PortView) {
        if let Some(load) = self.averaging.on_packet(now, size_bytes, port) {
            self.end_interval(now, port, load);
        }
    }
}

impl RateLaw for Law {
    type Params = Params;
    type Message = RateCell;
    type Source = PlainSource<Self>;

    const ABOUT: LawAbout = LawAbout {
        name: "capc",
        summary: "One rate a port that rises and falls with the load; no flow state, neither minimums nor weights",
        source: "Barnhart, ATM Forum 94-0983",
    };

    fn problem(params: &Params) -> Option<String> {
        if !(params.target > 0.0 && params.target <= 1.0) {
            return Some(format!("`target` is {}; write a part above 0, up to 1, such as 0.95", params.target));
        }
        for (key, value) in [("rup", params.rup), ("rdn", params.rdn)] {
            if !(value > 0.0 && value <= 10.0) {
                return Some(format!("`{key}` is {value}; write a number above 0, up to 10"));
            }
        }
        if !(params.eru > 1.0 && params.eru <= 10.0) {
            return Some(format!("`eru` is {}; write a factor above 1, up to 10, such as 1.5", params.eru));
        }
        if !(0.0..1.0).contains(&params.erf) {
            return Some(format!("`erf` is {}; write a factor from 0, below 1, such as 0.5", params.erf));
        }
        lasting::problem(&[("interval", params.interval), ("measure", params.measure)])
    }

    fn queue_thresholds(params: &Params) -> QueueThresholds {
        QueueThresholds { q_t: Some(params.q_t), q_d: None }
    }

    fn new(params: &Params, site: &PortSite) -> Self {
        let capacity_bps = site.capacity.as_bps_f64();
        Self {
            params: params.clone(),
            capacity_bps,
            queue: QueueControl::new(Self::queue_thresholds(params)),
            available: Available::new(params.measure, site.start),
            averaging: Averaging::new(params.interval, None),
            rate_bps: params.target * capacity_bps,
        }
    }

    fn turn(_params: &Params, terms: &Terms, message: &mut RateCell) {
        message.explicit_bps = message.explicit_bps.min(Self::EXPLICIT.at_destination(terms));
    }

    fn on_open(&mut self, _cx: &mut Cx<'_>, _flow: FlowId, _terms: &Terms) {}

    fn on_terms(&mut self, _cx: &mut Cx<'_>, _flow: FlowId, _terms: &Terms) {}

    fn on_close(&mut self, _cx: &mut Cx<'_>, _flow: FlowId) {}

    #[inline]
    fn on_data(&mut self, cx: &mut Cx<'_>, _flow: FlowId, size_bytes: u32, port: &PortView) -> Admission {
        self.on_packet(cx.now, size_bytes, port);
        Admission::Accept
    }

    fn on_forward(
        &mut self,
        cx: &mut Cx<'_>,
        _flow: FlowId,
        message: &mut RateCell,
        port: &PortView,
    ) -> Result<(), Refusal> {
        self.on_packet(cx.now, message.wire_bytes() as u32, port);
        Ok(())
    }

    fn on_backward(
        &mut self,
        _cx: &mut Cx<'_>,
        _flow: FlowId,
        message: &mut RateCell,
        port: &PortView,
    ) -> Result<(), Refusal> {
        message.explicit_bps = message.explicit_bps.min(self.rate_bps);
        message.congestion |= self.queue.is_congested(port);
        Ok(())
    }

    fn on_capacity(&mut self, _now: Instant, capacity: BitRate) {
        self.rate_bps *= capacity.as_bps_f64() / self.capacity_bps;
        self.capacity_bps = capacity.as_bps_f64();
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.averaging.poll_timeout()
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_>, port: &PortView) {
        let Some(load) = self.averaging.on_timeout(cx.now, port) else { return };
        if self.end_interval(cx.now, port, load) && load.input_bps == 0.0 {
            self.averaging.rest();
        }
    }

    fn flows(&self) -> usize {
        0
    }
}

impl PlainLaw for Law {
    const EXPLICIT: Explicit = Explicit::Whole;

    fn format(params: &Params) -> RateFormat {
        params.rates
    }
}
