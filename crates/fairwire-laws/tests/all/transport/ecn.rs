//! Marks instead of losses: RFC 3168 §6.1.

use crate::transport::path::{Path, Run, Seen, every_control, ns2_path, ns2_settings};
use crate::transport::script::Script;
use fairwire_core::{Instant, Span};
use fairwire_laws::transport::{MarkEcho, Receiver, Segment, TcpSettings};

fn capable() -> TcpSettings {
    TcpSettings { ecn: true, initial_window: 10, initial_threshold: Some(10), ..ns2_settings() }
}

#[test]
fn a_mark_halves_the_window_once_a_window_and_is_answered_once() {
    for name in ["tahoe", "reno", "newreno", "sack"] {
        let mut script = Script::new(name, capable());
        assert!(script.segments().iter().all(|segment| segment.ecn_capable && !segment.window_reduced));
        script.ack_marked(1);
        assert_eq!((script.window(), script.ssthresh()), (4.5, 4.5), "{name}: half of nine");
        for next in 2..=10 {
            script.ack_marked(next);
        }
        assert_eq!(script.ssthresh(), 4.5, "{name}: all of the same window");
        let segments = script.segments();
        assert!(segments[0].window_reduced && segments[1..].iter().all(|segment| !segment.window_reduced));
        let beyond = segments[0].number + 1;
        script.ack_marked(beyond);
        assert!(script.ssthresh() < 4.0, "{name}: a mark of the next window");
        assert_eq!(script.sender.counts().marks_answered, 2);
    }
}

#[test]
fn cubic_keeps_seven_tenths() {
    let mut script = Script::new("cubic", capable());
    script.ack_marked(1);
    assert!((script.window() - 0.7 * 9.0).abs() < 1e-9);
}

#[test]
fn who_is_not_capable_ignores_marks() {
    let mut script = Script::at_threshold("reno", 10);
    assert!(script.segments().iter().all(|segment| !segment.ecn_capable));
    script.ack_marked(1);
    assert!(script.window() > 10.0);
}

/// Duplicates echo marks, too: they are answered, but not in a fast recovery, whose window is halved already.
#[test]
fn a_mark_echoed_by_a_duplicate_is_answered_outside_of_recoveries() {
    for name in ["tahoe", "reno", "newreno"] {
        let mut script = Script::new(name, capable());
        script.ack(1).ack_marked(1);
        assert_eq!(script.sender.counts().marks_answered, 1, "{name}");
        assert!((script.ssthresh() - 5.0).abs() < 0.1, "{name}: {}", script.ssthresh());
    }
    let mut script = Script::new("reno", capable());
    script.ack(1).duplicates(1, 3);
    assert_eq!(script.state(), "fast-recovery");
    script.ack_marked(1);
    assert_eq!((script.sender.counts().marks_answered, script.state()), (0, "fast-recovery"));
}

/// A mark and a loss of one window reduce it once; what is sent again cannot be marked.
#[test]
fn a_loss_in_a_marked_window_does_not_halve_again() {
    for name in ["reno", "newreno"] {
        let mut script = Script::new(name, capable());
        script.ack_marked(1);
        script.segments();
        script.duplicates(1, 3);
        assert_eq!((script.state(), script.ssthresh()), ("fast-recovery", 4.5));
        let again = script.segments()[0];
        assert_eq!((again.number, again.retransmitted, again.ecn_capable), (1, true, false));
    }
}

#[test]
fn the_receiver_echoes_until_it_is_answered() {
    let mut receiver = Receiver::new(capable(), false);
    let mut number = 0;
    let mut echo = |marked, window_reduced| {
        let segment = Segment {
            number,
            size_bytes: 1_000,
            retransmitted: false,
            ecn_capable: true,
            window_reduced,
            sent_at: Instant::ZERO,
        };
        number += 1;
        receiver.on_segment(Instant::ZERO, &segment, marked).unwrap().congestion_experienced
    };
    assert!(!echo(false, false));
    assert!(echo(true, false) && echo(false, false) && echo(false, false));
    assert!(!echo(false, true) && !echo(false, false));
    assert!(echo(true, true), "a mark on the answer itself is a new one");
}

/// A queue that marks one in a hundred and drops nothing: nothing is sent again, and the window follows the marks.
#[test]
fn marks_alone_control_a_flow() {
    for control in every_control().into_iter().filter(|control| control.mark_echo() == MarkEcho::UntilAnswered) {
        let path = Path { mark: 0.01, queue: 10_000, ..ns2_path() };
        let mut run = Run::new(control, TcpSettings { ecn: true, ..ns2_settings() }, None, path);
        run.until(Instant::ZERO + Span::from_millis(100_000));
        let counts = run.sender.counts();
        assert_eq!((counts.retransmitted, counts.timeouts), (0, 0), "{}", control.about().name);
        assert!(counts.marks_answered > 100, "{}: {counts:?}", control.about().name);
        let answers = run.seen.iter().filter(|seen| matches!(seen.1, Seen::Sent(segment) if segment.window_reduced));
        assert!(answers.count() as u64 + 1 >= counts.marks_answered);
        // 1.22/√p segments a round trip of 51 ms, as for losses: 12 of them, about 1.9 Mb/s.
        let rate_mbps = f64::from(run.sender.acknowledged()) * 8e-3 / 100.0;
        let (least, most) = if control.about().name == "cubic" { (1.5, 4.0) } else { (1.5, 2.3) };
        assert!((least..most).contains(&rate_mbps), "{}: {rate_mbps} Mb/s", control.about().name);
    }
}
