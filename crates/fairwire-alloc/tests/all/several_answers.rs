//! Problems with more than one RIAS-fair matrix.

use crate::common::random::Random;
use crate::common::{GREEDY, assert_close, rates, tandem, tandem_with_demands};
use fairwire_alloc::{Allocation, Criterion, Problem, Uniqueness, check, solve};

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

/// Four flows on four nodes: links 2 and 3 both carry a, b and one flow of d.
/// On link 2 ingress 1 holds a + d against b, on link 3 it holds a: with
/// a + b = 1 − d everything between b = a and b = a + d is fair.
#[test]
fn finite_demands_admit_several_answers_on_four_nodes() {
    let d = 0.125;
    let flows = [(1, 4, GREEDY), (2, 4, GREEDY), (1, 3, d), (3, 4, d)];
    let problem = tandem_with_demands(4, &flows);
    for b in [7.0 / 16.0, 0.46, 0.5] {
        check(&problem, Criterion::Rias, &[1.0 - d - b, b, d, d], 1e-12).expect("a member");
    }
    for b in [7.0 / 16.0 - 1e-6, 0.5 + 1e-6] {
        check(&problem, Criterion::Rias, &[1.0 - d - b, b, d, d], 1e-9).expect_err("none");
    }
    let fair = solve(&problem, Criterion::Rias).expect("solvable");
    assert_eq!(fair.unique, Uniqueness::No);
    assert_close(&rates(&fair), &[7.0 / 16.0, 7.0 / 16.0, d, d], 1e-13);
    assert_close(&lows(&fair), &[0.375, 7.0 / 16.0, d, d], 1e-12);
    assert_close(&highs(&fair), &[7.0 / 16.0, 0.5, d, d], 1e-12);
}

/// Found by a scan of random five-node tandems with demands in 24ths.
#[test]
fn finite_demands_admit_several_answers_on_five_nodes() {
    let problem = tandem_with_demands(
        5,
        &[(2, 5, GREEDY), (1, 3, GREEDY), (3, 4, 1.0 / 24.0), (1, 5, 0.25), (4, 5, 1.0 / 24.0), (3, 5, 11.0 / 24.0)],
    );
    let fair = solve(&problem, Criterion::Rias).expect("solvable");
    assert_eq!(fair.unique, Uniqueness::No);
    let in_48ths = |numbers: [f64; 6]| numbers.map(|number| number / 48.0);
    assert_close(&rates(&fair), &in_48ths([17.0, 19.0, 2.0, 12.0, 2.0, 17.0]), 1e-13);
    assert_close(&lows(&fair), &in_48ths([17.0, 18.0, 2.0, 12.0, 2.0, 16.0]), 1e-12);
    assert_close(&highs(&fair), &in_48ths([18.0, 19.0, 2.0, 12.0, 2.0, 17.0]), 1e-12);
    for x in [17.0, 17.5, 18.0] {
        let member = in_48ths([x, 36.0 - x, 2.0, 12.0, 2.0, 34.0 - x]);
        check(&problem, Criterion::Rias, &member, 1e-12).expect("a member");
    }
}

/// Bounds cannot meet here, yet there is one answer only: with d of the same
/// size everywhere the interval of the case above shrinks with d to a point.
#[test]
fn a_vanishing_demand_leaves_one_answer() {
    let flows = [(1, 4, GREEDY), (2, 4, GREEDY), (1, 3, 0.0), (3, 4, 0.0)];
    let fair = solve(&tandem_with_demands(4, &flows), Criterion::Rias).expect("solvable");
    assert_eq!(fair.unique, Uniqueness::Yes);
    assert_close(&rates(&fair), &[0.5, 0.5, 0.0, 0.0], 1e-14);
}

/// Were the two demands equal, a whole interval would be fair, as above. A little more or less on the first link, and one of its
/// ends alone is.
#[test]
fn demands_that_are_nearly_alike_leave_one_answer() {
    for off in [1.5e-9, 2e-9, 5e-9, 1e-8, 1.2e-8, 1e-7, 1e-3] {
        for (demand, wanted) in [(0.25 + off, [0.25, 0.5]), (0.25 - off, [0.375, 0.375])] {
            let problem = tandem_with_demands(4, &[(1, 4, GREEDY), (1, 3, demand), (2, 4, GREEDY), (3, 4, 0.25)]);
            let fair = solve(&problem, Criterion::Rias).unwrap_or_else(|error| panic!("{demand}: {error}"));
            let found = rates(&fair);
            check(&problem, Criterion::Rias, &found, 1e-11).expect("fair");
            assert_close(&[found[0], found[2]], &wanted, 2.0 * off + 1e-12);
            assert_eq!(fair.unique, Uniqueness::Yes, "{demand}");
        }
    }
}

/// Every fair matrix found by chance lies in the interval, and the ends of
/// each interval of a problem with several answers are fair themselves.
#[test]
fn random_problems_with_several_answers_have_fair_ends() {
    let mut random = Random::new(21);
    let mut several = 0;
    for _ in 0..20_000 {
        let nodes = random.between(4, 7);
        let mut flows = Vec::new();
        for _ in 0..random.between(3, 8) {
            let from = random.between(1, nodes - 1);
            let to = random.between(from + 1, nodes);
            let finite = random.chance(0.5);
            flows.push((from, to, if finite { random.between(1, 12) as f64 / 24.0 } else { GREEDY }));
        }
        let problem = tandem_with_demands(nodes, &flows);
        let fair = solve(&problem, Criterion::Rias).expect("solvable");
        assert_ne!(fair.unique, Uniqueness::NotDecided, "{problem:?}");
        check(&problem, Criterion::Rias, &rates(&fair), 1e-11).expect("fair");
        if fair.unique == Uniqueness::No {
            several += 1;
            // With one degree of freedom the two ends of the line are the
            // reference and its mirror image in the interval.
            let other: Vec<f64> = fair.flows.iter().map(|flow| flow.low_bps + flow.high_bps - flow.rate_bps).collect();
            let widths: Vec<f64> = fair.flows.iter().map(|flow| flow.high_bps - flow.low_bps).collect();
            let widest = widths.iter().copied().fold(0.0, f64::max);
            let at_an_end = fair
                .flows
                .iter()
                .all(|flow| flow.rate_bps - flow.low_bps < 1e-9 || flow.high_bps - flow.rate_bps < 1e-9);
            if at_an_end && widths.iter().all(|&width| width < 1e-9 || widest - width < 1e-9) {
                check(&problem, Criterion::Rias, &other, 1e-9).expect("the other end");
            }
        }
    }
    assert!(several > 5, "only {several} problems with several answers");
}

fn lows(allocation: &Allocation) -> Vec<f64> {
    allocation.flows.iter().map(|flow| flow.low_bps).collect()
}

fn highs(allocation: &Allocation) -> Vec<f64> {
    allocation.flows.iter().map(|flow| flow.high_bps).collect()
}
