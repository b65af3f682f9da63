//! Startup and Drain (§5.3.1, §5.3.2): when is the pipe full?

use super::{Delivered, Law, State};

/// So many acknowledgements of a round have to tell of losses (BBRStartupFullLossCnt).
const STARTUP_LOSSES: u32 = 6;
/// So many rounds in a row have to be marked (`bbr_full_ecn_cnt` in Linux).
const STARTUP_MARKED_ROUNDS: u32 = 2;

/// Whether more in flight still brings more bandwidth.
#[derive(Clone, Debug, Default)]
pub(super) struct FullPipe {
    /// BBR.full_bw_reached: Startup has found the bandwidth.
    pub is_reached: bool,
    /// BBR.full_bw_now: three rounds without a quarter more.
    pub now: bool,
    /// BBR.full_bw, BBR.full_bw_count.
    pub bw: f64,
    count: u32,
    /// Acknowledgements of this round that told of losses.
    losses_in_round: u32,
}

impl FullPipe {
    /// BBRResetFullBW(), and the bandwidth to compare with.
    pub(super) fn reset(&mut self, bw: f64) {
        (self.now, self.bw, self.count) = (false, bw, 0);
    }
}

impl Law {
    /// BBRCheckFullBWReached() (§5.3.1.2).
    pub(super) fn check_full_bw_reached(&mut self, delivered: &Delivered) {
        if self.full_pipe.now || delivered.sample.is_app_limited {
            return;
        }
        let rate = delivered.sample.rate.unwrap_or(0.0);
        if rate >= self.full_pipe.bw * 1.25 {
            self.full_pipe.reset(rate);
            return;
        }
        if !self.model.round_start {
            return;
        }
        self.full_pipe.count += 1;
        self.full_pipe.now = self.full_pipe.count >= 3;
        self.full_pipe.is_reached |= self.full_pipe.now;
    }

    /// BBRCheckStartupDone(), with BBRCheckStartupHighLoss() (§5.3.1.3).
    pub(super) fn check_startup_done(&mut self, delivered: &Delivered) {
        if !self.full_pipe.is_reached {
            self.check_startup_high_loss(delivered);
        }
        if self.state == State::Startup && self.full_pipe.is_reached {
            self.state = State::Drain;
        }
    }

    fn check_startup_high_loss(&mut self, delivered: &Delivered) {
        self.full_pipe.losses_in_round += u32::from(delivered.newly_lost > 0);
        let is_marked = self.signals.marked_rounds >= STARTUP_MARKED_ROUNDS;
        let sample = &delivered.sample;
        let is_lossy = self.signals.loss_round_start
            && self.full_pipe.losses_in_round >= STARTUP_LOSSES
            && self.is_inflight_too_high(sample.lost, sample.tx_in_flight);
        if is_lossy || is_marked {
            self.full_pipe.is_reached = true;
            let bdp = self.bdp_multiple(self.model.max_bw(), 1.0);
            self.signals.inflight_longterm = bdp.max(self.signals.inflight_latest);
        }
        if self.signals.loss_round_start {
            self.full_pipe.losses_in_round = 0;
        }
    }

    /// BBRCheckDrainDone() (§5.3.2).
    pub(super) fn check_drain_done(&mut self, delivered: &Delivered) {
        let pipe = self.inflight(self.model.max_bw(), 1.0);
        if self.state == State::Drain && f64::from(delivered.in_flight) <= pipe {
            self.start_probe_bw_down(delivered.now, delivered.total);
        }
    }
}
