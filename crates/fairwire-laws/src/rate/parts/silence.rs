//! Flows that end without a word.

use fairwire_core::{Instant, Span};

/// A flow is gone after a silence of this many times the longer of its last two gaps between packets (ours).
const GAPS: u64 = 4;
/// A flow of which no gap is known yet is gone after a silence of this many times `idle_after` (ours).
const BEFORE_GAPS: u64 = 10;

/// When the last packet of a flow came, and the gaps before it.
#[derive(Clone, Copy, Debug)]
pub struct Heard {
    at: Instant,
    /// The last gap and the one before: a flow that sends packets in pairs has a short and a long one in turn. Zero for
    /// none yet.
    gaps: [Span; 2],
}

impl Heard {
    /// Heard for the first time.
    pub fn new(now: Instant) -> Self {
        Self { at: now, gaps: [Span::ZERO; 2] }
    }

    /// A packet of the flow came.
    #[inline]
    pub fn again(&mut self, now: Instant) {
        self.gaps = [now.since(self.at), self.gaps[0]];
        self.at = now;
    }

    /// Whether the flow is gone: nothing came for `idle_after`, nor for four of its usual gaps. A flow whose packets are farther
    /// apart than `idle_after` stays; how far apart they are is known from its second packet on.
    pub fn is_silent(&self, now: Instant, idle_after: Span) -> bool {
        let gap = self.gaps[0].max(self.gaps[1]);
        let usual = if gap == Span::ZERO { idle_after * BEFORE_GAPS } else { gap * GAPS };
        now.since(self.at) > idle_after.max(usual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE_AFTER: Span = Span::from_millis(100);

    fn ms(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    /// Heard at these times, it counts as silent after `ms`, and not before.
    #[track_caller]
    fn is_silent_after(heard_at: &[u64], ms_later: u64) {
        let mut heard = Heard::new(ms(heard_at[0]));
        heard_at[1..].iter().for_each(|at| heard.again(ms(*at)));
        let then = ms(heard_at[heard_at.len() - 1] + ms_later);
        assert!(!heard.is_silent(then, IDLE_AFTER));
        assert!(heard.is_silent(then + Span::from_nanos(1), IDLE_AFTER));
    }

    #[test]
    fn silence_is_longer_than_the_interval_and_four_usual_gaps() {
        is_silent_after(&[0, 10, 20, 30], 100);
        is_silent_after(&[0, 60, 120], 240);
        // In pairs.
        is_silent_after(&[0, 1, 60, 61], 236);
        is_silent_after(&[0, 1, 60, 61, 120], 236);
        // It has become fast.
        is_silent_after(&[0, 500, 501, 502], 100);
    }

    #[test]
    fn one_packet_tells_no_gap() {
        is_silent_after(&[7], 1_000);
        is_silent_after(&[7, 7], 1_000);
    }
}
