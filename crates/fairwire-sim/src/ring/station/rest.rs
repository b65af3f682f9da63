//! A station that no packet ever leaves, and whose law has come to rest: what it does is known in advance.
//!
//! On a large ring that carries little, this is most stations. What the neighbours have to note of them is put on the wire
//! many timeouts at a time, and nobody puts anything on the wire to be noted here, which cannot matter any more.

use super::{Station, Wires};
use fairwire_core::Ringlet;
use fairwire_laws::ring::RingLaw;

impl<L: RingLaw> Station<L> {
    /// Whether the law of `ringlet` may rest here: no packet ever leaves this station on either ringlet, and nobody looks
    /// at what it does.
    pub fn let_rest(&mut self, ringlet: Ringlet) {
        self.sides[ringlet.index()].may_rest = true;
    }

    /// Whether messages are only noted here: nothing comes of them before the law decides of its own accord.
    #[inline]
    pub fn only_notes(&self) -> bool {
        self.notes_alone && self.guard.is_none()
    }

    /// Whether what arrives on `ringlet` does not matter: no packet does, and messages are for a law at rest.
    #[inline]
    pub fn is_deaf_to(&self, ringlet: Ringlet) -> bool {
        self.sides[ringlet.opposite().index()].rests && !self.sides[ringlet.index()].mac.packets_pass
    }

    /// The law of `ringlet` wakes at `now`; if it is at rest, passes all its timeouts before `stop`, and returns the time of
    /// the last one.
    pub(super) fn rest(
        &mut self,
        ringlet: Ringlet,
        now: u64,
        stop: u64,
        wires: &mut Wires<'_, L::Msg>,
    ) -> Option<u64> {
        let rest = self.sides[ringlet.index()].mac.law.rests()?;
        let (up, period) = (ringlet.opposite().index(), rest.period.as_nanos());
        let times = stop.saturating_sub(now).div_ceil(period);
        let link = &mut self.sides[up].mac.link;
        let times = link.repeat_note(&rest.message, now, period, times, wires.outbound[up]);
        let last = now + period * times.checked_sub(1)?;
        let side = &mut self.sides[ringlet.index()];
        side.mac.law.has_rested(times);
        side.timeout = last + period;
        // Nobody ever asks the law about anything else again.
        side.rests = true;
        wires.inbound[up].ignore_notes();
        Some(last)
    }
}
