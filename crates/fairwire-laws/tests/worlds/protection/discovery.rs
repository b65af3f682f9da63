//! Stations find each other.

use crate::protection::ring::{Ring, address};
use crate::protection::{SETTLING, params};
use fairwire_core::{Ringlet, Span};
use fairwire_laws::protection::{Action, ProtectionMode};

#[test]
fn stations_that_know_nothing_know_all_after_a_lap() {
    for stations in [2, 3, 8, 64, 255] {
        let mut ring = Ring::unknown(stations, &params());
        ring.run_for(ring.lap());
        let all: Vec<_> = (0..stations).map(address).collect();
        for (station, machine) in ring.live() {
            assert_eq!(machine.topology().stations(), all, "station {station} of {stations}");
            assert!(machine.topology().is_closed());
        }
        if stations < 255 {
            ring.run_for(SETTLING);
            ring.assert_whole();
        }
    }
}

#[test]
fn hops_are_those_of_the_ring() {
    let mut ring = Ring::unknown(7, &params());
    ring.run_for(SETTLING);
    for (from, machine) in ring.live() {
        for to in 0..7 {
            for ringlet in Ringlet::BOTH {
                assert_eq!(machine.topology().hops(address(to), ringlet), Some(ringlet.hops(from, to, 7)));
                assert_eq!(machine.ringlet_for(address(to), ringlet), Some(ringlet));
            }
        }
        assert_eq!(machine.ringlet_for(address(7), Ringlet::Zero), None, "there is no such station");
    }
}

#[test]
fn a_ring_known_before_is_the_one_discovered() {
    let mut known = Ring::settled(9, &params());
    known.assert_whole();
    known.run_for(Span::from_millis(2_500));
    known.assert_whole();
    let news = |action: &Action| !matches!(action, Action::AttributesChanged { .. });
    assert!(!known.deeds.iter().any(|(_, _, action)| news(action)), "nothing changes: {:?}", known.deeds);
    let mut found = Ring::unknown(9, &params());
    found.run_for(Span::from_millis(2_500));
    for station in 0..9 {
        assert_eq!(known.machine(station).topology(), found.machine(station).topology());
    }
}

#[test]
fn attributes_reach_everybody_within_their_timer() {
    let mut ring = Ring::unknown(5, &params());
    ring.run_for(ring.params.attribute_timer + ring.lap());
    for (from, machine) in ring.live() {
        for of in 0..5 {
            let attributes = machine.attributes(address(of)).unwrap_or_else(|| panic!("{from} knows nothing of {of}"));
            assert_eq!((attributes.weights, attributes.mode), ([1, 1], ProtectionMode::Steer));
        }
    }
}

/// Quiet rings are quiet: the frames of one second are those of the slow timers and the keepalives.
#[test]
fn timers_are_slow_when_nothing_happens() {
    let mut ring = Ring::unknown(16, &params());
    ring.run_for(Span::from_millis(3_000));
    let before = ring.frames_sent();
    ring.run_for(Span::from_millis(10_000));
    let (stations, seconds) = (16, 10);
    let broadcasts = 2 * stations * stations; // topology or attributes, both ringlets, once around
    let checksums = 2 * stations;
    let keepalives = 2 * stations * 1_000;
    let due = seconds * (2 * broadcasts + checksums + keepalives);
    let sent = ring.frames_sent() - before;
    assert!(sent.abs_diff(due) <= due / 50, "{sent} frames where {due} are due");
}
