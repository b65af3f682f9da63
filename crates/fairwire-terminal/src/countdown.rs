//! How many of many things are done: for people who wait.

use crate::bar::Bar;
use crate::text;
use std::sync::atomic::{AtomicU64, Ordering};

const MILLION: f64 = 1e6;

/// Things that end in any order, on any thread.
pub struct Countdown {
    what: &'static str,
    done: AtomicU64,
    /// What was done for these and for those that go on, in millionths of one.
    work: AtomicU64,
    bar: Bar,
}

impl Countdown {
    /// None is done; `what` is one of them: `run`.
    pub fn new(what: &'static str) -> Self {
        Self { what, done: AtomicU64::new(0), work: AtomicU64::new(0), bar: Bar::default() }
    }

    /// So many more are done, of `all` in all as far as that is known.
    pub fn count(&self, more: u64, all: u64) {
        self.advance(more, more as f64, all);
    }

    /// The same where those that go on are watched, too: `work` is what was done since this was told last, 1 for a whole one.
    pub fn advance(&self, more: u64, work: f64, all: u64) {
        let done = self.done.fetch_add(more, Ordering::Relaxed) + more;
        let more_work = (work.max(0.0) * MILLION).round() as u64;
        let work = (self.work.fetch_add(more_work, Ordering::Relaxed) + more_work) as f64 / MILLION;
        if !self.bar.is_shown() {
            return;
        }
        let all = all.max(done).max(1);
        let words = format!("{} of {}", text::grouped(done), text::count(all as usize, self.what));
        self.bar.tell(work / all as f64, &words);
    }
}
