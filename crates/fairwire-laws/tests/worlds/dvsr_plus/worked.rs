//! Rings whose fair rates can be worked out by hand.

use super::fluid_ring::{FluidPlan, FluidRing};

/// Ingress and egress.
type Pair = (u16, u16);

/// The rates after so many laps, as parts of 1 Gb/s.
fn after(plan: FluidPlan, laps: usize) -> Vec<f64> {
    let mut ring = FluidRing::new(plan);
    (0..laps).for_each(|_| ring.lap());
    ring.rates_bps().iter().map(|bps| bps / 1e9).collect()
}

fn assert_close(got: &[f64], due: &[f64]) {
    assert!(got.iter().zip(due).all(|(got, due)| (got - due).abs() < 1e-3), "{got:?} where {due:?} is due");
}

#[test]
fn the_papers_examples() {
    let cases: [(&[Pair], &[f64], usize); 6] = [
        (&[(1, 5), (2, 5), (3, 5), (4, 5)], &[0.25; 4], 4),
        (&[(1, 2), (1, 5), (2, 5), (3, 5), (4, 5)], &[0.75, 0.25, 0.25, 0.25, 0.25], 5),
        (&[(1, 3), (2, 6), (3, 6), (4, 6), (5, 6)], &[0.75, 0.25, 0.25, 0.25, 0.25], 5),
        (&[(1, 5), (2, 5), (3, 5), (4, 5), (4, 6)], &[0.25, 0.25, 0.25, 0.125, 0.125], 5),
        (&[(1, 2), (1, 3), (1, 4), (1, 5), (2, 5), (4, 5)], &[0.4, 0.2, 0.2, 0.2, 0.4, 0.4], 20),
        (&[(1, 3), (1, 4), (2, 4), (3, 4)], &[1.0 / 3.0; 4], 8),
    ];
    for (pairs, due, laps) in cases {
        assert_close(&after(FluidPlan::of_pairs(10, pairs), laps), due);
    }
}

#[test]
fn weights_share_what_minima_leave() {
    let mut plan = FluidPlan::of_pairs(10, &[(1, 5), (2, 5), (3, 5), (4, 5)]);
    plan.weights[2] = 3.0;
    plan.minima_bps[3] = 400_000_000;
    assert_close(&after(plan.clone(), 12), &[0.1, 0.3, 0.5, 0.1]);
    // Whoever does not use his minimum leaves it to the others.
    plan.flows[2].demand_bps = 100e6;
    assert_close(&after(plan.clone(), 20), &[0.18, 0.54, 0.1, 0.18]);
    // A minimum on links where nobody else is costs nothing.
    plan.minima_bps[9] = 1_000_000_000;
    assert_close(&after(plan, 20), &[0.18, 0.54, 0.1, 0.18]);
}

/// Promises of 1.2 on a link of 1: everybody goes short by the same amount.
#[test]
fn minima_that_do_not_fit_are_all_cut_alike() {
    let mut plan = FluidPlan::of_pairs(6, &[(1, 4), (2, 4), (3, 4)]);
    plan.minima_bps[1] = 700_000_000;
    plan.minima_bps[2] = 500_000_000;
    assert_close(&after(plan, 30), &[0.6, 0.4, 0.0]);
}

#[test]
fn unequal_links() {
    let mut plan = FluidPlan::of_pairs(8, &[(0, 1), (0, 3), (1, 3), (2, 3)]);
    plan.capacities_bps[0] = 300_000_000;
    plan.capacities_bps[2] = 600_000_000;
    assert_close(&after(plan.clone(), 20), &[0.15, 0.15, 0.225, 0.225]);
    plan.capacities_bps[0] = 2_000_000_000;
    assert_close(&after(plan, 20), &[1.8, 0.2, 0.2, 0.2]);
}

/// A station that another link holds at a little less than the last one grants: what it leaves there belongs to the
/// others alone, however much it weighs or is promised.
#[test]
fn what_a_station_held_elsewhere_leaves_goes_to_the_others() {
    let held_at = |mbps: u64| {
        let mut plan = FluidPlan::of_pairs(8, &[(1, 4), (3, 4)]);
        plan.capacities_bps[1] = mbps * 1_000_000;
        plan
    };
    assert_close(&after(held_at(486), 20), &[0.486, 0.514]);
    let mut heavy = held_at(876);
    heavy.weights[1] = 9.0;
    assert_close(&after(heavy, 20), &[0.876, 0.124]);
    let mut promised = held_at(876);
    promised.minima_bps[1] = 800_000_000;
    assert_close(&after(promised, 20), &[0.876, 0.124]);
}

#[test]
fn flows_that_come_and_go_are_followed_within_a_few_laps() {
    let mut ring = FluidRing::new(FluidPlan::of_pairs(10, &[(1, 5), (2, 5), (3, 5), (4, 5)]));
    (0..4).for_each(|_| ring.lap());
    for (flow, demand, due) in [
        (1, 0.0, [1.0 / 3.0, 0.0, 1.0 / 3.0, 1.0 / 3.0]),
        (3, 50e6, [0.475, 0.0, 0.475, 0.05]),
        (1, f64::INFINITY, [0.95 / 3.0, 0.95 / 3.0, 0.95 / 3.0, 0.05]),
    ] {
        ring.set_demand(flow, demand);
        (0..12).for_each(|_| ring.lap());
        let got: Vec<f64> = ring.rates_bps().iter().map(|bps| bps / 1e9).collect();
        assert!(got.iter().zip(&due).all(|(got, due)| (got - due).abs() < 1e-2), "{got:?} where {due:?} is due");
    }
}
