//! A station that no packet ever leaves, and whose law has come to rest: what it does is known in advance.
//!
//! On a large ring that carries little, this is most stations. A wire that comes from such a station knows when it brings
//! advice. What the station hears does not matter any more. So the station holds nobody back, and nobody holds it back.

use super::{Station, Wires};
use fairwire_core::Ringlet;

/// How a law is left to rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resting {
    /// Not at all: packets leave here, or somebody looks at what it does.
    Never,
    /// As soon as it is at rest.
    Soon,
    /// It is, for good.
    AtRest,
}

impl Station {
    /// No packet ever leaves here on either ringlet, and nobody looks at what the laws do: they may rest.
    pub fn let_rest(&mut self) {
        self.sides.iter_mut().for_each(|side| side.resting = Resting::Soon);
    }

    /// Whether messages here are nothing but advice: nothing comes of them before the law is called for another reason.
    #[inline]
    pub fn only_advice(&self) -> bool {
        self.sends_advice && self.advice_alone && self.guard.is_none()
    }

    /// Somebody looks at what the station sends: its laws do not rest.
    pub fn never_rest(&mut self) {
        self.sides.iter_mut().for_each(|side| side.resting = Resting::Never);
    }

    /// Whether all laws here are at rest: wires know what the station sends, and what it hears does not matter.
    #[inline]
    pub fn is_at_rest(&self) -> bool {
        let rests = |side: &super::Side| side.resting == Resting::AtRest || !side.governed;
        self.sends_advice && self.sides[0].resting != Resting::Never && self.sides.iter().all(rests)
    }

    /// The law of `ringlet` wakes at `now`; if it is at rest, passes all its timeouts before `stop`, and returns the time of
    /// the last one.
    pub(super) fn rest(&mut self, ringlet: Ringlet, now: u64, stop: u64, wires: &mut Wires<'_>) -> Option<u64> {
        let rest = self.sides[ringlet.index()].law.as_ref()?.rests()?;
        let (up, period) = (ringlet.opposite().index(), rest.period.as_nanos());
        let times = stop.saturating_sub(now).div_ceil(period);
        let last = now + period * times.checked_sub(1)?;
        let bytes = rest.message.wire_bytes() as u64;
        let link = &mut self.sides[up].mac.link;
        if self.sides[ringlet.index()].resting == Resting::Soon {
            wires.outbound[up].repeat_advice(link.repeated(rest.message, now, period)?);
            // Nobody ever asks the law about anything else again.
            wires.inbound[up].ignore_advice();
            self.sides[ringlet.index()].resting = Resting::AtRest;
        }
        self.sides[up].mac.link.count_repeated(bytes, times, last);
        let side = &mut self.sides[ringlet.index()];
        side.law.as_mut()?.has_rested(times);
        side.timeout = last + period;
        Some(last)
    }
}
