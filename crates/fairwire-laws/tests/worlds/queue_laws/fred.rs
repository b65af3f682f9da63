//! FRED's rules by hand-made sequences.

use crate::queue_laws::driver::{Queue, law, packet, site};
use fairwire_core::FlowId;
use fairwire_laws::queue::{AnyQueueLaw, DropReason, Limit, Verdict, fred};

const UNFAIR: Verdict = Verdict::Drop(DropReason::Unfair);
const EARLY: Verdict = Verdict::Drop(DropReason::Early);
const FULL: Verdict = Verdict::Drop(DropReason::Full);

fn by_hand(toml: &str, limit: u32) -> Queue {
    Queue::by_hand(&law(&format!("name = 'fred'\n{toml}")), site(Limit::Packets(limit)))
}

fn inner(queue: &Queue) -> &fred::Law {
    match &queue.law {
        AnyQueueLaw::fred(law) => law,
        _ => unreachable!("the queue is one of fred"),
    }
}

fn state(queue: &Queue, flow: u32) -> (u32, u32) {
    inner(queue).flow(FlowId(flow))
}

#[test]
fn no_flow_may_have_more_than_min_th() {
    let mut queue = by_hand("min-th = 6\nmax-th = 100", 200);
    for _ in 0..6 {
        assert_eq!(queue.arrive(packet(0)), Verdict::ACCEPT);
    }
    assert_eq!(queue.arrive(packet(0)), UNFAIR);
    assert_eq!(state(&queue, 0), (6, 1));
    assert_eq!(queue.arrive(packet(1)), Verdict::ACCEPT);
    assert_eq!(inner(&queue).active_flows(), 2);
}

#[test]
fn struck_twice_a_flow_is_held_to_the_mean_of_the_active_flows() {
    let mut queue = by_hand("min-th = 6\nmax-th = 100", 200);
    for _ in 0..8 {
        queue.arrive(packet(0));
    }
    assert_eq!(state(&queue, 0), (6, 2), "two strikes");
    queue.depart();
    // The average is below 1, so the mean counts as 1; flow 0 has five.
    assert_eq!(queue.arrive(packet(0)), UNFAIR);
    for _ in 0..5 {
        queue.depart();
    }
    assert_eq!(state(&queue, 0), (0, 0), "without packets a flow is forgotten");
    assert_eq!(queue.arrive(packet(0)), Verdict::ACCEPT);
}

/// Lin and Morris 1997, figure 5: `qlen >= avgcq && strike > 1`. One strike is forgiven.
#[test]
fn struck_once_a_flow_is_held_to_nothing() {
    let mut queue = by_hand("min-th = 6\nmax-th = 100", 200);
    for _ in 0..7 {
        queue.arrive(packet(0));
    }
    assert_eq!(state(&queue, 0), (6, 1), "one strike");
    queue.depart();
    // Five packets are far above the mean of the active flows, which counts as 1.
    assert_eq!(queue.arrive(packet(0)), Verdict::ACCEPT);
    assert_eq!(queue.arrive(packet(0)), UNFAIR);
    assert_eq!(state(&queue, 0), (6, 2), "two strikes");
    queue.depart();
    assert_eq!(queue.arrive(packet(0)), UNFAIR);
}

#[test]
fn only_flows_with_min_q_and_the_mean_are_dropped_at_random() {
    // The average is the present length; max-p 1 and no wait drop soon.
    let mut queue = by_hand("w-q = 1\nmin-th = 10\nmax-th = 100\nmax-p = 1\nwait = false", 200);
    for flow in 0..4 {
        for _ in 0..5 {
            queue.arrive(packet(flow));
        }
    }
    // Twenty wait, five a flow: flow 9 with none to three is never dropped at random.
    for i in 0..1000 {
        let verdict = queue.arrive(packet(9));
        let (queued, _) = state(&queue, 9);
        assert!(verdict == Verdict::ACCEPT || queued >= 4, "{i}: {verdict:?} with {queued}");
        if queue.waiting() > 21 {
            queue.depart();
        }
        if state(&queue, 9).0 >= 3 {
            while state(&queue, 9).0 > 0 {
                queue.depart();
            }
            for flow in 0..4 {
                for _ in 0..5 {
                    queue.arrive(packet(flow));
                }
            }
        }
    }
}

