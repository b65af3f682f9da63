//! CUBIC's window against the formulas of RFC 9438.

use crate::transport::path::{Path, Run, ns2_path, ns2_settings};
use fairwire_core::{Instant, Span};
use fairwire_laws::transport::cubic::{self, Law, Params};
use fairwire_laws::transport::{
    Acked, Congestion, CongestionControl, ControlChoice, StartWindow, TcpSettings, Timeout,
};

const RTT: Span = Span::from_millis(100);

/// A flow that has just lost at a window of so many segments.
fn after_loss_at(params: &Params, window: f64) -> Law {
    let mut law = Law::new(params, &StartWindow { cwnd: window, ssthresh: window, rwnd: 1e9 });
    lose(&mut law);
    law
}

fn lose(law: &mut Law) {
    law.on_congestion(&Congestion { now: Instant::ZERO, flight_size: law.cwnd(), marked: false });
}

/// The windows of `trips` round trips, one acknowledgement for each segment, spread over each round trip.
fn grow(law: &mut Law, rtt: Span, trips: u64) -> Vec<f64> {
    let mut windows = Vec::new();
    for trip in 0..trips {
        let count = law.cwnd() as u64;
        for ack in 0..count {
            let now = Instant::ZERO + rtt * trip + Span::from_nanos(rtt.as_nanos() * ack / count);
            law.on_ack(&Acked { now, segments: 1, srtt: rtt });
        }
        windows.push(law.cwnd());
    }
    windows
}

#[test]
fn a_loss_leaves_seven_tenths() {
    let law = after_loss_at(&Params::default(), 100.0);
    assert!((law.cwnd() - 70.0).abs() < 1e-9 && (law.ssthresh() - 70.0).abs() < 1e-9);
    let small = after_loss_at(&Params::default(), 2.0);
    assert_eq!(small.ssthresh(), 2.0, "never below two");
}

/// Far from Reno's region: W(t) = C (t − K)³ + W_max with K = ∛(W_max (1 − β)/C), flat around W_max.
#[test]
fn the_window_follows_the_cubic_function() {
    let largest = 1_000.0;
    let mut law = after_loss_at(&Params { reno_friendly: false, ..Params::default() }, largest);
    let k_s = (largest * 0.3 / 0.4_f64).cbrt();
    let windows = grow(&mut law, RTT, 150);
    let cubic = |t_s: f64| 0.4 * (t_s - k_s).powi(3) + largest;
    for (trip, window) in windows.iter().enumerate() {
        let t_s = (trip + 1) as f64 * RTT.as_secs_f64();
        assert!((window / cubic(t_s) - 1.0).abs() < 0.01, "{window} at {t_s} s, not {}", cubic(t_s));
    }
    let steps: Vec<f64> = windows.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let flattest = (k_s / RTT.as_secs_f64()) as usize;
    assert!(steps[1..flattest - 3].windows(2).all(|pair| pair[1] < pair[0] + 0.05), "concave before K");
    assert!(steps[flattest + 3..].windows(2).all(|pair| pair[1] > pair[0] - 0.05), "convex beyond");
    assert!(steps[flattest - 1] < 0.1);
}

/// The growth in time does not depend on the round trip.
#[test]
fn long_round_trips_grow_as_fast() {
    let at_5_s = |rtt: Span| {
        let mut law = after_loss_at(&Params { reno_friendly: false, ..Params::default() }, 500.0);
        grow(&mut law, rtt, 5_000 / (rtt.as_nanos() / 1_000_000)).pop().unwrap()
    };
    let (short, long) = (at_5_s(Span::from_millis(20)), at_5_s(Span::from_millis(200)));
    assert!((short / long - 1.0).abs() < 0.01, "{short} and {long}");
}

