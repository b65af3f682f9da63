//! The context in which a driver calls a control law.

use crate::{Instant, RandomStream};

/// What a law may know beside its own state: the time, a random stream of its
/// own, and a probe for what it wants to show.
pub struct Cx<'a> {
    /// The time of the event.
    pub now: Instant,
    /// The law's own random stream.
    pub rng: &'a mut RandomStream,
    /// Where the law shows its inner values, if anybody looks.
    pub probe: Option<&'a mut dyn Probe>,
}

/// One inner value that a law shows at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// What is shown, with its unit as suffix: `fair_rate_bps`, `busy_fraction`.
    pub name: &'static str,
    /// Which one of several. Ring laws: the number of the station that the value is about. Others: the number of the
    /// law's own flow, or 0.
    pub index: u32,
    /// The value in the unit that the name tells.
    pub value: f64,
}

/// Receives what laws want to show. Showing never changes what a law does.
pub trait Probe {
    /// Takes one value.
    fn show(&mut self, now: Instant, sample: Sample);
}

impl Cx<'_> {
    /// Whether anybody looks; a law may skip work for nobody.
    #[inline]
    pub const fn is_watched(&self) -> bool {
        self.probe.is_some()
    }

    /// Shows one value to whoever looks.
    #[inline]
    pub fn show(&mut self, name: &'static str, index: u32, value: f64) {
        if let Some(probe) = &mut self.probe {
            probe.show(self.now, Sample { name, index, value });
        }
    }
}
