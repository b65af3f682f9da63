//! DCTCP: the window is reduced by as much as the part of the segments that were marked.
//!
//! Each acknowledgement tells of just its segments whether they were marked (`receiver.rs`). Once a window of data the sender
//! takes the part F of marked ones into a moving average, α ← (1 − g) α + g F. The first mark of a window reduces it by the
//! part α/2: by half where all segments are marked, as Reno; by next to nothing where few are. So a queue that marks all
//! that comes while it is longer than K stays near K. What is lost is answered and recovered as with SACK. The rest is
//! RFC 5681.
//!
//! Left open by RFC 8257 and chosen as in Linux: α is 1 at first (§3.3 says SHOULD), and a reduction takes α as it stands then.

use super::window::{LEAST_SSTHRESH, Window};
use super::{Acked, Congestion, CongestionControl, Delivered, MarkEcho, Recovery, StartWindow, Timeout};
use crate::LawAbout;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What may be set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// Whether the first two duplicate acknowledgements send a new segment each (RFC 3042).
    pub limited_transmit: bool,
    /// g: the weight of the last window in α.
    #[schemars(range(min = 0.001, max = 1.0))]
    pub gain: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { limited_transmit: true, gain: 1.0 / 16.0 }
    }
}

/// The window of one sender.
#[derive(Clone, Debug)]
pub struct Law {
    window: Window,
    /// g.
    gain: f64,
    /// DCTCP.Alpha: the part of segments that are marked.
    alpha: f64,
    /// Segments delivered in this window of data, and of these marked.
    delivered: u32,
    marked: u32,
    /// DCTCP.WindowEnd: the window of data is over when all below is acknowledged.
    window_end: u32,
}

impl CongestionControl for Law {
    type Params = Params;

    const ABOUT: LawAbout = LawAbout {
        name: "dctcp",
        summary: "The window shrinks by half of the part of segments that were marked",
        source: "RFC 8257; Alizadeh et al., Data Center TCP (SIGCOMM 2010)",
    };
    const RECOVERY: Recovery = Recovery::Scoreboard;
    const MARK_ECHO: MarkEcho = MarkEcho::EachSegment;

    fn problem(params: &Params) -> Option<String> {
        if (0.001..=1.0).contains(&params.gain) {
            return None;
        }
        Some(format!("`gain` is a number from 0.001 to 1, not {}; RFC 8257 says 0.0625", params.gain))
    }

    fn follows_delivery(_params: &Params) -> bool {
        true
    }

    fn limited_transmit(params: &Params) -> bool {
        params.limited_transmit
    }

    fn new(params: &Params, start: &StartWindow) -> Self {
        Self { window: Window::new(start), gain: params.gain, alpha: 1.0, delivered: 0, marked: 0, window_end: 0 }
    }

    #[inline]
    fn cwnd(&self) -> f64 {
        self.window.cwnd
    }

    #[inline]
    fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    #[inline]
    fn on_ack(&mut self, acked: &Acked) {
        self.window.grow(acked);
    }

    /// RFC 8257 §3.3: what is delivered counts for the window of data until all is acknowledged that had been sent
    /// when it began.
    fn on_delivered(&mut self, delivered: &Delivered) {
        self.delivered += delivered.segments;
        self.marked += if delivered.marked { delivered.segments } else { 0 };
        if delivered.snd_una <= self.window_end {
            return;
        }
        let part = f64::from(self.marked) / f64::from(self.delivered);
        self.alpha = (1.0 - self.gain) * self.alpha + self.gain * part;
        (self.delivered, self.marked) = (0, 0);
        self.window_end = delivered.snd_nxt;
    }

    /// RFC 8257 §3.3 step 9 for marks, §3.5 for losses.
    fn on_congestion(&mut self, congestion: &Congestion) {
        if congestion.marked {
            self.window.ssthresh = (self.window.cwnd * (1.0 - self.alpha / 2.0)).max(LEAST_SSTHRESH);
            self.window.cwnd = self.window.ssthresh;
        } else {
            self.window.halve(congestion);
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.window.restart(timeout);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::RateSample;
    use fairwire_core::Instant;

    fn law(cwnd: f64) -> Law {
        Law::new(&Params::default(), &StartWindow { cwnd, ssthresh: cwnd, rwnd: 1e9 })
    }

    fn deliver(law: &mut Law, segments: u32, marked: bool, snd_una: u32, snd_nxt: u32) {
        let sample = RateSample {
            rate: None,
            delivered: segments,
            lost: 0,
            prior_delivered: 0,
            tx_in_flight: 1,
            is_app_limited: false,
            rtt: None,
        };
        law.on_delivered(&Delivered {
            now: Instant::ZERO,
            segments,
            newly_lost: 0,
            marked,
            snd_una,
            snd_nxt,
            in_flight: snd_nxt - snd_una,
            total: 0,
            is_cwnd_limited: true,
            sample,
        });
    }

    /// RFC 8257 §3.3: α moves once a window, by g.
    #[test]
    fn alpha_follows_the_part_that_is_marked() {
        let mut law = law(100.0);
        deliver(&mut law, 1, false, 1, 100);
        let first = 15.0 / 16.0;
        assert_eq!((law.alpha, law.window_end), (first, 100), "a window of data of one segment");
        deliver(&mut law, 75, false, 76, 176);
        assert_eq!(law.alpha, first);
        deliver(&mut law, 25, true, 101, 201);
        assert_eq!(law.alpha, first * 15.0 / 16.0 + 0.25 / 16.0);
        assert_eq!((law.delivered, law.marked, law.window_end), (0, 0, 201));
    }

    /// RFC 8257 §3.3 step 9, §3.5.
    #[test]
    fn marks_cut_by_half_of_alpha_and_losses_by_half() {
        let mut law = law(100.0);
        law.alpha = 0.25;
        law.on_congestion(&Congestion { now: Instant::ZERO, flight_size: 90.0, marked: true });
        assert_eq!((law.cwnd(), law.ssthresh()), (87.5, 87.5));
        law.on_congestion(&Congestion { now: Instant::ZERO, flight_size: 80.0, marked: false });
        assert_eq!((law.cwnd(), law.ssthresh()), (40.0, 40.0));
    }
}
