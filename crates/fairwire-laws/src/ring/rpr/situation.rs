//! What a rule for the local fair rate looks at, once an aging interval.

use super::meter::Sample;
use fairwire_core::{Bytes, Instant, Span};

/// The station and its outgoing link at the end of an aging interval.
#[derive(Clone, Copy, Debug)]
pub struct Situation {
    /// The end of the interval.
    pub now: Instant,
    /// Its length.
    pub aging: Span,
    /// R, what of the link is not reserved for class A0, in bit/s.
    pub unreserved_bps: f64,
    /// The station's own weight.
    pub weight: f64,
    /// What was measured.
    pub sample: Sample,
    /// How full the transit path is.
    pub fill: Reading,
    /// Whether the station has packets to add.
    pub waiting: bool,
    /// The round trip of the congestion domain; zero for rules that do not await it.
    pub round_trip: Span,
}

impl Situation {
    /// ΣW, the weights of all active stations, this one included.
    pub fn active_weight(&self) -> f64 {
        self.sample.active_weight + self.weight
    }
}

/// Three marks on the scale that tells congestion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Marks {
    /// Above it the link is congested.
    pub low: f64,
    /// Midway or so.
    pub medium: f64,
    /// Above it the link is severely congested.
    pub high: f64,
}

impl Marks {
    /// Marks with the medium one midway.
    pub fn halved(low: f64, high: f64) -> Self {
        Self { low, medium: (low + high) / 2.0, high }
    }
}

/// What is compared with the marks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gauge {
    /// Bytes in the secondary transit queue.
    Depth(Marks),
    /// The filtered rate of all that counts, in bit/s: for stations without one.
    Rate(Marks),
}

impl Gauge {
    /// How full the transit path is now, where so much has waited at most in the aging interval.
    #[inline]
    pub fn read(&self, sample: &Sample, waiting: Bytes, most_waiting: Bytes, starved: bool) -> Reading {
        match *self {
            Self::Depth(marks) => {
                let highest = most_waiting.max(waiting).get() as f64;
                Reading { level: waiting.get() as f64, highest, marks, starved }
            }
            Self::Rate(marks) => {
                let level = sample.lp_total_bps();
                Reading { level, highest: level, marks, starved }
            }
        }
    }
}

/// A reading of a [`Gauge`].
///
/// A station that could not add anything for longer than its access timer allows is
/// as congested as can be, whatever the gauge reads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reading {
    /// What the gauge reads.
    pub level: f64,
    /// The most that it could have read in the aging interval.
    pub highest: f64,
    /// Its marks.
    pub marks: Marks,
    /// Whether the access timer has expired.
    pub starved: bool,
}

impl Reading {
    /// Whether the link is congested.
    pub fn above_low(&self) -> bool {
        self.starved || self.level > self.marks.low
    }

    /// Whether congestion has gone down; at the mark itself neither this nor [`Self::above_low`].
    pub fn below_low(&self) -> bool {
        !self.starved && self.level < self.marks.low
    }

    /// Whether congestion builds up.
    pub fn above_medium(&self) -> bool {
        self.starved || self.level > self.marks.medium
    }

    /// Whether the link is severely congested.
    pub fn above_high(&self) -> bool {
        self.starved || self.level > self.marks.high
    }

    /// Whether the link was severely congested at some time in the aging interval. Where the station stops adding at the same mark,
    /// the queue is seldom above it for long.
    pub fn was_above_high(&self) -> bool {
        self.starved || self.highest > self.marks.high
    }
}
