//! The line by which a flow's datagrams come to its station.
//!
//! What a TAP gives in one go has one time, and a full drop-tail queue would punish that. On a line as fast as the station's
//! link packets come one after the other, as they do from a source of the simulator.

use fairwire_core::{BitRate, Instant, Serialiser, Span};

/// More than this is not kept waiting on a line: who offers more than the line carries is refused there.
pub const MOST_BACKLOG: Span = Span::from_millis(50);

/// One line.
#[derive(Clone, Debug)]
pub struct AccessLine {
    serialiser: Serialiser,
    free_at: Instant,
}

impl AccessLine {
    /// A line of this rate, idle.
    pub fn new(rate: BitRate) -> Self {
        Self { serialiser: Serialiser::new(rate), free_at: Instant::ZERO }
    }

    /// A packet of so many bytes came up at `now`: when it is at the station, if the line takes it.
    pub fn take(&mut self, now: Instant, size_bytes: u16) -> Option<Instant> {
        let at = self.free_at.max(now);
        if at.since(now) > MOST_BACKLOG {
            return None;
        }
        self.free_at = at + self.serialiser.transmit(size_bytes.into());
        Some(at)
    }

    /// Whether nothing is on it at `now`.
    pub fn is_idle(&self, now: Instant) -> bool {
        self.free_at <= now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_comes_at_the_rate_of_the_line_and_no_more_than_it_holds() {
        let mut line = AccessLine::new(BitRate::from_mbps(8));
        let at = |us: u64| Instant::from_nanos(us * 1_000);
        assert_eq!([0, 0, 0].map(|now| line.take(at(now), 1_000)), [0, 1_000, 2_000].map(|us| Some(at(us))));
        assert_eq!(line.take(at(9_000), 500), Some(at(9_000)), "idle for a while");
        assert_eq!(line.take(at(9_000), 500), Some(at(9_500)));
        let taken = (0..100).filter(|_| line.take(at(20_000), 1_000).is_some()).count();
        assert_eq!(taken, 51, "50 ms and the one that begins then");
    }
}
