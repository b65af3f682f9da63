//! When a source asks: control packets that leave by themselves, at the pace of the round trip.

use fairwire_core::{Instant, Span};

/// The first timeout of a request that nothing answers (ours).
const AGAIN_AFTER: Span = Span::from_micros(200);
/// Each further timeout is this many times the last (ours).
const AGAIN_LATER: u64 = 3;
/// The longest timeout (ours).
const AGAIN_LATEST: Span = Span::from_millis(100);

/// A source whose answer gave nothing more pauses for this part of a round trip before it asks again (ours).
const FIRST_PAUSE: f64 = 0.25;
/// Each further pause is this many times the last (ours).
const LONGER: f64 = 1.5;
/// The longest pause, in round trips (ours).
const LONGEST_PAUSE: u64 = 1;
/// A pause need not end before it is this long, however short the round trip (ours).
const PAUSE_ENOUGH: Span = Span::from_millis(1);

/// When the next control packet should leave by itself.
#[derive(Clone, Copy, Debug)]
pub struct Asking {
    at: Option<Instant>,
    /// How long an answer is waited for at least.
    least: Span,
    /// How long the next answer is waited for.
    patience: Span,
    /// How long it is waited after the next answer that gives nothing more, in round trips.
    pause: f64,
}

/// What an answer says to a source that may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// There is something to say at once.
    Speak,
    /// It is given more than before, but waits for more.
    More,
    /// It is given no more than before, and waits for more.
    Wait,
    /// Another packet is under way that asks.
    Asked,
    /// It waits for nothing.
    Rest,
}

impl Asking {
    /// Asks at `now`.
    pub fn new(now: Instant) -> Self {
        Self { at: Some(now), least: AGAIN_AFTER, patience: AGAIN_AFTER, pause: 0.0 }
    }

    /// Asks at `now`, and again after `least` at the earliest if it hears nothing.
    pub fn begin(&mut self, now: Instant, least: Span) {
        let least = least.clamp(AGAIN_AFTER, AGAIN_LATEST);
        *self = Self { at: Some(now), least, patience: least, pause: 0.0 };
    }

    /// Asks at `now`, as at first.
    pub fn begin_again(&mut self, now: Instant) {
        self.begin(now, self.least);
    }

    /// When it asks, if it does.
    #[inline]
    pub fn at(self) -> Option<Instant> {
        self.at
    }

    /// A control packet has left. Who waits for something asks again if no answer comes.
    pub fn left(&mut self, now: Instant, waits: bool, round_trip: Span) {
        self.at = waits.then(|| now + self.patience.max(round_trip * 2));
        self.patience = (self.patience * AGAIN_LATER).min(AGAIN_LATEST);
    }

    /// A port has said something by itself: it asks at `at`, or when it would have asked if that is earlier.
    pub fn noticed(&mut self, at: Instant) {
        self.at = Some(self.at.map_or(at, |own| own.min(at)));
    }

    /// An answer has come.
    pub fn answered(&mut self, now: Instant, reply: Reply, round_trip: Span) {
        self.patience = self.least;
        match reply {
            Reply::Speak => self.at = Some(now),
            Reply::More => (self.at, self.pause) = (Some(now), FIRST_PAUSE),
            Reply::Wait => {
                let pause = Span::from_secs_f64(self.pause * round_trip.as_secs_f64());
                self.at = Some(now + pause.min(PAUSE_ENOUGH.max(round_trip * LONGEST_PAUSE)));
                self.pause = (self.pause * LONGER).max(FIRST_PAUSE);
            }
            Reply::Asked => {}
            Reply::Rest => (self.at, self.pause) = (None, 0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Instant {
        Instant::ZERO + Span::from_micros(us)
    }

    #[test]
    fn who_hears_nothing_asks_ever_more_seldom() {
        let mut asking = Asking::new(us(0));
        let mut left = Vec::new();
        while left.len() < 9 {
            let at = asking.at().unwrap();
            left.push(at.as_nanos() / 1000);
            asking.left(at, true, Span::from_micros(50));
        }
        assert_eq!(left, [0, 200, 800, 2600, 8000, 24_200, 72_800, 172_800, 272_800]);
        asking.answered(us(300_000), Reply::Speak, Span::from_millis(1));
        assert_eq!(asking.at(), Some(us(300_000)));
        asking.left(us(300_000), true, Span::from_millis(1));
        assert_eq!(asking.at(), Some(us(302_000)));
        asking.answered(us(301_000), Reply::Rest, Span::from_millis(1));
        assert_eq!(asking.at(), None);
    }

    #[test]
    fn who_sends_long_packets_asks_again_later() {
        let mut asking = Asking::new(us(0));
        asking.begin(us(10), Span::from_millis(2));
        let mut left = Vec::new();
        for _ in 0..4 {
            let at = asking.at().unwrap();
            left.push(at.as_nanos() / 1000);
            asking.left(at, true, Span::ZERO);
        }
        assert_eq!(left, [10, 2010, 8010, 26_010]);
        asking.begin_again(us(50_000));
        asking.left(us(50_000), true, Span::ZERO);
        assert_eq!(asking.at(), Some(us(52_000)));
        asking.begin(us(0), Span::from_secs_f64(5.0));
        asking.left(us(0), true, Span::ZERO);
        assert_eq!(asking.at(), Some(us(100_000)));
    }

    #[test]
    fn who_asks_in_vain_pauses_and_who_is_given_something_goes_on() {
        let mut asking = Asking::new(us(0));
        let mut pauses = Vec::new();
        for _ in 0..9 {
            asking.answered(us(1000), Reply::Wait, Span::from_micros(800));
            pauses.push(asking.at().unwrap().since(us(1000)).as_nanos() / 1000);
        }
        assert_eq!(pauses, [0, 200, 300, 450, 675, 1000, 1000, 1000, 1000]);
        asking.answered(us(1000), Reply::More, Span::from_micros(80));
        for _ in 0..30 {
            asking.answered(us(1000), Reply::Wait, Span::from_micros(80));
        }
        assert_eq!(asking.at(), Some(us(2000)));
        asking.answered(us(1000), Reply::More, Span::from_micros(80));
        asking.answered(us(1000), Reply::Wait, Span::from_micros(80));
        asking.answered(us(1000), Reply::Asked, Span::from_micros(80));
        assert_eq!(asking.at(), Some(us(1020)));
        asking.answered(us(1000), Reply::More, Span::from_micros(80));
        assert_eq!(asking.at(), Some(us(1000)));
        asking.answered(us(1000), Reply::Wait, Span::from_micros(80));
        assert_eq!(asking.at(), Some(us(1020)));
    }
}
