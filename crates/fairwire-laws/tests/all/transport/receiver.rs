//! What the receiver answers: RFC 5681 §4.2, RFC 2018.

use crate::transport::path::ns2_settings;
use fairwire_core::{Instant, Span};
use fairwire_laws::transport::{Ack, Receiver, Segment, TcpSettings};

fn segment(number: u32) -> Segment {
    Segment {
        number,
        size_bytes: 1_000,
        retransmitted: false,
        ecn_capable: false,
        window_reduced: false,
        sent_at: Instant::from_nanos(u64::from(number)),
    }
}

fn at(ms: u64) -> Instant {
    Instant::ZERO + Span::from_millis(ms)
}

fn blocks(ack: &Ack) -> Vec<(u32, u32)> {
    ack.sack.iter().collect()
}

fn delaying() -> Receiver {
    Receiver::new(TcpSettings { delayed_ack: Some(Span::from_millis(100)), ..ns2_settings() }, true)
}

#[test]
fn every_segment_is_acknowledged_at_once() {
    let mut receiver = Receiver::new(ns2_settings(), false);
    for number in 0..5 {
        let ack = receiver.on_segment(at(1), &segment(number), false).unwrap();
        assert_eq!((ack.next, ack.sent_at), (number + 1, segment(number).sent_at));
        assert_eq!(receiver.poll_timeout(), None);
    }
}

/// RFC 7323 §4.3 (A): the time that is told is that of the earliest segment that has not been acknowledged.
#[test]
fn an_acknowledgement_that_was_held_back_keeps_its_time() {
    for later in [1, 2] {
        let mut receiver = delaying();
        assert_eq!(receiver.on_segment(at(1), &segment(0), false), None);
        let ack = receiver.on_segment(at(2), &segment(later), false).unwrap();
        assert_eq!(ack.sent_at, segment(0).sent_at, "before segment {later}");
    }
}

#[test]
fn a_gap_gives_duplicates_and_filling_it_acknowledges_all() {
    for tells_blocks in [true, false] {
        let mut receiver = Receiver::new(ns2_settings(), tells_blocks);
        let mut ack = |number| receiver.on_segment(at(0), &segment(number), false).unwrap();
        assert_eq!(ack(0).next, 1);
        for number in [2, 3, 5] {
            assert_eq!(ack(number).next, 1);
        }
        assert_eq!(blocks(&ack(5)).is_empty(), !tells_blocks);
        assert_eq!(ack(1).next, 4);
        let all = ack(4);
        assert_eq!((all.next, blocks(&all)), (6, vec![]));
        assert_eq!(ack(3).next, 6, "what is there already");
        assert_eq!(receiver.in_order(), 6);
    }
}

/// The first block holds what arrived last, the others what was told most recently; three at most.
#[test]
fn the_latest_runs_are_told_first() {
    let mut receiver = Receiver::new(ns2_settings(), true);
    let mut told = |number| blocks(&receiver.on_segment(at(0), &segment(number), false).unwrap());
    assert_eq!(told(2), [(2, 3)]);
    assert_eq!(told(4), [(4, 5), (2, 3)]);
    assert_eq!(told(8), [(8, 9), (4, 5), (2, 3)]);
    assert_eq!(told(12), [(12, 13), (8, 9), (4, 5)]);
    assert_eq!(told(3), [(2, 5), (12, 13), (8, 9)], "two runs have become one");
    assert_eq!(told(9), [(8, 10), (2, 5), (12, 13)]);
    assert_eq!(told(9)[..2], [(8, 10), (2, 5)], "again");
    assert_eq!(told(0), [(8, 10), (2, 5), (12, 13)]);
    assert_eq!(told(1), [(8, 10), (12, 13)], "2 to 4 are in order now");
}

#[test]
fn every_second_segment_or_after_a_while() {
    let mut receiver = delaying();
    assert_eq!(receiver.on_segment(at(0), &segment(0), false), None);
    assert_eq!(receiver.poll_timeout(), Some(at(100)));
    let ack = receiver.on_segment(at(10), &segment(1), false).unwrap();
    assert_eq!((ack.next, ack.sent_at), (2, segment(0).sent_at), "the time it was held is part of the round trip");
    assert_eq!(receiver.poll_timeout(), None);
    assert_eq!(receiver.on_segment(at(20), &segment(2), false), None);
    assert_eq!(receiver.handle_timeout(at(119)), None);
    assert_eq!(receiver.handle_timeout(at(120)).unwrap().next, 3);
    assert_eq!(receiver.handle_timeout(at(500)), None);
}

#[test]
fn out_of_order_waits_for_nothing() {
    let mut receiver = delaying();
    assert_eq!(receiver.on_segment(at(0), &segment(0), false), None);
    let ack = receiver.on_segment(at(1), &segment(2), false).unwrap();
    assert_eq!((ack.next, blocks(&ack)), (1, vec![(2, 3)]));
    assert_eq!(receiver.poll_timeout(), None);
    assert_eq!(receiver.on_segment(at(2), &segment(1), false).unwrap().next, 3, "a gap is filled");
    assert_eq!(receiver.on_segment(at(3), &segment(1), false).unwrap().next, 3, "what came twice");
    assert_eq!(receiver.on_segment(at(4), &segment(3), false), None);
}
