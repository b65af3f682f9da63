//! Loss and marks (§5.5.10): what they say about bandwidth and inflight for now, and for later.

use super::{Delivered, Law, LostSegment, State};
use fairwire_core::{Instant, Span};

/// Marks count where the shortest round trip is no longer (`bbr_ecn_max_rtt_us` in Linux): where a queue can be short.
const ECN_LONGEST_RTT: Span = Span::from_millis(5);
/// A probe has gone too far if so large a part of its segments is marked (`bbr_ecn_thresh`).
const ECN_THRESHOLD: f64 = 0.5;
/// What full marking takes of the short-term bound (`bbr_ecn_factor`), and the gain of its average (`bbr_ecn_alpha_gain`).
const ECN_FACTOR: f64 = 1.0 / 3.0;
const ECN_GAIN: f64 = 1.0 / 16.0;

/// What losses and marks have told so far.
#[derive(Clone, Debug)]
pub(super) struct Signals {
    /// BBR.bw_latest, BBR.inflight_latest: the most that a sample of this round tells.
    bw_latest: f64,
    pub inflight_latest: f64,
    /// BBR.loss_round_delivered, BBR.loss_round_start, BBR.loss_in_round: rounds in which losses are counted.
    loss_round_delivered: u64,
    pub loss_round_start: bool,
    pub loss_in_round: bool,
    /// BBR.bw_shortterm, BBR.inflight_shortterm: bounds until the next probe.
    pub bw_shortterm: f64,
    pub inflight_shortterm: f64,
    /// BBR.inflight_longterm: more has proved to be too much.
    pub inflight_longterm: f64,
    /// BBR.bw_probe_samples: samples of a probe are still to come.
    pub bw_probe_samples: bool,
    /// Segments delivered and of these marked in this round; the average part that is marked.
    delivered_in_round: u32,
    marked_in_round: u32,
    ecn_alpha: f64,
    /// Rounds in a row of which too much was marked.
    pub marked_rounds: u32,
    /// Whether the last round was such a one.
    is_marked_too_much: bool,
}

impl Default for Signals {
    fn default() -> Self {
        Self {
            bw_latest: 0.0,
            inflight_latest: 0.0,
            loss_round_delivered: 0,
            loss_round_start: false,
            loss_in_round: false,
            bw_shortterm: f64::INFINITY,
            inflight_shortterm: f64::INFINITY,
            inflight_longterm: f64::INFINITY,
            bw_probe_samples: false,
            delivered_in_round: 0,
            marked_in_round: 0,
            ecn_alpha: 1.0,
            marked_rounds: 0,
            is_marked_too_much: false,
        }
    }
}

impl Signals {
    /// BBRResetCongestionSignals().
    pub(super) fn reset_congestion(&mut self) {
        self.loss_in_round = false;
        self.bw_latest = 0.0;
        self.inflight_latest = 0.0;
    }

    /// BBRResetShortTermModel().
    pub(super) fn reset_short_term(&mut self) {
        self.bw_shortterm = f64::INFINITY;
        self.inflight_shortterm = f64::INFINITY;
    }
}

impl Law {
    /// BBRUpdateLatestDeliverySignals().
    pub(super) fn update_latest_delivery_signals(&mut self, delivered: &Delivered) {
        let (signals, sample) = (&mut self.signals, &delivered.sample);
        signals.bw_latest = signals.bw_latest.max(sample.rate.unwrap_or(0.0));
        signals.inflight_latest = signals.inflight_latest.max(f64::from(sample.delivered));
        signals.loss_round_start = sample.prior_delivered >= signals.loss_round_delivered;
        if signals.loss_round_start {
            signals.loss_round_delivered = delivered.total;
        }
    }

    /// BBRAdvanceLatestDeliverySignals().
    pub(super) fn advance_latest_delivery_signals(&mut self, delivered: &Delivered) {
        if self.signals.loss_round_start {
            self.signals.bw_latest = delivered.sample.rate.unwrap_or(0.0);
            self.signals.inflight_latest = f64::from(delivered.sample.delivered);
        }
    }

    /// BBRUpdateCongestionSignals() (§5.5.10.3), with BBRUpdateMaxBw().
    pub(super) fn update_congestion_signals(&mut self, delivered: &Delivered) {
        if self.model.update_round(delivered) {
            self.probe_bw.rounds_since_bw_probe += 1;
            self.update_ecn_alpha();
        }
        self.model.update_max_bw(delivered.sample.rate.unwrap_or(0.0), delivered.sample.is_app_limited);
        self.signals.delivered_in_round += delivered.segments;
        self.signals.marked_in_round += if delivered.marked { delivered.segments } else { 0 };
        self.signals.loss_in_round |= delivered.newly_lost > 0;
        if self.signals.loss_round_start {
            self.adapt_lower_bounds();
            self.signals.loss_in_round = false;
        }
    }

