//! From counters of classes to what a law of a ring may read.
//!
//! Senders of the same host wait when a queue is full, and fill it up again in bursts; so whoever has kept packets
//! waiting for long is taken for one who never runs out. What belongs to no flow, and control messages, go where no law holds them: to a law they are reclaimable.

use crate::counts::{ClassCount, ClassCounts};
use fairwire_core::{Bytes, Instant, Span};
use fairwire_exchange::GovernedQueue;
use fairwire_laws::ring::{AddQueueView, LinkTraffic, LinkView, StationView, TransitView};

/// Whoever has kept packets waiting at all looks for so long takes as much as it is given.
const BACKLOGGED: Span = Span::from_millis(500);

/// What a law may read of the station.
#[derive(Clone, Debug)]
pub struct Counted {
    largest_packet: Bytes,
    traffic: LinkTraffic,
    transit: ClassCount,
    adds: Vec<AddQueueView>,
    /// Of each egress: packets dropped by the last look, and their bytes in all.
    dropped: Vec<(u32, u64)>,
}

impl Counted {
    /// Nothing has been counted yet of so many egresses.
    pub fn new(egresses: usize, largest_packet: Bytes) -> Self {
        Self {
            largest_packet,
            traffic: LinkTraffic::NOTHING,
            transit: ClassCount::default(),
            adds: vec![AddQueueView::default(); egresses],
            dropped: vec![(0, 0); egresses],
        }
    }

    /// The counters are these at `now`.
    pub fn look(&mut self, now: Instant, counts: &ClassCounts) {
        let of = |class: u16| counts.get(&class).copied().unwrap_or_default();
        self.transit = of(GovernedQueue::TRANSIT);
        let mut added = 0;
        for (place, (add, (dropped, dropped_bytes))) in self.adds.iter_mut().zip(&mut self.dropped).enumerate() {
            let count = of(GovernedQueue::class_of(place));
            let lost = count.dropped.wrapping_sub(*dropped);
            *dropped = count.dropped;
            *dropped_bytes += u64::from(lost) * count.packet_bytes(self.largest_packet);
            let waits_since = add.waits_since.or(Some(now)).filter(|_| count.waiting_packets > 0);
            let is_backlogged = waits_since.is_some_and(|since| now.since(since) >= BACKLOGGED);
            *add = AddQueueView {
                packets: if is_backlogged { u32::MAX } else { count.waiting_packets },
                bytes: if is_backlogged { u64::MAX } else { count.waiting_bytes.into() },
                offered_bytes: count.sent_bytes + u64::from(count.waiting_bytes) + *dropped_bytes,
                waits_since,
            };
            added += count.sent_bytes;
        }
        self.traffic.arrived_reclaimable =
            [GovernedQueue::REST, GovernedQueue::CONTROL].map(|class| of(class).sent_bytes).iter().sum();
        self.traffic.sent.reclaimable = self.traffic.arrived_reclaimable;
        self.traffic.sent.eligible = added + self.transit.sent_bytes;
    }

    /// As a law reads it.
    pub fn view(&self) -> StationView<'_> {
        let waiting = Bytes::new(self.transit.waiting_bytes.into());
        StationView {
            link: LinkView { waiting, ..LinkView::default() },
            transit: TransitView { primary: waiting, ..TransitView::default() },
            traffic: &self.traffic,
            adds: &self.adds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EGRESS: u16 = GovernedQueue::class_of(0);

    fn at(counted: &mut Counted, ms: u64, count: ClassCount) -> AddQueueView {
        counted.look(Instant::from_nanos(ms * 1_000_000), &ClassCounts::from([(EGRESS, count)]));
        counted.view().adds[0]
    }

    #[test]
    fn what_was_dropped_was_offered_in_packets_as_large_as_those_that_wait() {
        let mut counted = Counted::new(1, Bytes::new(1_514));
        let waiting = ClassCount { waiting_bytes: 2_000, waiting_packets: 4, ..ClassCount::default() };
        let busy = ClassCount { sent_bytes: 10_000, dropped: 3, ..waiting };
        assert_eq!(at(&mut counted, 1, busy).offered_bytes, 10_000 + 2_000 + 3 * 500);
        let empty = ClassCount { sent_bytes: 12_000, dropped: 4, ..ClassCount::default() };
        assert_eq!(at(&mut counted, 2, empty).offered_bytes, 12_000 + 3 * 500 + 1_514);
        assert_eq!(at(&mut counted, 3, empty).offered_bytes, 12_000 + 3 * 500 + 1_514, "counted once");
    }

    #[test]
    fn dropped_packets_are_counted_beyond_the_end_of_the_kernels_counter() {
        let mut counted = Counted::new(1, Bytes::new(100));
        at(&mut counted, 1, ClassCount { dropped: u32::MAX - 1, ..ClassCount::default() });
        let before = counted.view().adds[0].offered_bytes;
        let after = at(&mut counted, 2, ClassCount { dropped: 1, ..ClassCount::default() }).offered_bytes;
        assert_eq!(after - before, 3 * 100);
    }

    #[test]
    fn packets_wait_since_the_first_look_that_saw_some() {
        let mut counted = Counted::new(1, Bytes::new(1_514));
        let looks = [1, 1, 0, 1].map(|waiting_packets| ClassCount { waiting_packets, ..ClassCount::default() });
        let since: Vec<_> =
            looks.into_iter().zip(1..).map(|(count, ms)| at(&mut counted, ms, count).waits_since).collect();
        let ms = |ms: u64| Some(Instant::from_nanos(ms * 1_000_000));
        assert_eq!(since, [ms(1), ms(1), None, ms(4)]);
    }

    #[test]
    fn whoever_keeps_packets_waiting_for_half_a_second_never_runs_out() {
        let mut counted = Counted::new(1, Bytes::new(1_514));
        let busy = ClassCount { waiting_packets: 9, waiting_bytes: 900, ..ClassCount::default() };
        let seen = [1, 500, 501].map(|ms| at(&mut counted, ms, busy).packets);
        assert_eq!(seen, [9, 9, u32::MAX]);
        at(&mut counted, 502, ClassCount::default());
        assert_eq!(at(&mut counted, 503, busy).bytes, 900, "and may again");
    }

    #[test]
    fn what_no_law_holds_is_reclaimable_and_what_waits_in_transit_is_told() {
        let mut counted = Counted::new(1, Bytes::new(1_514));
        let sent = |sent_bytes| ClassCount { sent_bytes, ..ClassCount::default() };
        let counts = [
            (GovernedQueue::REST, sent(1)),
            (GovernedQueue::CONTROL, sent(20)),
            (GovernedQueue::TRANSIT, ClassCount { waiting_bytes: 5_000, ..sent(300) }),
            (EGRESS, sent(4_000)),
        ];
        counted.look(Instant::ZERO, &ClassCounts::from(counts));
        let view = counted.view();
        assert_eq!((view.traffic.arrived_reclaimable, view.traffic.sent.eligible), (21, 4_300));
        assert_eq!((view.link.waiting, view.transit.primary), (Bytes::new(5_000), Bytes::new(5_000)));
    }
}
