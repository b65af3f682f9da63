//! What a port of 100 Mb/s grants, keeps back while there is a queue, and drops.

use crate::rate_laws::one_port::{ASKED_BPS, PLAIN, assert_near};
use crate::rate_laws::wmfqc_plus::port::{DATA_BYTES, MBPS, Port, settled};
use fairwire_core::Span;
use fairwire_laws::rate::wmfqc_plus::GrantCell;
use fairwire_laws::rate::{RateMessage, Refusal, Terms};

#[test]
fn nobody_is_granted_what_another_has_not_given_back() {
    let mut port = Port::new(&[PLAIN]);
    assert_eq!(port.told(0, 0, 0.0), (100.0, 100.0));
    port.open(&PLAIN);
    assert_eq!(port.told(1, 0, 0.0), (50.0, 0.0));
    // Its share is less now; it keeps what it holds until the next answer.
    assert_eq!(port.told(0, 1, 100.0), (50.0, 50.0));
    assert_eq!(port.told(1, 1, 0.0), (50.0, 0.0));
    // It has given back a part only.
    assert_eq!(port.told(0, 1, 70.0), (50.0, 50.0));
    port.told(0, 3, 50.0);
    assert_eq!(port.told(1, 2, 0.0), (50.0, 50.0));
    assert_eq!(port.law.violation(), None);
}

#[test]
fn nobody_goes_below_his_share_because_others_hold_too_much() {
    let mut port = settled();
    // Flow 2 may have 2 of 4 parts, flow 0 one; flow 1 holds its 50 Mb/s still.
    port.open(&Terms { weight: 2.0, ..PLAIN });
    assert_eq!(port.told(0, 3, 50.0), (25.0, 25.0));
    port.capacity(60);
    assert_eq!(port.told(0, 4, 25.0), (15.0, 15.0));
    assert_eq!(port.told(2, 0, 0.0), (30.0, 0.0));
}

/// [`GrantCell`] beyond minimums; the guard is kept beside them.
#[test]
fn minimums_come_first_and_are_reserved_with_a_guard() {
    let mut port = Port::new(&[Terms { minimum_bps: 20.0 * MBPS, ..PLAIN }, PLAIN]);
    assert_near(port.law.reserved_bps(), 21.0 * MBPS);
    assert_eq!(port.told(0, 0, 0.0), (40.0, 60.0));
    assert_eq!(port.told(1, 0, 0.0), (40.0, 40.0));
}

#[test]
fn what_is_above_grants_is_dropped_and_control_packets_are_paid_for() {
    let mut port = settled();
    port.pass(Span::from_millis(100));
    assert_eq!(port.data(0, 40), 32);
    // 27 control packets of 384 bits are more than a data packet of 10,000.
    let mut port = settled();
    port.pass(Span::from_millis(100));
    assert_eq!(port.data(0, 1), 1);
    (0..27).for_each(|_| assert!(port.ask(0, 3, 50.0, 1.0).is_ok()));
    assert_eq!(port.data(0, 40), 29);
    // They come 32 at once, and no more.
    let mut port = Port::new(&[PLAIN]);
    (0..32).for_each(|_| assert!(port.ask(0, 0, 0.0, 0.0).is_ok()));
    assert_eq!(port.ask(0, 0, 0.0, 0.0), Err(Refusal::AboveAllowed));
}

/// A source that sends a little too much, as its clock is a little fast, loses nothing; one that sends more does.
#[test]
fn who_sends_as_much_as_he_may_loses_nothing() {
    let lost = |faster: f64| {
        let mut port = settled();
        let between = Span::from_secs_f64(10_000.0 / (50.0 * MBPS * faster));
        (0..20_000)
            .filter(|_| {
                port.pass(between);
                port.data(0, 1) == 0
            })
            .count()
    };
    assert_eq!(lost(1.0 + 1.0 / 256.0), 0);
    assert!(lost(1.0 + 1.0 / 64.0) > 0);
}

/// What flow 0 of two is told when they tell this loop and so many packets wait, in Mb/s.
fn share_beside(mut port: Port, packets: u32, loop_ms: f64) -> f64 {
    // The first loop that is told counts no longer.
    for loop_ms in [7.0, loop_ms] {
        for flow in [0, 1] {
            port.ask(flow, 3, 50.0, loop_ms).expect("it is good");
        }
    }
    port.view.packets = packets;
    port.answer_of(0, ASKED_BPS).0
}

/// The queue less half a packet a flow is to go within the loop of most of the traffic, out of three quarters of the excess.
#[test]
fn a_queue_is_drained_at_the_pace_of_loops() {
    assert_near(share_beside(settled(), 8, 5.0), 50.0);
    // 20 packets of 10,000 bits in 5 ms are 40 Mb/s, which both do without.
    assert_near(share_beside(settled(), 21, 5.0), 30.0);
    assert_near(share_beside(settled(), 21, 10.0), 40.0);
    assert_near(share_beside(settled(), 101, 10.0), 12.5);
    // Who tells a loop of minutes is believed 10 s.
    assert_near(share_beside(settled(), 21, 1e6), 49.99);
}

#[test]
fn a_queue_of_shorter_packets_is_a_shorter_queue() {
    let mut port = settled();
    port.data_of(0, 1000, DATA_BYTES / 2);
    assert_near(share_beside(port, 21, 5.0), 40.0);
}

/// Sixteen grants that nobody confirms are told apart. Of more the last two are one, as much as the larger.
#[test]
fn a_flow_may_be_using_the_largest_of_many_grants() {
    let mut port = Port::new(&[PLAIN]);
    for mbps in (101..=115).chain([300, 50]) {
        port.capacity(mbps);
        port.told(0, 0, 0.0);
    }
    // All but the last two are over.
    port.ask(0, 15, 115.0, 1.0).expect("it is good");
    port.open(&PLAIN);
    port.capacity(400);
    assert_eq!(port.told(1, 0, 0.0), (200.0, 100.0));
}

/// The destination turns asks of more than its flow supports.
#[test]
fn grants_are_within_what_the_destination_supports() {
    let port = Port::new(&[PLAIN]);
    let mut bytes = Vec::new();
    let cell = GrantCell {
        backward: false,
        last: false,
        notice: false,
        number: 1,
        applied: 0,
        explicit_bps: 9.0 * MBPS,
        granted_bps: 9.0 * MBPS,
        current_bps: 0.0,
        loop_s: 0.0,
    };
    cell.write(&mut bytes);
    let terms = Terms { minimum_bps: 2.0 * MBPS, supported_bps: 7.0 * MBPS, ..PLAIN };
    port.choice.turn(&terms, &mut bytes).expect("it is good");
    let turned = GrantCell::read(&bytes).expect("it is good");
    assert_eq!((turned.backward, turned.explicit_bps, turned.granted_bps), (true, 5.0 * MBPS, 7.0 * MBPS));
}
