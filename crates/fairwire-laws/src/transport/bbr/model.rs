//! What BBR knows of the path (§5.5).

use super::max_filter::MaxFilter;
use super::{Delivered, Law, State};
use fairwire_core::{Instant, Span};

/// Round trips over which the bundling of acknowledgements is remembered (ExtraAckedFilterLen).
const EXTRA_ACKED_ROUNDS: u64 = 10;
/// Cycles over which the largest bandwidth is remembered (MaxBwFilterLen).
const MAX_BW_CYCLES: u64 = 2;
/// How long the shortest round trip is remembered (MinRTTFilterLen).
const MIN_RTT_KEPT: Span = Span::from_millis(10_000);
/// How long until a shorter round trip is looked for (ProbeRTTInterval).
const PROBE_RTT_INTERVAL: Span = Span::from_millis(5_000);
/// MinPipeCwnd: no fewer segments are in flight.
pub(super) const MIN_PIPE_CWND: f64 = 4.0;

/// The path, and the rounds and cycles in which it is measured.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    /// When the first segment was delivered.
    began: Option<Instant>,
    /// BBR.round_count, BBR.next_round_delivered, BBR.round_start: round trips counted by packets.
    pub round_count: u64,
    pub next_round_delivered: u64,
    pub round_start: bool,
    /// BBR.max_bw_filter, BBR.cycle_count.
    max_bw: MaxFilter,
    pub cycle_count: u64,
    /// BBR.min_rtt and when it was seen.
    pub min_rtt: Option<Span>,
    min_rtt_stamp: Instant,
    /// BBR.probe_rtt_min_delay, BBR.probe_rtt_min_stamp, BBR.probe_rtt_expired: the same for ProbeRTT.
    probe_rtt_min_delay: Option<Span>,
    pub probe_rtt_min_stamp: Instant,
    pub probe_rtt_expired: bool,
    /// BBR.extra_acked_filter and its interval.
    extra_acked: MaxFilter,
    extra_acked_from: Instant,
    extra_acked_delivered: f64,
}

impl Model {
    /// Something is delivered: what was never measured counts from the first time on.
    pub(super) fn begin(&mut self, now: Instant) {
        if self.began.is_none() {
            self.began = Some(now);
            (self.min_rtt_stamp, self.probe_rtt_min_stamp, self.extra_acked_from) = (now, now, now);
        }
    }

    /// How long ago that was.
    pub(super) fn age(&self, now: Instant) -> Span {
        now.since(self.began.unwrap_or(now))
    }

    /// BBR.max_bw.
    pub(super) fn max_bw(&self) -> f64 {
        self.max_bw.max()
    }

    /// BBR.extra_acked.
    pub(super) fn extra_acked(&self) -> f64 {
        self.extra_acked.max()
    }

    /// BBRStartRound(): a round is over when what is sent from here on is acknowledged.
    pub(super) fn start_round(&mut self, total: u64) {
        self.next_round_delivered = total;
    }

    /// BBRUpdateRound() (§5.5.1); whether a round begins.
    pub(super) fn update_round(&mut self, delivered: &Delivered) -> bool {
        self.round_start = delivered.sample.prior_delivered >= self.next_round_delivered;
        if self.round_start {
            self.start_round(delivered.total);
            self.round_count += 1;
        }
        self.round_start
    }

    /// BBRUpdateMaxBw() (§5.5.5), without the round.
    pub(super) fn update_max_bw(&mut self, rate: f64, is_app_limited: bool) {
        if rate > 0.0 && (rate >= self.max_bw() || !is_app_limited) {
            self.max_bw.update(rate, self.cycle_count, MAX_BW_CYCLES);
        }
    }

    /// BBRAdvanceMaxBwFilter() (§5.5.6).
    pub(super) fn advance_max_bw_filter(&mut self) {
        self.cycle_count += 1;
    }
}

impl Law {
    /// BBR.bw: what the path carries, as far as losses let believe (BBRBoundBWForModel()).
    pub(super) fn bw(&self) -> f64 {
        self.model.max_bw().min(self.signals.bw_shortterm)
    }

