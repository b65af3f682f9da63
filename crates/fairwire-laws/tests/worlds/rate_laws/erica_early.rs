//! Early ERICA, worked by hand at one port of 100 Mb/s, and where it comes to rest.

use crate::rate_laws::one_port::{ASKED_BPS, OnePort, PLAIN, assert_near};
use fairwire_core::Span;

const MS: Span = Span::from_millis(1);
const LAW: &str = "name = 'erica-early'\ninterval = '1 ms'\nmeasure = '1 ms'\ntarget = 0.96";

#[test]
fn a_flow_is_told_its_share_of_the_load_or_an_equal_share() {
    let mut port = OnePort::new(LAW, &[PLAIN; 2]);
    port.tell(0, 120e6);
    port.tell(1, 70e6);
    // Nothing is known before the first interval is over: the target, 96 % of 100 Mb/s.
    assert_near(port.answer(0), 96.0);
    port.arrived(192_000);
    port.wait(MS);
    // z = 192 / 96 = 2; FairShare = 96 / 2 = 48; VCShare = 120 / 2 and 70 / 2.
    port.tell(0, 120e6);
    assert_near(port.answer(0), 60.0);
    assert_near(port.answer(1), 48.0);
    // Half the load: VCShare = 30 / 0.5 and 10 / 0.5.
    port.tell(0, 30e6);
    port.tell(1, 10e6);
    port.arrived(48_000);
    port.wait(MS);
    assert_near(port.answer(0), 60.0);
    assert_near(port.answer(1), 48.0);
    // A tenth: VCShare = 60 / 0.1 is more than the target.
    port.tell(0, 60e6);
    port.tell(1, 10e6);
    port.arrived(9_600);
    port.wait(MS);
    assert_near(port.answer(0), 96.0);
}

#[test]
fn what_others_tell_is_never_raised() {
    let mut port = OnePort::new(LAW, &[PLAIN]);
    let cell = port.cell(0, 10e6);
    port.pass_forward(0, &cell).unwrap();
    let back = fairwire_laws::rate::RateCell { explicit_bps: 3e6, ..cell };
    assert_near(port.pass_backward(0, &back).unwrap().explicit_bps, 3e6);
}

#[test]
fn it_comes_to_rest_where_the_load_is_one_even_if_that_is_not_fair() {
    // Flow 2 is held at 10 Mb/s elsewhere. 51 + 35 + 10 = 96: nobody is below FairShare = 32 but flow 2.
    let mut port = OnePort::new(LAW, &[PLAIN; 3]);
    let (mut first, mut second) = (51e6, 35e6);
    for _ in 0..20 {
        port.tell(0, first);
        port.tell(1, second);
        port.tell(2, 10e6);
        port.arrived(((first + second + 10e6) / 1e3) as u64);
        port.wait(MS);
        (first, second) = (port.answer(0) * 1e6, port.answer(1) * 1e6);
    }
    assert!((first / 51e6 - 1.0).abs() < 1e-3 && (second / 35e6 - 1.0).abs() < 1e-3, "{first} {second}");
}

#[test]
fn who_sends_nothing_in_an_interval_is_not_counted_in_it() {
    let mut port = OnePort::new(LAW, &[PLAIN; 2]);
    let shares: Vec<f64> = (0..4)
        .map(|interval| {
            port.tell(0, 1e6);
            if interval % 2 == 0 {
                // A flow of a packet every second interval makes N flicker.
                port.data(1);
            }
            port.arrived(96_000);
            port.wait(MS);
            port.answer(0)
        })
        .collect();
    for (share, by_hand) in shares.into_iter().zip([48.0, 96.0, 48.0, 96.0]) {
        assert_near(share, by_hand);
    }
}

#[test]
fn an_idle_port_wants_nothing_and_begins_anew() {
    let mut port = OnePort::new(LAW, &[PLAIN; 2]);
    port.tell(0, 120e6);
    port.tell(1, 70e6);
    port.arrived(192_000);
    port.wait(MS * 2);
    assert_eq!(port.law.flows(), 2);
    // The second interval was empty. What is left is to look for the silent, after 100 ms.
    assert_eq!(port.law.poll_timeout().map(fairwire_core::Instant::as_nanos), Some(100_000_000));
    assert_near(port.answer(0), 96.0);
    // Of neither any gap is known; so they are looked for ten times as long.
    port.wait(MS * 1_000);
    assert_eq!(port.law.flows(), 2);
    port.wait(MS * 200);
    assert_eq!((port.law.flows(), port.law.poll_timeout()), (0, None));
}

#[test]
fn a_late_wake_up_ends_one_interval_that_was_longer() {
    let mut port = OnePort::new(LAW, &[PLAIN]);
    port.tell(0, 50e6);
    port.arrived(4 * 48_000);
    port.sleep(MS * 4);
    // 48 Mb/s over 4 ms: z = 0.5.
    assert_near(port.answer(0), 96.0);
    port.tell(0, 20e6);
    port.arrived(4 * 48_000);
    port.sleep(MS * 4);
    assert_near(port.answer(0), 96.0);
    // A packet that comes before the late wake-up ends the interval as well.
    port.now += MS * 2;
    port.arrived(2 * 192_000);
    port.tell(0, 60e6);
    assert_near(port.answer(0), 96.0);
    assert_eq!(port.law.poll_timeout(), Some(port.now + MS));
}

#[test]
fn an_interval_may_end_by_packets() {
    let mut port = OnePort::new("name = 'erica-early'\ninterval = '1 s'\ninterval-packets = '10 packets'", &[PLAIN; 2]);
    port.tell(0, 120e6);
    port.tell(1, 70e6);
    for _ in 0..8 {
        port.now += Span::from_micros(10);
        port.data(0);
    }
    port.now += Span::from_micros(20);
    port.arrived(19_000);
    // The eleventh packet ends an interval of ten, 0.1 ms: z = 190 / 95.
    port.data(0);
    assert_near(port.answer(0), 60.0);
    assert_near(port.answer(1), 47.5);
}

#[test]
fn bandwidth_that_others_take_or_that_changes_counts() {
    let mut port = OnePort::new(LAW, &[PLAIN]);
    port.tell(0, 1e6);
    port.arrived(1_000);
    port.view.higher_bytes += 40_000 / 8;
    port.wait(MS);
    // 40 Mb/s of higher priority leave 60; 96 % are 57.6.
    assert_near(port.answer(0), 57.6);
    // At half the capacity everything halves until the interval is over.
    port.capacity(50);
    port.tell(0, 1e6);
    assert_near(port.answer(0), 28.8);
}

#[test]
fn with_nothing_left_nobody_gets_anything_and_nothing_breaks() {
    let mut port = OnePort::new(LAW, &[PLAIN; 2]);
    for _ in 0..3 {
        port.tell(0, ASKED_BPS);
        port.tell(1, 0.0);
        port.arrived(1_000_000_000);
        port.view.higher_bytes += 10_000_000;
        port.wait(MS);
        assert_eq!((port.answer(0), port.answer(1)), (0.0, 0.0));
    }
}
