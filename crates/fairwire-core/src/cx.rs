//! The context in which a driver calls a control law.

use crate::{Instant, RandomStream};

/// What a law may know beside its own state: the time, a random stream of its
/// own, and a probe for what it wants to show.
pub struct Cx<'a, P: Probe> {
    /// The time of the event.
    pub now: Instant,
    /// The law's own random stream.
    pub rng: &'a mut RandomStream,
    /// Where the law shows its inner values.
    pub probe: &'a mut P,
}

/// One inner value that a law shows at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// What is shown, with its unit as suffix: `fair_rate_bps`, `busy_fraction`.
    pub name: &'static str,
    /// Which one of several: the number of the law's own flow, or 0.
    pub index: u32,
    /// The value in the unit that the name tells.
    pub value: f64,
}

/// Receives what laws want to show. Showing never changes what a law does.
pub trait Probe {
    /// Whether anybody looks; a law may skip work for nobody.
    fn wants(&self) -> bool;
    /// Takes one value.
    fn show(&mut self, now: Instant, sample: Sample);
}

/// Nobody looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProbe;

impl Probe for NoProbe {
    #[inline]
    fn wants(&self) -> bool {
        false
    }
    #[inline]
    fn show(&mut self, _now: Instant, _sample: Sample) {}
}

impl<P: Probe> Cx<'_, P> {
    /// Shows one value to whoever looks.
    #[inline]
    pub fn show(&mut self, name: &'static str, index: u32, value: f64) {
        if self.probe.wants() {
            self.probe.show(self.now, Sample { name, index, value });
        }
    }
}
