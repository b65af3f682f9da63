//! What follows a loss, segment by segment: RFC 5681 §3.2 (Tahoe, Reno), RFC 6582
//! (NewReno), RFC 6675 (SACK), and timeouts.

use crate::transport::path::ns2_settings;
use crate::transport::script::Script;
use fairwire_core::Span;
use fairwire_laws::transport::{ControlChoice, LossParams, TcpSettings};

const NOTHING: [u32; 0] = [];

/// Ten segments are out and the window stays about there; without limited transmit, to count more simply.
fn ten_out(control: &str) -> Script {
    let params = LossParams { limited_transmit: false };
    let control = match control {
        "tahoe" => ControlChoice::tahoe(params),
        "reno" => ControlChoice::reno(params),
        "newreno" => ControlChoice::newreno(params),
        _ => ControlChoice::sack(params),
    };
    let settings = TcpSettings { initial_window: 10, initial_threshold: Some(10), ..ns2_settings() };
    let mut script = Script::of(control, settings, None);
    assert_eq!(script.sent(), Vec::from_iter(0..10));
    script
}

#[test]
fn two_duplicates_may_be_reordering() {
    for name in ["tahoe", "reno", "newreno"] {
        let mut script = ten_out(name);
        script.duplicates(0, 2);
        assert_eq!(script.sent(), NOTHING);
        script.ack(3);
        assert_eq!(script.sent(), [10, 11, 12], "and were: {name} goes on");
        assert!(script.window() > 10.0);
        script.duplicates(3, 2);
        assert_eq!(script.sent(), NOTHING, "the count begins again");
    }
}

#[test]
fn tahoe_starts_slowly_from_the_lost_segment_on() {
    let mut script = ten_out("tahoe");
    script.duplicates(0, 3);
    assert_eq!(script.sent(), [0]);
    assert_eq!((script.window(), script.ssthresh()), (1.0, 5.0));
    script.duplicates(0, 6);
    assert_eq!(script.sent(), NOTHING, "more duplicates tell nothing");
    script.ack(1);
    assert_eq!(script.sent(), [1, 2], "what follows is sent again too");
    script.ack(10);
    assert_eq!(script.sent(), [10, 11, 12]);
    assert_eq!(script.state(), "slow-start");
}

#[test]
fn reno_halves_its_window_and_replaces_what_leaves_the_network() {
    let mut script = ten_out("reno");
    script.duplicates(0, 3);
    assert_eq!(script.sent(), [0], "fast retransmit");
    assert_eq!(script.state(), "fast-recovery");
    assert_eq!((script.window(), script.ssthresh()), (5.0 + 3.0, 5.0));
    script.duplicates(0, 2);
    assert_eq!((script.sent(), script.window()), (vec![], 10.0));
    script.duplicates(0, 4);
    assert_eq!(script.sent(), [10, 11, 12, 13], "a new one for each that left");
    script.ack(10);
    assert_eq!((script.window(), script.state()), (5.0, "congestion-avoidance"));
    assert_eq!(script.sent(), [14], "four are out, of five");
}

/// Two losses in one window: Reno leaves at the first acknowledgement and cannot see the second.
#[test]
fn reno_leaves_at_the_first_new_acknowledgement() {
    let mut script = ten_out("reno");
    script.duplicates(0, 8); // 0 and 5 are lost.
    assert_eq!(script.sent(), [0, 10, 11, 12]);
    script.ack(5);
    assert_eq!((script.window(), script.state()), (5.0, "congestion-avoidance"));
    script.duplicates(5, 3);
    assert_eq!(script.sent(), NOTHING, "no second fast retransmit in the same window");
    script.time_out();
    assert_eq!(script.sent(), [5]);
    assert_eq!((script.window(), script.ssthresh(), script.state()), (1.0, 2.5, "loss"));
}

