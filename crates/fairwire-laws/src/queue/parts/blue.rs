//! BLUE: a drop probability that rises when the queue overflows and falls when it runs empty.
//!
//! Source: W. Feng and others, BLUE, 1999, as COBALT uses it beside CoDel (Palmei and others,
//! Design and Evaluation of COBALT Queue Discipline, 2019); steps as in Linux's cake.

use super::chance::happens;
use fairwire_core::{Instant, RandomStream, Span};

/// The state of one lane.
#[derive(Clone, Copy, Debug)]
pub struct Blue {
    probability: f64,
    moved: Instant,
}

impl Blue {
    const UP: f64 = 1.0 / 256.0;
    const DOWN: f64 = 1.0 / 4096.0;

    /// No drops so far; the first step is no sooner than a pause after `start`.
    pub fn new(start: Instant) -> Self {
        Self { probability: 0.0, moved: start }
    }

    /// The lane overflowed. `pause` is the shortest time between two steps.
    pub fn overflowed(&mut self, now: Instant, pause: Span) {
        if now.since(self.moved) > pause {
            self.probability = (self.probability + Self::UP).min(1.0);
            self.moved = now;
        }
    }

    /// The lane ran empty.
    pub fn ran_empty(&mut self, now: Instant, pause: Span) {
        if self.probability > 0.0 && now.since(self.moved) > pause {
            self.probability = (self.probability - Self::DOWN).max(0.0);
            self.moved = now;
        }
    }

    /// Whether the next packet is dropped.
    pub fn drops(&self, rng: &mut RandomStream) -> bool {
        happens(rng, self.probability)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Span = Span::from_millis(5);

    fn at_ns(ns: u64) -> Instant {
        Instant::from_nanos(ns)
    }

    #[test]
    fn it_rises_by_a_256th_once_in_a_pause_and_falls_by_a_4096th() {
        let mut blue = Blue::new(at_ns(1_000));
        let pause = PAUSE.as_nanos();
        blue.overflowed(at_ns(1_000 + pause), PAUSE);
        assert_eq!(blue.probability, 0.0, "a pause has to be over");
        blue.overflowed(at_ns(1_001 + pause), PAUSE);
        assert_eq!(blue.probability, 1.0 / 256.0);
        blue.overflowed(at_ns(1_001 + 2 * pause), PAUSE);
        blue.ran_empty(at_ns(1_001 + 2 * pause), PAUSE);
        assert_eq!(blue.probability, 1.0 / 256.0, "neither way");
        blue.ran_empty(at_ns(1_002 + 2 * pause), PAUSE);
        assert_eq!(blue.probability, 15.0 / 4096.0);
        blue.ran_empty(at_ns(1_002 + 3 * pause), PAUSE);
        assert_eq!(blue.probability, 15.0 / 4096.0);
    }

    #[test]
    fn it_stays_a_probability() {
        let mut blue = Blue::new(Instant::ZERO);
        for step in 1..=300 {
            blue.overflowed(at_ns(step * 10_000_000), PAUSE);
        }
        assert_eq!(blue.probability, 1.0);
        let mut blue = Blue { probability: 1.0 / 8192.0, moved: Instant::ZERO };
        blue.ran_empty(at_ns(10_000_000), PAUSE);
        assert_eq!((blue.probability, blue.moved), (0.0, at_ns(10_000_000)));
        // Nothing to fall from: the next rise need not wait for it.
        blue.ran_empty(at_ns(20_000_000), PAUSE);
        assert_eq!((blue.probability, blue.moved), (0.0, at_ns(10_000_000)));
    }
}
