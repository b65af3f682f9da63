//! ERICA, worked by hand at one port of 100 Mb/s.

use crate::rate_laws::one_port::{ASKED_BPS, OnePort, PLAIN, assert_near};
use fairwire_core::Span;
use fairwire_laws::rate::Terms;

const MS: Span = Span::from_millis(1);
/// With b = 1 the target of an empty queue is ABW.
const LAW: &str = "name = 'erica'\ninterval = '1 ms'\nmeasure = '1 ms'\nb = 1.0";

#[test]
fn minimums_first_and_the_rest_by_weight() {
    let terms = [Terms { minimum_bps: 10e6, ..PLAIN }, Terms { weight: 3.0, ..PLAIN }];
    let mut port = OnePort::new(LAW, &terms);
    port.tell(0, 100e6);
    port.tell(1, 90e6);
    port.arrived(190_000);
    port.wait(MS);
    // Excess 100 − 10 = 90; z = (190 − 10) / 90 = 2; FairShare = 90 / 4 = 22.5 for a unit of weight.
    // VCShare: (100 − 10) / 2 = 45, and 90 / 3 / 2 = 15.
    assert_near(port.answer(0), 45.0);
    assert_near(port.answer(1), 3.0 * 22.5);
    assert_near(port.law.reserved_bps(), 10e6);
}

#[test]
fn it_comes_to_the_fair_rates_where_the_early_form_rests_unfair() {
    let mut port = OnePort::new(LAW, &[PLAIN; 3]);
    let (mut first, mut second) = (55e6, 35e6);
    for _ in 0..60 {
        port.tell(0, first);
        port.tell(1, second);
        port.tell(2, 10e6);
        port.arrived(((first + second + 10e6) / 1e3) as u64);
        port.wait(MS);
        (first, second) = (port.answer(0) * 1e6, port.answer(1) * 1e6);
    }
    assert!((first / 45e6 - 1.0).abs() < 0.1 && (second / first - 1.0).abs() < 1e-3, "{first} {second}");
}

#[test]
fn underload_gives_what_was_given_at_most_before() {
    let mut port = OnePort::new(LAW, &[PLAIN; 2]);
    // z = 1; FairShare = 50; flow 0 is told VCShare = 60, the largest share of this interval.
    port.tell(0, 60e6);
    port.tell(1, 40e6);
    port.arrived(100_000);
    port.wait(MS);
    // The first interval's MaxAllocPrevious is all there is: who is at FairShare or above may rise that far.
    assert_near(port.answer(0), 100.0);
    // Who is below FairShare rises to it first, even though 100 was given before.
    assert_near(port.answer(1), 50.0);
    port.tell(0, 60e6);
    port.tell(1, 52e6);
    port.arrived(105_000);
    port.wait(MS);
    // z = 1.05 is no overload yet. MaxAllocPrevious is 100 still, as that was given in the interval before.
    assert_near(port.answer(1), 100.0);
    port.tell(0, 90e6);
    port.tell(1, 60e6);
    port.arrived(150_000);
    port.wait(MS);
    // z = 1.5 is: VCShare alone.
    assert_near(port.answer(0), 60.0);
    assert_near(port.answer(1), 50.0);
    port.tell(0, 55e6);
    port.tell(1, 51e6);
    port.arrived(106_000);
    port.wait(MS);
    // Now 60 was the largest of the interval before.
    assert_near(port.answer(1), 60.0);
}

#[test]
fn a_flow_is_told_one_share_an_interval() {
    let mut port = OnePort::new(LAW, &[PLAIN]);
    port.tell(0, 150e6);
    port.arrived(200_000);
    port.wait(MS);
    assert_near(port.answer(0), 100.0);
    let mut port = OnePort::new(LAW, &[PLAIN; 2]);
    port.tell(0, 150e6);
    port.tell(1, 50e6);
    port.arrived(200_000);
    port.wait(MS);
    assert_near(port.answer(0), 75.0);
    // Its rate has fallen, but the load was measured before it did.
    port.tell(0, 75e6);
    assert_near(port.answer(0), 75.0);
}

#[test]
fn the_target_follows_the_queue() {
    // T0 is 1.5 ms: 15 packets of 1250 bytes. By hand: f(T) of the two hyperbolas, b = 1.05 and a = 1.15.
    let by_hand = [
        (0, 105.0),
        (5, 1.05 / (0.05 / 3.0 + 1.0) * 100.0),
        (15, 100.0),
        (45, 1.15 * 1.5 / (0.15 * 4.5 + 1.5) * 100.0),
        (4_000_000, 50.0),
    ];
    for (packets, target) in by_hand {
        let mut port = OnePort::new("name = 'erica'\ninterval = '1 ms'", &[PLAIN]);
        port.data(0);
        port.arrived(10_000);
        port.view.packets = packets;
        port.wait(MS);
        port.tell(0, 0.0);
        // FairShare of one flow is the target.
        assert_near(port.answer(0), target);
    }
}

#[test]
fn minimums_that_take_everything_leave_nothing_beyond() {
    let terms = [Terms { minimum_bps: 70e6, ..PLAIN }, Terms { minimum_bps: 40e6, ..PLAIN }];
    let mut port = OnePort::new(LAW, &terms);
    for _ in 0..3 {
        port.tell(0, ASKED_BPS);
        port.tell(1, 40e6);
        port.arrived(200_000);
        port.wait(MS);
        assert_eq!((port.answer(0), port.answer(1)), (0.0, 0.0));
    }
    port.close(0);
    assert_near(port.law.reserved_bps(), 40e6);
}

#[test]
fn traffic_of_higher_priority_does_not_take_the_minimums() {
    let mut port = OnePort::new(LAW, &[Terms { minimum_bps: 30e6, ..PLAIN }]);
    port.tell(0, 30e6);
    port.arrived(30_000);
    port.view.higher_bytes += 100_000 / 8;
    port.wait(MS);
    // ABW is 30, the minimum; nothing beyond.
    assert_near(port.answer(0), 0.0);
}

#[test]
fn extreme_weights_leave_rates_finite() {
    let terms = [1e-300, 1e18, 1.0].map(|weight| Terms { weight, ..PLAIN });
    let mut port = OnePort::new(LAW, &terms);
    for bits in [0, 1, 200_000, 50_000, u64::MAX / 1000] {
        (0..3).for_each(|flow| port.tell(flow, 1e6));
        port.arrived(bits);
        port.wait(MS);
        for flow in 0..3 {
            let rate = port.answer(flow);
            assert!((0.0..=105.0).contains(&rate), "{rate}");
        }
    }
}
