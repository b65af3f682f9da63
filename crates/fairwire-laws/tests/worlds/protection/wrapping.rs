//! The two stations at a cut loop traffic, if all stations can.

use crate::protection::ring::{Ring, address};
use crate::protection::{SETTLING, params};
use fairwire_core::{Ringlet, Span};
use fairwire_laws::protection::{Action, Params, ProtectionMode, Side};

fn wrapping() -> Params {
    Params { mode: ProtectionMode::Wrap, ..params() }
}

fn wraps(ring: &Ring) -> Vec<(usize, Side, bool)> {
    let wrap = |(_, station, action): &_| match *action {
        Action::Wrap { side, on } => Some((*station, side, on)),
        _ => None,
    };
    let mut wraps: Vec<_> = ring.deeds.iter().filter_map(wrap).collect();
    wraps.sort();
    wraps
}

#[test]
fn both_ends_of_a_cut_wrap_and_sources_stay_as_they_were() {
    let mut ring = Ring::settled(8, &wrapping());
    ring.run_for(Span::from_millis(1_500));
    ring.set_span(3, false);
    let at = ring.now;
    ring.run_for(ring.params.keepalive_timeout + ring.delay);
    assert_eq!(wraps(&ring), [(3, Side::East, true), (4, Side::West, true)], "{} after the cut", ring.now.since(at));
    ring.run_for(SETTLING);
    for (from, machine) in ring.live() {
        for to in (0..8).filter(|to| *to != from) {
            for preferred in Ringlet::BOTH {
                assert_eq!(machine.ringlet_for(address(to), preferred), Some(preferred));
            }
        }
        assert_eq!(machine.report().wrapped, [from == 4, from == 3]);
    }
    ring.set_span(3, true);
    ring.run_for(ring.params.wait_to_restore + SETTLING);
    let all = [(3, Side::East, false), (3, Side::East, true), (4, Side::West, false), (4, Side::West, true)];
    assert_eq!(wraps(&ring), all);
    ring.assert_whole();
}

#[test]
fn nothing_reaches_a_lost_station_by_wrapping() {
    let mut ring = Ring::settled(8, &wrapping());
    ring.run_for(Span::from_millis(1_500));
    ring.switch_off(5);
    ring.run_for(SETTLING);
    assert_eq!(wraps(&ring), [(4, Side::East, true), (6, Side::West, true)]);
    let reachable = |to: usize| ring.machine(1).ringlet_for(address(to), Ringlet::Zero).is_some();
    assert_eq!((0..8).filter(|to| !reachable(*to)).collect::<Vec<_>>(), [5]);
}

#[test]
fn one_station_that_only_steers_makes_all_steer() {
    let mut ring = Ring::settled(6, &wrapping());
    ring.run_for(Span::from_millis(20));
    ring.switch_off(2);
    ring.run_for(SETTLING);
    ring.switch_on_with(2, &params());
    ring.run_for(Span::from_millis(2_500));
    ring.assert_whole();
    ring.deeds.clear();
    for (station, machine) in ring.live() {
        assert_eq!(machine.mode(), ProtectionMode::Steer, "station {station}");
    }
    ring.set_span(4, false);
    ring.run_for(SETTLING);
    assert_eq!(wraps(&ring), []);
    assert_eq!(ring.machine(3).ringlet_for(address(5), Ringlet::Zero), Some(Ringlet::One));
}
