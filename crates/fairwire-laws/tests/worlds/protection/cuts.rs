//! Spans are cut and restored, stations are lost and come back.

use crate::protection::ring::{Ring, address};
use crate::protection::{SETTLING, params};
use fairwire_core::{Instant, Ringlet, Span};
use fairwire_laws::protection::{Action, Params, Request};

/// A ring cut between `span` and the next station a moment after a whole second.
fn cut(stations: usize, span: usize, params: &Params) -> (Ring, Instant) {
    let mut ring = Ring::settled(stations, params);
    ring.run_for(Span::from_micros(1_234_567));
    ring.set_span(span, false);
    let at = ring.now;
    (ring, at)
}

/// The stations of a ring open after `span`, from its western end.
fn open_after(span: usize, stations: usize) -> Vec<usize> {
    (1..=stations).map(|step| (span + step) % stations).collect()
}

#[test]
fn both_ends_see_a_cut_when_the_keepalives_stay_away() {
    let aging_interval = Span::from_micros(100);
    for span in [0, 5, 15] {
        let (mut ring, at) = cut(16, span, &params());
        ring.run_until(at + ring.params.keepalive_timeout + ring.delay + aging_interval);
        for (station, side) in ring.ends(span) {
            assert_eq!(ring.machine(station).report().requests[side.index()], Request::SignalFail);
            let seen = ring.last(station, &Action::Forget { ringlet: side.leaving() }).unwrap();
            assert!(seen.since(at) + ring.params.keepalive_interval >= ring.params.keepalive_timeout);
        }
    }
}

#[test]
fn one_propagation_later_everybody_steers() {
    for (stations, span) in [(2, 0), (3, 2), (16, 7), (64, 63)] {
        let (mut ring, at) = cut(stations, span, &params());
        ring.run_until(at + ring.params.keepalive_timeout + ring.lap());
        let line = open_after(span, stations);
        for (from_at, &from) in line.iter().enumerate() {
            for (to_at, &to) in line.iter().enumerate().filter(|(_, to)| **to != from) {
                let due = if to_at > from_at { Ringlet::Zero } else { Ringlet::One };
                let machine = ring.machine(from);
                for preferred in Ringlet::BOTH {
                    assert_eq!(machine.ringlet_for(address(to), preferred), Some(due), "{from} to {to}");
                }
                assert_eq!(machine.topology().hops(address(to), due), Some(to_at.abs_diff(from_at)));
                assert_eq!(machine.topology().hops(address(to), due.opposite()), None);
            }
        }
        ring.run_for(SETTLING);
        ring.assert_knows(&line, false);
    }
}

#[test]
fn only_the_ends_forget_what_lies_beyond() {
    let (mut ring, at) = cut(8, 3, &params());
    ring.run_for(SETTLING);
    let forgotten = ring.deeds.iter().filter_map(|(_, station, action)| match action {
        Action::Forget { ringlet } => Some((*station, *ringlet)),
        _ => None,
    });
    let mut forgotten: Vec<_> = forgotten.collect();
    forgotten.sort();
    assert_eq!(forgotten, [(3, Ringlet::Zero), (4, Ringlet::One)]);
    assert!(ring.deeds.iter().all(|(t, _, action)| *t >= at || matches!(action, Action::AttributesChanged { .. })));
}

#[test]
fn a_restored_span_is_used_again_after_the_wait() {
    let (mut ring, _) = cut(8, 2, &params());
    ring.run_for(SETTLING);
    ring.set_span(2, true);
    let (back, wait) = (ring.now, ring.params.wait_to_restore);
    ring.run_until(back + (wait - Span::from_millis(1)));
    ring.assert_knows(&open_after(2, 8), false);
    for (station, side) in ring.ends(2) {
        assert_eq!(ring.machine(station).report().requests[side.index()], Request::WaitToRestore);
    }
    ring.run_until(back + wait + ring.params.keepalive_interval + ring.lap() + SETTLING);
    ring.assert_whole();
    // Nobody changes anything but once when it broke and once when it was used again.
    let changes = |of: usize| ring.deeds.iter().filter(|(_, s, a)| *s == of && *a == Action::TopologyChanged).count();
    assert!((0..8).all(|station| changes(station) == 2));
}

