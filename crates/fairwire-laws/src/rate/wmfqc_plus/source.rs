//! A source that is granted its rate.

use super::super::parts::asking::{Asking, Reply};
use super::super::{Farewell, FirstRate, RateSource, Refusal, Terms};
use super::{GrantCell, Params};
use fairwire_core::{Instant, Span};

/// Less is nothing: a cell of 53 bytes a second.
const LEAST_BPS: f64 = super::super::parts::one_rate::LEAST_BPS;
/// To give back no more than this part of a rate is not worth a packet of its own, if the next packet is due within a
/// round trip. The longer it is until then, the less is small.
const SMALL: f64 = 1.0 / 128.0;
/// What a notice tells is heeded if it is another share by more than this part.
const HEEDED: f64 = 1e-5;
/// To be given no more than this part of what is missing is to be given nothing.
const MUCH: f64 = 0.25;
/// Grants that are less than the share by no more than this part are not waited for.
const SLACK: f64 = 1e-9;

/// A source under WMFQC with grants.
///
/// It sends control packets alone until it is granted something. As long as it is granted less than its share it asks
/// again after each answer: at once if it was given more, else after ever longer pauses. So one packet that asks is under
/// way at a time. What it gives back it confirms at once. Ports that tell it by themselves that its share has moved are
/// heeded at once, too.
#[derive(Clone, Debug)]
pub struct Source {
    terms: Terms,
    idle_after: Span,
    allowed_bps: f64,
    /// Its share, as it was told last.
    share_bps: f64,
    /// Whether it is granted less than its share.
    waits: bool,
    asking: Asking,
    number: u32,
    answered: u32,
    /// The answer that it applied, as it tells it.
    applied: u32,
    confirms: bool,
    /// A packet whose round trip is measured.
    timed: Option<(u32, Instant)>,
    round_trip: Span,
    left: Instant,
    /// The time between its last two control packets.
    gap: Span,
    /// Whether it asks because of a notice, and before which time no notice makes it ask once more.
    was_noticed: bool,
    heeds_after: Instant,
}

impl RateSource for Source {
    type Message = GrantCell;
    type Params = Params;

    /// Who keeps a share that nobody uses keeps it from the others for `idle-after`.
    const FAREWELL: Farewell = Farewell::Twice;

    /// Whatever the first rate should be, it asks.
    fn new(params: &Params, terms: &Terms, _first: FirstRate) -> Self {
        Self {
            terms: *terms,
            idle_after: params.idle_after,
            allowed_bps: 0.0,
            share_bps: 0.0,
            waits: true,
            asking: Asking::new(Instant::ZERO),
            number: 0,
            answered: 0,
            applied: 0,
            confirms: true,
            timed: None,
            round_trip: Span::ZERO,
            left: Instant::ZERO,
            gap: Span::ZERO,
            was_noticed: false,
            heeds_after: Instant::ZERO,
        }
    }

    #[inline]
    fn allowed_bps(&self) -> f64 {
        self.allowed_bps
    }

    #[inline]
    fn may_send_data(&self) -> bool {
        self.allowed_bps >= LEAST_BPS
    }

    #[inline]
    fn asks_at(&self) -> Option<Instant> {
        self.asking.at()
    }

    fn on_start(&mut self, now: Instant, again_after: Span) {
        self.asking.begin(now, again_after);
        self.forget();
    }

    fn on_pause(&mut self, until: Instant) {
        // Ports may have forgotten what they granted.
        if until.since(self.left) >= self.idle_after {
            self.asking.begin_again(until);
            self.forget();
        }
    }

    fn write(&mut self, now: Instant, closing: bool) -> GrantCell {
        self.number += 1;
        self.timed.get_or_insert((self.number, now));
        let gap = if self.answered == 0 { Span::ZERO } else { now.since(self.left) };
        (self.left, self.gap) = (now, gap);
        if std::mem::take(&mut self.was_noticed) {
            self.heeds_after = now + self.round_trip;
        }
        self.asking.left(now, self.waits, self.round_trip);
        GrantCell {
            backward: false,
            last: closing,
            notice: false,
            number: self.number,
            applied: self.applied,
            explicit_bps: (self.terms.peak_bps - self.terms.minimum_bps).max(0.0),
            granted_bps: self.terms.peak_bps,
            current_bps: self.allowed_bps,
            loop_s: (self.round_trip + gap).as_secs_f64(),
        }
    }

