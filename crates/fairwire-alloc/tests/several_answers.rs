//! Problems with more than one RIAS-fair matrix.

mod common;

use common::{assert_close, rates, tandem};
use fairwire_alloc::{Criterion, Problem, Uniqueness, check, solve};

/// Ten greedy flows on eight nodes: the flows of ingress 2 have b, those of
/// ingresses 1 and 4 have 1/3 − b, the last two 1/3; fair for b in
/// [2/15, 1/6].
fn continuum() -> Problem {
    tandem(8, &[(1, 3), (1, 4), (1, 5), (2, 5), (2, 6), (2, 7), (4, 6), (4, 8), (5, 8), (6, 8)])
}

fn member(b: f64) -> [f64; 10] {
    let a = 1.0 / 3.0 - b;
    let third = 1.0 / 3.0;
    [a, a, a, b, b, b, a, a, third, third]
}

#[test]
fn the_checker_accepts_the_whole_continuum_and_nothing_beyond() {
    for b in [2.0 / 15.0, 0.14, 0.15, 0.16, 1.0 / 6.0] {
        check(&continuum(), Criterion::Rias, &member(b), 1e-12).expect("a member");
    }
    for b in [2.0 / 15.0 - 1e-6, 0.1, 1.0 / 6.0 + 1e-6, 0.2] {
        check(&continuum(), Criterion::Rias, &member(b), 1e-9).expect_err("not a member");
    }
}

#[test]
fn the_continuum_is_found_with_its_intervals_and_its_leximin_member() {
    let fair = solve(&continuum(), Criterion::Rias).expect("solvable");
    assert_eq!(fair.unique, Uniqueness::No);
    assert_close(&rates(&fair), &member(1.0 / 6.0), 1e-13);
    let low: Vec<f64> = fair.flows.iter().map(|flow| flow.low_bps).collect();
    let high: Vec<f64> = fair.flows.iter().map(|flow| flow.high_bps).collect();
    let (b_low, b_high) = (member(2.0 / 15.0), member(1.0 / 6.0));
    for flow in 0..10 {
        assert!((low[flow] - b_low[flow].min(b_high[flow])).abs() < 1e-12, "{flow}: {low:?}");
        assert!((high[flow] - b_low[flow].max(b_high[flow])).abs() < 1e-12, "{flow}: {high:?}");
    }
}

#[test]
fn the_continuum_scales_with_the_capacity() {
    let mut scaled = continuum();
    scaled.links.iter_mut().for_each(|link| link.capacity_bps = 622e6);
    let fair = solve(&scaled, Criterion::Rias).expect("solvable");
    assert_eq!(fair.unique, Uniqueness::No);
    assert_close(&rates(&fair), &member(1.0 / 6.0).map(|rate| rate * 622e6), 1e-4);
    assert!((fair.flows[3].low_bps - 622e6 * 2.0 / 15.0).abs() < 1e-3);
}
