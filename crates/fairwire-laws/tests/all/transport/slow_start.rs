//! Slow start, congestion avoidance, the two windows (RFC 5681 §3.1, RFC 3042).

use crate::transport::path::ns2_settings;
use crate::transport::script::Script;
use fairwire_laws::transport::{ControlChoice, LossParams, TcpSettings, cubic};

#[test]
fn the_window_doubles_every_round_trip_up_to_the_threshold_and_grows_by_one_beyond() {
    for name in ["tahoe", "reno", "newreno", "sack"] {
        let settings = TcpSettings { initial_window: 2, initial_threshold: Some(16), ..ns2_settings() };
        let mut script = Script::new(name, settings);
        assert_eq!(script.state(), "slow-start");
        assert_eq!(script.sent(), [0, 1]);
        let (mut next, mut windows) = (0, Vec::new());
        for _ in 0..6 {
            let window = script.window() as u32;
            script.acks(next + 1..=next + window);
            next += window;
            windows.push(script.window());
            assert_eq!(script.sent().len() as u32, window + (script.window() as u32 - window));
        }
        assert_eq!(windows[..3], [4.0, 8.0, 16.0], "{name}");
        for (window, expected) in windows[3..].iter().zip([17.0, 18.0, 19.0]) {
            // Somewhat less: the window grows while a round trip's acknowledgements come.
            assert!((expected - 0.25..=expected).contains(window), "{name}: {window}, not {expected}");
        }
        assert_eq!(script.state(), "congestion-avoidance");
    }
}

/// An acknowledgement of two segments opens the window by one (RFC 5681 §3.1: at most SMSS an acknowledgement).
#[test]
fn an_acknowledgement_of_many_counts_as_one() {
    let mut script = Script::with_window("reno", 4);
    script.ack(4);
    assert_eq!(script.window(), 5.0);
    assert_eq!(script.sent().len(), 4 + 5);
}

#[test]
fn the_receiver_s_window_is_never_exceeded_nor_outgrown() {
    // What is paced leaves one by one.
    for about in ControlChoice::ALL.iter().filter(|about| about.name != "bbr") {
        let settings = TcpSettings { initial_window: 30, receive_window: 10, ..ns2_settings() };
        let mut script = Script::new(about.name, settings);
        assert_eq!(script.sent(), Vec::from_iter(0..10), "the first window is limited too");
        script.acks(1..=100);
        assert_eq!(script.sent(), Vec::from_iter(10..110));
        assert_eq!(script.window(), 10.0, "{}: a larger one would not be used", about.name);
    }
}

#[test]
fn limited_transmit_sends_one_new_segment_for_each_of_two_duplicates() {
    for limited_transmit in [true, false] {
        let params = LossParams { limited_transmit };
        for control in [ControlChoice::reno(params), ControlChoice::newreno(params), ControlChoice::tahoe(params)] {
            let mut script = Script::of(control, TcpSettings { initial_window: 4, ..ns2_settings() }, None);
            script.sent();
            script.duplicates(0, 1);
            assert_eq!(script.sent(), if limited_transmit { vec![4] } else { vec![] });
            script.duplicates(0, 1);
            assert_eq!(script.sent(), if limited_transmit { vec![5] } else { vec![] });
            script.duplicates(0, 1);
            assert_eq!(script.sent()[0], 0, "the third sends the lost one");
            assert_eq!(script.ssthresh(), 2.0, "half of what the window allows, not of what was sent beyond it");
        }
    }
}

/// With blocks an acknowledgement without news is no duplicate (RFC 6675 §2).
#[test]
fn limited_transmit_goes_by_blocks_where_there_are_any() {
    for limited_transmit in [true, false] {
        let cubic = cubic::Params { limited_transmit, ..Default::default() };
        for control in [ControlChoice::sack(LossParams { limited_transmit }), ControlChoice::cubic(cubic)] {
            let mut script = Script::of(control, TcpSettings { initial_window: 4, ..ns2_settings() }, None);
            script.sent();
            script.ack_with(0, &[(1, 2)]);
            assert_eq!(script.sent(), if limited_transmit { vec![4] } else { vec![] });
            script.ack_with(0, &[(1, 2)]);
            assert!(script.sent().is_empty());
            script.ack_with(0, &[(1, 3)]);
            assert_eq!(script.sent(), if limited_transmit { vec![5] } else { vec![] });
        }
    }
}

#[test]
fn what_makes_no_sense_changes_nothing() {
    for about in ControlChoice::ALL {
        let mut script = Script::with_window(about.name, 4);
        script.acks([1, 2]);
        let before = format!("{:?}", script.sender);
        script.ack(1).ack(0).ack(1_000_000);
        assert_eq!(format!("{:?}", script.sender), before, "overtaken, or of what was never sent");
    }
}

#[test]
fn nothing_is_sent_before_the_start_and_after_the_end() {
    let mut script = Script::of(ControlChoice::by_name("reno").unwrap(), ns2_settings(), Some(3));
    script.acks(1..=3);
    assert_eq!(script.sent(), [0, 1, 2]);
    assert!(script.sender.is_finished());
    assert_eq!(script.sender.poll_timeout(), None);
    let mut idle =
        fairwire_laws::transport::Sender::new(ControlChoice::by_name("reno").unwrap(), ns2_settings(), Some(3), 1_000);
    assert_eq!(idle.poll_segment(script.now), None);
}
