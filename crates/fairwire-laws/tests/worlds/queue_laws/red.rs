//! RED against closed forms.

use crate::queue_laws::driver::{Queue, law, packet, site};
use fairwire_core::{BitRate, Instant, Span};
use fairwire_laws::queue::{DropReason, Limit, QueuedPacket, Verdict};

const EARLY: Verdict = Verdict::Drop(DropReason::Early);

fn by_hand(toml: &str) -> Queue {
    Queue::by_hand(&law(&format!("name = 'red'\n{toml}")), site(Limit::Packets(200)))
}

fn fill(queue: &mut Queue, packets: u32) {
    let mut tries = 0;
    while queue.waiting() < packets {
        queue.arrive(packet(0));
        tries += 1;
        assert!(tries < 10_000);
    }
}

/// Gaps between early drops while `held` packets wait and the average is that.
fn gaps(queue: &mut Queue, held: u32, drops: usize) -> Vec<u32> {
    fill(queue, held);
    let (mut gaps, mut gap) = (Vec::new(), 0);
    while gaps.len() <= drops {
        gap += 1;
        match queue.arrive(packet(0)) {
            EARLY => gaps.push(std::mem::take(&mut gap)),
            _ => {
                queue.depart();
            }
        }
    }
    // The first is counted from a different start.
    gaps.split_off(1)
}

fn mean(gaps: &[u32]) -> f64 {
    gaps.iter().map(|&gap| f64::from(gap)).sum::<f64>() / gaps.len() as f64
}

#[test]
fn gaps_between_drops_are_spread_evenly() {
    // At 60: pb = 0.1 × 30/60 = 1/20. Without wait a gap is 1 … 19, each as likely: mean 10.
    let plain = gaps(&mut by_hand("w-q = 1\nwait = false"), 60, 20_000);
    assert_eq!((plain.iter().min(), plain.iter().max()), (Some(&1), Some(&19)));
    assert!((mean(&plain) - 10.0).abs() < 0.2, "{}", mean(&plain));
    // With wait 20 … 39: mean 29.5.
    let waiting = gaps(&mut by_hand("w-q = 1"), 60, 20_000);
    assert_eq!((waiting.iter().min(), waiting.iter().max()), (Some(&20), Some(&39)));
    assert!((mean(&waiting) - 29.5).abs() < 0.2, "{}", mean(&waiting));
    // Evenly: each of the twenty lengths is a twentieth.
    for length in 20..40 {
        let share = waiting.iter().filter(|&&gap| gap == length).count() as f64 / waiting.len() as f64;
        assert!((share - 0.05).abs() < 0.01, "{length}: {share}");
    }
}

#[test]
fn the_average_follows_the_weight() {
    let mut queue = by_hand("");
    let mut expected = 0.0;
    for waiting in 0..100 {
        queue.arrive(packet(0));
        expected += 0.002 * (f64::from(waiting) - expected);
        assert!((queue.shown("avg_packets", 0) - expected).abs() < 1e-12);
    }
}

#[test]
fn idle_time_counts_as_arrivals_at_an_empty_queue() {
    for name in ["red", "choke", "vrr"] {
        let choice = law(&format!("name = '{name}'\nw-q = 0.1\nmin-th = 100\nmax-th = 200"));
        let mut queue = Queue::new(&choice, site(Limit::Packets(200)), 1);
        for _ in 0..50 {
            queue.arrive(packet(0));
        }
        let before = queue.shown("avg_packets", 0);
        // The last of the fifty has left after 50 × 0.8 ms = 40 ms; 8.5 packet times later.
        queue.pass(Instant::ZERO + Span::from_micros(40_000 + 6_800));
        queue.arrive(packet(0));
        let expected = before * 0.9f64.powi(8) * 0.9;
        assert!((queue.shown("avg_packets", 0) - expected).abs() < 1e-12, "{name}");
    }
}

