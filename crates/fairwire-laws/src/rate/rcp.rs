//! RCP: the rate control protocol, with minimums and weights.
//!
//! A port tells all flows one rate R, which it changes by what of its bandwidth is left and by how long its queue is. It
//! keeps nothing of flows: what it needs to know of them it reads from control packets that pass.
//!
//! | rule | source |
//! | --- | --- |
//! | every T: R = R·(1 + (T/d)·(α·(φC − y) − β·q/d) / φC) | Dukkipati and McKeown, RCP (2006), eq. (2) |
//! | T is the smaller of d and `interval`; α, β, φ | RCP, and the authors' simulator |
//! | d: a running mean of the round-trip times that control packets tell, each with a weight of 0.02 | the authors' simulator |
//! | R begins at 0.05 of the capacity; it is C at most | the authors' simulator |
//! | C = ABW − Σ MR, and y is the input less Σ MR; ER = min(ER, R·w), on the way back; AR = min(PR, MR + ER) | ours |
//! | Σ MR is the input times a running mean of MR/CCR in control packets | ours: a port without flow state cannot add up |
//! | R is at most C over the least weight that a control packet told | ours: a flow of weight ½ alone needs R = 2·C |
//! | R at least halves to itself, and is a cell of 53 bytes a second at least | ours: the printed factor may be negative |
//! | q is the packets in the queue, of the mean size that came in the interval | ours: a port counts packets |
//! | d is `interval` until a control packet tells a round trip; one above 10 s counts as 10 s | ours |
//! | T is 10 µs at least; an interval that ends late is one, and T/d one at most | ours |
//! | a port rests when nothing comes, its queue is empty and R at its most; what it knows of flows is forgotten then | ours |
//! | ER = PR − MR at the source; the destination keeps the smaller of ER and SR − MR | ours: ports write ER on the way back alone |
//! | another capacity changes R in proportion | ours |
//!
//! A flow that changes its rate gets what all get after a few round trips, but the port does not know how many flows there
//! are: when many begin at once, all are told the rate that was right before, and the queue takes what is too much. Whatever
//! a control packet says is believed.

use super::cell::{MOST_BPS, RateCell, RateFormat};
use super::parts::available::Available;
use super::parts::averaging::{Averaging, Load};
use super::parts::lasting;
use super::parts::one_rate::LEAST_BPS;
use super::plain_source::{Explicit, PlainLaw, PlainSource};
use super::{Admission, PortSite, PortView, RateLaw, Refusal, Terms};
use crate::{LawAbout, WireMessage};
use fairwire_core::{BitRate, Cx, FlowId, Instant, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Weight of a control packet in running means.
const GAIN: f64 = 0.02;
/// T is not shorter.
const LEAST_INTERVAL: Span = Span::from_micros(10);
/// A round trip in s counts for no more.
const LONGEST_ROUND_TRIP_S: f64 = 10.0;
/// By such factors R changes at least and at most.
const LEAST_FACTOR: f64 = 0.5;
const MOST_FACTOR: f64 = 2.0;

/// What RCP may be set to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// α: how much what is left of the bandwidth changes the rate.
    #[schemars(range(max = 10), extend("exclusiveMinimum" = 0))]
    pub alpha: f64,
    /// β: how much the queue changes the rate.
    #[schemars(range(max = 10), extend("exclusiveMinimum" = 0))]
    pub beta: f64,
    /// φ: the part of the available bandwidth that is to be used.
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub target: f64,
    /// The rate at which a port begins, as a part of its capacity.
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub initial: f64,
    /// The rate changes after so long, or after a mean round trip if that is shorter.
    pub interval: Span,
    /// For how long the port measures the bandwidth that other traffic leaves. Above 0 s.
    pub measure: Span,
    /// How rates stand in control packets.
    pub rates: RateFormat,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            alpha: 0.4,
            beta: 0.4,
            target: 0.95,
            initial: 0.05,
            interval: Span::from_millis(10),
            measure: Span::from_millis(10),
            rates: RateFormat::Exact,
        }
    }
}

/// RCP at one output port.
#[derive(Clone, Debug)]
pub struct Law {
    params: Params,
    capacity_bps: f64,
    available: Available,
    averaging: Averaging,
    heard: Means,
    /// Σ MR in bit/s, as it was measured last.
    minimums_bps: f64,
    /// R, in bit/s for each unit of weight.
    rate: f64,
}

/// What control packets told of all flows together.
#[derive(Clone, Copy, Debug, Default)]
struct Means {
    /// d in s.
    round_trip_s: Option<f64>,
    /// MR/CCR: which part of a rate is a minimum.
    minimum_part: Option<f64>,
    least_weight: Option<f64>,
}

