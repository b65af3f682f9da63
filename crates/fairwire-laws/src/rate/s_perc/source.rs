//! A source under s-PERC: one control packet at a time carries what ports know of the flow.

use super::super::asking::{Asking, Heard};
use super::super::{FirstRate, RateSource, Refusal, Terms};
use super::Params;
use super::cell::{HopState, PercCell};
use fairwire_core::{Instant, Span};

/// A source.
///
/// States may be under way once only, or a port would take out twice what it counted once. Control packets that are due
/// while they are leave without. Packets do not overtake each other: if a later one comes back, the states are lost. Then
/// the source tells again what came back last, and if that is lost, too, it begins anew.
#[derive(Clone, Debug)]
pub struct Source {
    terms: Terms,
    allowed_bps: f64,
    /// Whether it has no rate yet.
    is_new: bool,
    asking: Asking,
    number: u32,
    answered: u32,
    hops: Vec<HopState>,
    /// The number of the packet that has the states.
    under_way: Option<u32>,
    /// Whether the states were lost, and none has come back since.
    lost_once: bool,
    /// When states left the last time, and how long they took the last time that they came back.
    left: Option<Instant>,
    round_trip: Span,
}

impl RateSource for Source {
    type Message = PercCell;
    type Params = Params;

    fn new(_params: &Params, terms: &Terms, first: FirstRate) -> Self {
        let allowed_bps = match first {
            FirstRate::Peak => terms.peak_bps,
            FirstRate::Minimum | FirstRate::Ask => terms.minimum_bps,
        };
        Self {
            terms: *terms,
            allowed_bps,
            is_new: first == FirstRate::Ask,
            asking: Asking::new(Instant::ZERO),
            number: 0,
            answered: 0,
            hops: Vec::new(),
            under_way: None,
            lost_once: false,
            left: None,
            round_trip: Span::ZERO,
        }
    }

    fn allowed_bps(&self) -> f64 {
        self.allowed_bps
    }

    fn may_send_data(&self) -> bool {
        !self.is_new && self.allowed_bps > 0.0
    }

    fn asks_at(&self) -> Option<Instant> {
        self.asking.at()
    }

    fn on_start(&mut self, now: Instant, again_after: Span) {
        self.asking.begin(now, again_after);
    }

    fn write(&mut self, now: Instant, closing: bool) -> PercCell {
        self.number += 1;
        // A last packet takes the flow out of all sums, as well as its source knows.
        let carries_states = self.under_way.is_none() || (closing && !self.hops.is_empty());
        let mut since_last = Span::ZERO;
        if carries_states {
            since_last = self.left.map_or(Span::ZERO, |left| now.since(left));
            (self.left, self.under_way) = (Some(now), Some(self.number));
        }
        self.asking.left(now, !self.may_send_data(), self.round_trip);
        PercCell {
            backward: false,
            last: closing,
            carries_states,
            number: self.number,
            explicit_bps: self.terms.most_excess_bps(),
            minimum_bps: self.terms.minimum_bps,
            weight: self.terms.weight,
            most_bps: self.terms.most_excess_bps(),
            loop_s: since_last.as_secs_f64(),
            passed: 0,
            hops: if carries_states { self.hops.clone() } else { Vec::new() },
        }
    }

    fn on_return(&mut self, now: Instant, answer: &PercCell) -> Result<(), Refusal> {
        if !answer.backward {
            return Err(Refusal::Direction);
        }
        if answer.number <= self.answered || answer.number > self.number {
            return Err(Refusal::Stale);
        }
        self.answered = answer.number;
        match self.under_way {
            Some(number) if number == answer.number && answer.passed == 0 => self.hear(now, answer),
            Some(number) if number <= answer.number => {
                if std::mem::replace(&mut self.lost_once, true) {
                    self.hops.clear();
                }
                self.under_way = None;
                self.asking.answered(now, Heard::Speak, self.round_trip);
            }
            _ => {}
        }
        Ok(())
    }

    fn on_terms(&mut self, terms: &Terms) {
        self.terms = *terms;
        self.allowed_bps = self.allowed_bps.clamp(terms.minimum_bps, terms.peak_bps.max(terms.minimum_bps));
    }

    fn says_farewell() -> bool {
        true
    }
}

impl Source {
    /// States have come back.
    fn hear(&mut self, now: Instant, answer: &PercCell) {
        self.hops.clone_from(&answer.hops);
        (self.under_way, self.lost_once, self.is_new) = (None, false, false);
        self.round_trip = self.left.map_or(Span::ZERO, |left| now.since(left));
        let allowed_bps = (self.terms.minimum_bps + answer.explicit_bps).min(self.terms.peak_bps);
        // As long as rates change states go around without a pause.
        let changed = allowed_bps != self.allowed_bps;
        self.allowed_bps = allowed_bps;
        let heard = match (changed, allowed_bps > 0.0) {
            (true, _) => Heard::Speak,
            (false, true) => Heard::Rest,
            (false, false) => Heard::Wait,
        };
        self.asking.answered(now, heard, self.round_trip);
    }
}
