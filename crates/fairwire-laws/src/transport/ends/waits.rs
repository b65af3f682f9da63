//! What a sender waited for, and how long: the clocks that Linux's `tcp_info` shows as `busy_time`, `rwnd_limited` and
//! `sndbuf_limited`, and those in between.

use fairwire_core::{Instant, Span};

/// What keeps a sender from sending right now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Wait {
    /// It has not begun, or all is acknowledged.
    #[default]
    Nothing,
    /// It has sent all that there is.
    Application,
    /// The receiver has no room.
    Receiver,
    /// Its own window, which no loss and no mark has bounded so far.
    Opening,
    /// Its own window or pace.
    Congestion,
    /// It repairs a loss.
    Recovery,
}

/// How long senders waited for what. The sum is how long they were busy: with something sent that was not acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waited {
    /// There was nothing more to send.
    pub application: Span,
    /// The receiver's window was full.
    pub receiver: Span,
    /// The congestion window was full and still opening: no loss and no mark had bounded it so far.
    pub opening: Span,
    /// The congestion window was full, or the sender kept to its pace.
    pub congestion: Span,
    /// A loss was being repaired.
    pub recovery: Span,
}

impl Waited {
    /// The time that all of these take.
    pub fn busy(&self) -> Span {
        self.application + self.receiver + self.opening + self.congestion + self.recovery
    }

    fn add(&mut self, wait: Wait, span: Span) {
        match wait {
            Wait::Nothing => {}
            Wait::Application => self.application = self.application + span,
            Wait::Receiver => self.receiver = self.receiver + span,
            Wait::Opening => self.opening = self.opening + span,
            Wait::Congestion => self.congestion = self.congestion + span,
            Wait::Recovery => self.recovery = self.recovery + span,
        }
    }
}

impl std::ops::AddAssign for Waited {
    fn add_assign(&mut self, other: Self) {
        self.application = self.application + other.application;
        self.receiver = self.receiver + other.receiver;
        self.opening = self.opening + other.opening;
        self.congestion = self.congestion + other.congestion;
        self.recovery = self.recovery + other.recovery;
    }
}

/// The clock of one sender. It waits between two calls only, so that what it waits for when one ends is what it waits
/// for until the next one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WaitClock {
    wait: Wait,
    since: Instant,
    waited: Waited,
}

impl WaitClock {
    /// A clock that counts what is later than `from`.
    pub(super) fn counting_from(from: Instant) -> Self {
        Self { since: from, ..Self::default() }
    }

    /// From `now` on it waits for `wait`.
    #[inline]
    pub(super) fn turn(&mut self, now: Instant, wait: Wait) {
        if wait != self.wait {
            self.waited = self.read(now);
            self.since = self.since.max(now);
            self.wait = wait;
        }
    }

    /// What was waited for until `now`.
    pub(super) fn read(&self, now: Instant) -> Waited {
        let mut waited = self.waited;
        waited.add(self.wait, now.max(self.since).since(self.since));
        waited
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_measured_time_counts() {
        let at = Instant::from_nanos;
        let mut clock = WaitClock::counting_from(at(100));
        clock.turn(at(10), Wait::Opening);
        clock.turn(at(40), Wait::Receiver);
        assert_eq!(clock.read(at(90)), Waited::default());
        clock.turn(at(130), Wait::Application);
        clock.turn(at(135), Wait::Nothing);
        let waited = clock.read(at(500));
        assert_eq!((waited.receiver, waited.application), (Span::from_nanos(30), Span::from_nanos(5)));
        assert_eq!(waited.busy(), Span::from_nanos(35));
    }
}
