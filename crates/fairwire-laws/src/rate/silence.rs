//! Flows that end without a word.

use fairwire_core::{Instant, Span};

/// So many times the longest of the last gaps between two packets a flow may be silent.
const GAPS: u64 = 4;
/// So many times the interval a flow may be silent of which no gap is known yet.
const BEFORE_GAPS: u64 = 10;

/// When one flow was last heard, and at what intervals.
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

    /// Whether the flow is gone: nothing came for `idle_after`, nor for some times as long as it usually takes. A flow
    /// that is slower than the interval stays; how slow it is shows with its second packet.
    pub fn is_silent(&self, now: Instant, idle_after: Span) -> bool {
        let gap = self.gaps[0].max(self.gaps[1]);
        let usual = if gap == Span::ZERO { idle_after * BEFORE_GAPS } else { gap * GAPS };
        now.since(self.at) > idle_after.max(usual)
    }
}
