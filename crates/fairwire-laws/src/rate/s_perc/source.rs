//! A source under s-PERC: one control packet at a time carries what ports know of the flow.

use super::super::parts::asking::{Asking, Reply};
use super::super::{Farewell, FirstRate, RateSource, Refusal, Terms};
use super::Params;
use super::cell::{HopState, PercCell};
use fairwire_core::{Instant, Span};

/// The next states leave at the latest after this many times the interval between the last two (ours).
const LATER: f64 = 1.25;
/// They leave at the latest after this and a round trip (ours).
const LATEST: Span = Span::from_millis(100);
/// After this many losses in a row the source begins anew: ports have forgotten its states (ours).
const LOST_FOR_GOOD: u32 = 5;
/// After this many losses in a row it is cut off, and sends no data until states are back: where queues overflow, what would tell
/// sources to slow down is lost as well (ours).
const LOST_TWICE: u32 = 2;
/// So it is after so long without an answer, and two round trips (ours).
const SILENCE: Span = Span::from_millis(1_000);

/// A source.
///
/// States may be under way once only, or a port would take out twice what it counted once. Control packets that are due
/// while they are leave without. Packets do not overtake each other: if a later one comes back, the states are lost. Then
/// the source tells again what came back last.
///
/// Ports need to hear of a flow, however slow it is: what one port gives next follows from what another gave. So every
/// packet with states promises when the next one leaves at the latest. If no control packet is due by then, one leaves by
/// itself. If states are still under way then, it tells whether they are lost.
#[derive(Clone, Debug)]
pub struct Source {
    terms: Terms,
    first: FirstRate,
    allowed_bps: f64,
    /// Whether it has no rate yet.
    is_new: bool,
    asking: Asking,
    number: u32,
    answered: u32,
    hops: Vec<HopState>,
    /// The number of the packet that has the states.
    under_way: Option<u32>,
    /// How often states were lost since some came back.
    lost: u32,
    /// Whether it has been too often, or too long.
    is_cut_off: bool,
    /// When the first packet left of those since the last answer.
    unanswered: Option<Instant>,
    /// When the next states leave at the latest; none if nothing is promised, or if it is kept once those under way are
    /// back.
    promised: Option<Instant>,
    /// When states left the last time, and how long they took the last time that they came back.
    left: Option<Instant>,
    round_trip: Span,
}

impl RateSource for Source {
    type Message = PercCell;
    type Params = Params;

    const FAREWELL: Farewell = Farewell::ControlPacket;

    fn new(_params: &Params, terms: &Terms, first: FirstRate) -> Self {
        Self {
            terms: *terms,
            first,
            allowed_bps: first_bps(first, terms),
            is_new: first == FirstRate::Ask,
            asking: Asking::new(Instant::ZERO),
            number: 0,
            answered: 0,
            hops: Vec::new(),
            under_way: None,
            lost: 0,
            is_cut_off: false,
            unanswered: None,
            promised: None,
            left: None,
            round_trip: Span::ZERO,
        }
    }

    fn allowed_bps(&self) -> f64 {
        self.allowed_bps
    }

    fn may_send_data(&self) -> bool {
        !self.is_new && !self.is_cut_off && self.allowed_bps > 0.0
    }

    fn asks_at(&self) -> Option<Instant> {
        match (self.asking.at(), self.promised) {
            (Some(asks), Some(promised)) => Some(asks.min(promised)),
            (asks, promised) => asks.or(promised),
        }
    }

    /// Whoever comes back begins as at first: its farewell has taken it out of all sums, and what is still under way
    /// answers nobody.
    fn on_start(&mut self, now: Instant, again_after: Span) {
        self.asking.begin(now, again_after);
        self.answered = self.number;
        (self.allowed_bps, self.is_new) = (first_bps(self.first, &self.terms), self.first == FirstRate::Ask);
        self.hops.clear();
        (self.under_way, self.lost, self.promised, self.left) = (None, 0, None, None);
        (self.is_cut_off, self.unanswered) = (false, None);
    }

