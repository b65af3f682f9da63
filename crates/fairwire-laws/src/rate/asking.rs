//! When a source asks: control packets that leave by themselves, at the pace of the round trip.

use fairwire_core::{Instant, Span};

/// Who asks and hears nothing asks again after so long, and each time after so many times as long as before.
const AGAIN_AFTER: Span = Span::from_micros(200);
const AGAIN_LATER: u64 = 3;
/// Nobody waits longer.
const AGAIN_LATEST: Span = Span::from_millis(100);

/// When the next control packet should leave by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asking {
    at: Option<Instant>,
    /// How long the next answer is waited for.
    patience: Span,
}

impl Asking {
    /// Asks at `now`.
    pub fn new(now: Instant) -> Self {
        Self { at: Some(now), patience: AGAIN_AFTER }
    }

    /// When it asks, if it does.
    #[inline]
    pub fn at(self) -> Option<Instant> {
        self.at
    }

    /// A control packet has left. Who waits for something asks again if no answer comes.
    pub fn left(&mut self, now: Instant, waits: bool, round_trip: Span) {
        self.at = waits.then(|| now + self.patience.max(round_trip * 2));
        self.patience = (self.patience * AGAIN_LATER).min(AGAIN_LATEST);
    }

    /// An answer has come: whether it makes the source ask at once, and whether it waits for more than it was given.
    pub fn answered(&mut self, now: Instant, asks: bool, waits: bool) {
        self.patience = AGAIN_AFTER;
        if asks {
            self.at = Some(now);
        } else if !waits {
            self.at = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_hears_nothing_asks_ever_more_seldom() {
        let us = |us: u64| Instant::ZERO + Span::from_micros(us);
        let mut asking = Asking::new(us(0));
        let mut left = Vec::new();
        while left.len() < 9 {
            let at = asking.at().unwrap();
            left.push(at.as_nanos() / 1000);
            asking.left(at, true, Span::from_micros(50));
        }
        assert_eq!(left, [0, 200, 800, 2600, 8000, 24_200, 72_800, 172_800, 272_800]);
        asking.answered(us(300_000), true, true);
        assert_eq!(asking.at(), Some(us(300_000)));
        asking.left(us(300_000), true, Span::from_millis(1));
        assert_eq!(asking.at(), Some(us(302_000)));
        asking.answered(us(301_000), false, false);
        assert_eq!(asking.at(), None);
    }
}
