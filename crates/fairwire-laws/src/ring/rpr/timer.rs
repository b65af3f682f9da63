//! What comes again and again, and how long a station may wait to add.

use fairwire_core::{BitRate, Bytes, Instant, Span};

/// Something that is due every so often.
#[derive(Clone, Copy, Debug)]
pub struct Every {
    interval: Span,
    due: Instant,
}

impl Every {
    /// Due every `interval`, at least a nanosecond.
    pub fn new(interval: Span) -> Self {
        let interval = interval.max(Span::from_nanos(1));
        Self { interval, due: Instant::ZERO + interval }
    }

    /// From one time to the next.
    pub const fn interval(&self) -> Span {
        self.interval
    }

    /// From the next time on it is due every `interval`, at least a nanosecond.
    pub fn set_interval(&mut self, interval: Span) {
        self.interval = interval.max(Span::from_nanos(1));
    }

    /// It has been due so many times, and nobody came late.
    pub fn go_by(&mut self, times: u64) {
        self.due += self.interval * times;
    }

    /// Due for the first time an interval after `now`.
    pub fn start(&mut self, now: Instant) {
        self.due = now + self.interval;
    }

    /// When it is due next.
    pub const fn due(&self) -> Instant {
        self.due
    }

    /// Whether it is due; if so, the next time is an interval later.
    pub fn has_passed(&mut self, now: Instant) -> bool {
        if now < self.due {
            return false;
        }
        self.due += self.interval;
        if self.due <= now {
            self.due = now + self.interval;
        }
        true
    }
}

/// Tells a station that has packets to add and could not add any for too long.
///
/// Time that its own limit makes it wait does not count (802.17 maintenance request
/// 0048: a frame waits while unable to send).
#[derive(Clone, Copy, Debug)]
pub struct AccessTimer {
    limit: Span,
    /// From one look to the next, if none comes late.
    interval: Span,
    since: Instant,
    /// At the last look nothing waited.
    rested: bool,
}

impl AccessTimer {
    /// A timer of this length, looked at every `interval`; without a length it never expires.
    pub fn new(limit: Option<Span>, interval: Span) -> Self {
        let limit = limit.unwrap_or(Span::from_nanos(u64::MAX));
        Self { limit, interval, since: Instant::ZERO, rested: true }
    }

    /// The station has nothing to add.
    pub fn rest(&mut self, now: Instant) {
        (self.since, self.rested) = (now, true);
    }

    /// Whether the station, with packets to add, which it `added` some of since the
    /// last look or not, waits for longer than the timer allows at `allowed_bps`. What came after a look that was long ago
    /// has waited for an interval at most, as far as anybody knows.
    pub fn is_over(&mut self, now: Instant, added: bool, packet: Bytes, allowed_bps: f64) -> bool {
        if added {
            self.since = now;
        } else if self.rested && now.since(self.since) > self.interval {
            self.since += now.since(self.since) - self.interval;
        }
        self.rested = false;
        let own_pace = packet / BitRate::from_bps_f64(allowed_bps);
        now.since(self.since) > self.limit + own_pace
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Instant {
        Instant::ZERO + Span::from_micros(us)
    }

    #[test]
    fn it_comes_again_and_never_in_the_past() {
        let mut every = Every::new(Span::from_micros(100));
        every.start(at(50));
        assert_eq!((every.has_passed(at(149)), every.has_passed(at(150)), every.due()), (false, true, at(250)));
        assert!(every.has_passed(at(1_000)) && every.due() == at(1_100));
        assert!(every.has_passed(at(1_200)) && every.due() == at(1_300), "late by just one interval");
        assert!(Every::new(Span::ZERO).due() > Instant::ZERO);
    }

    /// 1000 bytes at 8 Mb/s take 1 ms: the station's own pace.
    #[test]
    fn a_station_starves_only_while_it_may_send() {
        let mut timer = AccessTimer::new(Some(Span::from_millis(1)), Span::from_micros(100));
        let packet = Bytes::new(1_000);
        let mut over = |us, added, bps| timer.is_over(at(us), added, packet, bps);
        assert!(!over(100, true, 8e6) && !over(2_100, false, 8e6) && over(2_101, false, 8e6));
        assert!(over(2_101, false, 80e6) && !over(2_101, false, 0.0));
        assert!(!over(2_200, true, 80e6), "it added");
        timer.rest(at(9_000));
        assert!(!timer.is_over(at(9_100), false, packet, 80e6));
        assert!(!timer.is_over(at(10_100), false, packet, 80e6) && timer.is_over(at(10_101), false, packet, 80e6));
        let mut none = AccessTimer::new(None, Span::from_micros(100));
        assert!(!(0..2).any(|_| none.is_over(at(1 << 40), false, packet, 80e6)));
    }

    /// At rest, then stopped for 50 ms: a packet that waits then may have come just now. One that waited before has waited on.
    #[test]
    fn a_stall_by_itself_starves_nobody() {
        let packet = Bytes::new(1_000);
        let mut timer = AccessTimer::new(Some(Span::from_millis(1)), Span::from_micros(100));
        timer.rest(at(1_000));
        assert!(!timer.is_over(at(51_000), false, packet, 80e6));
        assert!(!timer.is_over(at(52_000), false, packet, 80e6) && timer.is_over(at(52_001), false, packet, 80e6));
        assert!(!timer.is_over(at(60_000), true, packet, 80e6) && timer.is_over(at(110_000), false, packet, 80e6));
    }
}
