//! A frame that goes around the ring for ever, no faster than asked, and is replaced when it gets lost.
//!
//! One station puts the frame on the ring ([`RingSite::first`]) and watches it (`watch.rs`). If it does not come back in
//! time that station makes a new one. The frame has a number (`number.rs`), by which every station tells a frame that comes
//! on its way from one that was given up, and from a copy of one that has been there.
//!
//! Frames of all laws begin alike (`header.rs`). Where frames get lost every station sends each frame several times (`copies.rs`).

mod copies;
pub mod header;
mod number;
mod watch;

use self::copies::Copies;
pub use self::number::Number;
use self::watch::Watch;
use super::RingSite;
use fairwire_core::{Bytes, Instant, Span};

/// A frame that circulates.
pub trait Circulates: Clone {
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
    /// The frame that is on its way out, and how often it is still to be sent.
    outgoing: Option<(M, u8)>,
    copies: Copies,
    /// Where the frame is put on the ring.
    watch: Option<Watch>,
    /// The number that came by last, and whether it may come by once more.
    seen: Option<(Number, bool)>,
    /// Whether a frame comes by twice in a lap.
    turns: bool,
}

impl<M: Circulates> Lap<M> {
    /// At `site`, which holds the frame until `min_interval` has passed since it last left, if it is the first one there.
    /// Frames have so many bytes.
    pub fn new(site: &RingSite, min_interval: Span, frame_bytes: Bytes) -> Self {
        Self {
            min_interval: if site.first { min_interval } else { Span::ZERO },
            last_sent: Instant::ZERO,
            waiting: None,
            outgoing: None,
            // At the end of an open ring a copy cannot be told from the frame on its way back.
            copies: if site.open { Copies::never() } else { Copies::as_needed() },
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
        let admits = self.is_new(now, number);
        if admits {
            self.copies.frame_came(number);
        }
        admits
    }

    #[inline]
    fn is_new(&mut self, now: Instant, number: Number) -> bool {
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
    pub fn begin(&mut self, now: Instant, frame: M) {
        self.depart(now, frame);
    }

    /// The frame is to leave at `now`: it goes out if it may, and waits if not.
    ///
    /// From departure to departure, so that laps that were short do not alternate with long ones.
    #[inline]
    pub fn pass_on(&mut self, now: Instant, frame: M) {
        let release = self.last_sent + self.min_interval;
        if now < release {
            self.waiting = Some((release, frame));
            return;
        }
        self.last_sent = now;
        self.depart(now, frame);
    }

    #[inline]
    fn depart(&mut self, now: Instant, mut frame: M) {
        if let Some(watch) = &mut self.watch {
            frame.set_number(watch.send(now));
        }
        self.outgoing = Some((frame, self.copies.of_a_frame()));
    }

    /// The next frame to be sent.
    #[inline]
    pub fn poll(&mut self) -> Option<M> {
        match &mut self.outgoing {
            Some((frame, copies)) if *copies > 1 => {
                *copies -= 1;
                Some(frame.clone())
            }
            outgoing => outgoing.take().map(|(frame, _)| frame),
        }
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

    /// The time has come that [`Self::due_at`] told. Whether the frame is lost: then a new one is to be put on the ring.
    pub fn frame_is_lost(&mut self, now: Instant) -> bool {
        if let Some((release, frame)) = self.waiting.take_if(|(release, _)| *release <= now) {
            self.last_sent = release;
            self.depart(now, frame);
            return false;
        }
        let lost = self.watch.as_mut().is_some_and(|watch| watch.gives_up(now));
        if lost {
            self.copies.frame_was_lost();
        }
        lost
    }
}
