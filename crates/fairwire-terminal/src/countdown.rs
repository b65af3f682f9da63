//! How many of many runs are done, and how long the rest takes: for people who wait.

use crate::quiet::is_quiet;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Work that ends sooner than this shows no bar.
const PATIENCE: Duration = Duration::from_secs(2);

/// Runs that end in any order, on any thread.
pub struct Countdown {
    started: Instant,
    shown: bool,
    done: AtomicU64,
    bar: Mutex<Option<ProgressBar>>,
}

impl Default for Countdown {
    fn default() -> Self {
        let shown = io::stderr().is_terminal() && !is_quiet();
        Self { started: Instant::now(), shown, done: AtomicU64::new(0), bar: Mutex::new(None) }
    }
}

impl Countdown {
    /// So many more are done, of `all` in all as far as that is known.
    pub fn count(&self, runs: u64, all: u64) {
        let done = self.done.fetch_add(runs, Ordering::Relaxed) + runs;
        self.with_bar(|bar| {
            bar.set_length(all.max(done));
            bar.set_position(done);
        });
    }

    fn with_bar(&self, tell: impl FnOnce(&ProgressBar)) {
        if !self.shown || self.started.elapsed() < PATIENCE {
            return;
        }
        let Ok(mut bar) = self.bar.lock() else { return };
        tell(bar.get_or_insert_with(|| new_bar(self.started.elapsed())));
    }
}

impl Drop for Countdown {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get_mut().ok().and_then(|bar| bar.take()) {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(elapsed: Duration) -> ProgressBar {
    let bar = ProgressBar::new(0).with_elapsed(elapsed);
    match ProgressStyle::with_template("{wide_bar} {human_pos} of {human_len} runs, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
