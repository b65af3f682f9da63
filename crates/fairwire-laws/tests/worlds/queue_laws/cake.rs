//! The CAKE-like law is fair to hosts first.

use crate::queue_laws::driver::{Deed, Queue, law, packet, site};
use fairwire_core::Span;
use fairwire_laws::queue::{Limit, QueuedPacket};
use std::collections::BTreeMap;

/// Sources 0 and 1 offer twice the link in all: 0 with nine flows to nine hosts, 1 with one
/// flow. Each flow offers the same. The part of the link that each source gets.
fn shares(toml: &str, swap: bool) -> BTreeMap<u32, f64> {
    let mut queue = Queue::new(&law(toml), site(Limit::Packets(1000)), 8);
    for i in 0..40_000u32 {
        queue.pass_for(Span::from_micros(80));
        let flow = i % 10;
        let (one, other) = (u32::from(flow == 9), 100 + flow);
        let (source, destination) = if swap { (other, one) } else { (one, other) };
        queue.arrive(QueuedPacket { source, destination, ..packet(flow) });
    }
    let sent = queue.sent_bytes();
    let total = sent.values().sum::<u64>() as f64;
    let one = sent[&9] as f64 / total;
    BTreeMap::from([(0, 1.0 - one), (1, one)])
}

#[test]
fn a_host_gains_nothing_by_many_flows() {
    for (isolation, swap, part_of_one) in [
        ("triple", false, 0.5),
        ("triple", true, 0.5),
        ("source", false, 0.5),
        ("source", true, 0.1),
        ("destination", true, 0.5),
        ("destination", false, 0.1),
        ("flow", false, 0.1),
    ] {
        let shares = shares(&format!("name = 'cake'\nisolation = '{isolation}'"), swap);
        assert!((shares[&1] - part_of_one).abs() < 0.02, "{isolation}, swapped {swap}: {shares:?}");
    }
}

#[test]
fn flows_share_lanes_only_where_their_set_is_full() {
    // Sixteen flows in 64 lanes: eight sets of eight. A plain hash would have two of them
    // in one lane almost surely (86 %); with sets none collide unless nine meet in one set.
    let mut queue = Queue::by_hand(&law("name = 'cake'\nlanes = 64"), site(Limit::Packets(1000)));
    for flow in 0..16 {
        queue.arrive(packet(flow));
        queue.arrive(packet(flow));
    }
    let used = (0..64).filter(|&lane| queue.lanes.lane(lane).packets() > 0).count();
    assert_eq!(used, 16);
}

#[test]
fn flows_that_ended_no_longer_count_against_their_host() {
    let mut queue = Queue::new(&law("name = 'cake'"), site(Limit::Packets(1000)), 8);
    let from = |source, flow| QueuedPacket { source, ..packet(flow) };
    for i in 0..10_000u32 {
        queue.pass_for(Span::from_micros(400));
        queue.arrive(from(0, i % 9));
    }
    queue.pass_for(Span::from_millis(2000));
    assert_eq!(queue.waiting(), 0);
    let before = queue.sent_bytes();
    for i in 0..10_000u32 {
        queue.pass_for(Span::from_micros(400));
        queue.arrive(from(i % 2, i % 2 * 20));
    }
    let after = queue.sent_bytes();
    let sent = |flow| (after[&flow] - before.get(&flow).copied().unwrap_or(0)) as f64;
    let ratio = sent(0) / sent(20);
    assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
}

#[test]
fn blue_answers_who_does_not_answer() {
    // CoDel would wait ten seconds; the lane overflows all the time, and BLUE takes a step each millisecond.
    let choice = law("name = 'cake'\ninterval = '10 s'\ntarget = '2 ms'");
    let mut queue = Queue::new(&choice, site(Limit::Packets(20)), 8);
    let mut evicted = Vec::new();
    for _ in 0..10 {
        let before = queue.deeds.len();
        for _ in 0..1000 {
            queue.pass_for(Span::from_micros(400));
            queue.arrive(packet(0));
        }
        evicted.push(queue.deeds[before..].iter().filter(|deed| matches!(deed, Deed::Evicted { .. })).count());
    }
    let discarded = queue.deeds.iter().filter(|deed| matches!(deed, Deed::Discarded { .. })).count();
    assert!(evicted[0] > 200 && evicted[9] < 10, "{evicted:?}");
    assert!(discarded > 1000, "{discarded}");
}
