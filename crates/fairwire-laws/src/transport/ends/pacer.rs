//! When the next segment may leave, where a law spaces them out.

use fairwire_core::{Instant, Span};

/// Lets one segment leave at a time, as far apart as the law's rate says; a segment that leaves late does not bring the next one
/// forward.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pacer {
    /// No segment leaves before.
    next: Instant,
    /// Something waits for that time.
    held: bool,
}

impl Pacer {
    /// Whether a segment has to wait at `now`.
    #[inline]
    pub(super) fn holds(&mut self, now: Instant) -> bool {
        self.held = now < self.next;
        self.held
    }

    /// Nothing waits any more.
    #[inline]
    pub(super) fn release(&mut self) {
        self.held = false;
    }

    /// A segment left at `now`, at `rate` segments per second.
    pub(super) fn sent(&mut self, now: Instant, rate: f64) {
        self.next = self.next.max(now) + Span::from_secs_f64(1.0 / rate);
    }

    /// When what waits may leave.
    #[inline]
    pub(super) fn released_at(&self) -> Option<Instant> {
        self.held.then_some(self.next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_leave_one_interval_apart() {
        let (mut pacer, at) = (Pacer::default(), Instant::from_nanos);
        assert!(!pacer.holds(at(5)));
        assert_eq!(pacer.released_at(), None);
        pacer.sent(at(5), 1e8);
        assert!(pacer.holds(at(14)) && !pacer.holds(at(15)));
        assert!(pacer.holds(at(9)));
        assert_eq!(pacer.released_at(), Some(at(15)));
        pacer.sent(at(15), 1e8);
        assert!(pacer.holds(at(24)) && !pacer.holds(at(100)), "what is late is not made up for");
        pacer.sent(at(100), 1e8);
        assert!(pacer.holds(at(109)) && !pacer.holds(at(110)));
    }
}
