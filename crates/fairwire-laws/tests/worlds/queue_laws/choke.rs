//! CHOKe drops pairs.

use crate::queue_laws::driver::{Deed, Queue, law, packet, site};
use fairwire_core::Span;
use fairwire_laws::queue::{DropReason, Limit, Verdict};

const UNFAIR: Verdict = Verdict::Drop(DropReason::Unfair);

#[test]
fn an_arrival_takes_a_packet_of_its_flow_with_it() {
    let mut queue =
        Queue::by_hand(&law("name = 'choke'\nw-q = 1\nmin-th = 10\nmax-th = 100"), site(Limit::Packets(200)));
    for _ in 0..10 {
        assert_eq!(queue.arrive(packet(0)), Verdict::ACCEPT, "below min-th nothing is compared");
    }
    assert_eq!(queue.arrive(packet(0)), UNFAIR);
    assert_eq!(queue.waiting(), 9, "both are gone");
    assert_eq!(queue.arrive(packet(0)), Verdict::ACCEPT, "nine are below min-th");
    assert_eq!(queue.arrive(packet(1)), Verdict::ACCEPT, "no packet of its own flow waits");
}

#[test]
fn the_chance_of_a_pair_is_the_flow_s_part_of_the_queue() {
    let mut queue = Queue::by_hand(
        &law("name = 'choke'\nw-q = 1\nmin-th = 10\nmax-th = 1000\nmax-p = 0.000001"),
        site(Limit::Packets(2000)),
    );
    for i in 0..5 {
        queue.arrive(packet(i));
    }
    // Five packets of flow 0 among 5 + 15 (others of flows of their own).
    let (mut pairs, mut tries) = (0u32, 0u32);
    let mut other = 1000;
    while tries < 4000 {
        while queue.waiting() > 0 {
            queue.depart();
        }
        for i in 0..20 {
            other += 1;
            queue.arrive(packet(if i % 4 == 0 && queue.waiting() < 10 { 0 } else { other % 5000 + 10 }));
        }
        let own = (0..queue.waiting() as usize)
            .filter(|&place| queue.lanes.lane(0).get(place).unwrap().packet.flow.0 == 0)
            .count();
        assert_eq!((own, queue.waiting()), (3, 20));
        tries += 1;
        pairs += u32::from(queue.arrive(packet(0)) == UNFAIR);
    }
    let rate = f64::from(pairs) / f64::from(tries);
    assert!((rate - 3.0 / 20.0).abs() < 0.02, "{rate}");
}

#[test]
fn an_unresponsive_flow_gets_less_than_it_offers_takes_from_the_others_under_red() {
    let share = |toml: &str| {
        let mut queue = Queue::new(&law(toml), site(Limit::Packets(300)), 3);
        // Flow 0 offers three quarters of twice the link; 25 others a hundredth each.
        for i in 0..60_000u32 {
            queue.pass_for(Span::from_micros(400));
            queue.arrive(packet(if i % 4 < 3 { 0 } else { 1 + i / 4 % 25 }));
        }
        let sent = queue.sent_bytes();
        sent[&0] as f64 / sent.values().sum::<u64>() as f64
    };
    let (red, choke) = (share("name = 'red'"), share("name = 'choke'"));
    assert!((red - 0.75).abs() < 0.03, "{red}");
    assert!(choke < 0.6, "{choke}");
}

/// One packet waits, and all of sixteen draws hit it.
#[test]
fn a_packet_that_is_drawn_twice_is_thrown_away_once() {
    let mut queue = Queue::by_hand(
        &law("name = 'choke'\nw-q = 1\nmin-th = 1\nmax-th = 100\ncandidates = 16"),
        site(Limit::Packets(200)),
    );
    queue.arrive(packet(0));
    assert_eq!(queue.arrive(packet(0)), UNFAIR);
    let evicted = queue.deeds.iter().filter(|deed| matches!(deed, Deed::Evicted { .. })).count();
    assert_eq!((evicted, queue.waiting()), (1, 0));
    queue.assert_conserved();
}

#[test]
fn several_candidates_are_thrown_away_together() {
    let mut queue = Queue::by_hand(
        &law("name = 'choke'\nw-q = 1\nmin-th = 10\nmax-th = 100\ncandidates = 8"),
        site(Limit::Packets(200)),
    );
    for _ in 0..10 {
        queue.arrive(packet(0));
    }
    queue.arrive(packet(0));
    let evicted = queue.deeds.iter().filter(|deed| matches!(deed, Deed::Evicted { .. })).count();
    assert!((3..=8).contains(&evicted), "eight draws of ten places hit {evicted} different ones");
    queue.assert_conserved();
}
