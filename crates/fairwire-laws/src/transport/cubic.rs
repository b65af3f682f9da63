//! CUBIC: the window grows by a cubic function of the time since the last loss, so
//! that it is flat near the window at which the loss came, and independent of the round-trip time.
//!
//! Where Reno would be faster (short round trips, small windows) it is as fast as
//! Reno. Losses are recovered as with SACK, and with `rack` those of what is sent again as with RACK. RFC 9438 recommends HyStart++ to leave
//! slow start early; it is not here: slow start ends at ssthresh or with a loss.

use super::window::{LEAST_SSTHRESH, Window};
use super::{Acked, Congestion, CongestionControl, KernelControl, Recovery, StartWindow, Timeout};
use crate::LawAbout;
use fairwire_core::{Instant, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What may be set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// Whether the first two duplicate acknowledgements send a new segment each (RFC 3042).
    pub limited_transmit: bool,
    /// β_cubic: what a loss leaves of the window.
    #[schemars(range(min = 0.1, max = 0.95))]
    pub beta: f64,
    /// C: how steep the cubic function is, in segments per cubed second.
    #[schemars(range(min = 0.001, max = 100.0))]
    pub steepness: f64,
    /// Whether a flow that loses below its last largest window aims lower, to make room for new ones.
    pub fast_convergence: bool,
    /// Whether it is at least as fast as Reno would be.
    pub reno_friendly: bool,
    /// Whether a segment that was sent again and is lost again is found by what was sent after it (RFC 8985); else by the timer.
    pub rack: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            limited_transmit: true,
            beta: 0.7,
            steepness: 0.4,
            fast_convergence: true,
            reno_friendly: true,
            rack: true,
        }
    }
}

/// The window of one sender.
#[derive(Clone, Debug)]
pub struct Law {
    params: Params,
    window: Window,
    /// W_max: the window to come back to.
    w_max: f64,
    /// cwnd just before the last congestion.
    cwnd_prior: f64,
    /// The congestion avoidance under way, if there is one.
    epoch: Option<Epoch>,
}

/// Congestion avoidance since it began.
#[derive(Clone, Debug)]
struct Epoch {
    /// When it began.
    start: Instant,
    /// W_max of the epoch: the plateau.
    w_max: f64,
    /// K: seconds from the start until the cubic function reaches the plateau.
    k_s: f64,
    /// W_est: the window that Reno would have.
    w_est: f64,
}

impl CongestionControl for Law {
    type Params = Params;

    const ABOUT: LawAbout = LawAbout {
        name: "cubic",
        summary: "The window is a cubic function of the time since the last loss",
        source: "RFC 9438; recovery as RFC 6675",
    };
    const RECOVERY: Recovery = Recovery::Scoreboard;
    const KERNEL: Option<KernelControl> = Some(KernelControl::Cubic);

    fn problem(params: &Params) -> Option<String> {
        if !(0.1..=0.95).contains(&params.beta) {
            return Some(format!("`beta` is a number from 0.1 to 0.95, not {}; RFC 9438 says 0.7", params.beta));
        }
        if !(0.001..=100.0).contains(&params.steepness) {
            return Some(format!(
                "`steepness` is a number from 0.001 to 100, not {}; RFC 9438 says 0.4",
                params.steepness
            ));
        }
        None
    }

    fn follows_delivery(params: &Params) -> bool {
        params.rack
    }

    fn limited_transmit(params: &Params) -> bool {
        params.limited_transmit
    }

    fn new(params: &Params, start: &StartWindow) -> Self {
        Self { params: *params, window: Window::new(start), w_max: 0.0, cwnd_prior: 0.0, epoch: None }
    }

    #[inline]
    fn cwnd(&self) -> f64 {
        self.window.cwnd
    }

    #[inline]
    fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    fn on_ack(&mut self, acked: &Acked) {
        if self.window.in_slow_start() {
            self.window.grow(acked);
            return;
        }
        let cwnd = self.window.cwnd;
        let Self { params, w_max, cwnd_prior, epoch, .. } = self;
        let epoch = epoch.get_or_insert_with(|| Epoch::new(params, acked.now, cwnd, *w_max));
        let next = epoch.cwnd_after(params, acked, cwnd, *cwnd_prior);
        self.window.grow_to(next);
    }

    /// RFC 9438 §4.6 and §4.7.
    fn on_congestion(&mut self, congestion: &Congestion) {
        self.back_off(congestion.flight_size);
        self.window.cwnd = self.window.ssthresh;
    }

