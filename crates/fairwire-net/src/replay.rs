//! Arrivals that were written down, brought again.

use crate::access_line::MOST_BACKLOG;
use crate::options::Carried;
use fairwire_core::{Instant, Span};
use fairwire_sim::{BringError, BroughtPacket, Delivery, Outside, walk_beside};

/// How much of a run is brought at a time, so that what waits stays small.
const STRETCH: Span = Span::from_millis(50);

/// Takes `carried` to `until`, or its end, with what was written down; `watch` is told the present time now and then and may
/// end it early by answering `false`.
///
/// # Errors
/// [`BringError`] for a packet that this ring or network does not take: the journal is of another one.
pub fn replay(
    carried: &mut Carried,
    arrivals: &[(usize, BroughtPacket)],
    until: Instant,
    watch: &mut dyn FnMut(Instant) -> bool,
) -> Result<(), BringError> {
    walk_beside(carried, &mut Script { arrivals, until, watch })
}

struct Script<'a> {
    arrivals: &'a [(usize, BroughtPacket)],
    until: Instant,
    watch: &'a mut dyn FnMut(Instant) -> bool,
}

impl Outside for Script<'_> {
    fn wait(&mut self, now: Instant, _: bool, came: &mut Vec<(usize, BroughtPacket)>) -> Option<Instant> {
        if now >= self.until || !(self.watch)(now) {
            return None;
        }
        let next = (now + STRETCH).min(self.until);
        // Lines bring packets ahead of their time, by no more than they hold.
        let read_later = |(_, packet): &(usize, BroughtPacket)| packet.at > next + MOST_BACKLOG;
        let due = self.arrivals.iter().position(read_later).unwrap_or(self.arrivals.len());
        let (taken, left) = self.arrivals.split_at(due);
        came.extend_from_slice(taken);
        self.arrivals = left;
        Some(next)
    }

    fn take_back(&mut self, _: &Delivery) {}
}
