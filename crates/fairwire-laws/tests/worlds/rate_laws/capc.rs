//! CAPC, worked by hand at one port of 100 Mb/s.

use crate::rate_laws::one_port::{OnePort, PLAIN, assert_near};
use fairwire_core::Span;

const MS: Span = Span::from_millis(1);
const LAW: &str = "name = 'capc'\ninterval = '1 ms'\nmeasure = '1 ms'\ntarget = 0.96";

/// What any flow is told now.
fn told(port: &mut OnePort) -> f64 {
    port.tell(0, 0.0);
    port.answer(0)
}

#[test]
fn the_rate_rises_and_falls_with_the_load() {
    let mut port = OnePort::new(LAW, &[PLAIN]);
    assert_near(told(&mut port), 96.0);
    // z = 192 / 96 = 2: 1 − 0.8 is less than ERF.
    port.arrived(192_000);
    port.wait(MS);
    assert_near(told(&mut port), 48.0);
    // z = 1.25: 1 − 0.25 · 0.8 = 0.8.
    port.arrived(120_000);
    port.wait(MS);
    assert_near(told(&mut port), 38.4);
    // z = 0.5: 1 + 0.5 · 0.1 = 1.05.
    port.arrived(48_000);
    port.wait(MS);
    assert_near(told(&mut port), 40.32);
    // z = 1: it stays.
    port.arrived(96_000);
    port.wait(MS);
    assert_near(told(&mut port), 40.32);
}

#[test]
fn eru_bounds_the_rise() {
    let mut port = OnePort::new("name = 'capc'\ninterval = '1 ms'\ntarget = 0.96\nrup = 10.0\neru = 1.2", &[PLAIN]);
    port.arrived(192_000);
    port.data(0);
    port.wait(MS);
    assert_near(told(&mut port), 48.0);
    port.arrived(48_000);
    port.wait(MS);
    assert_near(told(&mut port), 57.6);
}

#[test]
fn a_port_rests_once_its_rate_is_at_its_most() {
    let mut port = OnePort::new(LAW, &[PLAIN]);
    port.data(0);
    port.arrived(192_000);
    port.wait(MS);
    // 48 · 1.1⁷ = 93.5 and 48 · 1.1⁸ > 100.
    port.wait(MS * 7);
    assert!(port.law.poll_timeout().is_some());
    port.wait(MS);
    assert_eq!(port.law.poll_timeout(), None);
    assert_near(told(&mut port), 100.0);
    assert_eq!(port.law.flows(), 0);
}

#[test]
fn a_long_queue_sets_ci_on_the_way_back() {
    let mut port = OnePort::new("name = 'capc'\nq-t = '50 packets'", &[PLAIN]);
    for (packets, congestion) in [(50, false), (51, true)] {
        port.view.packets = packets;
        let cell = port.cell(0, 0.0);
        let cell = port.pass_forward(0, &cell).unwrap();
        assert!(!cell.congestion);
        assert_eq!(port.pass_backward(0, &cell).unwrap().congestion, congestion);
    }
}

#[test]
fn overload_without_end_leaves_a_rate_that_can_rise_again() {
    let mut port = OnePort::new(LAW, &[PLAIN]);
    for _ in 0..200 {
        port.data(0);
        port.arrived(10_000_000_000);
        port.wait(MS);
    }
    assert_near(told(&mut port), 424e-6);
    for _ in 0..200 {
        port.data(0);
        port.arrived(1_000);
        port.wait(MS);
    }
    assert_near(told(&mut port), 100.0);
}

#[test]
fn bandwidth_that_others_take_or_that_changes_counts() {
    let mut port = OnePort::new(LAW, &[PLAIN]);
    port.data(0);
    port.view.higher_bytes += 40_000 / 8;
    port.arrived(57_600);
    port.wait(MS);
    // z = 1, but ERS is ABW at most.
    assert_near(told(&mut port), 60.0);
    port.capacity(50);
    assert_near(told(&mut port), 30.0);
}
