//! Tells a watcher how far a run has come.

use std::cell::{Cell, RefCell};

/// What becomes of a run whose watcher has had enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All of it stands at one instant.
    Tidy,
    /// It is left where it stands, and can only be thrown away.
    AtOnce,
}

/// Asks now and then whether a run that is being built is still wanted.
pub struct Wanted<'a> {
    ask: RefCell<&'a mut dyn FnMut(f64) -> bool>,
    calls: Cell<u32>,
    is_wanted: Cell<bool>,
}

/// Micro-flows that are built between two questions.
const BUILT_A_QUESTION: u32 = 1 << 12;

impl<'a> Wanted<'a> {
    /// One that asks `watch`, to which nothing of the run is over yet.
    pub fn new(watch: &'a mut dyn FnMut(f64) -> bool) -> Self {
        Self { ask: RefCell::new(watch), calls: Cell::new(0), is_wanted: Cell::new(true) }
    }

    /// Another micro-flow is about to be built: whether the run is still wanted. If not, what is built may be left half done.
    pub fn goes_on(&self) -> bool {
        let calls = self.calls.get().wrapping_add(1);
        self.calls.set(calls);
        if calls.is_multiple_of(BUILT_A_QUESTION) && self.is_wanted.get() {
            self.is_wanted.set((self.ask.borrow_mut())(0.0));
        }
        self.is_wanted.get()
    }
}

/// Tells a watcher every hundredth of the run, and after so many steps at the latest: of some runs a hundredth takes long,
/// and a watcher may want to end them.
pub struct Report {
    step: u64,
    due: u64,
    end: u64,
    steps: u32,
    most_steps: u32,
}

impl Report {
    /// One of a run that ends at `end`.
    pub fn new(end: u64, most_steps: u32) -> Self {
        let step = (end / 100).max(1);
        Self { step, due: step, end, steps: 0, most_steps }
    }

    /// Another step begins. Tells `watch` if it is due; whether the run goes on.
    #[inline]
    pub fn go_on(&mut self, now: u64, watch: &mut dyn FnMut(f64) -> bool) -> bool {
        self.steps = self.steps.saturating_add(1);
        now < self.due && self.steps < self.most_steps || self.tell(now, watch)
    }

    /// What was done since the last step took long: it is told at the next one.
    pub fn hurry(&mut self) {
        self.steps = self.most_steps;
    }

    #[cold]
    fn tell(&mut self, now: u64, watch: &mut dyn FnMut(f64) -> bool) -> bool {
        self.steps = 0;
        self.due = now + self.step;
        watch(now as f64 / self.end as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_tells_often_and_after_a_while_at_the_latest() {
        let mut told = Vec::new();
        let mut report = Report::new(1_000, 50);
        for now in (0..100).chain(std::iter::repeat_n(101, 120)) {
            assert!(report.go_on(now, &mut |done| {
                told.push(done);
                true
            }));
        }
        assert_eq!(told, [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.101, 0.101, 0.101]);
        assert!(report.go_on(102, &mut |_| false));
        report.hurry();
        assert!(!report.go_on(102, &mut |_| false));
        assert!(!report.go_on(500, &mut |_| false));
    }
}
