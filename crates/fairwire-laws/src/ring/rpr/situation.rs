//! What a rule for the local fair rate looks at, once an aging interval.

use super::meter::Sample;
use crate::ring::StationView;
use fairwire_core::{Instant, Span};

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
    pub fill: Fill,
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
    /// How full the transit path is now.
    pub fn read(&self, sample: &Sample, view: &StationView<'_>, starved: bool) -> Fill {
        match *self {
            Self::Depth(marks) => Fill { level: view.transit.secondary.get() as f64, marks, starved },
            Self::Rate(marks) => Fill { level: sample.lp_total_bps(), marks, starved },
        }
    }
}

/// A reading of a [`Gauge`].
///
/// A station that could not add anything for longer than its access timer allows is
/// as congested as can be, whatever the gauge reads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fill {
    /// What the gauge reads.
    pub level: f64,
    /// Its marks.
    pub marks: Marks,
    /// Whether the access timer has expired.
    pub starved: bool,
}

impl Fill {
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
}
