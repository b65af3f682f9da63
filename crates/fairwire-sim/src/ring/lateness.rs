//! How late laws are called.

use fairwire_core::{RandomStream, Ringlet, Streams};
use fairwire_plan::{RingPlan, WakeUps};
use rand::RngExt;

/// When the process that runs a law gets round to what is due.
///
/// What makes a law decide, a message or a timeout, simply happens at the later time. So both ways through time need to know
/// of nothing else.
#[derive(Debug)]
pub struct Lateness {
    late: u64,
    stall: u64,
    every: u64,
    /// When the first stall begins, less than `every`.
    phase: u64,
    draw: RandomStream,
    /// When the message before is handed over.
    last: u64,
    /// What the law asked for last, and when it is called.
    asked: Option<(u64, u64)>,
    /// When the law begins, if it has not begun yet.
    begins_at: Option<u64>,
}

impl Lateness {
    /// Of the messages that come to `station` on `ringlet`.
    pub fn of_messages(plan: &RingPlan, ringlet: Ringlet, station: usize) -> Option<Box<Self>> {
        Self::of(plan, "messages", ringlet, station)
    }

    /// Of the timeouts of the law that controls `ringlet` at `station`.
    pub fn of_timeouts(plan: &RingPlan, ringlet: Ringlet, station: usize) -> Option<Box<Self>> {
        let mut lateness = Self::of(plan, "timeouts", ringlet, station)?;
        let until = plan.control.wake_ups.map_or(0, |wake_ups| wake_ups.begin.as_nanos());
        let mut draw =
            Streams::new(plan.seed, plan.run).component(&format!("wake-ups/begin/{}/{station}", ringlet.index()));
        lateness.begins_at = (until > 0).then(|| draw.random_range(0..=until));
        Some(lateness)
    }

    /// When the law begins, if it has not begun yet.
    pub const fn begins_at(&self) -> Option<u64> {
        self.begins_at
    }

    /// The law has begun.
    pub const fn begin(&mut self) {
        self.begins_at = None;
    }

    fn of(plan: &RingPlan, what: &str, ringlet: Ringlet, station: usize) -> Option<Box<Self>> {
        let WakeUps { late, stall, every, together, begin: _ } = plan.control.wake_ups?;
        let streams = Streams::new(plan.seed, plan.run);
        let process = if together { "wake-ups".to_owned() } else { format!("wake-ups/{station}") };
        let every = every.as_nanos();
        let phase = if every > 0 { streams.component(&process).random_range(0..every) } else { 0 };
        let draw = streams.component(&format!("wake-ups/{what}/{}/{station}", ringlet.index()));
        let (late, stall) = (late.as_nanos(), stall.as_nanos());
        Some(Box::new(Self { late, stall, every, phase, draw, last: 0, asked: None, begins_at: None }))
    }

    /// When the law is handed a message that arrives at `at`: not before those that came earlier.
    pub fn hand_over(&mut self, at: u64) -> u64 {
        self.last = self.call(at).max(self.last);
        self.last
    }

    /// When the law is called that wants to be at `asked`, or that has not begun yet. As long as it asks for the same nothing is drawn
    /// anew.
    pub fn wake(&mut self, asked: u64) -> u64 {
        if let Some(begins_at) = self.begins_at {
            return begins_at;
        }
        match self.asked {
            _ if asked == u64::MAX => asked,
            Some((before, due)) if before == asked => due,
            _ => {
                let due = self.call(asked);
                self.asked = Some((asked, due));
                due
            }
        }
    }

    fn call(&mut self, at: u64) -> u64 {
        let late = if self.late > 0 { self.draw.random_range(0..=self.late) } else { 0 };
        self.after_stall(at.saturating_add(late))
    }

    /// When the process goes on if it may stand still at `at`.
    fn after_stall(&self, at: u64) -> u64 {
        if self.stall == 0 || at < self.phase {
            return at;
        }
        let into_period = (at - self.phase) % self.every;
        at.saturating_add(self.stall.saturating_sub(into_period))
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn lateness(late: u64, stall: u64, every: u64, phase: u64) -> Lateness {
        let draw = Streams::new(1, 0).component("test");
        Lateness { late, stall, every, phase, draw, last: 0, asked: None, begins_at: None }
    }

    #[test]
    fn what_is_due_in_a_stall_waits_for_its_end() {
        let stalls = lateness(0, 40, 1_000, 300);
        let due = [0, 299, 300, 339, 340, 1_299, 1_300, 1_310, 1_341].map(|at| stalls.after_stall(at));
        assert_eq!(due, [0, 299, 340, 340, 340, 1_299, 1_340, 1_340, 1_341]);
    }

    #[test]
    fn messages_are_late_by_less_than_told_and_keep_their_order() {
        let mut late = lateness(1_000, 0, 0, 0);
        let mut before = 0;
        let mut sum = 0;
        for at in (0..1_000_000).step_by(100) {
            let due = late.hand_over(at);
            assert!((at..=at + 1_000).contains(&due) && due >= before);
            (before, sum) = (due, sum + due - at);
        }
        assert!((5_000_000..10_000_000).contains(&sum), "late by {sum} ns in 10,000 messages");
    }

    #[test]
    fn a_timeout_that_is_asked_for_again_is_not_drawn_again() {
        let mut late = lateness(1_000_000, 0, 0, 0);
        let first = late.wake(5);
        assert_eq!(late.wake(5), first);
        assert_ne!(late.wake(6), first + 1);
    }
}
