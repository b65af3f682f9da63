//! ProbeBW (§5.3.3): Down until the queue is gone, Cruise, Refill for a round, Up until more brings nothing or breaks something.

use super::model::MIN_PIPE_CWND;
use super::{Delivered, Law, State};
use fairwire_core::{Instant, Span};

/// The next probe comes after so much time at least, and up to a second more (§5.3.3.5.3).
const SHORTEST_WAIT: Span = Span::from_millis(2_000);
const LONGEST_ADDED_NS: u64 = 1_000_000_000;
/// And after so many round trips at most: as often as Reno would lose (§5.3.3.5.1).
const MOST_RENO_ROUNDS: f64 = 63.0;

/// Which round's acknowledgements come in (BBR.ack_phase).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum AckPhase {
    /// Of no probe.
    #[default]
    None,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// When and how far bandwidth is probed.
#[derive(Clone, Debug, Default)]
pub(super) struct ProbeBw {
    pub ack_phase: AckPhase,
    /// BBR.rounds_since_bw_probe, BBR.bw_probe_wait, BBR.cycle_stamp.
    pub rounds_since_bw_probe: u64,
    wait: Span,
    cycle_stamp: Instant,
    /// BBR.bw_probe_up_rounds, BBR.bw_probe_up_acks, BBR.probe_up_cnt: how the long-term bound grows.
    up_rounds: u32,
    up_acks: f64,
    up_count: f64,
}

impl Law {
    /// BBRUpdateProbeBWCyclePhase() (§5.3.3.6).
    pub(super) fn update_probe_bw_cycle(&mut self, delivered: &Delivered) {
        if !self.full_pipe.is_reached {
            return;
        }
        self.adapt_long_term_model(delivered);
        let in_flight = f64::from(delivered.in_flight);
        match self.state {
            State::Down | State::Cruise if self.is_time_to_probe_bw(delivered.now) => {
                self.start_probe_bw_refill(delivered.total);
            }
            State::Down if self.is_time_to_cruise(in_flight) => self.state = State::Cruise,
            State::Refill if self.model.round_start => {
                self.signals.bw_probe_samples = true;
                self.start_probe_bw_up(delivered);
            }
            State::Up => self.go_down_in_time(delivered),
            _ => {}
        }
    }

    /// BBRStartProbeBW_DOWN().
    pub(super) fn start_probe_bw_down(&mut self, now: Instant, total: u64) {
        self.signals.reset_congestion();
        self.probe_bw.up_count = f64::INFINITY;
        self.pick_probe_wait(now, total);
        self.probe_bw.cycle_stamp = now;
        self.probe_bw.ack_phase = AckPhase::ProbeStopping;
        self.model.start_round(total);
        self.state = State::Down;
    }

    /// BBRStartProbeBW_REFILL().
    fn start_probe_bw_refill(&mut self, total: u64) {
        self.signals.reset_short_term();
        (self.probe_bw.up_rounds, self.probe_bw.up_acks) = (0, 0.0);
        self.probe_bw.ack_phase = AckPhase::Refilling;
        self.model.start_round(total);
        self.state = State::Refill;
    }

    /// BBRStartProbeBW_UP().
    fn start_probe_bw_up(&mut self, delivered: &Delivered) {
        self.probe_bw.ack_phase = AckPhase::ProbeStarting;
        self.model.start_round(delivered.total);
        self.full_pipe.reset(delivered.sample.rate.unwrap_or(0.0));
        self.state = State::Up;
        self.raise_inflight_longterm_slope();
    }

    /// BBRIsTimeToProbeBW().
    fn is_time_to_probe_bw(&self, now: Instant) -> bool {
        let reno_rounds = self.target_inflight().min(MOST_RENO_ROUNDS);
        now > self.probe_bw.cycle_stamp + self.probe_bw.wait
            || self.probe_bw.rounds_since_bw_probe as f64 >= reno_rounds
    }