#[test]
fn newreno_stays_until_all_is_acknowledged() {
    let mut script = ten_out("newreno");
    script.duplicates(0, 8); // 0 and 5 are lost.
    assert_eq!(script.sent(), [0, 10, 11, 12]);
    assert_eq!(script.window(), 13.0);
    script.ack(5);
    assert_eq!(script.state(), "fast-recovery");
    assert_eq!(script.window(), 13.0 - 5.0 + 1.0, "deflated by what was acknowledged, less one");
    assert_eq!(script.sent(), [5, 13], "the next one lost, and a new one for it");
    script.duplicates(5, 3);
    assert_eq!(script.sent(), [14, 15, 16]);
    script.ack(10); // All that had been sent when it began.
    assert_eq!((script.window(), script.state()), (5.0, "congestion-avoidance"));
    assert_eq!(script.ssthresh(), 5.0, "the window was halved once");
    assert_eq!(script.sender.counts().fast_retransmits, 1);
}

/// A part that is larger than what was added takes from the window itself (RFC 6582 §3.2 step 3).
#[test]
fn newreno_deflates_below_the_window() {
    let mut script = ten_out("newreno");
    script.duplicates(0, 3);
    assert_eq!(script.window(), 5.0 + 3.0);
    script.ack(6);
    assert_eq!((script.window(), script.state()), (5.0 + 3.0 - 6.0 + 1.0, "fast-recovery"));
    script.duplicates(6, 3).ack(9);
    assert_eq!((script.window(), script.state()), (4.0, "fast-recovery"));
    script.ack(10);
    assert_eq!((script.window(), script.state()), (5.0, "congestion-avoidance"));
}

#[test]
fn newreno_s_timer_is_restarted_by_the_first_part_only() {
    let mut script = ten_out("newreno");
    script.duplicates(0, 9);
    script.wait(Span::from_millis(10)).ack(2);
    let first = script.sender.poll_timeout();
    assert_eq!(first, Some(script.now + script.sender.rto()));
    script.wait(Span::from_millis(10)).ack(4);
    assert_eq!(script.sender.poll_timeout(), first);
    script.wait(Span::from_millis(10)).ack(10);
    assert_ne!(script.sender.poll_timeout(), first, "all is there: from now on as ever");
}

/// After a recovery duplicates of old data tell of no loss (RFC 6582 §4.1), until a newer segment is acknowledged.
#[test]
fn duplicates_are_trusted_again_beyond_the_last_recovery() {
    for name in ["reno", "newreno"] {
        let mut script = ten_out(name);
        script.duplicates(0, 3).ack(10);
        script.sent();
        script.duplicates(10, 3);
        assert_eq!(script.sent(), NOTHING, "{name}");
        script.ack(11).sent();
        script.duplicates(11, 3);
        assert_eq!(script.sent()[0], 11, "{name}");
    }
}

#[test]
fn sack_sends_what_is_missing_and_no_more_than_the_window() {
    let mut script = ten_out("sack");
    // 0, 4 and 6 are lost.
    script.ack_with(0, &[(1, 2)]).ack_with(0, &[(1, 3)]);
    assert_eq!(script.sent(), NOTHING);
    script.ack_with(0, &[(1, 4)]);
    assert_eq!(script.sent(), [0]);
    assert_eq!((script.window(), script.ssthresh()), (5.0, 5.0));
    // In the network: 0 again, 4 to 9. Window: 5.
    script.ack_with(0, &[(5, 6), (1, 4)]);
    assert_eq!(script.sent(), NOTHING, "0 and 4 to 9 without 5");
    script.ack_with(0, &[(7, 8), (5, 6), (1, 4)]);
    assert_eq!(script.sent(), NOTHING, "still five");
    script.ack_with(0, &[(7, 9), (5, 6), (1, 4)]);
    assert_eq!(script.sent(), [4, 10], "three arrived beyond 4: it is lost, and has left the network; then a new one");
    script.ack_with(0, &[(7, 10), (5, 6), (1, 4)]);
    assert_eq!(script.sent(), [6, 11]);
    assert_eq!(script.state(), "fast-recovery");
    script.ack_with(4, &[(7, 10), (5, 6)]).ack_with(6, &[(7, 10)]);
    assert_eq!(script.sent(), [12, 13], "as many as have arrived");
    assert_eq!(script.state(), "fast-recovery");
    script.ack(10);
    assert_eq!((script.window(), script.state()), (5.0, "congestion-avoidance"));
    assert_eq!(script.sender.counts().retransmitted, 3);
}

