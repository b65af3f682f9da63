//! How many of many things are done: for people who wait.

use crate::bar::Bar;
use crate::text;
use std::sync::atomic::{AtomicU64, Ordering};

/// Things that end in any order, on any thread.
pub struct Countdown {
    what: &'static str,
    done: AtomicU64,
    bar: Bar,
}

impl Countdown {
    /// None is done; `what` is one of them: `run`.
    pub fn new(what: &'static str) -> Self {
        Self { what, done: AtomicU64::new(0), bar: Bar::default() }
    }

    /// So many more are done, of `all` in all as far as that is known.
    pub fn count(&self, more: u64, all: u64) {
        let done = self.done.fetch_add(more, Ordering::Relaxed) + more;
        let all = all.max(done).max(1);
        let words = format!("{} of {}", text::grouped(done), text::count(all as usize, self.what));
        self.bar.tell(done as f64 / all as f64, &words);
    }
}
