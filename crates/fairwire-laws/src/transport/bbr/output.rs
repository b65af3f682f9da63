//! What comes of it all: the pacing rate and the window (§5.6).

use super::model::MIN_PIPE_CWND;
use super::{Delivered, Law, State};

/// Doubles the rate each round (StartupPacingGain, 4 ln 2).
const STARTUP_PACING_GAIN: f64 = 2.77;
/// The rate stays so far below the bandwidth, so that a queue empties (PacingMarginPercent).
const PACING_MARGIN: f64 = 0.01;

/// BBRInitPacingRate(): a window each round trip, which is not known yet.
pub(super) fn first_pacing_rate(cwnd: f64, rtt_s: f64) -> f64 {
    STARTUP_PACING_GAIN * cwnd / rtt_s
}

impl Law {
    /// BBR.pacing_gain (§5.6.1).
    fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => STARTUP_PACING_GAIN,
            State::Drain => 0.35,
            State::Down => 0.9,
            State::Up => 1.25,
            State::Cruise | State::Refill | State::ProbeRtt => 1.0,
        }
    }

    /// BBR.cwnd_gain (§5.6.1).
    pub(super) fn cwnd_gain(&self) -> f64 {
        match self.state {
            State::Up => 2.25,
            State::ProbeRtt => 0.5,
            State::Startup | State::Drain | State::Down | State::Cruise | State::Refill => 2.0,
        }
    }

    /// BBRSetPacingRate() (§5.6.2).
    pub(super) fn set_pacing_rate(&mut self, delivered: &Delivered) {
        if let Some(rtt) = delivered.sample.rtt.filter(|_| !self.has_seen_rtt) {
            self.has_seen_rtt = true;
            self.pacing_rate = first_pacing_rate(self.initial_cwnd, rtt.as_secs_f64());
        }
        let rate = self.pacing_gain() * self.bw() * (1.0 - PACING_MARGIN);
        if rate > 0.0 && (self.full_pipe.is_reached || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// BBRSetCwnd() (§5.6.4.6).
    pub(super) fn set_cwnd(&mut self, delivered: &Delivered) {
        let max_inflight = self.max_inflight();
        let grown = self.cwnd + f64::from(delivered.segments);
        if self.full_pipe.is_reached {
            self.cwnd = grown.min(max_inflight);
        } else if self.cwnd < max_inflight || (delivered.total as f64) < self.initial_cwnd {
            self.cwnd = grown;
        }
        if !self.is_repairing {
            self.cwnd = self.cwnd.max(MIN_PIPE_CWND);
        }
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        self.bound_cwnd_for_model();
    }

    /// BBRBoundCwndForModel(), and the receiver's window.
    pub(super) fn bound_cwnd_for_model(&mut self) {
        let longterm = match self.state {
            State::Cruise | State::ProbeRtt => self.inflight_with_headroom(),
            State::Down | State::Refill | State::Up => self.signals.inflight_longterm,
            State::Startup | State::Drain => f64::INFINITY,
        };
        let most = longterm.min(self.signals.inflight_shortterm).max(MIN_PIPE_CWND);
        self.cwnd = self.cwnd.min(most).min(self.rwnd);
    }

    /// BBRSaveCwnd().
    pub(super) fn save_cwnd(&mut self) {
        let is_lowered = self.is_repairing || self.state == State::ProbeRtt;
        self.prior_cwnd = if is_lowered { self.prior_cwnd.max(self.cwnd) } else { self.cwnd };
    }

    /// BBRRestoreCwnd().
    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }
}