/// Acknowledgements were lost: one that tells of three segments beyond is enough (RFC 6675 §5 step 2).
#[test]
fn sack_needs_no_three_duplicates() {
    let mut script = ten_out("sack");
    script.ack_with(0, &[(1, 4)]);
    assert_eq!(script.sent(), [0]);
}

#[test]
fn sack_takes_no_duplicate_for_a_loss_that_tells_nothing_new() {
    let mut script = ten_out("sack");
    script.ack_with(0, &[(2, 3)]);
    for _ in 0..5 {
        script.ack_with(0, &[(2, 3)]).ack(0);
    }
    assert_eq!(script.sent(), NOTHING);
}

/// The last segments of a transfer are lost: those that may be, and one at the end, are
/// sent again while nothing new is left (RFC 6675 §4 NextSeg (3) and (4)).
#[test]
fn sack_tries_the_end_again() {
    let control = ControlChoice::sack(LossParams { limited_transmit: false });
    let settings = TcpSettings { initial_window: 10, initial_threshold: Some(10), ..ns2_settings() };
    let mut script = Script::of(control, settings, Some(10));
    script.sent();
    // 0, 6 and 9 are lost.
    script.ack_with(0, &[(1, 4)]).ack_with(0, &[(1, 6)]).ack_with(0, &[(1, 6), (7, 9)]);
    assert_eq!(script.sent(), [0, 6, 9]);
    script.ack_with(6, &[(7, 9)]).ack_with(9, &[]).ack(10);
    assert_eq!(script.sent(), NOTHING);
    assert!(script.sender.is_finished());
    assert_eq!(script.sender.counts().timeouts, 0);
}

/// After a timeout all is sent again, but not what the receiver says since then that it has.
#[test]
fn sack_starts_over_without_what_arrived() {
    let mut script = ten_out("sack");
    script.ack_with(0, &[(5, 7)]);
    script.time_out();
    assert_eq!(script.sent(), [0]);
    script.ack_with(1, &[(5, 7)]);
    assert_eq!(script.sent(), [1, 2]);
    script.ack_with(3, &[(5, 7)]);
    assert_eq!(script.sent(), [3, 4, 7][..2], "5 and 6 have arrived, the window covers 3 to 5");
    script.ack_with(4, &[(5, 7)]);
    assert_eq!(script.sent(), [7]);
}

/// A receiver may give up what it has told of (RFC 2018 §8): after a timeout only what it tells anew counts.
#[test]
fn sack_forgets_at_a_timeout_what_was_told() {
    let mut script = ten_out("sack");
    script.ack_with(0, &[(1, 3)]);
    script.time_out();
    assert_eq!(script.sent(), [0]);
    script.ack(1);
    assert_eq!(script.sent(), [1, 2], "which had arrived once");
}

#[test]
fn a_timeout_halves_the_threshold_once_and_starts_over() {
    for name in ["tahoe", "reno", "newreno", "sack"] {
        let mut script = ten_out(name);
        script.time_out();
        assert_eq!((script.sent(), script.state()), (vec![0], "loss"));
        assert_eq!((script.window(), script.ssthresh()), (1.0, 5.0), "{name}");
        script.time_out();
        assert_eq!((script.sent(), script.ssthresh()), (vec![0], 5.0), "the same one again");
        script.ack(1);
        assert_eq!((script.sent(), script.window()), (vec![1, 2], 2.0));
        script.duplicates(1, 5);
        assert_eq!(script.sent(), NOTHING, "duplicates of what is sent again tell nothing");
        script.time_out();
        assert_eq!((script.sent(), script.ssthresh()), (vec![1], 2.0), "another one: half of two, but at least two");
        script.ack(10);
        assert_eq!((script.sent(), script.state()), (vec![10, 11], "congestion-avoidance"));
    }
}

/// A recovery from so many losses that the timer expires: half of the halved window, not of
/// what was sent to replace what had left.
#[test]
fn a_timeout_in_recovery_does_not_count_the_inflation() {
    for name in ["reno", "newreno"] {
        let mut script = ten_out(name);
        script.duplicates(0, 20).time_out();
        assert_eq!((script.window(), script.ssthresh()), (1.0, 2.5), "{name}");
        assert_eq!(script.sent().last(), Some(&0));
    }
}
