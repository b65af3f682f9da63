//! Keeps what a law shows.

use crate::record::LawSample;
use fairwire_core::{Instant, Probe, Ringlet, Sample, Span, StationId};
use std::collections::BTreeMap;

/// Records the first value of each kind in each row, or nothing at all.
#[derive(Debug)]
pub struct Recorder {
    ringlet: Ringlet,
    station: StationId,
    every: Span,
    wanted: bool,
    due: BTreeMap<(&'static str, u32), Instant>,
    samples: Vec<LawSample>,
}

impl Recorder {
    /// One at `station` that keeps at most one value of a kind every `every`, if
    /// any is `wanted`.
    pub fn at(ringlet: Ringlet, station: StationId, every: Span, wanted: bool) -> Self {
        Self { ringlet, station, every, wanted, due: BTreeMap::new(), samples: Vec::new() }
    }

    /// What it kept, in order of time.
    pub fn take_samples(&mut self) -> Vec<LawSample> {
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
        self.samples.push(LawSample {
            t: now,
            ringlet: self.ringlet,
            station: self.station,
            name: sample.name,
            about: StationId(sample.index as u16),
            value: sample.value,
        });
    }
}
