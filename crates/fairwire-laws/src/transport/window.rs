//! The window rules of RFC 5681 that Tahoe, Reno, NewReno and SACK share.

use super::{Acked, Congestion, StartWindow, Timeout};

/// No threshold is lower (RFC 5681 eq. (4)).
pub(super) const LEAST_THRESHOLD: f64 = 2.0;

/// A congestion window and its slow-start threshold, in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Window {
    pub congestion: f64,
    pub threshold: f64,
    most: f64,
}

impl Window {
    pub(super) fn new(start: &StartWindow) -> Self {
        Self { congestion: start.window, threshold: start.threshold, most: start.receive_window }
    }

    /// Slow start below the threshold: one segment an acknowledgement (RFC 5681 eq. (2));
    /// congestion avoidance above: one segment a round trip, as 1/window an
    /// acknowledgement (eq. (3)).
    #[inline]
    pub(super) fn grow(&mut self, _acked: &Acked) {
        let more = if self.in_slow_start() { 1.0 } else { 1.0 / self.congestion };
        self.grow_to(self.congestion + more);
    }

    /// Grows to `window`, but not beyond what the receiver offers: it would not be used.
    #[inline]
    pub(super) fn grow_to(&mut self, window: f64) {
        self.congestion = self.congestion.max(window.min(self.most));
    }

    #[inline]
    pub(super) fn in_slow_start(&self) -> bool {
        self.congestion < self.threshold
    }

    /// The threshold becomes half of what is in flight, at least two segments (RFC 5681 eq. (4)).
    pub(super) fn halve_threshold(&mut self, flight: f64) {
        self.threshold = (flight / 2.0).max(LEAST_THRESHOLD);
    }

    /// Half of what is in flight, threshold and window.
    pub(super) fn halve(&mut self, congestion: &Congestion) {
        self.halve_threshold(congestion.flight);
        self.congestion = self.threshold;
    }

    /// Half of what is in flight is the threshold, and one segment the loss window. A
    /// segment that times out again leaves the threshold as it is (RFC 5681 §3.1).
    pub(super) fn restart(&mut self, timeout: &Timeout) {
        if !timeout.again {
            self.halve_threshold(timeout.flight);
        }
        self.congestion = 1.0;
    }
}