/// Short round trips: α = 3 (1 − β)/(1 + β) segments a round trip until what it had before the loss, then one.
#[test]
fn it_is_as_fast_as_reno_where_that_is_faster() {
    let mut law = after_loss_at(&Params::default(), 20.0);
    let windows = grow(&mut law, Span::from_millis(5), 40);
    let alpha = 3.0 * 0.3 / 1.7;
    for (trip, window) in windows.iter().enumerate() {
        let (trips, needed) = ((trip + 1) as f64, 6.0 / alpha);
        let reno = if trips < needed { 14.0 + alpha * trips } else { 20.0 + (trips - needed) };
        // A round trip of a window of 14.9 has 14 acknowledgements.
        assert!((window / reno - 1.0).abs() < 0.06, "{window} after {trips} round trips, not {reno}");
    }
    let mut alone = after_loss_at(&Params { reno_friendly: false, ..Params::default() }, 20.0);
    assert!(*grow(&mut alone, Span::from_millis(5), 40).last().unwrap() < windows[39] - 10.0);
}

/// A window that is smaller at the next loss aims at (1 + β)/2 of it.
#[test]
fn it_makes_room_for_new_flows() {
    for (fast_convergence, plateau) in [(true, 70.0 * 0.85), (false, 70.0)] {
        let params = Params { fast_convergence, reno_friendly: false, ..Params::default() };
        let mut law = after_loss_at(&params, 100.0);
        lose(&mut law);
        assert!((law.cwnd() - 49.0).abs() < 1e-9);
        let k_s: f64 = ((plateau - 49.0) / 0.4_f64).cbrt();
        let trips = (k_s / RTT.as_secs_f64()).round() as u64;
        let windows = grow(&mut law, RTT, trips);
        let window = windows.last().unwrap();
        assert!((window - plateau).abs() < 0.5, "{window}, not {plateau}");
        // Half way there it is an eighth of the way below: concave, not convex.
        let half_way = windows[trips as usize / 2 - 1];
        let due = plateau - (plateau - 49.0) / 8.0;
        assert!((half_way - due).abs() < 1.5, "{half_way}, not {due}");
    }
}

/// After a timeout congestion avoidance begins flat where slow start ends (RFC 9438 §4.8).
#[test]
fn a_timeout_begins_anew() {
    let mut law = after_loss_at(&Params { reno_friendly: false, ..Params::default() }, 100.0);
    law.on_timeout(&Timeout { flight_size: 70.0, again: false });
    assert_eq!(law.cwnd(), 1.0);
    assert!((law.ssthresh() - 49.0).abs() < 1e-9);
    law.on_timeout(&Timeout { flight_size: 1.0, again: true });
    assert!((law.ssthresh() - 49.0).abs() < 1e-9);
    let windows = grow(&mut law, RTT, 26);
    assert_eq!(windows[..5], [2.0, 4.0, 8.0, 16.0, 32.0]);
    assert!((windows[5] - 49.0).abs() < 0.5);
    let two_seconds_later = 49.0 + 0.4 * 8.0;
    assert!((windows[25] - two_seconds_later).abs() < 0.6, "{}", windows[25]);
}

/// In a round trip it grows by half at most (RFC 9438 §4.2).
#[test]
fn no_round_trip_grows_it_by_more_than_half() {
    let mut law = after_loss_at(&Params { steepness: 100.0, ..Params::default() }, 50.0);
    let windows = grow(&mut law, Span::from_millis(500), 12);
    assert!(windows.windows(2).all(|pair| pair[1] <= 1.66 * pair[0]), "{windows:?}");
    assert!(windows[11] > 1_000.0);
}

/// RFC 8985 §6.2: what is sent again and lost again is found by what arrives that was sent after it, and needs no timer.
#[test]
fn a_second_loss_of_a_segment_is_found_without_the_timer() {
    let timeouts = |rack| {
        let control = ControlChoice::cubic(cubic::Params { rack, ..Default::default() });
        let path = Path { loss: 0.05, seed: 11, ..ns2_path() };
        let settings = TcpSettings { receive_window: 100, granularity: Span::from_millis(1), ..ns2_settings() };
        let mut run = Run::new(control, settings, Some(20_000), path);
        run.until(Instant::NEVER);
        assert!(run.sender.is_finished());
        run.sender.counts().timeouts
    };
    let (with, without) = (timeouts(true), timeouts(false));
    assert!(with * 3 < without * 2, "{with} and {without} timeouts");
}