#[test]
fn a_span_that_is_not_revertive_stays_out_until_it_is_cleared() {
    use fairwire_laws::protection::{Command, Event};
    let (mut ring, _) = cut(6, 2, &Params { revertive: false, ..params() });
    ring.run_for(SETTLING);
    ring.set_span(2, true);
    ring.run_for(Span::from_millis(5_000));
    ring.assert_knows(&open_after(2, 6), false);
    for (station, side) in ring.ends(2) {
        ring.tell(station, Event::Command { side, command: Command::Clear });
    }
    ring.run_for(SETTLING);
    ring.assert_whole();
}

#[test]
fn a_failure_shorter_than_the_hold_off_changes_nothing() {
    let (mut ring, _) = cut(6, 2, &Params { hold_off: Span::from_millis(20), ..params() });
    ring.run_for(Span::from_millis(15));
    ring.set_span(2, true);
    ring.run_for(SETTLING);
    ring.assert_whole();
    assert!(!ring.deeds.iter().any(|(_, _, action)| *action == Action::TopologyChanged));
    ring.set_span(2, false);
    ring.run_for(Span::from_millis(22));
    ring.assert_knows(&open_after(5, 6).iter().map(|s| s % 6).collect::<Vec<_>>(), true);
    ring.run_for(SETTLING);
    ring.assert_knows(&open_after(2, 6), false);
}

#[test]
fn a_wire_cut_in_one_direction_takes_the_span_out() {
    for (ringlet, station) in [(Ringlet::Zero, 2), (Ringlet::One, 3)] {
        let mut ring = Ring::settled(7, &params());
        ring.run_for(Span::from_millis(50));
        ring.set_wire(ringlet, station, false);
        ring.run_for(SETTLING);
        ring.assert_knows(&open_after(2, 7), false);
        ring.run_for(Span::from_millis(9_000));
        ring.assert_knows(&open_after(2, 7), false);
        ring.set_wire(ringlet, station, true);
        ring.run_for(ring.params.wait_to_restore + SETTLING);
        ring.assert_whole();
    }
}

#[test]
fn two_cuts_part_the_ring_and_each_part_knows_itself() {
    let (mut ring, _) = cut(10, 2, &params());
    ring.run_for(Span::from_millis(1));
    ring.set_span(6, false);
    ring.run_for(SETTLING);
    let (one, other) = ([3, 4, 5, 6], [7, 8, 9, 0, 1, 2]);
    ring.assert_knows(&one, false);
    ring.assert_knows(&other, false);
    for (inside, outside) in [(&one[..], &other[..]), (&other[..], &one[..])] {
        for (&from, &to) in inside.iter().zip(outside) {
            assert_eq!(ring.machine(from).ringlet_for(address(to), Ringlet::Zero), None);
        }
    }
    // A part without the other span heals at once: nothing is gained by waiting to restore.
    ring.set_span(2, true);
    ring.run_for(SETTLING);
    ring.assert_knows(&open_after(6, 10), false);
    ring.set_span(6, true);
    ring.run_for(ring.params.wait_to_restore + SETTLING);
    ring.assert_whole();
}

#[test]
fn a_lost_station_is_left_out_and_taken_in_again() {
    for (stations, lost) in [(3, 0), (8, 0), (8, 5), (33, 32)] {
        let mut ring = Ring::settled(stations, &params());
        ring.run_for(Span::from_millis(77));
        ring.switch_off(lost);
        ring.run_for(ring.lap() + SETTLING);
        let others: Vec<_> = (1..stations).map(|step| (lost + step) % stations).collect();
        ring.assert_knows(&others, false);
        for &from in &others {
            assert_eq!(ring.machine(from).ringlet_for(address(lost), Ringlet::One), None);
        }
        ring.switch_on(lost);
        ring.run_for(ring.params.wait_to_restore + ring.lap() + SETTLING * 2);
        ring.assert_whole();
    }
}

#[test]
fn flaps_leave_no_trace() {
    let mut ring = Ring::settled(12, &params());
    for flap in 0..50u64 {
        ring.run_for(Span::from_micros(700 + 997 * flap));
        ring.set_span((flap * 5 % 12) as usize, flap % 2 == 1);
        ring.run_for(Span::from_micros(300 + 1_013 * (flap % 7)));
        ring.set_span((flap * 5 % 12) as usize, true);
    }
    (0..12).for_each(|span| ring.set_span(span, true));
    ring.run_for(ring.params.wait_to_restore + SETTLING * 3);
    ring.assert_whole();
}
