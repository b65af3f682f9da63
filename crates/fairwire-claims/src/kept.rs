//! Runs that are made once, however many claims look at them.

use crate::runs::Trouble;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What came of every plan so far. The same plan gives the same record, so that nobody sees a difference.
pub struct RecordCache<P, R>(Mutex<Vec<(P, Made<R>)>>);

type Made<R> = Arc<OnceLock<Result<Arc<R>, Trouble>>>;

impl<P: Clone + PartialEq, R> RecordCache<P, R> {
    pub const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// The run of `plan`. Who asks for one that is being made waits for it: `make` may not hand work to other threads.
    pub fn run(&self, plan: P, make: impl FnOnce(&P) -> Result<R, Trouble>) -> Result<Arc<R>, Trouble> {
        let made = self.place(&plan);
        made.get_or_init(|| make(&plan).map(Arc::new)).clone()
    }

    /// Where the run of `plan` is, or will be.
    fn place(&self, plan: &P) -> Made<R> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, made)) = kept.iter().find(|(other, _)| other == plan) {
            return Arc::clone(made);
        }
        let made = Made::default();
        kept.push((plan.clone(), Arc::clone(&made)));
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn a_plan_is_run_once_even_if_two_ask_for_it_at_once() {
        let kept = RecordCache::new();
        let made = AtomicU32::new(0);
        let double = |plan: u32| {
            kept.run(plan, |plan| {
                made.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(std::time::Duration::from_millis(20));
                Ok(2 * plan)
            })
        };
        let [first, second] = std::thread::scope(|scope| {
            [scope.spawn(|| double(4)), scope.spawn(|| double(4))].map(|asked| asked.join().unwrap().unwrap())
        });
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!((*first, made.load(Ordering::Relaxed)), (8, 1));
        assert_eq!((*double(5).unwrap(), made.load(Ordering::Relaxed)), (10, 2));
    }

    #[test]
    fn a_run_that_failed_is_told_again() {
        let kept: RecordCache<u32, u32> = RecordCache::new();
        let fail = || kept.run(1, |_| Err("no such law".to_owned()));
        assert_eq!((fail(), fail()), (Err("no such law".to_owned()), Err("no such law".to_owned())));
    }
}
