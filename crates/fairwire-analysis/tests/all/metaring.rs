//! The SAT rule on random rings.

use fairwire_analysis::metaring::MetaRing;
use proptest::prelude::*;

#[test]
fn stations_alone_get_exactly_their_quota() {
    let mut ring = MetaRing::new(4, 2, 3).expect("a fine ring");
    ring.enqueue(1, 3, 100);
    let releases: Vec<u64> = (0..60)
        .filter_map(|_| ring.step())
        .filter(|release| release.station == 1)
        .map(|release| release.sent)
        .collect();
    assert!(releases.len() > 5 && releases[1..].iter().all(|&sent| sent == 3), "{releases:?}");
}

#[test]
fn a_station_that_others_starve_holds_sat() {
    let mut ring = MetaRing::new(3, 2, 50).expect("a fine ring");
    ring.enqueue(0, 2, 40);
    for _ in 0..20 {
        ring.step();
    }
    ring.enqueue(1, 2, 4);
    let held: Vec<_> =
        (0..80).filter_map(|_| ring.step()).filter(|release| release.station == 1 && release.held_slots > 0).collect();
    assert!(held.iter().any(|release| release.sent >= 2), "{held:?}");
}

#[test]
fn quotas_that_make_no_sense_are_refused() {
    assert!(MetaRing::new(1, 1, 1).is_err());
    assert!(MetaRing::new(3, 2, 1).is_err());
    assert!(MetaRing::new(3, 0, 0).is_err());
}

proptest! {
    #[test]
    fn every_rotation_grants_between_l_or_all_and_k(
        stations in 2..9usize,
        (at_least, at_most) in (1..6u64).prop_flat_map(|at_most| (0..=at_most, Just(at_most))),
        work in prop::collection::vec((0..9usize, 1..9usize, 0..40usize, 0..60usize), 0..30),
    ) {
        let mut ring = MetaRing::new(stations, at_least, at_most).unwrap();
        let (mut releases, mut given) = (0, 0);
        for (station, ahead, packets, steps) in work {
            let (station, ahead) = (station % stations, 1 + ahead % (stations - 1));
            ring.enqueue(station, (station + ahead) % stations, packets);
            given += packets as u64;
            for _ in 0..steps {
                if let Some(release) = ring.step() {
                    releases += 1;
                    prop_assert!(release.sent <= at_most);
                    prop_assert!(release.sent >= at_least.min(release.backlog_before), "{release:?}");
                }
            }
        }
        for _ in 0..20_000 {
            releases += u64::from(ring.step().is_some());
        }
        let received: u64 = (0..stations).map(|station| ring.received(station)).sum();
        prop_assert_eq!(received, given);
        prop_assert!(releases > 0);
    }
}
