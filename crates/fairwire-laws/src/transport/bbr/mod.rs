//! BBR version 3: sends at the rate at which segments are delivered, and keeps as many in flight as that rate and the shortest
//! round trip need; a loss or a mark bounds both, but does not halve them.
//!
//! | file | what it knows |
//! | --- | --- |
//! | `model.rs` | the path: the largest bandwidth of two cycles, the shortest round trip, what acknowledgements bundle |
//! | `signals.rs` | loss and marks: bounds for the short term, each round; for the long term, when a probe went too far |
//! | `startup.rs` | Startup and Drain: when the pipe is full |
//! | `probe_bw.rs` | ProbeBW: Down, Cruise, Refill, Up |
//! | `probe_rtt.rs` | ProbeRTT: half a pipe for 200 ms each 5 s, to see the shortest round trip |
//! | `output.rs` | pacing rate and window |
//!
//! Source: draft-ietf-ccwg-bbr-04 (names of its variables are kept), and for marks, of which the draft says nothing, the
//! authors' own version 3 for Linux (github.com/google/bbr, branch v3). Volumes are in segments, rates in segments per second.
//!
//! Left open or changed here:
//! - Each segment is paced by itself: the send quantum is one segment.
//! - The pacing rate starts from the first round trip that is measured, as in Linux, not from a nominal one of 1 ms.
//! - The wait between two probes is drawn from the time and the count of what is delivered: a law has no random numbers.
//! - The window is kept during a fast recovery, as in Linux; after a timeout it is one segment until all is repaired.
//! - A connection that was idle is a new connection here, so nothing restarts from idle.

mod max_filter;
mod model;
mod output;
mod probe_bw;
mod probe_rtt;
mod signals;
mod startup;

use super::{
    Acked, Congestion, CongestionControl, Delivered, KernelControl, LostSegment, MarkEcho, Recovery, StartWindow,
    Timeout,
};
use crate::LawAbout;
use model::Model;
use probe_bw::ProbeBw;
use probe_rtt::ProbeRtt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signals::Signals;
use startup::FullPipe;

/// What may be set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// Whether the first two duplicate acknowledgements send a new segment each (RFC 3042).
    pub limited_transmit: bool,
    /// `LossThresh`: the part of segments lost in a round trip from which a probe has gone too far.
    #[schemars(range(min = 0.001, max = 0.5))]
    pub loss_threshold: f64,
    /// Beta: what a round with a loss leaves of the short-term bounds.
    #[schemars(range(min = 0.1, max = 0.95))]
    pub beta: f64,
    /// Headroom: the part of the long-term bound that is left to others between two probes.
    #[schemars(range(min = 0.0, max = 0.9))]
    pub headroom: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { limited_transmit: true, loss_threshold: 0.02, beta: 0.7, headroom: 0.15 }
    }
}

/// What the sender is doing (BBR.state).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Startup => "startup",
            Self::Drain => "drain",
            Self::Down => "probe-bw-down",
            Self::Cruise => "probe-bw-cruise",
            Self::Refill => "probe-bw-refill",
            Self::Up => "probe-bw-up",
            Self::ProbeRtt => "probe-rtt",
        }
    }

    /// IsInAProbeBWState().
    fn is_probe_bw(self) -> bool {
        matches!(self, Self::Down | Self::Cruise | Self::Refill | Self::Up)
    }

    /// BBRIsProbingBW().
    fn is_probing(self) -> bool {
        matches!(self, Self::Startup | Self::Refill | Self::Up)
    }
}

/// The model, the state and the window of one sender.
#[derive(Clone, Debug)]
pub struct Law {
    params: Params,
    state: State,
    model: Model,
    signals: Signals,
    full_pipe: FullPipe,
    probe_bw: ProbeBw,
    probe_rtt: ProbeRtt,
    /// C.cwnd at the start, and the window of the receiver.
    initial_cwnd: f64,
    rwnd: f64,
    /// C.cwnd.
    cwnd: f64,
    /// BBR.prior_cwnd: the window before a timeout or ProbeRTT.
    prior_cwnd: f64,
    /// Whether a timeout is being repaired.
    is_repairing: bool,
    /// C.pacing_rate.
    pacing_rate: f64,
    /// Whether a round trip was measured yet.
    has_seen_rtt: bool,
}

