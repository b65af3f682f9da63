//! Tells a watcher how far a run has come.

/// Tells a watcher every hundredth of the run, and no more often than every thousandth call.
pub struct Report {
    step: u64,
    due: u64,
    end: u64,
}

impl Report {
    /// One of a run that ends at `end`.
    pub fn new(end: u64) -> Self {
        let step = (end / 100).max(1);
        Self { step, due: step, end }
    }

    /// Tells `watch` if it is due; whether the run goes on.
    #[inline]
    pub fn go_on(&mut self, now: u64, watch: &mut dyn FnMut(f64) -> bool) -> bool {
        if now < self.due {
            return true;
        }
        self.due = now + self.step;
        watch(now as f64 / self.end as f64)
    }
}
