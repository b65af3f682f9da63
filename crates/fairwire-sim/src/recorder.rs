//! Keeps what a law shows.

use fairwire_core::{Instant, Probe, Sample, Span};
use std::collections::BTreeMap;

/// Records the first value of each kind in each row, or nothing at all.
#[derive(Debug)]
pub struct Recorder {
    every: Span,
    wanted: bool,
    due: BTreeMap<(&'static str, u32), Instant>,
    samples: Vec<(Instant, Sample)>,
}

impl Recorder {
    /// One that keeps at most one value of a kind every `every`, if any is `wanted`.
    pub fn new(every: Span, wanted: bool) -> Self {
        Self { every, wanted, due: BTreeMap::new(), samples: Vec::new() }
    }

    /// What it kept, in order of time.
    pub fn take_samples(&mut self) -> Vec<(Instant, Sample)> {
        std::mem::take(&mut self.samples)
    }
}

impl Probe for Recorder {
    fn wants(&self) -> bool {
        self.wanted
    }

    fn show(&mut self, now: Instant, sample: Sample) {
        let due = self.due.entry((sample.name, sample.index)).or_insert(now);
        if now < *due {
            return;
        }
        *due = now + self.every;
        self.samples.push((now, sample));
    }
}
