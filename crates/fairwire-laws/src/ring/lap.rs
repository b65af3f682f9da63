//! A frame that goes around the ring for ever, no faster than asked.

use fairwire_core::{Instant, Span};

/// When the circulating frame leaves a station.
#[derive(Clone, Debug)]
pub struct Lap<M> {
    /// The shortest time between two departures from here, if this station holds frames.
    min_interval: Span,
    last_sent: Instant,
    /// The frame that waits for the interval to pass, and until when.
    waiting: Option<(Instant, M)>,
}

impl<M> Lap<M> {
    /// A station that holds the frame until `min_interval` has passed since it last left.
    pub fn new(min_interval: Span) -> Self {
        Self { min_interval, last_sent: Instant::ZERO, waiting: None }
    }

    /// The frame is to leave at `now`: returns it if it may, keeps it if not.
    ///
    /// From departure to departure, so that laps that were short do not alternate with long ones.
    #[inline]
    pub fn pass_on(&mut self, now: Instant, frame: M) -> Option<M> {
        let release = self.last_sent + self.min_interval;
        if now < release {
            self.waiting = Some((release, frame));
            return None;
        }
        self.last_sent = now;
        Some(frame)
    }

    /// When the frame that waits is to leave.
    #[inline]
    pub fn release_at(&self) -> Option<Instant> {
        self.waiting.as_ref().map(|(release, _)| *release)
    }

    /// The frame that waited.
    pub fn release(&mut self) -> Option<M> {
        let (release, frame) = self.waiting.take()?;
        self.last_sent = release;
        Some(frame)
    }
}
