//! The window rules of RFC 5681 that Tahoe, Reno, NewReno and SACK share.

use super::{Acked, Congestion, StartWindow, Timeout};

/// ssthresh is never lower (RFC 5681 eq. (4)).
pub(super) const LEAST_SSTHRESH: f64 = 2.0;

/// A congestion window (cwnd) and its slow-start threshold (ssthresh), in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Window {
    pub cwnd: f64,
    pub ssthresh: f64,
    /// The window that the receiver offers.
    rwnd: f64,
}

impl Window {
    pub(super) fn new(start: &StartWindow) -> Self {
        Self { cwnd: start.cwnd, ssthresh: start.ssthresh, rwnd: start.rwnd }
    }

    /// Slow start below ssthresh: one segment an acknowledgement (RFC 5681 eq. (2));
    /// congestion avoidance above: one segment a round trip, as 1/cwnd an
    /// acknowledgement (eq. (3)).
    #[inline]
    pub(super) fn grow(&mut self, _acked: &Acked) {
        let more = if self.in_slow_start() { 1.0 } else { 1.0 / self.cwnd };
        self.grow_to(self.cwnd + more);
    }

    /// Grows to `cwnd`, but not beyond what the receiver offers: it would not be used.
    #[inline]
    pub(super) fn grow_to(&mut self, cwnd: f64) {
        self.cwnd = self.cwnd.max(cwnd.min(self.rwnd));
    }

    #[inline]
    pub(super) fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// ssthresh becomes half of FlightSize, at least two segments (RFC 5681 eq. (4)).
    pub(super) fn halve_ssthresh(&mut self, flight_size: f64) {
        self.ssthresh = (flight_size / 2.0).max(LEAST_SSTHRESH);
    }

    /// Half of FlightSize, ssthresh and cwnd.
    pub(super) fn halve(&mut self, congestion: &Congestion) {
        self.halve_ssthresh(congestion.flight_size);
        self.cwnd = self.ssthresh;
    }

    /// Half of FlightSize is ssthresh, and one segment cwnd (the loss window). A
    /// segment that times out again leaves ssthresh as it is (RFC 5681 §3.1).
    pub(super) fn restart(&mut self, timeout: &Timeout) {
        if !timeout.again {
            self.halve_ssthresh(timeout.flight_size);
        }
        self.cwnd = 1.0;
    }
}
