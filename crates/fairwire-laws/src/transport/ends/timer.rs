//! The retransmission timer (RFC 6298).

use super::TcpSettings;
use fairwire_core::{Instant, Span};

/// RTO before the first round-trip time is known (RFC 6298 (2.1)).
const FIRST: Span = Span::from_millis(1_000);
/// RTO is never longer (RFC 6298 (2.5) allows a bound of 60 s or more).
const LONGEST: Span = Span::from_millis(60_000);

/// Measures the round-trip time and tells when what was sent is overdue.
#[derive(Clone, Debug)]
pub(super) struct RetransmissionTimer {
    granularity: Span,
    shortest: Span,
    /// SRTT and RTTVAR, once there was a sample.
    smoothed: Option<Smoothed>,
    /// RTO, back-off included.
    rto: Span,
    deadline: Option<Instant>,
    /// The next sample is taken of a segment sent from here on: one a round trip, as the gains are made for.
    sample_from: Instant,
    backed_off: bool,
}

#[derive(Clone, Copy, Debug)]
struct Smoothed {
    srtt_ns: u64,
    rttvar_ns: u64,
}

impl RetransmissionTimer {
    pub(super) fn new(settings: &TcpSettings) -> Self {
        let granularity = settings.granularity.max(Span::from_nanos(1));
        Self {
            granularity,
            shortest: settings.min_timeout,
            smoothed: None,
            rto: whole_ticks(FIRST.max(settings.min_timeout), granularity),
            deadline: None,
            sample_from: Instant::ZERO,
            backed_off: false,
        }
    }

    /// SRTT; zero before the first sample.
    pub(super) fn srtt(&self) -> Span {
        self.smoothed.map_or(Span::ZERO, |smoothed| Span::from_nanos(smoothed.srtt_ns))
    }

    /// RTO, back-off included.
    pub(super) fn rto(&self) -> Span {
        self.rto
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Something was sent (RFC 6298 (5.1)).
    #[inline]
    pub(super) fn start(&mut self, now: Instant) {
        if self.deadline.is_none() {
            self.restart(now);
        }
    }

    /// New data was acknowledged and some is missing yet (RFC 6298 (5.3)).
    #[inline]
    pub(super) fn restart(&mut self, now: Instant) {
        self.deadline = Some(now + self.rto);
    }

    /// All is acknowledged (RFC 6298 (5.2)).
    pub(super) fn stop(&mut self) {
        self.deadline = None;
    }

    /// It expired: RTO doubles (RFC 6298 (5.5), (5.6)).
    pub(super) fn back_off(&mut self, now: Instant) {
        self.rto = (self.rto * 2).min(whole_ticks(LONGEST.max(self.shortest), self.granularity));
        self.backed_off = true;
        self.restart(now);
    }

    /// A segment that was sent once, at `sent_at`, is acknowledged (RFC 6298 (2.2), (2.3)). Who was
    /// sent twice must not be told here: nobody knows which of the two is meant (Karn).
    #[inline]
    pub(super) fn sample(&mut self, now: Instant, sent_at: Instant) {
        if sent_at >= self.sample_from || self.backed_off {
            self.sample_from = now;
            self.take(now.since(sent_at));
        }
    }

    fn take(&mut self, measured: Span) {
        let r_ns = nearest_ticks(measured, self.granularity).as_nanos();
        let smoothed = match self.smoothed {
            None => Smoothed { srtt_ns: r_ns, rttvar_ns: r_ns / 2 },
            Some(Smoothed { srtt_ns, rttvar_ns }) => {
                Smoothed { rttvar_ns: (3 * rttvar_ns + srtt_ns.abs_diff(r_ns)) / 4, srtt_ns: (7 * srtt_ns + r_ns) / 8 }
            }
        };
        let spread = Span::from_nanos(4 * smoothed.rttvar_ns).max(self.granularity);
        let rto = (Span::from_nanos(smoothed.srtt_ns) + spread).clamp(self.shortest, LONGEST.max(self.shortest));
        self.rto = whole_ticks(rto, self.granularity);
        self.smoothed = Some(smoothed);
        self.backed_off = false;
    }
}

/// The time in whole ticks, rounded up.
fn whole_ticks(time: Span, tick: Span) -> Span {
    tick * time.as_nanos().div_ceil(tick.as_nanos())
}

/// The time in whole ticks, rounded, at least one.
fn nearest_ticks(time: Span, tick: Span) -> Span {
    let half_ns = tick.as_nanos() / 2;
    tick * (time.as_nanos().saturating_add(half_ns) / tick.as_nanos()).max(1)
}
