//! CoDel against the RFC's functions, written down once more as they stand there, and against
//! its control law.

use crate::queue_laws::driver::{Deed, Queue, law, packet, site};
use fairwire_core::{Instant, Span};
use fairwire_laws::queue::{Limit, QueuedPacket};
use proptest::prelude::*;
use std::collections::VecDeque;

/// RFC 8289 §5: a queue of (handle, bytes, time stamp) in nanoseconds.
#[derive(Default)]
struct Model {
    packets: VecDeque<(u32, u32, i64)>,
    bytes: u64,
    largest: u64,
    first_above: i64,
    drop_next: i64,
    count: i64,
    last_count: i64,
    dropping: bool,
    dropped: Vec<u32>,
}

const TARGET: i64 = 5_000_000;
const INTERVAL: i64 = 100_000_000;

impl Model {
    fn enqueue(&mut self, handle: u32, bytes: u32, now: i64) {
        self.packets.push_back((handle, bytes, now));
        self.bytes += u64::from(bytes);
        self.largest = self.largest.max(bytes.into());
    }

    fn dodequeue(&mut self, now: i64) -> (Option<u32>, bool) {
        let Some((handle, bytes, stamp)) = self.packets.pop_front() else {
            self.first_above = 0;
            return (None, false);
        };
        self.bytes -= u64::from(bytes);
        let mut ok = false;
        if now - stamp < TARGET || self.bytes <= self.largest {
            self.first_above = 0;
        } else if self.first_above == 0 {
            self.first_above = now + INTERVAL;
        } else if now >= self.first_above {
            ok = true;
        }
        (Some(handle), ok)
    }

    fn law(from: i64, count: i64) -> i64 {
        from + (INTERVAL as f64 / (count as f64).sqrt()) as i64
    }

    fn dequeue(&mut self, now: i64) -> Option<u32> {
        let (mut head, mut ok) = self.dodequeue(now);
        if self.dropping {
            if !ok {
                self.dropping = false;
            }
            while now >= self.drop_next && self.dropping {
                self.dropped.extend(head);
                self.count += 1;
                (head, ok) = self.dodequeue(now);
                if ok {
                    self.drop_next = Self::law(self.drop_next, self.count);
                } else {
                    self.dropping = false;
                }
            }
        } else if ok {
            self.dropped.extend(head);
            (head, _) = self.dodequeue(now);
            self.dropping = true;
            let delta = self.count - self.last_count;
            self.count = if delta > 1 && now - self.drop_next < 16 * INTERVAL { delta } else { 1 };
            self.drop_next = Self::law(now, self.count);
            self.last_count = self.count;
        }
        head
    }
}

proptest! {
    #[test]
    fn it_does_what_the_rfc_s_functions_do(
        phases in prop::collection::vec((100u64..3000, 100u64..3000, 1usize..300, 200u32..1500), 1..20),
    ) {
        let mut queue = Queue::by_hand(&law("name = 'codel'"), site(Limit::Packets(100_000)));
        let mut model = Model::default();
        let (mut now, mut handle, mut next_departure) = (1_000u64, 0u32, 0u64);
        for (arrival_us, departure_us, packets, size_bytes) in phases {
            for _ in 0..packets {
                now += arrival_us * 1000;
                next_departure = next_departure.max(now.saturating_sub(arrival_us * 1000));
                while next_departure <= now {
                    queue.pass(Instant::from_nanos(next_departure));
                    let sent = queue.depart().map(|waiting| waiting.handle);
                    prop_assert_eq!(sent, model.dequeue(next_departure as i64));
                    next_departure += departure_us * 1000;
                }
                queue.pass(Instant::from_nanos(now));
                queue.arrive(QueuedPacket { size_bytes, ..packet(0) });
                model.enqueue(handle, size_bytes, now as i64);
                handle += 1;
            }
        }
        let discarded: Vec<u32> = queue.deeds.iter().filter_map(|deed| match deed {
            Deed::Discarded { handle, .. } => Some(*handle),
            _ => None,
        }).collect();
        prop_assert_eq!(discarded, model.dropped);
    }
}

/// A standing queue, one packet leaving each millisecond: times of the drops, or marks.
fn deeds_on_a_standing_queue(toml: &str, ecn_capable: bool) -> Vec<u64> {
    let mut queue = Queue::by_hand(&law(toml), site(Limit::Packets(100_000)));
    for _ in 0..3000 {
        queue.arrive(QueuedPacket { ecn_capable, ..packet(0) });
    }
    let mut times = Vec::new();
    for ms in 10..1010 {
        queue.pass(Instant::ZERO + Span::from_millis(ms));
        let before = queue.deeds.len();
        queue.depart();
        for deed in &queue.deeds[before..] {
            if matches!(deed, Deed::Discarded { .. } | Deed::Sent { mark: true, .. }) {
                times.push(ms);
            }
        }
    }
    times
}

#[test]
fn drops_come_closer_with_the_root_of_their_number() {
    let times = deeds_on_a_standing_queue("name = 'codel'", false);
    // Above the target from 10 ms on, so the first at 110 ms, then 100/√1, 100/√2, … later.
    let mut expected = Vec::new();
    let mut due = 110.0f64;
    for count in 1.. {
        if due >= 1009.0 {
            break;
        }
        expected.push(due);
        due += 100.0 / f64::from(count).sqrt();
    }
    assert_eq!(times.len(), expected.len(), "{times:?}");
    for (at, due) in times.iter().zip(expected) {
        assert!((*at as f64 - due) > -1e-3 && (*at as f64 - due) < 1.0, "{at} for {due}");
    }
}

#[test]
fn marks_come_when_drops_would() {
    let dropped = deeds_on_a_standing_queue("name = 'codel'", false);
    let marked = deeds_on_a_standing_queue("name = 'codel'\necn = true", true);
    assert_eq!(marked, dropped);
}

#[test]
fn a_burst_that_drains_within_the_interval_loses_nothing() {
    let mut queue = Queue::new(&law("name = 'codel'"), site(Limit::Packets(1000)), 1);
    for _ in 0..100 {
        assert!(queue.takes(packet(0)));
    }
    queue.pass_for(Span::from_millis(200));
    assert!(queue.deeds.iter().all(|deed| !matches!(deed, Deed::Discarded { .. })));
}