    /// Whether marks count on this path.
    fn heeds_marks(&self) -> bool {
        self.model.min_rtt.is_some_and(|min_rtt| min_rtt <= ECN_LONGEST_RTT)
    }

    /// `bbr_update_ecn_alpha` in Linux: a round is over.
    fn update_ecn_alpha(&mut self) {
        let heeds_marks = self.heeds_marks();
        let signals = &mut self.signals;
        if signals.delivered_in_round == 0 {
            return;
        }
        let part = f64::from(signals.marked_in_round) / f64::from(signals.delivered_in_round);
        signals.ecn_alpha = (1.0 - ECN_GAIN) * signals.ecn_alpha + ECN_GAIN * part;
        signals.is_marked_too_much = heeds_marks && part >= ECN_THRESHOLD;
        signals.marked_rounds = if signals.is_marked_too_much { signals.marked_rounds + 1 } else { 0 };
        if heeds_marks && signals.marked_in_round > 0 && !self.state.is_probing() {
            let bound = self.signals.inflight_shortterm.min(self.cwnd);
            self.signals.inflight_shortterm = bound * (1.0 - self.signals.ecn_alpha * ECN_FACTOR);
        }
        (self.signals.delivered_in_round, self.signals.marked_in_round) = (0, 0);
    }

    /// BBRAdaptLowerBoundsFromCongestion().
    fn adapt_lower_bounds(&mut self) {
        if self.state.is_probing() || !self.signals.loss_in_round {
            return;
        }
        let (max_bw, cwnd, beta) = (self.model.max_bw(), self.cwnd, self.params.beta);
        let signals = &mut self.signals;
        // BBRInitLowerBounds(), BBRLossLowerBounds(). What has no bound yet begins at what there is.
        let bw = if signals.bw_shortterm.is_finite() { signals.bw_shortterm } else { max_bw };
        let inflight = if signals.inflight_shortterm.is_finite() { signals.inflight_shortterm } else { cwnd };
        signals.bw_shortterm = signals.bw_latest.max(beta * bw);
        signals.inflight_shortterm = signals.inflight_latest.max(beta * inflight);
    }

    /// IsInflightTooHigh(), and the same of marks.
    pub(super) fn is_inflight_too_high(&self, lost: u32, tx_in_flight: u32) -> bool {
        f64::from(lost) > f64::from(tx_in_flight) * self.params.loss_threshold || self.signals.is_marked_too_much
    }

    /// BBRHandleLostPacket() (§5.5.10.2).
    pub(super) fn handle_lost_segment(&mut self, lost: &LostSegment) {
        // BBRNoteLoss().
        if !self.signals.loss_in_round {
            self.signals.loss_round_delivered = lost.total;
        }
        self.signals.loss_in_round = true;
        let is_too_much = f64::from(lost.lost) > f64::from(lost.tx_in_flight) * self.params.loss_threshold;
        if self.signals.bw_probe_samples && is_too_much {
            let inflight = inflight_at_loss(lost, self.params.loss_threshold);
            self.handle_inflight_too_high(inflight, lost.is_app_limited, lost.now, lost.total);
        }
    }

    /// BBRTargetInflight().
    pub(super) fn target_inflight(&self) -> f64 {
        self.bdp_multiple(self.bw(), 1.0).min(self.cwnd)
    }

    /// BBRHandleInflightTooHigh(): a probe has found its end.
    pub(super) fn handle_inflight_too_high(&mut self, inflight: f64, is_app_limited: bool, now: Instant, total: u64) {
        self.signals.bw_probe_samples = false;
        if !is_app_limited {
            self.signals.inflight_longterm = inflight.max(self.target_inflight() * self.params.beta);
        }
        if self.state == State::Up {
            self.start_probe_bw_down(now, total);
        }
    }
}

/// BBRInflightAtLoss(): how much was in flight when the part lost crossed the threshold.
fn inflight_at_loss(lost: &LostSegment, threshold: f64) -> f64 {
    let before = f64::from(lost.tx_in_flight) - 1.0;
    let lost_before = f64::from(lost.lost) - 1.0;
    before + ((threshold * before - lost_before) / (1.0 - threshold)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a threshold of 2 % the third loss of 101 segments crosses it: 100 before it and two lost leave no room.
    #[test]
    fn the_place_where_losses_became_too_many() {
        let lost = |tx_in_flight, lost| LostSegment {
            now: Instant::ZERO,
            total: 0,
            tx_in_flight,
            lost,
            is_app_limited: false,
        };
        assert_eq!(inflight_at_loss(&lost(101, 3), 0.02), 100.0);
        assert_eq!(inflight_at_loss(&lost(101, 2), 0.02), 100.0 + 1.0 / 0.98);
        assert_eq!(inflight_at_loss(&lost(1, 1), 0.02), 0.0);
    }
}
