//! When to repeat oneself: fast after news, slowly otherwise.

use fairwire_core::{Instant, Span};

/// Topology frames at the fast timer after a change. Ours.
pub const BURST: u32 = 8;

/// The timer of topology frames.
#[derive(Clone, Debug)]
pub struct Pace {
    fast: Span,
    slow: Span,
    /// Fast ones still to come.
    left: u32,
    last: Instant,
    next: Instant,
}

impl Pace {
    pub fn new(fast: Span, slow: Span) -> Self {
        Self { fast, slow, left: 0, last: Instant::ZERO, next: Instant::NEVER }
    }

    pub fn next(&self) -> Instant {
        self.next
    }

    /// Nothing new: the next one is due in its time.
    pub fn rest(&mut self, now: Instant) {
        self.next = now + self.slow;
    }

    /// There is news of one's own: the first one is due at once.
    pub fn news(&mut self, now: Instant) {
        (self.left, self.next) = (BURST, now);
    }

    /// Somebody new listens: a burst, but never faster than the fast timer, so
    /// that many who come at once are greeted together.
    pub fn greet(&mut self, now: Instant) {
        self.left = BURST;
        self.next = self.next.min(now.max(self.last + self.fast));
    }

    pub fn sent(&mut self, now: Instant) {
        self.left = self.left.saturating_sub(1);
        self.last = now;
        self.next = now + if self.left > 0 { self.fast } else { self.slow };
    }
}