    /// BBRBDPMultiple() (§5.6.4.2) of a bandwidth.
    pub(super) fn bdp_multiple(&self, bw: f64, gain: f64) -> f64 {
        self.model.min_rtt.map_or(self.initial_cwnd, |min_rtt| gain * bw * min_rtt.as_secs_f64())
    }

    /// BBRQuantizationBudget() (§5.6.4.2).
    fn with_quantization_budget(&self, inflight: f64) -> f64 {
        let inflight = inflight.ceil().max(MIN_PIPE_CWND);
        if self.state == State::Up { inflight + 2.0 } else { inflight }
    }

    /// BBRInflight(): what keeps the pipe full `gain` times.
    pub(super) fn inflight(&self, bw: f64, gain: f64) -> f64 {
        self.with_quantization_budget(self.bdp_multiple(bw, gain))
    }

    /// BBRUpdateMaxInflight().
    pub(super) fn max_inflight(&self) -> f64 {
        let bdp = self.bdp_multiple(self.bw(), self.cwnd_gain());
        self.with_quantization_budget(bdp + self.model.extra_acked())
    }

    /// BBRUpdateACKAggregation() (§5.5.9).
    pub(super) fn update_ack_aggregation(&mut self, delivered: &Delivered) {
        let bw = self.bw();
        let model = &mut self.model;
        let mut expected = bw * delivered.now.since(model.extra_acked_from).as_secs_f64();
        if model.extra_acked_delivered <= expected {
            model.extra_acked_delivered = 0.0;
            model.extra_acked_from = delivered.now;
            expected = 0.0;
        }
        model.extra_acked_delivered += f64::from(delivered.segments);
        let extra = (model.extra_acked_delivered - expected).min(self.cwnd);
        let length = if self.full_pipe.is_reached { EXTRA_ACKED_ROUNDS } else { 1 };
        model.extra_acked.update(extra, model.round_count, length);
    }

    /// BBRUpdateMinRTT() (§5.5.7).
    pub(super) fn update_min_rtt(&mut self, delivered: &Delivered) {
        let (model, now) = (&mut self.model, delivered.now);
        model.probe_rtt_expired = now > model.probe_rtt_min_stamp + PROBE_RTT_INTERVAL;
        if let Some(rtt) = delivered.sample.rtt {
            let is_shorter = model.probe_rtt_min_delay.is_none_or(|shortest| rtt < shortest);
            if is_shorter || model.probe_rtt_expired {
                model.probe_rtt_min_delay = Some(rtt);
                model.probe_rtt_min_stamp = now;
            }
        }
        let is_old = now > model.min_rtt_stamp + MIN_RTT_KEPT;
        if let Some(shortest) = model.probe_rtt_min_delay
            && (is_old || model.min_rtt.is_none_or(|min_rtt| shortest < min_rtt))
        {
            model.min_rtt = Some(shortest);
            model.min_rtt_stamp = model.probe_rtt_min_stamp;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Model;

    /// §5.5.5: a sender that had nothing more to send says how fast it was, not how fast the path is, unless that is
    /// more than was known.
    #[test]
    fn only_higher_rates_count_while_the_application_limits() {
        let mut model = Model::default();
        let mut after = |rate: f64, is_app_limited: bool| {
            model.advance_max_bw_filter();
            model.update_max_bw(rate, is_app_limited);
            model.max_bw()
        };
        assert_eq!(after(100.0, true), 100.0, "more than nothing");
        assert_eq!(after(40.0, true), 100.0, "it is not taken in");
        assert_eq!(after(40.0, true), 100.0, "nor does it push out what is known");
        assert_eq!(after(120.0, true), 120.0);
        assert_eq!(after(50.0, false), 120.0, "two cycles count");
        assert_eq!(after(40.0, false), 50.0);
        assert_eq!(after(0.0, false), 50.0, "no rate was measured");
    }
}