    /// RFC 9438 §4.8: as Reno, but with β_cubic; the next congestion avoidance has its plateau where it begins.
    fn on_timeout(&mut self, timeout: &Timeout) {
        if !timeout.again {
            self.back_off(timeout.flight_size);
        }
        self.w_max = 0.0;
        self.epoch = None;
        self.window.cwnd = 1.0;
    }
}

impl Law {
    /// W_max after the epoch that ends, and ssthresh.
    fn back_off(&mut self, flight_size: f64) {
        let cwnd = self.window.cwnd;
        let aims_lower = self.params.fast_convergence && cwnd < self.w_max;
        self.w_max = if aims_lower { cwnd * (1.0 + self.params.beta) / 2.0 } else { cwnd };
        self.cwnd_prior = cwnd;
        self.epoch = None;
        self.window.ssthresh = (flight_size * self.params.beta).max(LEAST_SSTHRESH);
    }
}

impl Epoch {
    fn new(params: &Params, start: Instant, cwnd: f64, w_max: f64) -> Self {
        let w_max = w_max.max(cwnd);
        // RFC 9438 eq. (2); zero where no loss told of a larger window. In whole nanoseconds, since
        // platforms' cube roots differ in the last bit.
        let k_s = Span::from_secs_f64(((w_max - cwnd) / params.steepness).cbrt()).as_secs_f64();
        Self { start, w_max, k_s, w_est: cwnd }
    }

    /// W_cubic, `t_s` seconds after the start (RFC 9438 eq. (1)).
    fn w_cubic(&self, params: &Params, t_s: f64) -> f64 {
        let from_plateau = t_s - self.k_s;
        params.steepness * from_plateau * from_plateau * from_plateau + self.w_max
    }

    /// cwnd after an acknowledgement (RFC 9438 §4.2–§4.5).
    fn cwnd_after(&mut self, params: &Params, acked: &Acked, cwnd: f64, cwnd_prior: f64) -> f64 {
        let t_s = acked.now.since(self.start).as_secs_f64();
        if params.reno_friendly {
            // As aggressive on average as Reno in spite of another β, and just Reno once it has all back.
            let slope = if self.w_est < cwnd_prior { 3.0 * (1.0 - params.beta) / (1.0 + params.beta) } else { 1.0 };
            self.w_est += slope * f64::from(acked.segments) / cwnd;
            if self.w_cubic(params, t_s) < self.w_est {
                return self.w_est;
            }
        }
        let in_a_round_trip = self.w_cubic(params, t_s + acked.srtt.as_secs_f64());
        let target = in_a_round_trip.clamp(cwnd, 1.5 * cwnd);
        cwnd + (target - cwnd) / cwnd
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(beta: f64, cwnd: f64) -> Law {
        let params = Params { beta, ..Params::default() };
        Law::new(&params, &StartWindow { cwnd, ssthresh: cwnd, rwnd: 1e9 })
    }

    fn lose(law: &mut Law, flight_size: f64) {
        law.on_congestion(&Congestion { now: Instant::ZERO, flight_size, marked: false });
    }

    /// RFC 9438 §4.7: only a window below the last W_max makes room.
    #[test]
    fn fast_convergence_needs_a_smaller_window() {
        let mut law = law(0.5, 100.0);
        lose(&mut law, 200.0);
        assert_eq!((law.w_max, law.cwnd_prior, law.cwnd()), (100.0, 100.0, 100.0));
        lose(&mut law, 100.0);
        assert_eq!((law.w_max, law.cwnd_prior, law.cwnd()), (100.0, 100.0, 50.0), "as large as before");
        lose(&mut law, 50.0);
        assert_eq!((law.w_max, law.cwnd_prior, law.cwnd()), (37.5, 50.0, 25.0));
    }

    /// RFC 9438 §4.3: W_est grows by α for each window that is acknowledged, with α = 3 (1 − β)/(1 + β) below
    /// cwnd_prior and 1 from there on, however many segments an acknowledgement covers.
    #[test]
    fn w_est_counts_segments() {
        let params = Params { beta: 0.75, ..Params::default() };
        let acked = |segments| Acked { now: Instant::ZERO, segments, srtt: Span::ZERO };
        let mut epoch = Epoch::new(&params, Instant::ZERO, 75.0, 100.0);
        epoch.cwnd_after(&params, &acked(2), 75.0, 100.0);
        assert_eq!(epoch.w_est, 75.0 + 3.0 * 0.25 / 1.75 * 2.0 / 75.0);
        epoch.w_est = 100.0;
        epoch.cwnd_after(&params, &acked(3), 80.0, 100.0);
        assert_eq!(epoch.w_est, 100.0 + 3.0 / 80.0, "α is 1 at cwnd_prior");
    }
}
