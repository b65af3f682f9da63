//! Giving up what nobody waits for any more.
//!
//! Solvers are deep, and most of what they are made of cannot fail. So a solver that is to give up hands no error up through
//! all of it: it unwinds to the [`Interrupt::heed`] that began it, as after a panic, but nothing has gone wrong and nothing is said.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that solvers look at.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

/// What a solver unwinds with.
struct GivenUp;

thread_local! {
    static HEEDED: RefCell<Heeded> = const { RefCell::new(Heeded(None)) };
}

impl Interrupt {
    /// From now on whoever heeds the flag gives up.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Does `work`; nothing if the flag was raised and a solver has given up.
    pub fn heed<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let heeded = Heeded(Some(self.clone()));
        match catch_unwind(AssertUnwindSafe(|| heeded.within(work))) {
            Ok(done) => Some(done),
            Err(payload) if payload.is::<GivenUp>() => None,
            Err(panic) => resume_unwind(panic),
        }
    }
}

/// What a thread heeds, for other threads that do a part of its work.
#[derive(Clone, Debug)]
pub struct Heeded(Option<Interrupt>);

impl Heeded {
    /// What this thread heeds.
    pub fn here() -> Self {
        HEEDED.with_borrow(Clone::clone)
    }

    /// Does `work` on this thread, heeding the same.
    pub fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Sets what was heeded before, however `work` ends.
        struct Before(Heeded);
        impl Drop for Before {
            fn drop(&mut self) {
                HEEDED.set(Heeded(self.0.0.take()));
            }
        }
        let _before = Before(HEEDED.replace(self.clone()));
        work()
    }
}

/// Gives up here if that is asked for. Loops that may take a while look once a round.
pub(crate) fn look() {
    let is_raised = |Heeded(heeded): &Heeded| heeded.as_ref().is_some_and(|flag| flag.0.load(Ordering::Relaxed));
    if HEEDED.with_borrow(is_raised) {
        resume_unwind(Box::new(GivenUp));
    }
}

#[cfg(test)]
mod tests {
    use super::{Heeded, Interrupt, look};

    #[test]
    fn whoever_heeds_a_raised_flag_gives_up_and_nobody_else() {
        let (flag, other) = (Interrupt::default(), Interrupt::default());
        let looks = || {
            look();
            1
        };
        assert_eq!(flag.heed(looks), Some(1));
        flag.raise();
        assert_eq!(looks(), 1, "nobody heeds it here");
        assert_eq!(flag.heed(looks), None);
        assert_eq!(other.heed(|| (flag.heed(looks), looks())), Some((None, 1)));
        assert_eq!(flag.heed(|| 2), Some(2), "what does not look comes to its end");
        assert_eq!(looks(), 1, "it is heeded no longer");
    }

    #[test]
    fn other_threads_heed_what_is_handed_on() {
        let flag = Interrupt::default();
        flag.raise();
        let heeded = flag.heed(Heeded::here);
        assert!(flag.heed(|| heeded.map(|heeded| heeded.within(look))).is_none());
    }
}