    fn on_return(&mut self, now: Instant, answer: &GrantCell) -> Result<(), Refusal> {
        if !answer.backward {
            return Err(Refusal::Direction);
        }
        if answer.notice {
            return self.on_notice(now, answer);
        }
        if answer.number <= self.answered || answer.number > self.number {
            return Err(Refusal::Stale);
        }
        self.answered = answer.number;
        if self.confirms {
            self.applied = answer.number;
        }
        if let Some((_, left)) = self.timed.take_if(|(number, _)| *number <= answer.number) {
            self.round_trip = now.since(left);
        }
        let share_bps = (self.terms.minimum_bps + answer.explicit_bps).min(self.terms.peak_bps);
        let allowed_bps = share_bps.min(answer.granted_bps);
        self.share_bps = share_bps;
        let before_bps = std::mem::replace(&mut self.allowed_bps, allowed_bps);
        self.waits = allowed_bps < share_bps * (1.0 - SLACK);
        let heard = match self.waits {
            // What it gives back others wait for.
            _ if allowed_bps < before_bps * (1.0 - self.small()) => Reply::Speak,
            false => Reply::Rest,
            true if answer.number < self.number => Reply::Asked,
            true if allowed_bps - before_bps > MUCH * (share_bps - before_bps) => Reply::More,
            true => Reply::Wait,
        };
        self.asking.answered(now, heard, self.round_trip);
        Ok(())
    }

    fn on_terms(&mut self, terms: &Terms) {
        self.terms = *terms;
        self.allowed_bps = self.allowed_bps.min(terms.peak_bps);
    }

    fn confirm_nothing(&mut self) {
        self.confirms = false;
    }
}

impl Source {
    /// A port says by itself what the share is now. What is too much is given back at once; what would be more has to be
    /// granted first. Either way the source asks, once in a round trip.
    fn on_notice(&mut self, now: Instant, notice: &GrantCell) -> Result<(), Refusal> {
        if notice.number < self.answered || notice.number > self.number {
            return Err(Refusal::Stale);
        }
        let share_bps = (self.terms.minimum_bps + notice.explicit_bps).min(self.terms.peak_bps);
        let is_less = share_bps < self.allowed_bps * (1.0 - HEEDED);
        if is_less {
            self.allowed_bps = share_bps;
        }
        if is_less || share_bps > self.share_bps * (1.0 + HEEDED) {
            self.share_bps = share_bps;
            self.waits = true;
            self.was_noticed = true;
            self.asking.noticed(now.max(self.heeds_after));
        }
        Ok(())
    }

    /// The part of its rate that others can wait for until its next control packet.
    fn small(&self) -> f64 {
        match (self.round_trip + self.gap).as_secs_f64() {
            loop_s if loop_s > 0.0 => SMALL * self.round_trip.as_secs_f64() / loop_s,
            _ => SMALL,
        }
    }

    /// Nothing that is under way counts, and nothing is allowed.
    fn forget(&mut self) {
        self.answered = self.number;
        (self.allowed_bps, self.share_bps) = (0.0, 0.0);
        self.waits = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Instant {
        Instant::ZERO + Span::from_micros(us)
    }

    /// The answer to a packet that grants the share of 10 Mb/s.
    fn answer(packet: GrantCell) -> GrantCell {
        GrantCell { backward: true, explicit_bps: 1e7, granted_bps: 1e7, ..packet }
    }

    fn asked() -> Source {
        let terms = Terms { minimum_bps: 0.0, peak_bps: 1e8, supported_bps: 1e8, weight: 1.0 };
        let mut source = Source::new(&Params::default(), &terms, FirstRate::Ask);
        source.on_start(us(0), Span::ZERO);
        let packet = source.write(us(0), false);
        source.on_return(us(100), &answer(packet)).unwrap();
        assert_eq!((source.allowed_bps(), source.asks_at()), (1e7, None));
        source
    }

    #[test]
    fn a_notice_of_less_is_heeded_at_once_and_one_of_more_is_asked_for() {
        let mut source = asked();
        source.on_return(us(500), &GrantCell::notice(1, 4e6, 4e6)).unwrap();
        assert_eq!((source.allowed_bps(), source.asks_at()), (4e6, Some(us(500))));
        assert_eq!(source.write(us(500), false).current_bps, 4e6);
        let mut source = asked();
        source.on_return(us(500), &GrantCell::notice(1, 2e7, 2e7)).unwrap();
        assert_eq!((source.allowed_bps(), source.asks_at()), (1e7, Some(us(500))));
        // What is older than its last answer, or was never asked, it does not believe.
        source.write(us(500), false);
        assert_eq!(source.on_return(us(510), &GrantCell::notice(3, 1e6, 1e6)), Err(Refusal::Stale));
    }

    #[test]
    fn however_many_notices_come_a_source_asks_once_in_a_round_trip() {
        let mut source = asked();
        for notice in 0..20 {
            source.on_return(us(500 + notice), &GrantCell::notice(1, 9e6 - 1e5 * notice as f64, 0.0)).unwrap();
            if source.asks_at().is_some_and(|at| at <= us(500 + notice)) {
                source.write(us(500 + notice), false);
            }
        }
        // The first was heeded at 500 us, and the round trip is 100 us.
        assert_eq!((source.number, source.asks_at()), (2, Some(us(600))));
    }
}
