//! Ledgers that get lost, come twice, or come after they were given up.

use super::fluid_ring::{FluidPlan, FluidRing};
use fairwire_laws::WireMessage;
use fairwire_laws::ring::dvsr_plus::Frame;

/// Rings at rest.
fn settled() -> Vec<FluidRing> {
    let plans = [
        FluidPlan::of_pairs(10, &[(1, 5), (2, 5), (3, 5), (4, 5)]),
        FluidPlan::of_pairs(10, &[(1, 2), (1, 5), (2, 5), (3, 5), (4, 5)]),
        FluidPlan::of_pairs(8, &[(6, 1), (7, 1), (0, 1), (0, 2), (3, 6)]),
        {
            let mut plan = FluidPlan::of_pairs(10, &[(1, 5), (2, 5), (3, 5), (4, 5)]);
            plan.weights[2] = 3.0;
            plan.minima_bps[3] = 400_000_000;
            plan.flows[2].demand_bps = 100e6;
            plan
        },
    ];
    plans
        .into_iter()
        .map(|plan| {
            let mut ring = FluidRing::new(plan);
            (0..100).for_each(|_| ring.lap());
            ring
        })
        .collect()
}

/// Room and weight of those held, link by link.
fn entries(ring: &FluidRing) -> Vec<(i32, u32)> {
    let ledger = Frame::parse(ring.frame().to_vec()).unwrap();
    (0..ledger.stations()).map(|link| (ledger.room(link), ledger.held(link))).collect()
}

#[test]
fn after_a_lap_the_new_ledger_tells_what_the_lost_one_told() {
    for mut ring in settled() {
        for hops in 0..2 * ring.plan.weights.len() {
            (0..hops).for_each(|_| ring.hop());
            let (before, rates) = (entries(&ring), ring.rates_bps());
            ring.lose_frame();
            let empty = entries(&ring);
            assert_ne!(empty, before, "it is a new one");
            for _ in 0..ring.plan.weights.len() {
                assert_eq!(ring.rates_bps(), rates, "limits stand");
                ring.hop();
            }
            assert_eq!(entries(&ring), before);
            ring.lap();
            let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-3 * b;
            assert!(ring.rates_bps().iter().zip(&rates).all(near), "{:?} after {rates:?}", ring.rates_bps());
        }
    }
}

#[test]
fn a_new_ledger_that_is_lost_on_its_first_lap_costs_nothing_but_time() {
    for mut ring in settled() {
        let (before, rates) = (entries(&ring), ring.rates_bps());
        // A station that misses eight frames in a row takes the next ones for old.
        for hops in 0..6 {
            ring.lose_frame();
            (0..hops).for_each(|_| ring.hop());
        }
        assert_eq!(ring.rates_bps(), rates);
        ring.lose_frame();
        ring.lap();
        assert_eq!(entries(&ring), before);
    }
}

#[test]
fn copies_and_ledgers_that_were_given_up_are_dropped() {
    for mut ring in settled() {
        let stations = ring.plan.weights.len();
        let mut old = Vec::new();
        for hop in 0..3 * stations {
            let taken = ring.frame().to_vec();
            ring.hop();
            let holder = ring.holder();
            assert!(!ring.hand_over(holder, &taken), "a copy, at station {holder}");
            if hop == stations + 2 {
                old = taken;
                ring.lose_frame();
            } else if !old.is_empty() && hop > 2 * stations + 2 {
                assert!(!ring.hand_over(holder, &old), "given up, at station {holder}");
            }
        }
    }
}
