//! BLUE: a drop probability that rises when the queue overflows and falls when it runs empty.
//!
//! Source: W. Feng and others, BLUE, 1999, as COBALT uses it beside CoDel (Palmei and others,
//! Design and Evaluation of COBALT Queue Discipline, 2019); steps as in Linux's cake.

use super::chance::happens;
use fairwire_core::{Instant, RandomStream, Span};

/// The state of one lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blue {
    probability: f64,
    moved: Instant,
}

impl Blue {
    const UP: f64 = 1.0 / 256.0;
    const DOWN: f64 = 1.0 / 4096.0;

    /// No drops so far; the first step is no sooner than a pause after `start`.
    pub(super) fn new(start: Instant) -> Self {
        Self { probability: 0.0, moved: start }
    }

    /// The lane overflowed. `pause` is the shortest time between two steps.
    pub(super) fn overflowed(&mut self, now: Instant, pause: Span) {
        if now.since(self.moved) > pause {
            self.probability = (self.probability + Self::UP).min(1.0);
            self.moved = now;
        }
    }

    /// The lane ran empty.
    pub(super) fn ran_empty(&mut self, now: Instant, pause: Span) {
        if self.probability > 0.0 && now.since(self.moved) > pause {
            self.probability = (self.probability - Self::DOWN).max(0.0);
            self.moved = now;
        }
    }

    /// Whether the next packet is dropped.
    pub(super) fn drops(&self, rng: &mut RandomStream) -> bool {
        happens(rng, self.probability)
    }
}
