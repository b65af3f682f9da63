//! A frame that goes around the ring for ever, no faster than asked, and is replaced when it gets lost.
//!
//! One station puts the frame on the ring ([`RingSite::first`]) and watches it (`watch.rs`). If it does not come back in
//! time that station makes a new one. The frame has a number (`number.rs`), by which every station tells a frame that comes
//! on its way from one that was given up, and from a copy of one that has been there.

mod number;
mod watch;

pub use self::number::Number;
use self::watch::Watch;
use super::RingSite;
use fairwire_core::{Bytes, Instant, Span};

/// A frame that circulates.
pub trait Circulates {
    /// Which frame it is, and on which lap.
    fn number(&self) -> Number;

    /// Gives it another number.
    fn set_number(&mut self, number: Number);
}

/// What one station knows of the frame that circulates.
#[derive(Clone, Debug)]
pub struct Lap<M> {
    /// The shortest time between two departures from here, if this station holds frames.
    min_interval: Span,
    last_sent: Instant,
    /// The frame that waits for the interval to pass, and until when.
    waiting: Option<(Instant, M)>,
    /// Where the frame is put on the ring.
    watch: Option<Watch>,
    /// The number that came by last, and whether it may come by once more.
    seen: Option<(Number, bool)>,
    /// Whether a frame comes by twice in a lap.
    turns: bool,
}

/// What is to be done at a timeout.
#[derive(Debug)]
pub enum Due<M> {
    /// The frame that waited is to be sent.
    Send(M),
    /// The frame is lost: a new one is to be put on the ring.
    Renew,
}

impl<M: Circulates> Lap<M> {
    /// At `site`, which holds the frame until `min_interval` has passed since it last left, if it is the first one there.
    /// Frames have so many bytes.
    pub fn new(site: &RingSite, min_interval: Span, frame_bytes: Bytes) -> Self {
        Self {
            min_interval: if site.first { min_interval } else { Span::ZERO },
            last_sent: Instant::ZERO,
            waiting: None,
            watch: site.first.then(|| Watch::new(site, frame_bytes)),
            seen: None,
            turns: site.open,
        }
    }

    /// Stations may keep the frame for long on its first lap.
    pub fn expect_long_first_lap(&mut self) {
        self.watch.iter_mut().for_each(Watch::expect_long_first_lap);
    }

    /// Whether the frame is put on the ring here.
    pub fn is_first(&self) -> bool {
        self.watch.is_some()
    }

    /// Whether the frame with this number, which arrives at `now`, is the one that is to go on. If not it was given up, or
    /// it is a copy of one that has been here.
    #[inline]
    pub fn admits(&mut self, now: Instant, number: Number) -> bool {
        if let Some(watch) = &mut self.watch {
            return watch.admits(now, number);
        }
        match &mut self.seen {
            Some((seen, again)) if *seen == number => std::mem::take(again),
            Some((seen, _)) if !number.is_newer_than(*seen) => false,
            _ => {
                self.seen = Some((number, self.turns));
                true
            }
        }
    }

    /// The frame that is under way, or waits, is worth nothing any more: another one will replace it.
    pub fn give_up(&mut self) {
        self.waiting = None;
        self.watch.iter_mut().for_each(Watch::give_up);
    }

    /// A new frame is put on the ring at `now`.
    pub fn begin(&mut self, now: Instant, frame: M) -> M {
        self.depart(now, frame)
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
        Some(self.depart(now, frame))
    }

    #[inline]
    fn depart(&mut self, now: Instant, mut frame: M) -> M {
        if let Some(watch) = &mut self.watch {
            frame.set_number(watch.send(now));
        }
        frame
    }

    /// When there is next something to do.
    #[inline]
    pub fn due_at(&self) -> Option<Instant> {
        match (&self.waiting, &self.watch) {
            (Some((release, _)), _) => Some(*release),
            (None, Some(watch)) => watch.given_up_at(),
            (None, None) => None,
        }
    }

    /// The time has come that [`Self::due_at`] told.
    pub fn look(&mut self, now: Instant) -> Option<Due<M>> {
        if let Some((release, frame)) = self.waiting.take_if(|(release, _)| *release <= now) {
            self.last_sent = release;
            return Some(Due::Send(self.depart(now, frame)));
        }
        self.watch.as_mut()?.gives_up(now).then_some(Due::Renew)
    }
}
