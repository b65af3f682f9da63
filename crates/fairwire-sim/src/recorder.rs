//! Keeps what a law shows.

use fairwire_core::{Instant, Probe, Sample, Span};
use std::collections::BTreeMap;

/// Records the first value of each kind in each row, or nothing at all.
#[derive(Debug)]
pub struct Recorder {
    every: Span,
    wanted: bool,
    kinds: Vec<Kind>,
    /// Where a kind stands among them.
    places: BTreeMap<(&'static str, u32), usize>,
    /// Where the kind stands that is expected next: laws mostly show the same values in the same order.
    expected: usize,
    samples: Vec<(Instant, Sample)>,
    /// The stations that the law has numbers of its own for, by these; none if it has not.
    stations: Option<Vec<u16>>,
}

#[derive(Debug)]
struct Kind {
    name: &'static str,
    index: u32,
    /// When a value of this kind is wanted again.
    due: Instant,
}

impl Recorder {
    /// One that keeps at most one value of a kind every `every`, if any is `wanted`.
    pub fn new(every: Span, wanted: bool) -> Self {
        Self {
            every,
            wanted,
            kinds: Vec::new(),
            places: BTreeMap::new(),
            expected: 0,
            samples: Vec::new(),
            stations: None,
        }
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

    /// Where the kind of this value stands, a new one if it was never shown.
    fn place(&mut self, now: Instant, name: &'static str, index: u32) -> usize {
        let expected = if self.expected < self.kinds.len() { self.expected } else { 0 };
        let kind = self.kinds.get(expected);
        if kind.is_some_and(|kind| std::ptr::eq(kind.name, name) && kind.index == index) {
            return expected;
        }
        *self.places.entry((name, index)).or_insert_with(|| {
            self.kinds.push(Kind { name, index, due: now });
            self.kinds.len() - 1
        })
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
        let place = self.place(now, sample.name, sample.index);
        let kind = &mut self.kinds[place];
        self.expected = place + 1;
        if now < kind.due {
            return;
        }
        kind.due = now + self.every;
        self.samples.push((now, sample));
    }
}
