//! ProbeRTT (§5.3.4): half a pipe for a while, so that the round trip shows without the sender's own queue.

use super::model::MIN_PIPE_CWND;
use super::probe_bw::AckPhase;
use super::{Delivered, Law, State};
use fairwire_core::{Instant, Span};

/// How long so little is in flight (ProbeRTTDuration).
const DURATION: Span = Span::from_millis(200);
/// What part of the pipe that is (ProbeRTTCwndGain).
const CWND_GAIN: f64 = 0.5;

/// How far ProbeRTT is.
#[derive(Clone, Debug, Default)]
pub(super) struct ProbeRtt {
    /// BBR.probe_rtt_done_stamp: when it may end, once little enough is in flight.
    done_stamp: Option<Instant>,
    /// BBR.probe_rtt_round_done: a round trip has passed with that little.
    round_done: bool,
}

impl Law {
    /// BBRCheckProbeRTT().
    pub(super) fn check_probe_rtt(&mut self, delivered: &Delivered) {
        if self.state != State::ProbeRtt && self.model.probe_rtt_expired {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            self.probe_rtt.done_stamp = None;
            self.probe_bw.ack_phase = AckPhase::ProbeStopping;
            self.model.start_round(delivered.total);
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(delivered);
        }
    }

    /// BBRHandleProbeRTT(). That samples taken meanwhile tell of too little sent need not be marked: they are lower than the
    /// largest bandwidth, which the filter keeps for two cycles.
    fn handle_probe_rtt(&mut self, delivered: &Delivered) {
        let now = delivered.now;
        match self.probe_rtt.done_stamp {
            None if f64::from(delivered.in_flight) <= self.probe_rtt_cwnd() => {
                self.probe_rtt.done_stamp = Some(now + DURATION);
                self.probe_rtt.round_done = false;
                self.model.start_round(delivered.total);
            }
            None => {}
            Some(done_stamp) => {
                self.probe_rtt.round_done |= self.model.round_start;
                if self.probe_rtt.round_done && now > done_stamp {
                    self.model.probe_rtt_min_stamp = now;
                    self.restore_cwnd();
                    self.exit_probe_rtt(delivered);
                }
            }
        }
    }

    /// BBRExitProbeRTT().
    fn exit_probe_rtt(&mut self, delivered: &Delivered) {
        self.signals.reset_short_term();
        if self.full_pipe.is_reached {
            self.start_probe_bw_down(delivered.now, delivered.total);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }

    /// BBRProbeRTTCwnd().
    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp_multiple(self.bw(), CWND_GAIN).max(MIN_PIPE_CWND)
    }
}
