//! Which of several requests takes effect.

use crate::protection::ring::{Ring, address};
use crate::protection::{SETTLING, params};
use fairwire_core::{Ringlet, Span};
use fairwire_laws::protection::{Command, Event, Request, Side, SignalQuality};

fn ring() -> Ring {
    let mut ring = Ring::settled(8, &params());
    ring.run_for(Span::from_millis(100));
    ring
}

/// Says something of the span east of `span`, at its western end.
fn command(ring: &mut Ring, span: usize, command: Command) {
    ring.tell(span, Event::Command { side: Side::East, command });
    ring.run_for(SETTLING);
}

fn signal(ring: &mut Ring, span: usize, quality: SignalQuality) {
    ring.tell(span, Event::Signal { side: Side::East, quality });
    ring.run_for(SETTLING);
}

fn open_after(span: usize) -> Vec<usize> {
    (1..=8).map(|step| (span + step) % 8).collect()
}

#[test]
fn requests_rank_as_in_the_standard() {
    use Request::*;
    let rising = [Idle, WaitToRestore, ManualSwitch, SignalDegrade, SignalFail, ForcedSwitch];
    assert!(rising.is_sorted());
    assert!(rising.iter().enumerate().all(|(number, request)| Request::from_number(number as u8) == Some(*request)));
    assert_eq!(Request::from_number(6), None);
}

#[test]
fn a_commanded_switch_takes_a_span_out_and_its_end_brings_it_back() {
    for wish in [Command::ManualSwitch, Command::ForcedSwitch] {
        let mut ring = ring();
        command(&mut ring, 3, wish);
        ring.assert_knows(&open_after(3), false);
        assert_eq!(ring.machine(3).ringlet_for(address(4), Ringlet::Zero), Some(Ringlet::One));
        assert_eq!(ring.machine(4).ringlet_for(address(3), Ringlet::One), Some(Ringlet::Zero));
        command(&mut ring, 3, Command::Clear);
        ring.assert_whole();
    }
}

#[test]
fn a_degraded_span_is_avoided_until_a_dead_one_needs_it() {
    let mut ring = ring();
    signal(&mut ring, 3, SignalQuality::Degraded);
    ring.assert_knows(&open_after(3), false);
    ring.set_span(6, false);
    ring.run_for(SETTLING);
    ring.assert_knows(&open_after(6), false);
    ring.set_span(6, true);
    ring.run_for(SETTLING);
    ring.assert_knows(&open_after(3), false);
    signal(&mut ring, 3, SignalQuality::Good);
    ring.run_for(ring.params.wait_to_restore + SETTLING);
    ring.assert_whole();
}

#[test]
fn the_layer_below_is_believed_at_once() {
    let mut ring = ring();
    ring.tell(3, Event::Signal { side: Side::East, quality: SignalQuality::Failed });
    assert!(ring.machine(3).topology().is_edge(Side::East));
    ring.run_for(SETTLING);
    ring.assert_knows(&open_after(3), false);
}

#[test]
fn a_manual_switch_gives_way_and_does_not_come_back() {
    let mut ring = ring();
    command(&mut ring, 3, Command::ManualSwitch);
    ring.assert_knows(&open_after(3), false);
    signal(&mut ring, 5, SignalQuality::Degraded);
    ring.assert_knows(&open_after(5), false);
    assert_eq!(ring.machine(3).report().requests, [Request::Idle; 2]);
    command(&mut ring, 0, Command::ManualSwitch);
    assert_eq!(ring.machine(0).report().requests, [Request::Idle; 2], "something worse stands already");
    signal(&mut ring, 5, SignalQuality::Good);
    ring.run_for(ring.params.wait_to_restore + SETTLING);
    ring.assert_whole();
}

#[test]
fn a_forced_switch_stands_beside_a_cut() {
    let mut ring = ring();
    command(&mut ring, 1, Command::ForcedSwitch);
    ring.set_span(5, false);
    ring.run_for(SETTLING);
    ring.assert_knows(&[2, 3, 4, 5], false);
    ring.assert_knows(&[6, 7, 0, 1], false);
    command(&mut ring, 1, Command::Clear);
    ring.assert_knows(&open_after(5), false);
}

#[test]
fn of_two_equals_one_takes_effect() {
    let mut ring = ring();
    ring.tell(6, Event::Signal { side: Side::East, quality: SignalQuality::Degraded });
    signal(&mut ring, 2, SignalQuality::Degraded);
    ring.assert_knows(&open_after(2), false);
    signal(&mut ring, 2, SignalQuality::Good);
    ring.assert_knows(&open_after(6), false);
}
