//! ERICA, with minimums and weights: the newer form of [`super::erica_early`].
//!
//! It remembers the largest allocation, so that underload brings all flows to one rate, and it aims at a short queue in
//! place of a fixed part of the bandwidth. Shares are what flows get beyond their minimums, for each unit of weight. With
//! minimums of zero and weights of one they are ERICA's rates.
//!
//! | rule | source |
//! | --- | --- |
//! | T = queue / ABW as time; f(T) = b·T0 / ((b − 1)·T + T0) up to T0, max(QDLF, a·T0 / ((a − 1)·T + T0)) above | ERICA+, ATM Forum 96-1172 §6 |
//! | target = f(T)·ABW | 96-1172 §6 |
//! | excess = target − Σ MR, z = (input − Σ MR) / excess, over flows of which a packet came in the interval | Vandalore and others, ICNP 1998, §4 |
//! | FairShare = excess / Σ w; VCShare = (CCR − MR) / (z·w) | ICNP 1998, §4 |
//! | z > 1 + δ: share = max(FairShare, VCShare) | 96-1172 §3 |
//! | else: share = max(MaxAllocPrevious, FairShare, VCShare) | 96-1172 §3 |
//! | MaxAllocPrevious: the largest share of the interval before, FairShare at least | 96-1172 §3 |
//! | a flow below FairShare that would rise above it rises to FairShare first | 96-1172 §3 |
//! | a flow is told one share an interval | 96-1172 §3 |
//! | ER = min(ER, share·w, excess), on the way back; AR = min(PR, MR + ER) | ICNP 1998, §4; [wmfqc] eq. (3) |
//! | the interval ends after `interval`, or after `interval-packets` packets if that is earlier | 96-1172 §4 |
//! | the queue counts as packets of the mean size that came in the interval | ours: a port counts packets |
//! | ER = PR − MR at the source; the destination keeps the smaller of ER and SR − MR | ours: ports write ER on the way back alone |
//! | another capacity changes what is told in proportion, until the interval is over | ours |
//! | before the first interval is over, and after one without input: ER = min(ER, excess) | ours |
//! | Σ MR is kept from traffic of higher priority | ours, as in [`super::wmfqc`] |
//!
//! A flow that sends less than a packet an interval is counted in some intervals and not in others: N flickers, and
//! FairShare with it. The target is above ABW while the queue is short (f(0) = b), so that a queue of about T0 stays.

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

/// ERICA at one output port.
pub type Law = CountingPort<Erica>;

/// What ERICA may be set to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// The averaging interval.
    pub interval: Span,
    /// An averaging interval ends after so many packets at the latest; 0 packets: by time alone.
    pub interval_packets: Packets,
    /// T0: the queue that is aimed at, as the time that it takes to send it.
    pub queue_time: Span,
    /// a: how steeply the target falls with a queue above T0.
    #[schemars(range(min = 1, max = 100))]
    pub a: f64,
    /// b: how far the target is above the available bandwidth without a queue.
    #[schemars(range(min = 1, max = 100))]
    pub b: f64,
    /// QDLF: the least part of the available bandwidth that the target falls to.
    #[schemars(range(min = 0, max = 1))]
    pub least_target: f64,
    /// δ: an overload of less than 1 + δ counts as none.
    #[schemars(range(min = 0, max = 1))]
    pub delta: f64,
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
            interval: Span::from_millis(5),
            interval_packets: Packets(0),
            queue_time: Span::from_micros(1500),
            a: 1.15,
            b: 1.05,
            least_target: 0.5,
            delta: 0.1,
            measure: Span::from_millis(10),
            idle_after: Span::from_millis(100),
            rates: RateFormat::Exact,
        }
    }
}

impl Params {
    /// f(T): the target as a part of the available bandwidth, where sending the queue takes `queue_s`.
    fn target(&self, queue_s: f64) -> f64 {
        let aim_s = self.queue_time.as_secs_f64();
        let hyperbola = |steepness: f64| steepness * aim_s / ((steepness - 1.0) * queue_s + aim_s);
        if queue_s <= aim_s { hyperbola(self.b) } else { hyperbola(self.a).max(self.least_target) }
    }
}

