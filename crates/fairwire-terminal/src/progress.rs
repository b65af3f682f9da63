//! How far several runs have come together: for people who wait.

use crate::bar::Bar;
use std::sync::Mutex;

/// Runs that go on side by side, each of which tells how far it is.
pub struct Progress {
    bar: Bar,
    fractions: Mutex<Vec<f64>>,
}

impl Progress {
    /// Nothing of `runs` runs is done yet.
    pub fn new(runs: usize) -> Self {
        Self { bar: Bar::default(), fractions: Mutex::new(vec![0.0; runs]) }
    }

    /// The run at position `run` has come so far, from 0 to 1.
    pub fn tell(&self, run: usize, fraction: f64) {
        let Ok(mut fractions) = self.fractions.lock() else { return };
        fractions[run] = fraction;
        if self.bar.is_shown() {
            let done = fractions.iter().sum::<f64>() / fractions.len() as f64;
            self.bar.tell(done, &format!("{:.0} %", done * 100.0));
        }
    }
}
