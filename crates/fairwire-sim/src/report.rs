//! Tells a watcher how far a run has come.

/// Tells a watcher every hundredth of the run, and after so many steps at the latest: of some runs a hundredth takes long,
/// and a watcher may want to end them.
pub struct Report {
    step: u64,
    due: u64,
    end: u64,
    steps: u32,
    most_steps: u32,
}

impl Report {
    /// One of a run that ends at `end`.
    pub fn new(end: u64, most_steps: u32) -> Self {
        let step = (end / 100).max(1);
        Self { step, due: step, end, steps: 0, most_steps }
    }

    /// Another step begins. Tells `watch` if it is due; whether the run goes on.
    #[inline]
    pub fn go_on(&mut self, now: u64, watch: &mut dyn FnMut(f64) -> bool) -> bool {
        self.steps += 1;
        now < self.due && self.steps < self.most_steps || self.tell(now, watch)
    }

    #[cold]
    fn tell(&mut self, now: u64, watch: &mut dyn FnMut(f64) -> bool) -> bool {
        self.steps = 0;
        self.due = now + self.step;
        watch(now as f64 / self.end as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_tells_often_and_after_a_while_at_the_latest() {
        let mut told = Vec::new();
        let mut report = Report::new(1_000, 50);
        for now in (0..100).chain(std::iter::repeat_n(101, 120)) {
            assert!(report.go_on(now, &mut |done| {
                told.push(done);
                true
            }));
        }
        assert_eq!(told, [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.101, 0.101, 0.101]);
        assert!(!report.go_on(500, &mut |_| false));
    }
}
