//! VRR by hand-made sequences, claims vrr-algorithm, vrr-virtual-sum-invariant and
//! vrr-inactive-flow-misses-round.

use crate::queue_laws::driver::{Queue, law, packet, site};
use fairwire_core::{Bytes, FlowId};
use fairwire_laws::queue::{AnyQueueLaw, DropReason, Limit, QueuedPacket, Verdict, vrr};
use proptest::prelude::*;
use std::collections::BTreeMap;

const FULL: Verdict = Verdict::Drop(DropReason::Full);
const UNFAIR: Verdict = Verdict::Drop(DropReason::Unfair);
const EARLY: Verdict = Verdict::Drop(DropReason::Early);

fn by_hand(toml: &str, limit: u32) -> Queue {
    Queue::by_hand(&law(&format!("name = 'vrr'\n{toml}")), site(Limit::Packets(limit)))
}

fn inner(queue: &Queue) -> &vrr::Law {
    match &queue.law {
        AnyQueueLaw::vrr(law) => law,
        _ => unreachable!("the queue is one of vrr"),
    }
}

fn length(queue: &Queue, flow: u32) -> u64 {
    inner(queue).virtual_length(FlowId(flow))
}

fn is_struck(queue: &Queue, flow: u32) -> bool {
    inner(queue).is_struck(FlowId(flow))
}

fn active(queue: &Queue) -> Vec<u32> {
    inner(queue).active_flows().map(|flow| flow.0).collect()
}

/// The average is the present length: every threshold acts at once.
const PROMPT: &str = "w-q = 1\nmin-th = 2\nmax-th = 3";

#[test]
fn a_virtual_queue_up_to_min_q_is_let_in_whatever_the_average() {
    let mut queue = by_hand(PROMPT, 200);
    for _ in 0..5 {
        for flow in 0..10 {
            assert_eq!(queue.arrive(packet(flow)), Verdict::ACCEPT);
        }
    }
    // Now five each: above max(4, 2/10). The average is far above max-th.
    assert_eq!(queue.arrive(packet(0)), UNFAIR, "flow 0 was longest first and is struck");
    assert_eq!(queue.arrive(packet(1)), EARLY, "flow 1 is not struck, but RED drops all");
    assert!(is_struck(&queue, 0) && !is_struck(&queue, 1));
}

#[test]
fn few_flows_may_have_min_th_between_them() {
    // Two active flows: max(4, 20/2) = 10 is safe, 11 is not.
    let mut queue = by_hand("w-q = 1\nmin-th = 20\nmax-th = 21", 200);
    for i in 0..22 {
        assert_eq!(queue.arrive(packet(i % 2)), Verdict::ACCEPT, "{i}");
    }
    assert_eq!((length(&queue, 0), length(&queue, 1)), (11, 11));
    assert_eq!(queue.arrive(packet(0)), UNFAIR);
    assert_eq!(queue.arrive(packet(1)), EARLY);
    // A third flow makes the part smaller, and is safe itself.
    assert_eq!(queue.arrive(packet(2)), Verdict::ACCEPT);
    assert_eq!(active(&queue), [0, 1, 2]);
    // At six flow 1 is below 20/3 and safe. Of the 23 packets 11 leave: the first turn takes
    // flow 2's only one, the others take five of each.
    for _ in 0..11 {
        queue.depart();
    }
    assert_eq!([0, 1, 2].map(|flow| length(&queue, flow)), [6, 6, 0]);
    for _ in 0..4 {
        queue.arrive(packet(2));
    }
    assert_eq!(queue.arrive(packet(1)), Verdict::ACCEPT, "16 wait: the average is low again");
}

#[test]
fn below_min_th_nothing_is_dropped_however_long_the_virtual_queue() {
    let mut queue = by_hand("min-th = 5\nmax-th = 50", 200);
    let mut average = 0.0;
    for waiting in 0..150 {
        // w_q as the paper has it.
        average += 0.002 * (f64::from(waiting) - average);
        if average >= 5.0 {
            break;
        }
        assert_eq!(queue.arrive(packet(0)), Verdict::ACCEPT, "the average is still low");
    }
    assert!(length(&queue, 0) > 60);
}