#[test]
fn robust_flows_are_dropped_at_random() {
    // pb at 59 is 0.1 × 29/70. Gaps of arrivals at risk are 1 … 24, one in 12, and where drops wait 24 … 48, one in 36.
    for (keys, least, most) in [("\nwait = false", 1.0 / 22.0, 1.0 / 12.0), ("", 1.0 / 66.0, 1.0 / 36.0)] {
        let (rate, robust) = dropped_at_random(keys);
        assert!((least..most).contains(&rate), "`{keys}`: {rate}, robust {robust}");
    }
}

/// Early drops of robust flows as a part of all arrivals, and robust arrivals.
fn dropped_at_random(keys: &str) -> (f64, u32) {
    let mut queue = by_hand(&format!("w-q = 1\nmin-th = 30\nmax-th = 100{keys}"), 200);
    let (mut robust, mut early) = (0u32, 0u32);
    for i in 0..20_000u32 {
        // Two in a row of each of four flows: about every other finds its flow above the mean.
        let flow = i / 2 % 4;
        let mean = f64::from(queue.waiting()) / 4.0;
        let is_robust = f64::from(state(&queue, flow).0) + 1.0 > mean;
        robust += u32::from(is_robust);
        let verdict = queue.arrive(packet(flow));
        if verdict == EARLY {
            assert!(is_robust, "{:?} with a mean of {mean}", state(&queue, flow));
            early += 1;
        } else if queue.waiting() >= 60 {
            queue.depart();
        }
    }
    (f64::from(early) / 20_000.0, robust)
}

#[test]
fn at_max_th_all_are_dropped_or_two_of_each_flow_let_in() {
    for many_flows in [false, true] {
        let mut queue = by_hand(&format!("w-q = 1\nmin-th = 5\nmax-th = 20\nmany-flows = {many_flows}"), 200);
        // Each sees the average that the one before left: the 21st leaves 20.
        for flow in 0..21 {
            assert_eq!(queue.arrive(packet(flow)), Verdict::ACCEPT);
        }
        let expected = if many_flows { Verdict::ACCEPT } else { EARLY };
        assert_eq!(queue.arrive(packet(50)), expected);
        assert_eq!(queue.arrive(packet(50)), expected);
        let third = if many_flows { UNFAIR } else { EARLY };
        assert_eq!(queue.arrive(packet(50)), third);
    }
}

#[test]
fn the_limit_holds_and_an_unlucky_flow_is_not_counted_as_active() {
    let mut queue = by_hand("", 3);
    for flow in 0..3 {
        queue.arrive(packet(flow));
    }
    assert_eq!(queue.arrive(packet(7)), FULL);
    assert_eq!((inner(&queue).active_flows(), state(&queue, 7).0), (3, 0));
}

#[test]
fn the_average_moves_at_departures_too() {
    let mut queue = by_hand("w-q = 0.5\nmin-th = 30\nmax-th = 90", 200);
    for _ in 0..4 {
        queue.arrive(packet(0));
    }
    // Lengths seen: 0 (twice, as the queue was empty), 1, 2, 3, then 3, 2, 1, 0 on leaving.
    let after = [0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 2.0, 1.0, 0.0].iter().fold(0.0, |avg, q| avg + 0.5 * (q - avg));
    while queue.depart().is_some() {}
    queue.arrive(packet(0));
    // Once more for the empty queue, shown before the second update.
    assert!((queue.shown("avg_packets", 0) - after * 0.5).abs() < 1e-12);
}
