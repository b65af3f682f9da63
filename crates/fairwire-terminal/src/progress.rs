//! A progress bar on stderr, for people who wait.

use crate::quiet::is_quiet;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Work that ends sooner than this shows no bar.
const PATIENCE: Duration = Duration::from_secs(2);

/// Steps of the bar.
const STEPS: u64 = 1_000;

/// How far several runs have come together.
pub struct Progress {
    started: Instant,
    shown: bool,
    state: Mutex<State>,
}

struct State {
    fractions: Vec<f64>,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Nothing of `runs` runs is done yet.
    pub fn new(runs: usize) -> Self {
        let state = State { fractions: vec![0.0; runs], bar: None };
        Self { started: Instant::now(), shown: io::stderr().is_terminal() && !is_quiet(), state: Mutex::new(state) }
    }

    /// The run at position `run` has come so far, from 0 to 1.
    pub fn tell(&self, run: usize, fraction: f64) {
        if !self.shown || self.started.elapsed() < PATIENCE {
            return;
        }
        let Ok(mut state) = self.state.lock() else { return };
        state.fractions[run] = fraction;
        let done = state.fractions.iter().sum::<f64>() / state.fractions.len() as f64;
        let bar = state.bar.get_or_insert_with(new_bar);
        bar.set_position((done * STEPS as f64) as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = self.state.get_mut().ok().and_then(|state| state.bar.take()) {
            bar.finish_and_clear();
        }
    }
}

fn new_bar() -> ProgressBar {
    let bar = ProgressBar::new(STEPS);
    let style = ProgressStyle::with_template("{wide_bar} {percent:>3} %");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar
}
