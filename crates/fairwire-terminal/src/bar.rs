//! A bar on stderr for people who wait: how far the work is, and about how long the rest takes.

use crate::loudness::shows_progress;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Work that ends sooner than this shows no bar.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// Steps of the bar.
const STEPS: u64 = 1_000;

/// A bar that appears once somebody has waited for a while, and goes when it is dropped.
pub struct Bar {
    started: Instant,
    shown: bool,
    bar: Mutex<Option<ProgressBar>>,
}

impl Default for Bar {
    fn default() -> Self {
        Self { started: Instant::now(), shown: shows_progress(), bar: Mutex::new(None) }
    }
}

impl Bar {
    /// Whether telling it something shows.
    pub fn is_shown(&self) -> bool {
        self.shown && self.started.elapsed() >= PATIENCE
    }

    /// So much is done, from 0 to 1, which is `words`.
    pub fn tell(&self, done: f64, words: &str) {
        if !self.is_shown() {
            return;
        }
        let Ok(mut bar) = self.bar.lock() else { return };
        let bar = bar.get_or_insert_with(new_bar);
        bar.set_position((done.clamp(0.0, 1.0) * STEPS as f64) as u64);
        bar.set_message(match time_left(self.started.elapsed(), done) {
            Some(left) => format!("{words}, about {} left", HumanDuration(left)),
            None => words.to_owned(),
        });
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get_mut().ok().and_then(|bar| bar.take()) {
            bar.finish_and_clear();
        }
    }
}

/// How long the rest takes if it goes on as it went; nothing is known before anything is done.
fn time_left(elapsed: Duration, done: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(elapsed.as_secs_f64() * (1.0 - done) / done).ok().filter(|_| done > 0.0)
}

fn new_bar() -> ProgressBar {
    let bar = ProgressBar::new(STEPS);
    match ProgressStyle::with_template("{wide_bar} {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_what_is_done_did() {
        let left = |done| time_left(Duration::from_secs(30), done);
        assert_eq!(left(0.25), Some(Duration::from_secs(90)));
        assert_eq!(left(1.0), Some(Duration::ZERO));
        assert_eq!(left(0.0), None, "nobody knows yet");
        assert_eq!(left(1.0 + 1e-9), None, "more than all of it is no time");
    }
}