impl Means {
    fn hear(&mut self, message: &RateCell) {
        let mean = |mean: Option<f64>, value: f64| Some(mean.map_or(value, |mean| mean + GAIN * (value - mean)));
        if message.round_trip_s > 0.0 {
            self.round_trip_s = mean(self.round_trip_s, message.round_trip_s.min(LONGEST_ROUND_TRIP_S));
        }
        // A source that is told less than its minimum sends its minimum.
        let minimum_part = match message.minimum_bps {
            0.0 => 0.0,
            minimum_bps => (minimum_bps / message.current_bps).min(1.0),
        };
        self.minimum_part = mean(self.minimum_part, minimum_part);
        self.least_weight = Some(self.least_weight.map_or(message.weight, |least| least.min(message.weight)));
    }
}

impl Law {
    /// d in s.
    fn round_trip_s(&self) -> f64 {
        self.heard.round_trip_s.unwrap_or(self.params.interval.as_secs_f64())
    }

    /// Says whether R is at its most.
    fn end_interval(&mut self, now: Instant, port: &PortView, load: Load) -> bool {
        let available_bps = self.available.bps(now, port, self.minimums_bps);
        self.minimums_bps = (self.heard.minimum_part.unwrap_or(0.0) * load.input_bps).min(available_bps);
        let excess_bps = available_bps - self.minimums_bps;
        let most = (excess_bps / self.heard.least_weight.unwrap_or(1.0)).min(MOST_BPS);
        self.rate = (self.rate * self.factor(port, load, excess_bps)).max(LEAST_BPS).min(most);
        let interval = Span::from_secs_f64(self.round_trip_s()).min(self.params.interval);
        self.averaging.set_interval(interval.max(LEAST_INTERVAL));
        self.rate == most
    }

    /// By which R changes. `excess_bps` is C.
    fn factor(&self, port: &PortView, load: Load, excess_bps: f64) -> f64 {
        let Params { alpha, beta, target, .. } = self.params;
        let target_bps = target * excess_bps;
        if target_bps <= 0.0 {
            return LEAST_FACTOR;
        }
        let round_trip_s = self.round_trip_s();
        let left_bps = target_bps - (load.input_bps - self.minimums_bps);
        let queue_bps = f64::from(port.packets) * load.mean_packet_bits / round_trip_s;
        let part = (load.seconds / round_trip_s).min(1.0);
        (1.0 + part * (alpha * left_bps - beta * queue_bps) / target_bps).clamp(LEAST_FACTOR, MOST_FACTOR)
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
        name: "rcp",
        summary: "One rate a port, by what is left of it and by its queue; no flow state, yet minimums and weights",
        source: "Dukkipati and McKeown, RCP (2006); minimums and weights: fairwire",
    };

    fn problem(params: &Params) -> Option<String> {
        for (key, value, most) in [
            ("alpha", params.alpha, 10.0),
            ("beta", params.beta, 10.0),
            ("target", params.target, 1.0),
            ("initial", params.initial, 1.0),
        ] {
            if !(value > 0.0 && value <= most) {
                return Some(format!("`{key}` is {value}; write a number above 0, up to {most}"));
            }
        }
        lasting::problem(&[("interval", params.interval), ("measure", params.measure)])
    }

    fn new(params: &Params, site: &PortSite) -> Self {
        let capacity_bps = site.capacity.as_bps_f64();
        Self {
            params: params.clone(),
            capacity_bps,
            available: Available::new(params.measure, site.start),
            averaging: Averaging::new(params.interval, None),
            heard: Means::default(),
            minimums_bps: 0.0,
            rate: params.initial * capacity_bps,
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
        self.heard.hear(message);
        self.on_packet(cx.now, message.wire_bytes() as u32, port);
        Ok(())
    }

    fn on_backward(
        &mut self,
        _cx: &mut Cx<'_>,
        _flow: FlowId,
        message: &mut RateCell,
        _port: &PortView,
    ) -> Result<(), Refusal> {
        message.explicit_bps = message.explicit_bps.min(self.rate * message.weight);
        Ok(())
    }

    fn on_capacity(&mut self, _now: Instant, capacity: BitRate) {
        self.rate = (self.rate * capacity.as_bps_f64() / self.capacity_bps).min(MOST_BPS);
        self.capacity_bps = capacity.as_bps_f64();
    }

    fn reserved_bps(&self) -> f64 {
        self.minimums_bps
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.averaging.poll_timeout()
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_>, port: &PortView) {
        let Some(load) = self.averaging.on_timeout(cx.now, port) else { return };
        if self.end_interval(cx.now, port, load) && load.input_bps == 0.0 && port.packets == 0 {
            self.averaging.rest();
            self.heard = Means::default();
        }
    }

    fn flows(&self) -> usize {
        0
    }
}

impl PlainLaw for Law {
    const EXPLICIT: Explicit = Explicit::BeyondMinimum;

    fn format(params: &Params) -> RateFormat {
        params.rates
    }
}
