//! Laws with a lane for each flow: drr, sfq, fq_codel.

use crate::queue_laws::driver::{Deed, Queue, law, packet, site};
use fairwire_core::Span;
use fairwire_laws::queue::{Limit, QueuedPacket};
use std::collections::BTreeMap;

/// Every flow offers twice the link, with packets of its size, for two seconds.
fn sent(toml: &str, sizes: &[u32]) -> Vec<f64> {
    let mut queue = Queue::new(&law(toml), site(Limit::Packets(300)), 9);
    let mut due: Vec<u64> = vec![0; sizes.len()];
    loop {
        let flow = (0..sizes.len()).min_by_key(|&flow| due[flow]).unwrap();
        if due[flow] > 2_000_000_000 {
            break;
        }
        queue.pass(fairwire_core::Instant::from_nanos(due[flow]));
        queue.arrive(QueuedPacket { size_bytes: sizes[flow], ..packet(flow as u32) });
        due[flow] += u64::from(sizes[flow]) * 8 * 50;
    }
    queue.assert_conserved();
    let sent = queue.sent_bytes();
    (0..sizes.len()).map(|flow| sent.get(&(flow as u32)).copied().unwrap_or(0) as f64).collect()
}

#[test]
fn flows_with_packets_of_different_size_get_equal_bytes() {
    // Lanes enough that eight flows hardly share one; the seed of the test is one where they do not.
    for toml in [
        "name = 'drr'",
        "name = 'drr'\nquantum = '300 B'",
        "name = 'sfq'\nperturb = '0 s'\nlanes = 65536",
        "name = 'fq-codel'\nlanes = 65536",
    ] {
        let sent = sent(toml, &[1500, 1000, 700, 300, 1500, 100, 1000, 64]);
        let mean = sent.iter().sum::<f64>() / sent.len() as f64;
        assert!(mean > 0.97 * 2.5e6 / 8.0, "{toml}: the link was not full");
        for (flow, bytes) in sent.iter().enumerate() {
            assert!((bytes / mean - 1.0).abs() < 0.05, "{toml}: flow {flow} has {bytes} of {mean}");
        }
    }
}

/// A lane that has used up its turn to the byte has had its turn.
#[test]
fn lanes_with_packets_of_a_quantum_alternate() {
    for toml in ["name = 'drr'\nquantum = '1000 B'", "name = 'fq-codel'\nquantum = '1000 B'\nlanes = 65536"] {
        let mut queue = Queue::by_hand(&law(toml), site(Limit::Packets(100)));
        for flow in [0, 0, 0, 0, 1, 1, 1, 1] {
            queue.arrive(packet(flow));
        }
        let flows: Vec<usize> = (0..8).map(|_| queue.depart().unwrap().packet.flow.index()).collect();
        assert_eq!(flows, [0, 1, 0, 1, 0, 1, 0, 1], "{toml}");
    }
}

#[test]
fn a_drr_lane_is_ahead_of_another_by_a_quantum_and_a_packet_at_most() {
    let mut queue = Queue::by_hand(&law("name = 'drr'"), site(Limit::Packets(1000)));
    let sizes = [1500, 400, 90];
    for _ in 0..300 {
        for (flow, size_bytes) in sizes.into_iter().enumerate() {
            queue.arrive(QueuedPacket { size_bytes, ..packet(flow as u32) });
        }
    }
    let mut sent = [0i64; 3];
    while queue.waiting() > 0 {
        let left = queue.depart().unwrap().packet;
        sent[left.flow.index()] += i64::from(left.size_bytes);
        // All are backlogged until the shortest lane is empty.
        if sent[2] < 300 * 90 - 2000 {
            let (most, least) = (sent.iter().max().unwrap(), sent.iter().min().unwrap());
            assert!(most - least <= 1514 + 1500, "{sent:?}");
        }
    }
}

