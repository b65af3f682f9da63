//! A clock that stands still when the machine does.
//!
//! If the engine is woken much later than it asked to be, the host had other things to do: what was on its way waits as
//! long, and time goes on from where it would have been. If those who send are not woken, time waits for them likewise: a run
//! in which nobody sent would look like one in which nobody wanted to. How long it stood still in all is told.

use fairwire_core::{Instant, Span};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Later than this after the time it asked for, and the clock stands still.
pub const MOST_GAP: Span = Span::from_millis(2);

/// Later than any run: nobody sends.
const NOBODY: u64 = u64::MAX / 2;

/// The engine's clock, from the start of a run.
#[derive(Clone, Debug)]
pub struct Clock(Arc<Shared>);

/// The same clock for those who send: never far ahead of the engine, which may be the one that is stopped.
#[derive(Clone, Debug)]
pub struct Follower(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    start: std::time::Instant,
    /// How long it has stood still, in ns.
    stood: AtomicU64,
    /// Until when the engine sleeps.
    expected: AtomicU64,
    /// When those who send wanted to be at work.
    senders: AtomicU64,
}

impl Clock {
    /// A clock that starts now.
    pub fn start() -> Self {
        let (start, zero) = (std::time::Instant::now(), || AtomicU64::new(0));
        Self(Arc::new(Shared { start, stood: zero(), expected: zero(), senders: AtomicU64::new(u64::MAX) }))
    }

    /// The time.
    pub fn now(&self) -> Instant {
        self.0.now()
    }

    /// The engine sleeps until `at`.
    pub fn expect(&self, at: Instant) {
        self.0.expected.store(at.as_nanos(), Ordering::Release);
    }

    /// The engine is awake again, which it wanted to be when it said: the time, after standing still if it is much later.
    pub fn wake(&self) -> Instant {
        let expected = Instant::from_nanos(self.0.expected.load(Ordering::Acquire));
        let gap = self.0.now().since(expected);
        if gap > MOST_GAP {
            self.0.stood.fetch_add(gap.as_nanos(), Ordering::AcqRel);
        }
        let senders = Instant::from_nanos(self.0.senders.load(Ordering::Acquire).min(NOBODY));
        let behind = self.0.now().since(senders + MOST_GAP);
        self.0.stood.fetch_add(behind.as_nanos(), Ordering::AcqRel);
        self.0.now()
    }

    /// How long it has stood still.
    pub fn stood_still(&self) -> Span {
        Span::from_nanos(self.0.stood.load(Ordering::Acquire))
    }

    /// The clock for those who send.
    pub fn follower(&self) -> Follower {
        Follower(Arc::clone(&self.0))
    }
}

impl Follower {
    /// The time, as far as the engine may have come.
    pub fn now(&self) -> Instant {
        let most = Instant::from_nanos(self.0.expected.load(Ordering::Acquire)) + MOST_GAP;
        self.0.now().min(most)
    }

    /// Those who send want to be at work at this time; the clock waits for them.
    pub fn expect(&self, at: Instant) {
        self.0.senders.store(at.as_nanos(), Ordering::Release);
    }

    /// They have no more to do.
    pub fn leave(&self) {
        self.0.senders.store(u64::MAX, Ordering::Release);
    }
}

impl Shared {
    fn now(&self) -> Instant {
        let passed = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Instant::from_nanos(passed.saturating_sub(self.stood.load(Ordering::Acquire)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn it_waits_for_those_who_send() {
        let clock = Clock::start();
        let follower = clock.follower();
        let wanted = clock.now() + Span::from_millis(1);
        follower.expect(wanted);
        for _ in 0..30 {
            clock.expect(clock.now());
            std::thread::sleep(Duration::from_millis(1));
            // The engine is on time, and goes no farther than they do.
            let woken = clock.wake();
            assert!(woken.since(wanted) < MOST_GAP + Span::from_millis(1), "{woken}");
        }
        assert!(clock.stood_still() > Span::from_millis(20), "{}", clock.stood_still());
        follower.leave();
        let stood = clock.stood_still();
        clock.expect(clock.now());
        clock.wake();
        assert_eq!(clock.stood_still(), stood, "nobody is waited for any more");
    }

    #[test]
    fn it_stands_still_for_as_long_as_nobody_woke_it() {
        let clock = Clock::start();
        let follower = clock.follower();
        let asked = clock.now() + Span::from_millis(1);
        clock.expect(asked);
        std::thread::sleep(Duration::from_millis(60));
        assert_eq!(follower.now(), asked + MOST_GAP, "those who send wait for the engine");
        let woken = clock.wake();
        assert!(woken.since(asked) < Span::from_millis(20), "{woken}");
        assert!(clock.stood_still() > Span::from_millis(55) && follower.now() >= asked);
        // What is a little late is on time.
        let stood = clock.stood_still();
        clock.expect(clock.now());
        clock.wake();
        assert!(clock.stood_still().as_nanos() - stood.as_nanos() < 40_000_000);
    }
}