#[test]
fn idle_time_counts_in_packet_times_of_the_capacity_it_passed_at() {
    let choice = law("name = 'red'\nw-q = 0.1");
    let mut queue = Queue::new(&choice, site(Limit::Packets(200)), 1);
    for _ in 0..50 {
        queue.arrive(packet(0));
    }
    let before = queue.shown("avg_packets", 0);
    // Idle from 40 ms on: 4.5 packet times at 10 Mb/s, then at a tenth of that 3.75 of 8 ms.
    queue.pass(Instant::ZERO + Span::from_micros(40_000 + 3_600));
    queue.set_capacity(BitRate::from_mbps(1));
    queue.pass_for(Span::from_micros(30_000));
    queue.arrive(packet(0));
    let expected = before * 0.9f64.powi(4 + 3) * 0.9;
    assert!((queue.shown("avg_packets", 0) - expected).abs() < 1e-12);
}

#[test]
fn time_in_which_the_link_is_busy_does_not_count_as_idle() {
    let choice = law("name = 'red'\nw-q = 0.1");
    let mut queue = Queue::new(&choice, site(Limit::Packets(200)), 1);
    let mut expected = 0.0;
    // Four packets, which need 3.2 ms, every 2.4 ms: the queue grows, the link never idles.
    for _ in 0..20 {
        queue.pass_for(Span::from_micros(2400));
        for _ in 0..4 {
            let waiting = f64::from(queue.waiting());
            queue.arrive(packet(0));
            expected += 0.1 * (waiting - expected);
            assert!((queue.shown("avg_packets", 0) - expected).abs() < 1e-12);
        }
    }
}

#[test]
fn from_max_th_on_everything_is_dropped_unless_gentle() {
    let mut queue = by_hand("w-q = 1\nmin-th = 2\nmax-th = 10\nmax-p = 0.0001");
    fill(&mut queue, 10);
    for _ in 0..100 {
        assert_eq!(queue.arrive(packet(0)), EARLY);
    }
    assert_eq!(queue.shown("drop_probability", 0), 1.0);
    let mut gentle = by_hand("w-q = 1\nmin-th = 2\nmax-th = 10\nmax-p = 0.1\ngentle = true");
    fill(&mut gentle, 15);
    gentle.arrive(packet(0));
    let probability = gentle.shown("drop_probability", 0);
    // Half way from 10 to 20 (the queue may have grown by one): 0.1 + 0.9 × 5/10.
    assert!((probability - 0.55).abs() < 1e-12, "{probability}");
    fill(&mut gentle, 20);
    assert_eq!(gentle.arrive(packet(0)), EARLY);
}

#[test]
fn nothing_is_dropped_early_while_one_packet_waits() {
    let mut queue = by_hand("w-q = 0.001\nmin-th = 1\nmax-th = 2");
    fill(&mut queue, 50);
    while queue.shown("avg_packets", 0) < 2.0 {
        queue.arrive(packet(0));
    }
    while queue.waiting() > 1 {
        queue.depart();
    }
    assert_eq!(queue.arrive(packet(0)), Verdict::ACCEPT);
    assert_eq!(queue.arrive(packet(0)), EARLY, "two wait, and the average is above");
}

#[test]
fn capable_packets_are_marked_and_the_others_dropped() {
    let mut queue = by_hand("w-q = 1\necn = true");
    fill(&mut queue, 60);
    let (mut marked, mut dropped) = (0, 0);
    for i in 0..20_000 {
        let ecn_capable = i % 2 == 0;
        match queue.arrive(QueuedPacket { ecn_capable, ..packet(0) }) {
            Verdict::Accept { mark: true, .. } => {
                marked += 1;
                queue.depart();
            }
            Verdict::ACCEPT => {
                queue.depart();
            }
            verdict => {
                assert_eq!(verdict, EARLY);
                assert!(!ecn_capable);
                dropped += 1;
            }
        }
    }
    // One in 29.5 is chosen, half of them capable.
    assert!((marked + dropped - 678i32).abs() < 40, "{marked} {dropped}");
    assert!((marked - dropped).abs() < 100, "{marked} {dropped}");
    // Above max-th marks are not enough.
    fill(&mut queue, 90);
    assert_eq!(queue.arrive(QueuedPacket { ecn_capable: true, ..packet(0) }), EARLY);
}