#[test]
fn a_full_queue_takes_from_who_holds_most() {
    for toml in ["name = 'drr'", "name = 'sfq'", "name = 'fq-codel'", "name = 'cake'"] {
        let mut queue = Queue::by_hand(&law(toml), site(Limit::Packets(40)));
        for _ in 0..30 {
            queue.arrive(packet(0));
        }
        for _ in 0..10 {
            queue.arrive(packet(1));
        }
        queue.arrive(packet(2));
        let evicted: Vec<u32> = queue
            .deeds
            .iter()
            .filter_map(|deed| if let Deed::Evicted { handle, .. } = deed { Some(*handle) } else { None })
            .collect();
        assert!(!evicted.is_empty() && evicted.iter().all(|&handle| handle < 30), "{toml}: {evicted:?}");
        let head_first = toml.contains("codel") || toml.contains("cake");
        assert_eq!(evicted[0], if head_first { 0 } else { 29 }, "{toml}");
        if toml.contains("codel") {
            assert_eq!(evicted.len(), 15, "half of the lane's bytes in one batch");
        } else {
            assert_eq!(evicted.len(), 1, "{toml}");
        }
    }
}

#[test]
fn a_sparse_flow_goes_ahead_of_bulk() {
    for toml in ["name = 'fq-codel'", "name = 'cake'"] {
        let mut queue = Queue::new(&law(toml), site(Limit::Packets(1000)), 4);
        for i in 0..40_000u32 {
            queue.pass_for(Span::from_micros(100));
            if i % 4 == 0 {
                queue.arrive(packet(i / 4 % 10));
            }
            if i % 500 == 499 {
                queue.arrive(QueuedPacket { size_bytes: 100, ..packet(77) });
            }
        }
        let mut waits: BTreeMap<bool, Vec<Span>> = BTreeMap::new();
        for deed in &queue.deeds {
            if let Deed::Sent { flow, waited, .. } = deed {
                waits.entry(*flow == 77).or_default().push(*waited);
            }
        }
        let sparse = &waits[&true];
        assert!(sparse.len() > 75, "{toml}: {}", sparse.len());
        // At most the packet in transmission and the quantum of another new lane.
        assert!(sparse.iter().all(|&waited| waited <= Span::from_micros(2 * 800)), "{toml}: {sparse:?}");
        let bulk = &waits[&false];
        assert!(bulk[bulk.len() / 2] > Span::from_millis(5), "{toml}: bulk waits");
    }
}

#[test]
fn each_lane_of_fq_codel_comes_to_the_target_by_itself() {
    // Two flows at 0.3 of the link have room; one that offers 0.8 is held.
    let mut queue = Queue::new(&law("name = 'fq-codel'"), site(Limit::Packets(10_000)), 4);
    let mut dropped: BTreeMap<u32, u32> = BTreeMap::new();
    let mut owner = Vec::new();
    for i in 0..60_000u32 {
        queue.pass_for(Span::from_micros(80));
        for (flow, every, phase) in [(0, 33, 0), (1, 33, 11), (2, 12, 5)] {
            if i % every == phase {
                owner.push(flow);
                queue.arrive(packet(flow));
            }
        }
    }
    for deed in &queue.deeds {
        if let Deed::Discarded { handle, .. } = deed {
            *dropped.entry(owner[*handle as usize]).or_default() += 1;
        }
    }
    assert!(dropped.len() == 1 && dropped[&2] > 100, "{dropped:?}");
}

#[test]
fn sfq_spreads_flows_anew() {
    // Two lanes, two flows: half of the salts put both into one lane. Without a change
    // shares stay as they are; with one they are equal in the long run.
    let mut together = 0;
    for seed in 0..40 {
        let choice = law("name = 'sfq'\nlanes = 2\nperturb = '0 s'");
        let mut queue = Queue::new(&choice, site(Limit::Packets(100)), seed).held();
        queue.arrive(packet(0));
        queue.arrive(packet(1));
        together += u32::from(queue.lanes.lane(0).packets() != 1);
    }
    assert!((8..=32).contains(&together), "{together} of 40");
    let mut queue = Queue::by_hand(&law("name = 'sfq'\nlanes = 2\nperturb = '1 s'"), site(Limit::Packets(1000)));
    let mut alone = 0;
    for _ in 0..100 {
        queue.pass_for(Span::from_millis(1000));
        queue.arrive(packet(0));
        queue.arrive(packet(1));
        alone += u32::from(queue.lanes.lane(0).packets() == 1);
        while queue.depart().is_some() {}
    }
    assert!((25..=75).contains(&alone), "{alone} of 100");
}

