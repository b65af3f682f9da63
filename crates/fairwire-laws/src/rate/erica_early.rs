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

use super::cell::RateFormat;
use super::packets::Packets;
use super::parts::active::Sums;
use super::parts::averaging::Load;
use super::parts::counting::{Counting, CountingPort, Rules};
use super::parts::lasting;
use super::parts::overload::{load_share, overload};
use super::plain_source::Explicit;
use super::{PortView, Terms};
use crate::LawAbout;
use fairwire_core::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Early ERICA at one output port.
pub type Law = CountingPort<EarlyErica>;

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

/// What flows are told until the next averaging interval is over, in bit/s.
#[derive(Clone, Copy, Debug)]
pub struct EarlyErica {
    /// f.
    target: f64,
    target_bps: f64,
    /// FairShare.
    share_bps: f64,
    /// z.
    overload: f64,
}

impl Rules for EarlyErica {
    type Params = Params;
    type Kept = ();

    const ABOUT: LawAbout = LawAbout {
        name: "erica-early",
        summary: "Equal shares of 95 % from counted flows and measured load; may come to rest unfair",
        source: "Jain and others, ERICA (1995), as told in [wmfqc] §1",
    };
    const EXPLICIT: Explicit = Explicit::Whole;
    const KEEPS_MINIMUMS: bool = false;

    fn problem(params: &Params) -> Option<String> {
        if !(params.target > 0.0 && params.target <= 1.0) {
            return Some(format!("`target` is {}; write a part above 0, up to 1, such as 0.95", params.target));
        }
        let times = [("interval", params.interval), ("measure", params.measure), ("idle-after", params.idle_after)];
        lasting::problem(&times)
    }

    fn counting(params: &Params) -> Counting {
        let Params { interval, interval_packets, measure, idle_after, rates, .. } = *params;
        Counting { interval, interval_packets, measure, idle_after, rates }
    }

    fn new(params: &Params, capacity_bps: f64) -> Self {
        let target_bps = params.target * capacity_bps;
        Self { target: params.target, target_bps, share_bps: target_bps, overload: 0.0 }
    }

    fn end_interval(&mut self, available_bps: f64, _port: &PortView, load: Load, active: Sums) {
        self.target_bps = self.target * available_bps;
        self.share_bps = self.target_bps / f64::from(active.flows.max(1));
        self.overload = overload(load.input_bps, self.target_bps);
    }

    fn explicit_bps(&mut self, _interval: u64, current_bps: f64, _kept: &mut (), _terms: &Terms) -> f64 {
        self.share_bps.max(load_share(current_bps, self.overload)).min(self.target_bps)
    }

    fn scale(&mut self, factor: f64) {
        self.target_bps *= factor;
        self.share_bps *= factor;
        self.overload /= factor;
    }
}
