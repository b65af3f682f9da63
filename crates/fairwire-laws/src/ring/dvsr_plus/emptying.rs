//! On its first lap over a changed ring the ledger waits for queues to become short.

use super::backlog::TARGET_PACKETS;
use super::frame::Frame;
use fairwire_core::{Instant, Span};

/// The ledger, kept back where the old ring has left a queue. Rates that are worked out in front of
/// full queues are right only when these are gone, and to drain them by a part of the rates
/// takes many laps where the queues are long beside the ring.
#[derive(Debug, Default)]
pub struct Emptying {
    /// Whether the ring has changed and the ledger has not come by since.
    is_on: bool,
    kept: Option<KeptLedger>,
}

#[derive(Debug)]
struct KeptLedger {
    look_at: Instant,
    until: Instant,
    ledger: Frame,
}

/// What waits in front of a link.
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    pub bytes: f64,
    /// The size of the largest packet.
    pub packet_bytes: f64,
    pub link_bps: f64,
}

impl Queue {
    /// How long the link sends at what is too much.
    fn excess(&self) -> Span {
        let excess_bytes = (self.bytes - TARGET_PACKETS * self.packet_bytes).max(0.0);
        Span::from_secs_f64(excess_bytes * 8.0 / self.link_bps)
    }
}

impl Emptying {
    /// The ring has changed.
    pub fn begin(&mut self) {
        *self = Self { is_on: true, kept: None };
    }

    /// Whether the ring has changed and the ledger has not come by since.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Returns the ledger if it may be read and passed on now; else it is kept, at most for
    /// twice the time in which the link could send what is too much, whatever comes meanwhile.
    pub fn pass(&mut self, now: Instant, ledger: Frame, queue: Queue) -> Option<Frame> {
        self.pass_until(now, now + queue.excess() * 2, ledger, queue)
    }

    /// When the kept ledger asks again.
    pub fn look_at(&self) -> Option<Instant> {
        self.kept.as_ref().map(|kept| kept.look_at)
    }

    /// The time has come that [`Self::look_at`] told: the ledger, if it may go now.
    pub fn look(&mut self, now: Instant, queue: Queue) -> Option<Frame> {
        let KeptLedger { until, ledger, .. } = self.kept.take_if(|kept| kept.look_at <= now)?;
        self.pass_until(now, until, ledger, queue)
    }

    fn pass_until(&mut self, now: Instant, until: Instant, ledger: Frame, queue: Queue) -> Option<Frame> {
        let excess = queue.excess();
        if !self.is_on || excess == Span::ZERO || now >= until {
            self.is_on = false;
            return Some(ledger);
        }
        self.kept = Some(KeptLedger { look_at: (now + excess).min(until), until, ledger });
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame::WeightWidth;
    use super::*;

    fn ledger() -> Frame {
        Frame::new(WeightWidth::Count, 4)
    }

    /// A queue of packets of 1 kB in front of a link that sends one each microsecond.
    fn queue(packets: f64) -> Queue {
        Queue { bytes: packets * 1e3, packet_bytes: 1e3, link_bps: 8e9 }
    }

    fn us(us: u64) -> Instant {
        Instant::ZERO + Span::from_micros(us)
    }

    #[test]
    fn on_a_ring_that_has_not_changed_it_goes_on() {
        assert!(Emptying::default().pass(us(5), ledger(), queue(200.0)).is_some());
    }

    #[test]
    fn it_waits_until_the_queue_is_short_and_then_waits_no_more() {
        let mut emptying = Emptying::default();
        emptying.begin();
        assert!(emptying.pass(us(0), ledger(), queue(112.0)).is_none());
        assert_eq!(emptying.look_at(), Some(us(100)));
        assert!(emptying.look(us(100), queue(42.0)).is_none());
        assert_eq!((emptying.look_at(), emptying.is_on()), (Some(us(130)), true));
        assert!(emptying.look(us(130), queue(12.0)).is_some());
        assert_eq!((emptying.look_at(), emptying.is_on()), (None, false));
        assert!(emptying.pass(us(140), ledger(), queue(112.0)).is_some());
    }

    #[test]
    fn what_comes_meanwhile_does_not_keep_it_for_ever() {
        let mut emptying = Emptying::default();
        emptying.begin();
        assert!(emptying.pass(us(0), ledger(), queue(112.0)).is_none());
        assert!(emptying.look(us(100), queue(200.0)).is_none());
        assert_eq!(emptying.look_at(), Some(us(200)));
        assert!(emptying.look(us(200), queue(200.0)).is_some());
    }

    #[test]
    fn a_change_forgets_the_ledger_of_before() {
        let mut emptying = Emptying::default();
        emptying.begin();
        assert!(emptying.pass(us(0), ledger(), queue(112.0)).is_none());
        emptying.begin();
        assert_eq!(emptying.look_at(), None);
        assert!(emptying.look(us(200), queue(0.0)).is_none());
    }
}
