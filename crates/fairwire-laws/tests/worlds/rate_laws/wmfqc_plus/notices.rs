//! Whom a port of 100 Mb/s sends notices, and how often.

use crate::rate_laws::one_port::{ASKED_BPS, PLAIN};
use crate::rate_laws::wmfqc_plus::port::{MBPS, Port, settled};
use fairwire_core::{BitRate, FlowId, Span};
use fairwire_laws::rate::wmfqc_plus::GrantCell;
use fairwire_laws::rate::{RateMessage, Terms};

#[test]
fn whose_share_moves_is_sent_a_notice_whatever_moved_it() {
    let mut port = Port::new(&[PLAIN]);
    port.told(0, 0, 0.0);
    assert_eq!(port.notices(), []);
    port.open(&PLAIN);
    // Who has sent nothing yet is told by his own control packets.
    assert_eq!(port.notices(), [(0, 1, 50.0)]);

    let mut port = settled();
    port.capacity(200);
    assert_eq!(port.notices(), [(0, 3, 100.0), (1, 3, 100.0)]);

    let mut port = settled();
    let terms = Terms { weight: 3.0, ..PLAIN };
    port.call(|law, cx, _| law.on_terms(cx, FlowId(0), &terms));
    assert_eq!(port.notices(), [(0, 3, 75.0), (1, 3, 25.0)]);

    let mut port = settled();
    port.call(|law, cx, _| law.on_close(cx, FlowId(1)));
    assert_eq!(port.notices(), [(0, 3, 100.0)]);
}

#[test]
fn who_will_hear_otherwise_or_is_held_elsewhere_is_sent_none() {
    let mut port = settled();
    // Flow 0 has a control packet under way; flow 1 is told 10 Mb/s by others.
    port.ask(1, 3, 50.0, 1.0).expect("it is good");
    assert_eq!(port.answer_of(1, 10.0), (10.0, 10.0));
    port.ask(0, 3, 50.0, 1.0).expect("it is good");
    port.capacity(200);
    assert_eq!(port.notices(), []);
    // It was lost: the next one that comes back tells what the port would have told.
    assert_eq!(port.told(0, 3, 50.0).0, 190.0);
    port.pass(Span::from_millis(20));
    assert_eq!(port.notices(), []);
}

#[test]
fn data_pay_for_notices() {
    let mut port = Port::new(&[PLAIN; 3]);
    for flow in 0..3 {
        port.told(flow, 0, 0.0);
    }
    // Three flows that came pay for three; each of the others is told less than before.
    port.open(&PLAIN);
    port.notices();
    let told = |port: &mut Port, mbps| {
        port.pass(Span::from_millis(10));
        port.capacity(mbps);
        port.notices().len()
    };
    let spent: usize = [1000, 300, 90, 30].into_iter().map(|mbps| told(&mut port, mbps)).sum();
    assert!(spent <= 4, "{spent}");
    assert_eq!(told(&mut port, 500), 0);
    port.data(0, 16);
    assert_eq!(told(&mut port, 1000), 1);
}

#[test]
fn two_notices_a_flow_are_saved() {
    let mut port = settled();
    port.data(0, 1600);
    let told = |mbps| {
        port.pass(Span::from_millis(10));
        port.capacity(mbps);
        port.notices().len()
    };
    assert_eq!([200, 400, 800, 90].map(told), [2, 2, 0, 0]);
}

/// A flow whose own control packets are seldom is told of less.
#[test]
fn how_much_is_told_depends_on_how_often_a_flow_would_hear_it() {
    let notices = |loop_ms: f64, mbps: u64| {
        let mut port = settled();
        for flow in [0, 1] {
            port.ask(flow, 3, 50.0, loop_ms).expect("it is good");
            port.answer_of(flow, ASKED_BPS);
        }
        port.view.capacity = BitRate::from_bps(mbps * 100_000);
        port.law.on_capacity(port.now, port.view.capacity);
        port.notices().len()
    };
    assert_eq!([notices(0.1, 1005), notices(100.0, 1005), notices(0.1, 1009)], [0, 2, 2]);
}

/// When flows are looked at from now on, in us, for so many ms; and how many notices are sent.
fn looks(port: &mut Port, ms: u64) -> (Vec<u64>, usize) {
    let (start, mut at, mut sent) = (port.now, Vec::new(), 0);
    let end = start + Span::from_millis(ms);
    while let Some(due) = port.law.poll_timeout().filter(|due| *due < end) {
        port.now = port.now.max(due);
        at.push(port.now.since(start).as_nanos() / 1000);
        sent += port.notices().len();
    }
    port.now = end;
    (at, sent)
}

/// Flows that do not react are told again, and looked at ever more seldom.
#[test]
fn who_does_not_react_is_told_again() {
    let mut port = settled();
    port.capacity(200);
    let mut looked = 0;
    for _ in 0..60 {
        port.data(0, 32);
        port.data(1, 1);
        looked += looks(&mut port, 1).0.len();
    }
    // After 0.2 ms, after 0.4 ms more, and so on.
    assert!((6..12).contains(&looked), "{looked}");
    // After another change they are looked at as soon as at first.
    port.data(0, 64);
    port.capacity(300);
    let (again, _) = looks(&mut port, 5);
    assert_eq!(again, [0, 200]);
    // They react. After that nobody is looked at.
    for flow in [0, 1] {
        port.told(flow, 3, 50.0);
    }
    port.data(0, 64);
    looks(&mut port, 5);
    assert_eq!(looks(&mut port, 10), (vec![], 0));
}

/// Who does not react to five notices of one share is told of another one only.
#[test]
fn nobody_is_told_for_ever() {
    let mut port = settled();
    port.capacity(200);
    let mut sent = 0;
    for _ in 0..30 {
        port.data(0, 64);
        port.data(1, 1);
        sent += looks(&mut port, 2).1;
    }
    assert_eq!(sent, 10);
    port.capacity(100);
    assert_eq!(looks(&mut port, 60).1, 2);
}

/// Another port's notice is between it and the source.
#[test]
fn notices_of_others_pass_as_they_are() {
    let mut port = settled();
    let before = format!("{:?}", port.law);
    let notice = GrantCell {
        backward: true,
        last: false,
        notice: true,
        number: 2,
        applied: 0,
        explicit_bps: 3.0 * MBPS,
        granted_bps: 4.0 * MBPS,
        current_bps: 0.0,
        loop_s: 0.0,
    };
    let mut bytes = Vec::new();
    notice.write(&mut bytes);
    assert_eq!(port.call(|law, cx, view| law.on_backward(cx, FlowId(0), &mut bytes, view)), Ok(()));
    assert_eq!((GrantCell::read(&bytes), format!("{:?}", port.law) == before), (Ok(notice), true));
}
