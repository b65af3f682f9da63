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

/// ERICA at one output port.
#[derive(Clone, Debug)]
pub struct Law {
    params: Params,
    capacity_bps: f64,
    available: Available,
    flows: Roster<Seen>,
    active: ActiveFlows,
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

/// What is kept of a flow.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// CCR in bit/s; zero until a control packet came.
    current_bps: f64,
    /// The averaging interval in which a packet of it came last.
    heard_in: u64,
    /// The averaging interval in which it was told a share last, and that share.
    told_in: u64,
    told_bps: f64,
}

impl Law {
    fn end_interval(&mut self, now: Instant, port: &PortView, load: Load, active: Sums) {
        let available_bps = self.available.bps(now, port, self.reserved_bps());
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
        name: "erica",
        summary: "Minimums first and the rest by weight, from counted flows and measured load, with a short queue as its aim",
        source: "Jain and others, ATM Forum 96-1172; Vandalore and others, ICNP 1998",
    };

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

    fn new(params: &Params, site: &PortSite) -> Self {
        let excess_bps = site.capacity.as_bps_f64();
        Self {
            params: params.clone(),
            capacity_bps: site.capacity.as_bps_f64(),
            available: Available::new(params.measure, site.start),
            flows: Roster::new(params.idle_after),
            active: ActiveFlows::new(params.interval, params.interval_packets),
            excess_bps,
            fair_share: excess_bps,
            overload: 0.0,
            largest_now: excess_bps,
            largest_before: excess_bps,
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
        let Some((terms, seen)) = self.flows.get(slot).map(|member| (member.terms, member.own)) else { return Ok(()) };
        let interval = self.active.interval();
        let told_bps = if seen.told_in == interval { seen.told_bps } else { self.excess_of(seen.current_bps, &terms) };
        if let Some(member) = self.flows.get_mut(slot) {
            (member.own.told_in, member.own.told_bps) = (interval, told_bps);
        }
        message.explicit_bps = message.explicit_bps.min(told_bps);
        Ok(())
    }

    #[inline]
    fn look_ahead(&self, flow: FlowId, control: bool) {
        self.flows.look_ahead(flow, control);
    }

    fn on_capacity(&mut self, _now: Instant, capacity: BitRate) {
        let factor = capacity.as_bps_f64() / self.capacity_bps;
        self.capacity_bps = capacity.as_bps_f64();
        self.excess_bps *= factor;
        self.fair_share *= factor;
        self.overload /= factor;
        self.largest_now *= factor;
        self.largest_before *= factor;
    }

    fn reserved_bps(&self) -> f64 {
        self.flows.minimums_bps()
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
    const EXPLICIT: Explicit = Explicit::BeyondMinimum;

    fn format(params: &Params) -> RateFormat {
        params.rates
    }
}
