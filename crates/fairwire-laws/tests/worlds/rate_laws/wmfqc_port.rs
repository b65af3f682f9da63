//! WMFQC at one port: what follows at once from what the port hears, by hand.

use crate::rate_laws::one_port::{OnePort, PLAIN, assert_near, law};
use fairwire_core::Span;
use fairwire_laws::rate::{PortView, RateCell, RateMessage, Terms};

const LAW: &str = "name = 'wmfqc'";

fn weighted(weight: f64) -> Terms {
    Terms { weight, ..PLAIN }
}

fn promised(minimum_bps: f64) -> Terms {
    Terms { minimum_bps, ..PLAIN }
}

/// What a flow is told that asks for all there is.
fn told(port: &mut OnePort, flow: usize) -> f64 {
    port.tell(flow, 0.0);
    port.answer(flow)
}

#[test]
fn a_flow_counts_from_its_first_packet_on() {
    let mut port = OnePort::new(LAW, &[PLAIN]);
    assert_near(told(&mut port, 0), 100.0);
    port.set_terms(1, weighted(3.0));
    assert_near(told(&mut port, 0), 25.0);
    port.close(1);
    assert_near(told(&mut port, 0), 100.0);
}

#[test]
fn other_terms_count_before_the_flow_says_anything() {
    let mut port = OnePort::new(LAW, &[PLAIN; 2]);
    assert_near(told(&mut port, 0), 50.0);
    port.set_terms(1, weighted(4.0));
    assert_near(told(&mut port, 0), 20.0);
    port.set_terms(1, promised(40e6));
    assert_near(told(&mut port, 0), 30.0);
}

#[test]
fn where_minimums_take_all_nothing_is_left() {
    let mut port = OnePort::new(LAW, &[promised(60e6), promised(40e6)]);
    assert_eq!(told(&mut port, 0), 0.0);
    // Bandwidth has fallen below them.
    port.capacity(50);
    assert_eq!(told(&mut port, 1), 0.0);
}

#[test]
fn minimums_and_a_guard_are_kept_from_others() {
    let mut port = OnePort::new("name = 'wmfqc'\nguard = 0.1\nmeasure = '1 ms'", &[promised(20e6), promised(30e6)]);
    assert_near(port.law.reserved_bps(), 55e6);
    assert_near(told(&mut port, 0), 25.0);
    // Others take 90 Mb/s: 55 are kept.
    port.wait(Span::from_millis(1));
    port.view = PortView { higher_bytes: 90_000_000 / 8 / 1000, ..port.view };
    assert_near(told(&mut port, 0), 2.5);
}

/// A limit that differs by rounding from the share counts as the share.
#[test]
fn a_limit_as_large_as_the_share_does_not_hold_a_flow() {
    for (law, off) in [(LAW, 1e-10), ("name = 'wmfqc'\nrates = 'atm-float'", 1.5e-3)] {
        let mut port = OnePort::new(law, &[PLAIN; 2]);
        let mut cell = port.cell(0, 0.0);
        cell.explicit_bps = 50e6 * (1.0 - off);
        let passed = port.pass_forward(0, &cell).expect("it is good");
        // The other one takes what this one leaves, and this one is told its share.
        assert!(passed.explicit_bps > cell.explicit_bps, "{passed:?}");
        let mut cell = port.cell(0, 0.0);
        cell.explicit_bps = 50e6 * (1.0 - 10.0 * off);
        let passed = port.pass_forward(0, &cell).expect("it is good");
        assert_eq!(passed.explicit_bps, cell.explicit_bps, "it is held elsewhere");
    }
}

#[test]
fn the_smaller_of_both_directions_is_the_limit() {
    for backward in [false, true] {
        let mut port = OnePort::new(LAW, &[PLAIN; 2]);
        let mut cell = port.cell(0, 0.0);
        cell.explicit_bps = if backward { 1e12 } else { 20e6 };
        let mut passed = port.pass_forward(0, &cell).expect("it is good");
        if backward {
            passed.explicit_bps = 20e6;
            passed = port.pass_backward(0, &passed).expect("it is good");
        }
        assert_near(passed.explicit_bps, 20e6);
        assert_near(told(&mut port, 1), 80.0);
    }
}

#[test]
fn congestion_elsewhere_stays_told() {
    let mut port = OnePort::new(LAW, &[PLAIN]);
    let cell = RateCell { congestion: true, ..port.cell(0, 0.0) };
    port.pass_forward(0, &cell).expect("it is good");
    assert!(port.pass_backward(0, &cell).expect("it is good").congestion);
}

/// The way back tells ports what is below them, and nothing of what is above.
#[test]
fn the_destination_writes_the_rate_anew() {
    let terms = Terms { supported_bps: 30e6, ..promised(10e6) };
    let mut port = OnePort::new(LAW, &[terms]);
    let mut bytes = Vec::new();
    RateCell { explicit_bps: 5e6, ..port.cell(0, 0.0) }.write(&mut bytes);
    law(LAW).turn(&terms, &mut bytes).expect("it is good");
    assert_near(RateCell::read(&bytes).expect("it is good").explicit_bps, 20e6);
}

/// Data alone and control packets alone keep a flow known.
#[test]
fn any_packet_is_a_sign_of_life() {
    let mut port = OnePort::new(LAW, &[PLAIN; 3]);
    for _ in 0..100 {
        port.data(0);
        port.tell(1, 0.0);
        port.wait(Span::from_millis(20));
    }
    assert_eq!(port.law.flows(), 2);
    assert_near(told(&mut port, 0), 50.0);
}
