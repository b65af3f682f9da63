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
    /// The stations that the law has numbers of its own for, by these; none if it has not.
    stations: Option<Vec<u16>>,
}

impl Recorder {
    /// One that keeps at most one value of a kind every `every`, if any is `wanted`.
    pub fn new(every: Span, wanted: bool) -> Self {
        Self { every, wanted, due: BTreeMap::new(), samples: Vec::new(), stations: None }
    }

    /// The law goes by numbers of its own from now on, or no longer: which stations they mean.
    pub fn call(&mut self, stations: Option<Vec<u16>>) {
        self.stations = stations;
    }

    /// Itself, if anything is wanted.
    #[inline]
    pub fn as_probe(&mut self) -> Option<&mut dyn Probe> {
        if self.wanted { Some(self) } else { None }
    }

    /// What it kept, in order of time.
    pub fn take_samples(&mut self) -> Vec<(Instant, Sample)> {
        std::mem::take(&mut self.samples)
    }
}

impl Probe for Recorder {
    fn show(&mut self, now: Instant, mut sample: Sample) {
        if let Some(stations) = &self.stations {
            sample.index = stations.get(sample.index as usize).map_or(sample.index, |station| u32::from(*station));
        }
        let due = self.due.entry((sample.name, sample.index)).or_insert(now);
        if now < *due {
            return;
        }
        *due = now + self.every;
        self.samples.push((now, sample));
    }
}