#[test]
fn a_full_queue_drops_even_the_flow_without_a_packet_and_strikes_the_longest() {
    let mut queue = by_hand("min-th = 4\nmax-th = 100", 10);
    for _ in 0..9 {
        queue.arrive(packet(0));
    }
    queue.arrive(packet(1));
    assert!(!is_struck(&queue, 0));
    assert_eq!(queue.arrive(packet(2)), FULL);
    assert!(is_struck(&queue, 0) && !is_struck(&queue, 1) && !is_struck(&queue, 2));
    // Room again: the struck flow is held to the safe length, the others are not.
    queue.depart();
    queue.depart();
    assert_eq!((length(&queue, 0), length(&queue, 1)), (8, 0));
    assert_eq!(queue.arrive(packet(0)), UNFAIR);
    assert_eq!(queue.arrive(packet(2)), Verdict::ACCEPT);
    while length(&queue, 0) > 4 {
        queue.depart();
    }
    assert_eq!(queue.arrive(packet(0)), Verdict::ACCEPT, "four is safe, struck or not");
    assert_eq!(queue.arrive(packet(0)), UNFAIR, "five is not");
}

#[test]
fn a_strike_ends_with_the_virtual_queue_or_never() {
    for (ends, struck_after) in [("empty", false), ("never", true)] {
        let mut queue = by_hand(&format!("min-th = 4\nmax-th = 100\nstrike-ends = '{ends}'"), 10);
        for _ in 0..11 {
            queue.arrive(packet(0));
        }
        assert!(is_struck(&queue, 0));
        for _ in 0..9 {
            queue.depart();
            assert!(is_struck(&queue, 0));
        }
        queue.depart();
        assert_eq!(is_struck(&queue, 0), struck_after, "{ends}");
    }
}

#[test]
fn the_flow_with_the_largest_virtual_queue_is_struck_not_the_one_that_arrives() {
    let mut queue = by_hand("w-q = 1\nmin-th = 1\nmax-th = 12", 200);
    for flow in [0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2] {
        assert_eq!(queue.arrive(packet(flow)), Verdict::ACCEPT);
    }
    assert!((0..3).all(|flow| !is_struck(&queue, flow)), "the average is below max-th");
    queue.arrive(packet(2));
    queue.arrive(packet(2));
    assert_eq!((0..3).map(|flow| is_struck(&queue, flow)).collect::<Vec<_>>(), [false, true, false]);
}

#[test]
fn turns_go_round_whoever_s_packet_leaves() {
    let mut queue = by_hand("", 200);
    for flow in [0, 0, 0, 1, 0, 2] {
        queue.arrive(packet(flow));
    }
    let mut credited = Vec::new();
    while queue.waiting() > 0 {
        let before: Vec<u64> = (0..3).map(|flow| length(&queue, flow)).collect();
        let left = queue.depart().unwrap().packet.flow.0;
        let turn = (0..3).find(|&flow| length(&queue, flow) < before[flow as usize]).unwrap();
        credited.push((left, turn));
    }
    assert_eq!(credited, [(0, 0), (0, 1), (0, 2), (1, 0), (0, 0), (2, 0)]);
}

#[test]
fn random_drops_come_as_often_as_red_says() {
    // One flow, its virtual queue held at 60: pb = 0.1 (60 - 30)/(90 - 30) = 0.05 and, with
    // wait, gaps spread evenly over 20 … 39. Two flows so that 60 is above 30/2.
    let mut queue = by_hand("w-q = 1\nmin-th = 30\nmax-th = 90", 200);
    while queue.waiting() < 60 {
        queue.arrive(packet(queue.waiting() % 2));
    }
    let (mut arrivals, mut drops) = (0u32, 0u32);
    while drops < 4000 {
        arrivals += 1;
        // Whoever is shorter, so that both stay far above what is safe.
        let flow = u32::from(length(&queue, 1) < length(&queue, 0));
        match queue.arrive(packet(flow)) {
            EARLY => drops += 1,
            verdict => {
                assert_eq!(verdict, Verdict::ACCEPT);
                queue.depart();
            }
        }
    }
    let gap = f64::from(arrivals) / f64::from(drops);
    assert!((gap - 29.5).abs() < 0.5, "{gap}");
}

#[test]
fn an_inactive_flow_misses_its_round() {
    // claim: two backlogged flows and one that alternates.
    let mut queue = by_hand("min-th = 1000\nmax-th = 2000", 2000);
    let mut credits: BTreeMap<u32, u32> = BTreeMap::new();
    let mut while_empty = 0;
    for step in 0..6000u32 {
        let burst = if (step / 50) % 2 == 0 { 1 } else { 0 };
        for flow in [0, 1] {
            while length(&queue, flow) < 20 {
                queue.arrive(packet(flow));
            }
        }
        if burst == 1 && length(&queue, 2) < 3 {
            queue.arrive(packet(2));
        }
        let before: Vec<u64> = (0..3).map(|flow| length(&queue, flow)).collect();
        queue.depart();
        for flow in 0..3 {
            if length(&queue, flow) < before[flow as usize] {
                *credits.entry(flow).or_default() += 1;
                while_empty += u32::from(before[flow as usize] == 0);
            }
        }
    }
    assert_eq!(while_empty, 0);
    assert!(credits[&0].abs_diff(credits[&1]) <= 1, "{credits:?}");
    assert!(credits[&2] > 500 && credits[&2] < credits[&0] * 2 / 3, "the third missed rounds: {credits:?}");
    assert_eq!(credits.values().sum::<u32>(), 6000);
}