    /// It promises nothing for a time in which it is silent, and that is no pace.
    fn on_pause(&mut self, until: Instant) {
        if self.asking.at().is_some_and(|at| at < until) {
            self.asking.begin_again(until);
        }
        (self.promised, self.left, self.unanswered) = (None, None, None);
    }

    fn write(&mut self, now: Instant, closing: bool) -> PercCell {
        self.number += 1;
        // A last packet takes the flow out of all sums, as well as its source knows.
        let carries_states = self.under_way.is_none() || (closing && !self.hops.is_empty());
        let doubtful = (carries_states && self.lost > 0) || (closing && self.under_way.is_some());
        let mut within = Span::ZERO;
        if carries_states {
            within = self.promise(now);
            self.under_way = Some(self.number);
        } else if self.promised.is_some_and(|at| at <= now) {
            self.promised = None;
        }
        let silence = now.since(*self.unanswered.get_or_insert(now));
        self.is_cut_off |= silence > SILENCE + self.round_trip * 2;
        self.asking.left(now, !self.may_send_data(), self.round_trip);
        PercCell {
            backward: false,
            last: closing,
            carries_states,
            doubtful,
            number: self.number,
            explicit_bps: self.terms.most_excess_bps(),
            minimum_bps: self.terms.minimum_bps,
            weight: self.terms.weight,
            most_bps: self.terms.most_excess_bps(),
            loop_s: within.as_secs_f64(),
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
        self.unanswered = None;
        match self.under_way {
            Some(number) if number == answer.number && answer.passed == 0 => self.hear(now, answer),
            Some(number) if number <= answer.number => {
                self.lost += 1;
                self.is_cut_off |= self.lost >= LOST_TWICE;
                if self.lost >= LOST_FOR_GOOD {
                    self.hops.clear();
                }
                self.under_way = None;
                self.asking.answered(now, Reply::Speak, self.round_trip);
            }
            _ => {}
        }
        Ok(())
    }

    fn on_terms(&mut self, terms: &Terms) {
        self.terms = *terms;
        self.allowed_bps = self.allowed_bps.clamp(terms.minimum_bps, terms.peak_bps.max(terms.minimum_bps));
    }
}

fn first_bps(first: FirstRate, terms: &Terms) -> f64 {
    match first {
        FirstRate::Peak => terms.peak_bps,
        FirstRate::Minimum | FirstRate::Ask => terms.minimum_bps,
    }
}

impl Source {
    /// States leave at `now`: within which time the next ones do. Zero as long as it knows no pace.
    fn promise(&mut self, now: Instant) -> Span {
        let pace = self.left.map_or(Span::ZERO, |left| now.since(left)).max(self.round_trip);
        let within = Span::from_secs_f64(pace.as_secs_f64() * LATER).min(LATEST + self.round_trip);
        self.left = Some(now);
        self.promised = (within > Span::ZERO).then(|| now + within);
        within
    }

    /// States have come back.
    fn hear(&mut self, now: Instant, answer: &PercCell) {
        self.hops.clone_from(&answer.hops);
        (self.under_way, self.lost, self.is_new, self.is_cut_off) = (None, 0, false, false);
        self.round_trip = self.left.map_or(self.round_trip, |left| now.since(left));
        let allowed_bps = (self.terms.minimum_bps + answer.explicit_bps).min(self.terms.peak_bps);
        // As long as rates change states go around without a pause.
        let changed = allowed_bps != self.allowed_bps;
        self.allowed_bps = allowed_bps;
        let heard = match (changed, allowed_bps > 0.0) {
            (true, _) => Reply::Speak,
            (false, true) => Reply::Rest,
            (false, false) => Reply::Wait,
        };
        self.asking.answered(now, heard, self.round_trip);
        self.promised = self.promised.or(Some(now));
    }
}
