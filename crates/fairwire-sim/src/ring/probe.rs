//! Keeps what a law shows.

use crate::record::LawSample;
use fairwire_core::{Instant, NoProbe, Probe, Ringlet, Sample, Span, StationId};
use std::collections::BTreeMap;

/// A probe at one station, made by the engine and emptied into the record.
pub trait StationProbe: Probe {
    /// A probe at `station` that keeps at most one value of a kind every `every`.
    fn at(ringlet: Ringlet, station: StationId, every: Span) -> Self;
    /// What it kept, in order of time.
    fn samples(self) -> Vec<LawSample>;
}

impl StationProbe for NoProbe {
    fn at(_: Ringlet, _: StationId, _: Span) -> Self {
        Self
    }
    fn samples(self) -> Vec<LawSample> {
        Vec::new()
    }
}

/// Records the first value of each kind in each row.
#[derive(Debug)]
pub struct Recorder {
    ringlet: Ringlet,
    station: StationId,
    every: Span,
    due: BTreeMap<(&'static str, u32), Instant>,
    samples: Vec<LawSample>,
}

impl Probe for Recorder {
    fn wants(&self) -> bool {
        true
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

impl StationProbe for Recorder {
    fn at(ringlet: Ringlet, station: StationId, every: Span) -> Self {
        Self { ringlet, station, every, due: BTreeMap::new(), samples: Vec::new() }
    }

    fn samples(self) -> Vec<LawSample> {
        self.samples
    }
}
