//! RCP: what bounds its rate and what it hears, by hand.

use crate::rate_laws::one_port::{OnePort, PLAIN, assert_near};
use fairwire_core::Span;
use fairwire_laws::rate::{RateCell, Terms};

const MS: Span = Span::from_millis(1);
const LAW: &str = "name = 'rcp'\nmeasure = '1 ms'\ntarget = 1.0\ninitial = 0.5";

/// A control packet of flow 0 goes forward, 50 Mb/s come over 10 ms, and the flow is told its rate.
fn interval(port: &mut OnePort, cell: RateCell) -> f64 {
    port.pass_forward(0, &cell).expect("it is good");
    port.arrived(500_000);
    port.wait(MS * 10);
    port.tell(0, 50e6);
    port.answer(0)
}

#[test]
fn the_rate_doubles_at_most() {
    let mut port = OnePort::new(&LAW.replace("0.5", "0.1\nalpha = 10.0"), &[PLAIN]);
    let cell = port.cell(0, 50e6);
    assert_near(interval(&mut port, cell), 20.0);
}

#[test]
fn the_target_is_a_part_of_the_bandwidth() {
    let mut port = OnePort::new(&LAW.replace("1.0", "0.5"), &[PLAIN]);
    let cell = port.cell(0, 50e6);
    // 50 Mb/s come, and 50 are wanted.
    assert_near(interval(&mut port, cell), 50.0);
}

#[test]
fn a_round_trip_counts_for_ten_seconds_at_most() {
    let mut port = OnePort::new(LAW, &[PLAIN]);
    let cell = RateCell { round_trip_s: 1e3, ..port.cell(0, 50e6) };
    assert_near(interval(&mut port, cell), 50.0 * (1.0 + 0.01 / 10.0 * 0.4 * 0.5));
}

#[test]
fn it_acts_every_ten_microseconds_at_most() {
    let mut port = OnePort::new(LAW, &[PLAIN]);
    let cell = RateCell { round_trip_s: 1e-7, ..port.cell(0, 50e6) };
    interval(&mut port, cell);
    assert_eq!(port.law.poll_timeout().map(|due| due.since(port.now)), Some(Span::from_micros(10)));
}

#[test]
fn no_more_comes_as_minimums_than_comes() {
    let mut port = OnePort::new(LAW, &[PLAIN]);
    let cell = RateCell { minimum_bps: 40e6, ..port.cell(0, 10e6) };
    interval(&mut port, cell);
    assert_near(port.law.reserved_bps(), 50e6);
}

#[test]
fn a_port_that_rests_forgets_how_light_flows_were() {
    let mut port = OnePort::new(LAW, &[Terms { weight: 0.5, ..PLAIN }, PLAIN]);
    port.tell(0, 50e6);
    port.wait(MS * 1000);
    assert_eq!(port.law.poll_timeout(), None);
    port.tell(1, 50e6);
    port.arrived(100_000);
    port.wait(MS * 10);
    assert_near(port.answer(1), 100.0);
}