#[test]
fn counting_bytes_serves_equal_bytes_not_equal_packets() {
    let sized = |flow, size_bytes| QueuedPacket { size_bytes, ..packet(flow) };
    for (count, ratio) in [("packets", 3.0), ("bytes", 1.0)] {
        let mut queue = by_hand(&format!("min-th = 5000\nmax-th = 9000\ncount = '{count}'"), 10_000);
        let mut served = [0.0f64; 2];
        for _ in 0..3000 {
            while length(&queue, 0) < 20_000 && queue.waiting() < 9000 {
                queue.arrive(sized(0, 1500));
                if count == "packets" && length(&queue, 0) >= 20 {
                    break;
                }
            }
            while length(&queue, 1) < 20_000 && queue.waiting() < 9000 {
                queue.arrive(sized(1, 500));
                if count == "packets" && length(&queue, 1) >= 20 {
                    break;
                }
            }
            let before = [length(&queue, 0), length(&queue, 1)];
            queue.depart();
            for flow in 0..2 {
                let less = before[flow] - length(&queue, flow as u32);
                let per = if count == "packets" { [1500.0, 500.0][flow] } else { 1.0 };
                served[flow] += less as f64 * per;
            }
        }
        let measured = served[0] / served[1];
        assert!((measured / ratio - 1.0).abs() < 0.01, "{count}: {measured}");
    }
}

#[test]
fn counting_bytes_a_turn_is_a_mean_packet() {
    let mut queue = by_hand("count = 'bytes'", 200);
    let sized = |flow, size_bytes| QueuedPacket { size_bytes, ..packet(flow) };
    queue.arrive(sized(0, 1500));
    queue.arrive(sized(0, 1500));
    queue.arrive(sized(1, 300));
    queue.arrive(sized(2, 900));
    // 1500 bytes leave: 1000 to flow 0's turn, 300 empty flow 1, 200 to flow 2.
    queue.depart();
    assert_eq!([0, 1, 2].map(|flow| length(&queue, flow)), [2000, 0, 700]);
    // The next 1500: 700 to flow 2, whose turn it still is, 800 to flow 0.
    queue.depart();
    assert_eq!([0, 1, 2].map(|flow| length(&queue, flow)), [1200, 0, 0]);
}

proptest! {
    #[test]
    fn virtual_lengths_add_up_to_the_queue(
        count in prop_oneof![Just("packets"), Just("bytes")],
        ends in prop_oneof![Just("empty"), Just("never")],
        limit in 1u32..60,
        steps in prop::collection::vec((any::<bool>(), 0u32..9, 40u32..1600), 1..600),
    ) {
        let text = format!("name = 'vrr'\nw-q = 0.2\nmin-th = 3\nmax-th = 20\ncount = '{count}'\nstrike-ends = '{ends}'");
        let mut queue = Queue::by_hand(&law(&text), site(Limit::Packets(limit)));
        for (arrives, flow, size_bytes) in steps {
            if arrives {
                queue.arrive(QueuedPacket { size_bytes, ..packet(flow) });
            } else {
                queue.depart();
            }
            let lengths: Vec<u64> = (0..9).map(|flow| length(&queue, flow)).collect();
            let real = if count == "bytes" { queue.lanes.bytes() } else { queue.lanes.packets().into() };
            prop_assert_eq!(lengths.iter().sum::<u64>(), real);
            let mut listed = active(&queue);
            listed.sort_unstable();
            let holding: Vec<u32> = (0..9).filter(|&flow| lengths[flow as usize] > 0).collect();
            prop_assert_eq!(listed, holding);
            let longest = inner(&queue).longest().map_or(0, |flow| lengths[flow.index()]);
            let step = if count == "bytes" { 64 } else { 1 };
            prop_assert!(lengths.iter().all(|&length| length < longest + step), "{:?} {}", lengths, longest);
        }
    }
}

#[test]
fn a_byte_limit_is_kept_as_well() {
    let choice = law("name = 'vrr'");
    let mut queue = Queue::by_hand(&choice, site(Limit::Bytes(Bytes::new(2500))));
    assert!(queue.takes(packet(0)) && queue.takes(packet(1)));
    assert_eq!(queue.arrive(packet(2)), FULL);
}
