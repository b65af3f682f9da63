//! The longest of the times that were told of late.

use fairwire_core::{Instant, Span};

/// No time that is told counts for more.
const MOST: Span = Span::from_millis(10_000);

/// The longest time that was told in the round that goes on and in the one before. A round lasts as long as that; so who
/// tells his time at least so often is always heard.
#[derive(Clone, Copy, Debug)]
pub struct LongestTime {
    /// A round lasts so many times the longest time.
    stretch: f64,
    /// A round is not shorter.
    least: Span,
    began: Instant,
    told: Span,
    told_before: Span,
}

impl LongestTime {
    /// Nothing was told. A round lasts `stretch` times the longest time, and `least` at least.
    pub fn new(stretch: f64, least: Span, start: Instant) -> Self {
        Self { stretch, least, began: start, told: Span::ZERO, told_before: Span::ZERO }
    }

    /// The longest time; zero if none was told.
    pub fn get(&self) -> Span {
        self.told.max(self.told_before)
    }

    /// A time is told; zero says nothing.
    pub fn tell(&mut self, time: Span) {
        self.told = self.told.max(time.min(MOST));
    }

    /// How many rounds have ended since this was asked the last time: 0, 1, or 2 for more.
    pub fn rounds(&mut self, now: Instant) -> u32 {
        self.rounds_of(now, self.least)
    }

    /// [`Self::rounds`], where the one that goes on is not shorter than `least`.
    pub fn rounds_of(&mut self, now: Instant, least: Span) -> u32 {
        let round_s = (self.get().as_secs_f64() * self.stretch).max(least.as_secs_f64());
        let ended = (now.since(self.began).as_secs_f64() / round_s) as u32;
        for _ in 0..ended.min(2) {
            self.told_before = std::mem::take(&mut self.told);
        }
        if ended > 0 {
            self.began = now;
        }
        ended.min(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_last_as_long_as_the_longest_time_told_of_late() {
        let us = |us: u64| Instant::ZERO + Span::from_micros(us);
        let mut longest = LongestTime::new(1.0, Span::from_micros(10), Instant::ZERO);
        assert_eq!(longest.rounds(us(9)), 0);
        assert_eq!(longest.rounds(us(10)), 1);
        longest.tell(Span::from_micros(100));
        longest.tell(Span::from_micros(40));
        assert_eq!((longest.get(), longest.rounds(us(109))), (Span::from_micros(100), 0));
        assert_eq!(longest.rounds(us(110)), 1);
        // It is remembered for another round, and then forgotten.
        longest.tell(Span::from_micros(20));
        assert_eq!((longest.rounds(us(209)), longest.rounds(us(210))), (0, 1));
        assert_eq!((longest.rounds(us(229)), longest.rounds(us(230))), (0, 1));
        assert_eq!(longest.rounds(us(1000)), 2);
        longest.tell(Span::from_millis(100_000));
        assert_eq!(longest.get(), MOST);
    }
}