/// Packets at an average queue of `average`, some capable: the part of the capable that is marked, the part of these
/// that is dropped, and the part of the others that is dropped.
fn fates_at(average: u32, toml: &str) -> [f64; 3] {
    let mut queue = by_hand(&format!("w-q = 1\nmin-th = 2\nmax-th = 20\nmax-p = 0.1\n{toml}"));
    fill(&mut queue, average);
    let mut fates = [0.0; 3];
    let (mut capable, mut others) = (0.0, 0.0);
    for i in 0..40_000u32 {
        // In no order: drops may come at every other packet.
        let ecn_capable = i.wrapping_mul(0x9e37_79b1) >> 16 & 1 == 0;
        *(if ecn_capable { &mut capable } else { &mut others }) += 1.0;
        match queue.arrive(QueuedPacket { ecn_capable, ..packet(0) }) {
            Verdict::Drop(reason) => {
                assert_eq!(reason, DropReason::Early);
                fates[if ecn_capable { 1 } else { 2 }] += 1.0;
            }
            Verdict::Accept { mark, .. } => {
                assert!(ecn_capable || !mark);
                fates[0] += f64::from(u8::from(mark));
                queue.depart();
            }
        }
    }
    [fates[0] / capable, fates[1] / capable, fates[2] / others]
}

/// Gentle (Floyd, Recommendation on using the "gentle_" variant of RED, 2000): the base probability climbs from max_p at
/// max_th to 1 at 2 max_th.
#[test]
fn between_max_th_and_twice_that_gentle_marks_or_drops_more_and_more() {
    for (average, base) in [(20, 0.1), (25, 0.325), (30, 0.55), (38, 0.91)] {
        let share = 1.0 / mean_gap(base);
        let [marked, capable_dropped, dropped] = fates_at(average, "gentle = true\necn = true");
        assert_eq!(capable_dropped, 0.0, "at {average} the draw marks what is capable");
        assert!((marked / share - 1.0).abs() < 0.05, "at {average} {marked} are marked, not {share}");
        assert!((dropped / share - 1.0).abs() < 0.05, "at {average} {dropped} are dropped, not {share}");
        let [marked, capable_dropped, dropped] = fates_at(average, "gentle = true");
        assert_eq!(marked, 0.0, "nothing is marked without ecn");
        for dropped in [capable_dropped, dropped] {
            assert!((dropped / share - 1.0).abs() < 0.05, "at {average} {dropped} are dropped, not {share}");
        }
    }
}

/// The mean gap between two that are chosen, with *wait*: none while kp < 1 of the k-th arrival after one, then each
/// with the probability p/(2 − kp).
fn mean_gap(base: f64) -> f64 {
    let (mut gap, mut survives, mut count) = (0.0, 1.0, 1.0);
    while survives > 1e-12 {
        let chosen = match count * base {
            expected if expected < 1.0 => 0.0,
            expected if expected < 2.0 => f64::min(base / (2.0 - expected), 1.0),
            _ => 1.0,
        };
        gap += survives;
        survives *= 1.0 - chosen;
        count += 1.0;
    }
    gap
}

/// From 2 max_th on, or from max_th on if not gentle, marks are not enough (RFC 3168 §7).
#[test]
fn above_all_are_dropped_capable_or_not() {
    for (average, toml) in [(40, "gentle = true\necn = true"), (20, "ecn = true")] {
        assert_eq!(fates_at(average, toml), [0.0, 1.0, 1.0], "{toml}");
    }
}

#[test]
fn counting_bytes_small_packets_are_dropped_less_often() {
    let choice = law("name = 'red'\nw-q = 1\ncount = 'bytes'\nwait = false\nmin-th = 10\nmax-th = 90");
    let mut queue = Queue::by_hand(&choice, site(Limit::Packets(10_000)));
    let sized = |size_bytes| QueuedPacket { size_bytes, ..packet(0) };
    while queue.lanes.bytes() < 40_000 {
        queue.arrive(packet(0));
    }
    let mut drops = [0.0f64; 2];
    for i in 0..200_000usize {
        let small = i % 2;
        match queue.arrive(sized([1000, 200][small])) {
            Verdict::Drop(_) => drops[small] += 1.0,
            _ => {
                while queue.lanes.bytes() > 40_000 {
                    queue.depart();
                }
            }
        }
    }
    let ratio = drops[0] / drops[1];
    assert!((ratio / 5.0 - 1.0).abs() < 0.15, "{drops:?}");
}
