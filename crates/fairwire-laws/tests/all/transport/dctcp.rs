//! DCTCP: what the receiver echoes, what follows from it, and where the queue stays.

use crate::transport::path::{Path, Run, ns2_path, ns2_settings};
use fairwire_core::{Instant, Span};
use fairwire_laws::transport::{ControlChoice, MarkEcho, Receiver, Segment, TcpSettings};

fn dctcp() -> ControlChoice {
    ControlChoice::by_name("dctcp").unwrap()
}

fn segment(number: u32) -> Segment {
    Segment {
        number,
        size_bytes: 1_000,
        retransmitted: false,
        ecn_capable: true,
        window_reduced: false,
        sent_at: Instant::from_nanos(u64::from(number)),
    }
}

/// RFC 8257 §3.2, figure 1: an acknowledgement never covers segments of both kinds.
#[test]
fn a_change_of_marks_is_acknowledged_at_once() {
    let settings = TcpSettings { delayed_ack: Some(Span::from_millis(40)), ecn: true, ..ns2_settings() };
    let mut receiver = Receiver::new(settings, true).telling_marks(MarkEcho::EachSegment);
    let mut told = |number, marked| {
        let ack = receiver.on_segment(Instant::ZERO, &segment(number), marked);
        ack.map(|ack| (ack.next, ack.congestion_experienced, ack.sent_at.as_nanos()))
    };
    assert_eq!(told(0, false), None);
    assert_eq!(told(1, false), Some((2, false, 0)), "every second one");
    assert_eq!(told(2, false), None);
    assert_eq!(told(3, true), Some((3, false, 2)), "what was held back was not marked");
    assert_eq!(told(4, true), Some((5, true, 3)));
    assert_eq!(told(5, false), None, "nothing was held back");
    assert_eq!(told(6, true), Some((6, false, 5)));
    let held = receiver.handle_timeout(Instant::ZERO + Span::from_millis(40)).unwrap();
    assert_eq!((held.next, held.congestion_experienced), (7, true));
}

/// Without delayed acknowledgements each tells of its own segment; out of order it comes at once.
#[test]
fn each_segment_has_its_own_echo() {
    let settings = TcpSettings { ecn: true, ..ns2_settings() };
    let mut receiver = Receiver::new(settings, true).telling_marks(MarkEcho::EachSegment);
    for (number, marked, next) in [(0, true, 1), (1, false, 2), (3, true, 2), (2, false, 4)] {
        let ack = receiver.on_segment(Instant::ZERO, &segment(number), marked).unwrap();
        assert_eq!((ack.next, ack.congestion_experienced), (next, marked), "{number}");
    }
}

/// Alizadeh et al. (2010) §3.3: the queue of one flow swings below K + 1 by about √(2 C RTT + K)/2 packets, so that a K beyond a
/// seventh of the pipe keeps the link full.
#[test]
fn the_queue_stays_below_k_and_the_link_full() {
    // 10 Mb/s and about 50 ms are 63 segments.
    let (pipe, k) = (64.0, 20);
    let path = Path { queue: 500, mark_from: k, ..ns2_path() };
    let mut run = Run::new(dctcp(), TcpSettings { ecn: true, ..ns2_settings() }, None, path);
    let warm = Instant::ZERO + Span::from_millis(20_000);
    let before = run.until(warm).sender.acknowledged();
    run.until(Instant::ZERO + Span::from_millis(120_000));
    let counts = run.sender.counts();
    assert_eq!((counts.retransmitted, counts.timeouts), (0, 0));
    let rate_mbps = f64::from(run.sender.acknowledged() - before) * 8e-3 / 100.0;
    assert!(rate_mbps > 9.95, "{rate_mbps} Mb/s");
    let waiting: Vec<usize> = run.waiting.iter().filter(|(at, _)| *at > warm).map(|(_, waiting)| *waiting).collect();
    let (least, most) = (waiting.iter().min().unwrap(), waiting.iter().max().unwrap());
    assert!(*most <= k + 3, "{most} waiting");
    let swing = f64::sqrt(2.0 * (pipe + k as f64)) / 2.0;
    assert!((f64::from((most - least) as u32) - swing).abs() < 5.0, "from {least} to {most}, {swing} are foreseen");
}

/// Where every segment is marked it halves like Reno, once a window.
#[test]
fn full_marking_halves() {
    let path = Path { mark: 1.0, queue: 500, ..ns2_path() };
    let settings = TcpSettings { ecn: true, initial_window: 64, initial_threshold: Some(64), ..ns2_settings() };
    let mut run = Run::new(dctcp(), settings, None, path);
    run.until(Instant::ZERO + Span::from_millis(2_000));
    // From two segments on it grows by one at most before the next mark.
    assert!((2.0..=3.0).contains(&run.sender.cwnd()), "{}", run.sender.cwnd());
}
