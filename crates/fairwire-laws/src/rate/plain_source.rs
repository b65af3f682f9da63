//! A source that does as it is told: the rules of [wmfqc] §2.2 and §3.2 at the end that sends.

use super::parts::asking::Asking;
use super::{FirstRate, RateCell, RateFormat, RateLaw, RateSource, Refusal, Terms};
use fairwire_core::{Instant, Span};
use std::marker::PhantomData;

/// What the explicit rate of a law means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explicit {
    /// The whole rate of a flow: AR = ER ([wmfqc] §2.2).
    Whole,
    /// What it has beyond its minimum: AR = MR + ER ([wmfqc] §3.2, eq. (3)).
    BeyondMinimum,
}

impl Explicit {
    /// What the source writes into ER.
    pub fn at_source(self, terms: &Terms) -> f64 {
        match self {
            Self::Whole => terms.peak_bps,
            Self::BeyondMinimum => (terms.peak_bps - terms.minimum_bps).max(0.0),
        }
    }

    /// What the destination writes into ER, in place of what came: the way forward tells ports what is above them, the way
    /// back what is below.
    pub fn at_destination(self, terms: &Terms) -> f64 {
        match self {
            Self::Whole => terms.most_bps(),
            Self::BeyondMinimum => (terms.supported_bps - terms.minimum_bps).max(0.0),
        }
    }

    /// What the source makes of an answer: eq. (3), never above PR.
    ///
    /// The paper has no clip at PR; without it a flow whose SR is above its PR would overshoot, against Lemma 1.
    pub fn allowed_bps(self, terms: &Terms, answer: &RateCell) -> f64 {
        if answer.congestion {
            return terms.minimum_bps;
        }
        match self {
            Self::Whole => answer.explicit_bps.clamp(terms.minimum_bps, terms.peak_bps),
            Self::BeyondMinimum => (terms.minimum_bps + answer.explicit_bps).min(terms.peak_bps),
        }
    }
}

/// A law whose sources do as they are told by [`RateCell`]s.
pub trait PlainLaw: RateLaw<Message = RateCell> {
    /// What its explicit rate means.
    const EXPLICIT: Explicit;

    /// How rates stand in control packets.
    fn format(params: &Self::Params) -> RateFormat;
}

/// A source of such a law.
#[derive(Clone, Debug)]
pub struct PlainSource<L> {
    law: PhantomData<fn() -> L>,
    format: RateFormat,
    terms: Terms,
    first: FirstRate,
    allowed_bps: f64,
    asks: bool,
    asking: Asking,
    number: u32,
    answered: u32,
    /// When which of the control packets that are under way left; the oldest are forgotten.
    left: [(u32, Instant); REMEMBERED],
    round_trip: Span,
}

/// Of so many control packets a source remembers when they left.
const REMEMBERED: usize = 8;

fn first_bps(first: FirstRate, terms: &Terms) -> f64 {
    match first {
        FirstRate::Peak => terms.peak_bps,
        FirstRate::Minimum | FirstRate::Ask => terms.minimum_bps,
    }
}

impl<L: PlainLaw> RateSource for PlainSource<L> {
    type Message = RateCell;
    type Params = L::Params;

    fn new(params: &L::Params, terms: &Terms, first: FirstRate) -> Self {
        Self {
            law: PhantomData,
            format: L::format(params),
            terms: *terms,
            first,
            allowed_bps: first_bps(first, terms),
            asks: first == FirstRate::Ask,
            asking: Asking::new(Instant::ZERO),
            number: 0,
            answered: 0,
            left: [(0, Instant::ZERO); REMEMBERED],
            round_trip: Span::ZERO,
        }
    }

    #[inline]
    fn allowed_bps(&self) -> f64 {
        self.allowed_bps
    }

    #[inline]
    fn may_send_data(&self) -> bool {
        !self.asks
    }

    #[inline]
    fn asks_at(&self) -> Option<Instant> {
        self.asks.then(|| self.asking.at()).flatten()
    }

    /// Whoever comes back begins as at first; what is still under way answers nobody.
    fn on_start(&mut self, now: Instant, again_after: Span) {
        self.asking.begin(now, again_after);
        self.answered = self.number;
        self.allowed_bps = first_bps(self.first, &self.terms);
        self.asks = self.first == FirstRate::Ask;
    }

    fn write(&mut self, now: Instant, closing: bool) -> RateCell {
        self.number += 1;
        self.left[self.number as usize % REMEMBERED] = (self.number, now);
        self.asking.left(now, self.asks, self.round_trip);
        RateCell {
            backward: false,
            congestion: false,
            last: closing,
            format: self.format,
            number: self.number,
            explicit_bps: L::EXPLICIT.at_source(&self.terms),
            current_bps: self.allowed_bps,
            minimum_bps: self.terms.minimum_bps,
            weight: self.terms.weight,
            round_trip_s: self.round_trip.as_secs_f64(),
        }
    }

    fn on_return(&mut self, now: Instant, answer: &RateCell) -> Result<(), Refusal> {
        if !answer.backward {
            return Err(Refusal::Direction);
        }
        if answer.number <= self.answered || answer.number > self.number {
            return Err(Refusal::Stale);
        }
        self.answered = answer.number;
        let (number, left) = self.left[answer.number as usize % REMEMBERED];
        if number == answer.number {
            self.round_trip = now.since(left);
        }
        self.asks = false;
        self.allowed_bps = L::EXPLICIT.allowed_bps(&self.terms, answer);
        Ok(())
    }

    fn on_terms(&mut self, terms: &Terms) {
        self.terms = *terms;
        self.allowed_bps = self.allowed_bps.clamp(terms.minimum_bps, terms.peak_bps.max(terms.minimum_bps));
    }
}