/// What ERICA makes of an averaging interval.
#[derive(Clone, Debug)]
pub struct Erica {
    params: Params,
    /// What the last averaging interval came to.
    excess_bps: f64,
    /// FairShare, in bit/s for each unit of weight.
    fair_share: f64,
    /// z.
    overload: f64,
    /// The largest shares of this interval and of the one before.
    largest_now: f64,
    largest_before: f64,
}

/// What a flow was told.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToldShare {
    /// The averaging interval in which it was told a share last.
    interval: u64,
    bps: f64,
}

impl Erica {
    /// ER of a flow, in bit/s beyond its minimum.
    fn excess_of(&mut self, current_bps: f64, terms: &Terms) -> f64 {
        let current = (current_bps - terms.minimum_bps) / terms.weight;
        let load_share = load_share(current, self.overload);
        let mut share = self.fair_share.max(load_share).min(self.excess_bps / terms.weight);
        if self.overload <= 1.0 + self.params.delta {
            share = share.max(self.largest_before);
        }
        self.largest_now = self.largest_now.max(share);
        if share > self.fair_share && current < self.fair_share {
            share = self.fair_share;
        }
        (share * terms.weight).min(self.excess_bps)
    }
}

impl Rules for Erica {
    type Params = Params;
    type Kept = ToldShare;

    const ABOUT: LawAbout = LawAbout {
        name: "erica",
        summary: "Minimums first and the rest by weight, from counted flows and measured load, with a short queue as its aim",
        source: "Jain and others, ATM Forum 96-1172; Vandalore and others, ICNP 1998",
    };
    const EXPLICIT: Explicit = Explicit::BeyondMinimum;
    const KEEPS_MINIMUMS: bool = true;

    fn problem(params: &Params) -> Option<String> {
        for (key, value, least, most) in [
            ("a", params.a, 1.0, 100.0),
            ("b", params.b, 1.0, 100.0),
            ("least-target", params.least_target, 0.0, 1.0),
            ("delta", params.delta, 0.0, 1.0),
        ] {
            if !(least..=most).contains(&value) {
                return Some(format!("`{key}` is {value}; write a number from {least} to {most}"));
            }
        }
        let times = [
            ("interval", params.interval),
            ("queue-time", params.queue_time),
            ("measure", params.measure),
            ("idle-after", params.idle_after),
        ];
        lasting::problem(&times)
    }

    fn counting(params: &Params) -> Counting {
        let Params { interval, interval_packets, measure, idle_after, rates, .. } = *params;
        Counting { interval, interval_packets, measure, idle_after, rates }
    }

    fn new(params: &Params, capacity_bps: f64) -> Self {
        Self {
            params: params.clone(),
            excess_bps: capacity_bps,
            fair_share: capacity_bps,
            overload: 0.0,
            largest_now: capacity_bps,
            largest_before: capacity_bps,
        }
    }

    fn end_interval(&mut self, available_bps: f64, port: &PortView, load: Load, active: Sums) {
        let queue_bits = f64::from(port.packets) * load.mean_packet_bits;
        // A port that other traffic leaves nothing has no time in which its queue is sent; then the least target holds.
        let queue_s = if queue_bits == 0.0 { 0.0 } else { queue_bits / available_bps };
        let target_bps = self.params.target(queue_s) * available_bps;
        self.excess_bps = (target_bps - active.minimums_bps).max(0.0);
        self.overload = overload(load.input_bps - active.minimums_bps, self.excess_bps);
        let weights = if active.flows == 0 { 1.0 } else { active.weights };
        self.fair_share = (self.excess_bps / weights).min(f64::MAX);
        self.largest_before = self.largest_now;
        self.largest_now = self.fair_share;
    }

    fn explicit_bps(&mut self, interval: u64, current_bps: f64, told: &mut ToldShare, terms: &Terms) -> f64 {
        if told.interval != interval {
            *told = ToldShare { interval, bps: self.excess_of(current_bps, terms) };
        }
        told.bps
    }

    fn scale(&mut self, factor: f64) {
        self.excess_bps *= factor;
        self.fair_share *= factor;
        self.overload /= factor;
        self.largest_now *= factor;
        self.largest_before *= factor;
    }
}