#[test]
fn a_lane_that_ran_empty_is_not_new_again_at_once() {
    // Flow 1 sends its next packet whenever its lane is empty. Were it new each time, it
    // would always go ahead of the bulk flow 0; as it is, they take turns.
    for toml in ["name = 'fq-codel'\nquantum = '1000 B'", "name = 'cake'\nquantum = '1000 B'"] {
        let mut queue = Queue::by_hand(&law(toml), site(Limit::Packets(1000)));
        for _ in 0..100 {
            queue.arrive(packet(0));
        }
        let mut ahead = 0;
        for _ in 0..60 {
            if !queue.deeds.is_empty() && ahead_of_bulk(&mut queue) {
                ahead += 1;
            }
        }
        assert!((29..=31).contains(&ahead), "{toml}: {ahead} of 60");
    }
}

/// Flow 0 is in the middle of a turn of three packets as flow 1, which has quantum left over, sends anew.
#[test]
fn a_lane_that_ran_empty_with_quantum_left_over_waits_for_those_before_it() {
    for toml in ["name = 'fq-codel'\nquantum = '3000 B'", "name = 'cake'\nquantum = '3000 B'"] {
        let mut queue = Queue::by_hand(&law(toml), site(Limit::Packets(1000)));
        for _ in 0..10 {
            queue.arrive(packet(0));
        }
        let mut order = Vec::new();
        for leaving in 0..8 {
            if [3, 5].contains(&leaving) {
                queue.arrive(QueuedPacket { size_bytes: 100, ..packet(1) });
            }
            order.push(queue.depart().unwrap().packet.flow.0);
        }
        assert_eq!(order, [0, 0, 0, 1, 0, 0, 0, 1], "{toml}");
    }
}

/// Gives flow 1 a packet if it has none, and tells whether it is what leaves.
fn ahead_of_bulk(queue: &mut Queue) -> bool {
    let holds = (0..1024).any(|lane| queue.lanes.lane(lane).head().is_some_and(|head| head.packet.flow.0 == 1));
    if !holds {
        queue.arrive(packet(1));
    }
    queue.depart().is_some_and(|sent| sent.packet.flow.0 == 1)
}

#[test]
fn a_drr_lane_that_ran_empty_has_lost_its_credit() {
    // Small packets leave credit over each time; kept, it would let flow 1 send two large ones at once.
    let mut queue = Queue::by_hand(&law("name = 'drr'\nquantum = '1000 B'"), site(Limit::Packets(1000)));
    for _ in 0..20 {
        queue.arrive(QueuedPacket { size_bytes: 50, ..packet(1) });
        queue.depart();
    }
    for _ in 0..3 {
        queue.arrive(packet(1));
        queue.arrive(packet(2));
    }
    let order: Vec<u32> = (0..6).map(|_| queue.depart().unwrap().packet.flow.0).collect();
    assert_eq!(order, [1, 2, 1, 2, 1, 2]);
}

/// Flow 1 is in the middle of its turn when the full queue takes its last packet; flow 6 then gets its lane, not its turn.
#[test]
fn a_drr_lane_that_made_room_has_lost_its_credit() {
    let mut queue = Queue::by_hand(&law("name = 'drr'\nquantum = '1000 B'"), site(Limit::Packets(4)));
    let of_size = |flow: u32, size_bytes: u32| QueuedPacket { size_bytes, ..packet(flow) };
    for _ in 0..2 {
        queue.arrive(of_size(1, 450));
    }
    assert_eq!(queue.depart().map(|sent| sent.packet.flow.0), Some(1));
    for flow in 2..=6 {
        queue.arrive(of_size(flow, 100));
    }
    let order: Vec<u32> = (0..4).map(|_| queue.depart().unwrap().packet.flow.0).collect();
    assert!(!order.contains(&1) && order[0] != 6, "{order:?}");
}