// In a box: it is larger than all others.
impl CongestionControl for Box<Law> {
    type Params = Params;

    const ABOUT: LawAbout = LawAbout {
        name: "bbr",
        summary: "Paces at the delivery rate, with as much in flight as that and the shortest round trip need (BBRv3)",
        source: "draft-ietf-ccwg-bbr-04; for marks github.com/google/bbr, branch v3",
    };
    const RECOVERY: Recovery = Recovery::Scoreboard;
    const KERNEL: Option<KernelControl> = Some(KernelControl::Bbr);
    const MARK_ECHO: MarkEcho = MarkEcho::EachSegment;

    fn problem(params: &Params) -> Option<String> {
        let ranges = [
            ("loss-threshold", params.loss_threshold, 0.001, 0.5, "0.02"),
            ("beta", params.beta, 0.1, 0.95, "0.7"),
            ("headroom", params.headroom, 0.0, 0.9, "0.15"),
        ];
        ranges.into_iter().find(|(_, value, least, most, _)| !(*least..=*most).contains(value)).map(
            |(key, value, least, most, usual)| {
                format!("`{key}` is a number from {least} to {most}, not {value}; draft-ietf-ccwg-bbr says {usual}")
            },
        )
    }

    fn follows_delivery(_params: &Params) -> bool {
        true
    }

    fn limited_transmit(params: &Params) -> bool {
        params.limited_transmit
    }

    /// BBROnInit().
    fn new(params: &Params, start: &StartWindow) -> Self {
        Self::new(Law {
            params: *params,
            state: State::Startup,
            model: Model::default(),
            signals: Signals::default(),
            full_pipe: FullPipe::default(),
            probe_bw: ProbeBw::default(),
            probe_rtt: ProbeRtt::default(),
            initial_cwnd: start.cwnd,
            rwnd: start.rwnd,
            cwnd: start.cwnd,
            prior_cwnd: 0.0,
            is_repairing: false,
            pacing_rate: output::first_pacing_rate(start.cwnd, 0.001),
            has_seen_rtt: false,
        })
    }

    #[inline]
    fn cwnd(&self) -> f64 {
        self.cwnd.max(1.0)
    }

    /// There is none.
    fn ssthresh(&self) -> f64 {
        self.rwnd
    }

    fn on_ack(&mut self, _acked: &Acked) {}

    fn on_congestion(&mut self, _congestion: &Congestion) {}

    fn on_lost(&mut self, lost: &LostSegment) {
        self.handle_lost_segment(lost);
    }

    /// BBRUpdateOnACK() (§5.2.3).
    fn on_delivered(&mut self, delivered: &Delivered) {
        self.model.begin(delivered.now);
        self.update_latest_delivery_signals(delivered);
        self.update_congestion_signals(delivered);
        self.update_ack_aggregation(delivered);
        self.check_full_bw_reached(delivered);
        self.check_startup_done(delivered);
        self.check_drain_done(delivered);
        self.update_probe_bw_cycle(delivered);
        self.update_min_rtt(delivered);
        self.check_probe_rtt(delivered);
        self.advance_latest_delivery_signals(delivered);
        self.set_pacing_rate(delivered);
        self.set_cwnd(delivered);
    }

    /// BBROnEnterRTO() (§5.6.4.4).
    fn on_timeout(&mut self, _timeout: &Timeout) {
        self.save_cwnd();
        self.is_repairing = true;
        self.cwnd = 1.0;
    }

    fn on_recovered(&mut self) {
        if std::mem::take(&mut self.is_repairing) {
            self.restore_cwnd();
            self.bound_cwnd_for_model();
        }
    }

    #[inline]
    fn pacing(&self) -> Option<f64> {
        Some(self.pacing_rate)
    }

    #[inline]
    fn is_opening(&self) -> bool {
        !self.full_pipe.is_reached
    }

    fn state(&self) -> Option<&'static str> {
        Some(self.state.name())
    }
}
