//! Many pieces of work on all threads.

use rayon::prelude::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// What `one` makes of each of `items`, in their order, on as many threads as rayon has.
///
/// Made for pieces that take a millisecond and longer, as runs do.
///
/// # Errors
/// Of the pieces that fail the first in the order of `items`. Once one has failed, none is begun.
pub fn side_by_side<T: Send, R: Send, E: Send>(
    items: impl IntoIterator<Item = T>,
    one: impl Fn(T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let places: Vec<Mutex<Slot<T, R, E>>> = items.into_iter().map(|item| Mutex::new(Slot::Waits(item))).collect();
    let has_failed = AtomicBool::new(false);
    each(places.len(), &|at| {
        let place = || places[at].lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let taken = std::mem::replace(&mut *place(), Slot::Empty);
        if let Slot::Waits(item) = taken
            && !has_failed.load(Ordering::Relaxed)
        {
            let made = one(item);
            if made.is_err() {
                has_failed.store(true, Ordering::Relaxed);
            }
            *place() = Slot::Made(made);
        }
    });
    let ends = places.into_iter().map(|place| place.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()));
    ends.filter_map(|place| if let Slot::Made(made) = place { Some(made) } else { None }).collect()
}

/// A piece of work, then what came of it.
enum Slot<T, R, E> {
    Waits(T),
    Made(Result<R, E>),
    /// At work, or never begun since another had failed.
    Empty,
}

/// Compiled once, whatever the work is: rayon's code is long.
fn each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().with_max_len(1).for_each(work);
}

#[cfg(test)]
mod tests {
    use super::side_by_side;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    #[test]
    fn all_is_made_in_order() {
        let halved = side_by_side(0..1_000_u64, |number| Ok::<_, ()>(number / 2)).unwrap();
        assert!(halved.iter().copied().eq((0..1_000).map(|number| number / 2)));
        assert_eq!(side_by_side([], |number: u64| Err::<u64, _>(number)), Ok(Vec::new()));
    }

    #[test]
    fn after_a_failure_nothing_is_begun_and_the_first_in_order_is_told() {
        let begun = AtomicU32::new(0);
        let fail = |number: u32| {
            begun.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(1));
            if number.is_multiple_of(100) { Err(number) } else { Ok(number) }
        };
        let told = side_by_side(1..=100_000, fail).unwrap_err();
        assert!(told.is_multiple_of(100), "{told}");
        let begun = begun.load(Ordering::Relaxed) as usize;
        assert!(begun <= 100 * rayon::current_num_threads(), "{begun} were begun");
        let both = std::sync::Barrier::new(2);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let fail_together = |number: u32| {
            both.wait();
            Err::<(), _>(number)
        };
        assert_eq!(pool.install(|| side_by_side([7, 3], fail_together)), Err(7));
    }
}
