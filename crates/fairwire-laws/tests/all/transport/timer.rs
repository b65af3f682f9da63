//! The retransmission timer: RFC 6298.

use crate::transport::path::ns2_settings;
use crate::transport::script::Script;
use fairwire_core::{Instant, Span};
use fairwire_laws::transport::{Ack, SackBlocks, TcpSettings};

fn ms(count: u64) -> Span {
    Span::from_millis(count)
}

fn with_tick(granularity: Span, min_timeout: Span) -> Script {
    Script::new("reno", TcpSettings { initial_window: 1, granularity, min_timeout, ..ns2_settings() })
}

/// One segment's acknowledgement, so long after it was sent.
fn measure(script: &mut Script, rtt: Span) {
    let sent_at = script.now;
    script.wait(rtt);
    let next = script.sender.acknowledged() + 1;
    let sack = SackBlocks::default();
    script.tell(&Ack { next, sack, sent_at, of_retransmitted: false, congestion_experienced: false });
}

fn timeout(script: &Script) -> Span {
    script.sender.rto()
}

#[test]
fn the_first_timeout_is_a_second() {
    let mut script = with_tick(ms(1), ms(200));
    assert_eq!(timeout(&script), ms(1_000));
    assert_eq!(script.sender.poll_timeout(), Some(Instant::ZERO + ms(1_000)));
    assert_eq!(script.sender.srtt(), Span::ZERO);
    script.wait(ms(999));
    assert_eq!(script.sender.counts().timeouts, 0);
    script.wait(ms(1));
    assert_eq!(script.sender.counts().timeouts, 1);
}

/// (2.4) holds for the first one, too: there is a minimum, whatever it is.
#[test]
fn the_first_timeout_is_no_shorter_than_any_other() {
    let mut script = with_tick(ms(1), ms(3_000));
    assert_eq!(timeout(&script), ms(3_000));
    measure(&mut script, ms(100));
    assert_eq!(timeout(&script), ms(3_000));
}

/// (2.2): SRTT = R, RTTVAR = R/2. (2.3): RTTVAR = 3/4 RTTVAR + 1/4 |SRTT − R|, SRTT = 7/8 SRTT + 1/8 R. RTO = SRTT + 4 RTTVAR.
#[test]
fn the_arithmetic() {
    let mut script = with_tick(Span::from_micros(1), ms(1));
    measure(&mut script, ms(100));
    assert_eq!((script.sender.srtt(), timeout(&script)), (ms(100), ms(100 + 200)));
    measure(&mut script, ms(200)); // Deviation 37.5 + 25 = 62.5 ms, mean 112.5 ms.
    assert_eq!(script.sender.srtt(), Span::from_micros(112_500));
    assert_eq!(timeout(&script), Span::from_micros(112_500 + 250_000));
    measure(&mut script, Span::from_micros(112_500)); // Deviation 46.875 ms.
    assert_eq!(timeout(&script), Span::from_micros(112_500 + 187_500));
}

#[test]
fn steady_round_trips_need_a_tick_and_the_minimum() {
    let mut script = with_tick(ms(10), ms(200));
    for _ in 0..60 {
        measure(&mut script, ms(50));
    }
    assert_eq!((script.sender.srtt(), timeout(&script)), (ms(50), ms(200)));
    let mut script = with_tick(ms(10), ms(1));
    for _ in 0..100 {
        measure(&mut script, ms(50));
    }
    assert_eq!(timeout(&script), ms(60), "SRTT + max(G, 4 RTTVAR)");
}

#[test]
fn it_measures_and_waits_in_whole_ticks() {
    let mut script = with_tick(ms(100), ms(1));
    measure(&mut script, ms(30));
    assert_eq!(script.sender.srtt(), ms(100), "a tick at least");
    let mut script = with_tick(ms(100), ms(1));
    measure(&mut script, ms(260));
    assert_eq!(script.sender.srtt(), ms(300), "rounded");
    measure(&mut script, ms(300));
    assert_eq!(timeout(&script), ms(800), "300 + 4 · 112.5, rounded up");
}

#[test]
fn it_doubles_up_to_a_minute_and_keeps_that_until_something_is_measured() {
    let mut script = with_tick(ms(10), ms(200));
    measure(&mut script, ms(50));
    assert_eq!(timeout(&script), ms(200));
    for doubled in [400, 800, 1_600] {
        script.time_out();
        assert_eq!(timeout(&script), ms(doubled));
    }
    let next = script.sender.acknowledged() + 1;
    script.ack(next); // Of a segment sent several times: nobody knows of which copy (Karn).
    assert_eq!(timeout(&script), ms(1_600));
    measure(&mut script, ms(50));
    assert_eq!(timeout(&script), ms(200));
    for _ in 0..12 {
        script.time_out();
    }
    assert_eq!(timeout(&script), ms(60_000));
}

/// A minimum beyond the longest RTO is the longest.
#[test]
fn who_backs_off_waits_no_shorter_than_the_minimum() {
    let mut script = with_tick(ms(10), ms(90_000));
    script.time_out();
    assert_eq!(timeout(&script), ms(90_000));
}

/// One sample a round trip: the gains of 1/8 and 1/4 are made for that.
#[test]
fn segments_of_one_flight_count_once() {
    let mut script = Script::with_window("reno", 8);
    let sent_at = script.now;
    script.wait(ms(100));
    for next in 1..=8 {
        let rtt = script.now.since(sent_at);
        let sack = SackBlocks::default();
        script.tell(&Ack { next, sack, sent_at, of_retransmitted: false, congestion_experienced: false });
        assert_eq!(script.sender.srtt(), ms(100), "not {rtt}");
        script.wait(ms(10));
    }
}

/// A back-off ends with the next measurement, and that is not put off to a segment of the next round trip: the second of a
/// flight, sent again in vain, is overdue at 400 ms as the third is acknowledged, which was sent but once.
#[test]
fn a_back_off_ends_with_any_segment_that_was_sent_once() {
    let mut script = Script::with_window("reno", 8);
    let sent_at = script.now;
    measure(&mut script, ms(100));
    script.time_out();
    assert_eq!((script.now, timeout(&script)), (sent_at + ms(400), ms(600)));
    let sack = SackBlocks::default();
    script.tell(&Ack { next: 3, sack, sent_at, of_retransmitted: false, congestion_experienced: false });
    // Deviation 37.5 + 75 = 112.5 ms, mean 87.5 + 50 = 137.5 ms.
    assert_eq!((script.sender.srtt(), timeout(&script)), (Span::from_micros(137_500), ms(590)));
}

#[test]
fn new_acknowledgements_restart_it_and_duplicates_do_not() {
    let mut script = Script::with_window("reno", 4);
    let first = script.sender.poll_timeout();
    script.wait(ms(10)).duplicates(0, 1);
    assert_eq!(script.sender.poll_timeout(), first);
    script.ack(1);
    assert_eq!(script.sender.poll_timeout(), Some(script.now + timeout(&script)));
}