    /// BBRPickProbeWait(): flows that began together are not to probe together.
    fn pick_probe_wait(&mut self, now: Instant, total: u64) {
        let drawn = mixed(self.model.age(now).as_nanos() ^ total.rotate_left(32));
        self.probe_bw.rounds_since_bw_probe = drawn & 1;
        self.probe_bw.wait = SHORTEST_WAIT + Span::from_nanos((drawn >> 1) % LONGEST_ADDED_NS);
    }

    /// BBRIsTimeToCruise().
    fn is_time_to_cruise(&self, in_flight: f64) -> bool {
        in_flight <= self.inflight_with_headroom() && in_flight <= self.inflight(self.model.max_bw(), 1.0)
    }

    /// BBRInflightWithHeadroom().
    pub(super) fn inflight_with_headroom(&self) -> f64 {
        let longterm = self.signals.inflight_longterm;
        if longterm.is_infinite() {
            return longterm;
        }
        let headroom = (self.params.headroom * longterm).max(1.0);
        (longterm - headroom).max(MIN_PIPE_CWND)
    }

    /// BBRIsTimeToGoDown(), and what follows.
    fn go_down_in_time(&mut self, delivered: &Delivered) {
        if delivered.is_cwnd_limited && self.cwnd >= self.signals.inflight_longterm {
            // The bound holds the bandwidth back, and that it does not grow tells nothing.
            self.full_pipe.reset(delivered.sample.rate.unwrap_or(0.0));
        } else if self.full_pipe.now {
            self.start_probe_bw_down(delivered.now, delivered.total);
        }
    }

    /// BBRAdaptLongTermModel().
    fn adapt_long_term_model(&mut self, delivered: &Delivered) {
        let sample = &delivered.sample;
        if self.model.round_start {
            match self.probe_bw.ack_phase {
                AckPhase::ProbeStarting => self.probe_bw.ack_phase = AckPhase::ProbeFeedback,
                AckPhase::ProbeStopping => {
                    self.signals.bw_probe_samples = false;
                    self.probe_bw.ack_phase = AckPhase::None;
                    if self.state.is_probe_bw() && !sample.is_app_limited {
                        self.model.advance_max_bw_filter();
                    }
                }
                _ => {}
            }
        }
        if self.is_inflight_too_high(sample.lost, sample.tx_in_flight) {
            if self.signals.bw_probe_samples {
                let inflight = f64::from(sample.tx_in_flight);
                self.handle_inflight_too_high(inflight, sample.is_app_limited, delivered.now, delivered.total);
            }
            return;
        }
        if self.signals.inflight_longterm.is_infinite() {
            return;
        }
        self.signals.inflight_longterm = self.signals.inflight_longterm.max(f64::from(sample.tx_in_flight));
        if self.state == State::Up {
            self.probe_inflight_longterm_upward(delivered);
        }
    }

    /// BBRProbeInflightLongtermUpward().
    fn probe_inflight_longterm_upward(&mut self, delivered: &Delivered) {
        if !delivered.is_cwnd_limited || self.cwnd < self.signals.inflight_longterm {
            return;
        }
        self.probe_bw.up_acks += f64::from(delivered.segments);
        if self.probe_bw.up_acks >= self.probe_bw.up_count {
            let more = (self.probe_bw.up_acks / self.probe_bw.up_count).floor();
            self.probe_bw.up_acks -= more * self.probe_bw.up_count;
            self.signals.inflight_longterm += more;
        }
        if self.model.round_start {
            self.raise_inflight_longterm_slope();
        }
    }

    /// BBRRaiseInflightLongtermSlope(): twice as fast each round.
    fn raise_inflight_longterm_slope(&mut self) {
        let growth = 2_f64.powi(self.probe_bw.up_rounds as i32);
        self.probe_bw.up_rounds = (self.probe_bw.up_rounds + 1).min(30);
        self.probe_bw.up_count = (self.cwnd / growth).max(1.0);
    }
}

/// A number whose bits all depend on all bits of `number` (the finaliser of SplitMix64).
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
