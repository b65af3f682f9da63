//! RCP, worked by hand at one port of 100 Mb/s.

use crate::rate_laws::one_port::{OnePort, PLAIN, assert_near};
use fairwire_core::Span;
use fairwire_laws::rate::{RateCell, Terms};

const MS: Span = Span::from_millis(1);
const LAW: &str = "name = 'rcp'\nmeasure = '1 ms'\ntarget = 1.0\ninitial = 0.5";

/// A control packet of flow 0 goes forward and tells its round trip and its rate.
fn tell(port: &mut OnePort, round_trip_s: f64, current_bps: f64) {
    let cell = port.cell(0, current_bps);
    port.pass_forward(0, &RateCell { round_trip_s, ..cell }).unwrap();
}

#[test]
fn the_rate_changes_by_what_is_left_and_by_the_queue() {
    let mut port = OnePort::new(LAW, &[PLAIN]);
    // No round trip is known: d = T = 10 ms.
    port.tell(0, 50e6);
    assert_near(port.answer(0), 50.0);
    port.arrived(500_000);
    port.wait(MS * 10);
    // y = 50: R = 50 (1 + 0.4 · 50 / 100).
    port.tell(0, 60e6);
    assert_near(port.answer(0), 60.0);
    // y = 100; of 1250 bytes, 25 packets in the queue are q/d = 25 Mb/s: R = 60 (1 − 0.4 · 0.25).
    (0..100).for_each(|_| assert_eq!(port.data(0), fairwire_laws::rate::Admission::Accept));
    port.arrived(1_000_000);
    port.view.packets = 25;
    port.wait(MS * 10);
    port.tell(0, 60e6);
    let mean_bits = (100.0 * 10_000.0 + 424.0) / 101.0;
    assert_near(port.answer(0), 60.0 * (1.0 - 0.4 * 25.0 * mean_bits / 10e-3 / 100e6));
}

#[test]
fn it_acts_once_a_round_trip_or_more_often() {
    let mut port = OnePort::new(LAW, &[PLAIN]);
    tell(&mut port, 2e-3, 50e6);
    port.arrived(500_000);
    port.wait(MS * 10);
    // The first interval lasted 10 ms: T/d counts as one. From now on T = d = 2 ms.
    assert_eq!(port.law.poll_timeout(), Some(port.now + MS * 2));
    // Now d is a mean, and 0.02 of the way nearer to 42 ms: 2.8 ms.
    tell(&mut port, 42e-3, 50e6);
    port.arrived(100_000);
    port.wait(MS * 2);
    assert_eq!(port.law.poll_timeout().map(|due| due.since(port.now)), Some(Span::from_micros(2800)));
    // R = 50 · 1.2, then y = 50 and T/d = 2 / 2.8.
    port.tell(0, 0.0);
    assert_near(port.answer(0), 60.0 * (1.0 + 2.0 / 2.8 * 0.4 * 0.5));
}

#[test]
fn minimums_first_and_the_rest_by_weight() {
    let mut port = OnePort::new(LAW, &[Terms { minimum_bps: 20e6, weight: 0.5, ..PLAIN }]);
    // Half of what comes is the minimum: Σ MR = 40 / 2 = 20, C = 80, y = 20.
    port.tell(0, 40e6);
    port.arrived(400_000);
    port.wait(MS * 10);
    assert_near(port.law.reserved_bps(), 20e6);
    port.tell(0, 40e6);
    // R = 50 (1 + 0.4 · 60 / 80) = 65; a weight of ½ has half of it.
    assert_near(port.answer(0), 32.5);
    for _ in 0..40 {
        port.tell(0, 40e6);
        port.arrived(400_000);
        port.wait(MS * 10);
    }
    // Alone, it may have all of C: R is 2 C at most.
    port.tell(0, 40e6);
    assert_near(port.answer(0), 80.0);
}

#[test]
fn overload_halves_the_rate_at_most_and_it_rises_again() {
    let mut port = OnePort::new(LAW, &[PLAIN]);
    port.tell(0, 1e9);
    port.arrived(100_000_000);
    port.wait(MS * 10);
    port.tell(0, 1e9);
    assert_near(port.answer(0), 25.0);
    for _ in 0..100 {
        port.data(0);
        port.arrived(100_000_000);
        port.wait(MS * 10);
    }
    port.tell(0, 1e9);
    assert_near(port.answer(0), 424e-6);
    for _ in 0..100 {
        port.data(0);
        port.wait(MS * 10);
    }
    port.tell(0, 1e9);
    assert_near(port.answer(0), 100.0);
}

#[test]
fn an_idle_port_rests_and_forgets() {
    let mut port = OnePort::new(LAW, &[PLAIN]);
    tell(&mut port, 2e-3, 50e6);
    port.arrived(500_000);
    port.wait(MS * 10);
    assert!(port.law.poll_timeout().is_some());
    port.wait(MS * 1000);
    assert_eq!((port.law.flows(), port.law.poll_timeout()), (0, None));
    port.tell(0, 1e6);
    assert_near(port.answer(0), 100.0);
    port.capacity(50);
    port.tell(0, 1e6);
    assert_near(port.answer(0), 50.0);
}

#[test]
fn whatever_control_packets_claim_rates_stay_numbers() {
    let mut port = OnePort::new(LAW, &[PLAIN]);
    for (current_bps, minimum_bps, weight, round_trip_s) in [
        (0.0, 1e18, 1e18, 1e6),
        (1e18, 0.0, f64::MIN_POSITIVE, f64::MIN_POSITIVE),
        (f64::MIN_POSITIVE, 1e18, 1.0, 0.0),
        (0.0, 0.0, 1e-9, 1e6),
    ] {
        for _ in 0..50 {
            let cell = port.cell(0, current_bps);
            let cell = RateCell { minimum_bps, weight, round_trip_s, ..cell };
            port.pass_forward(0, &cell).unwrap();
            port.arrived(100_000);
            port.wait(Span::from_micros(700));
            let told = port.pass_backward(0, &cell).unwrap().explicit_bps;
            assert!((0.0..=1e18).contains(&told) && port.law.reserved_bps() <= 100e6, "{told}");
        }
    }
    assert!(port.law.poll_timeout().unwrap() >= port.now);
}
