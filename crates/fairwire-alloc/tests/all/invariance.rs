//! Names, order and units do not matter; exact cases of proportional fairness.

use crate::common::random::{Numbers, Random};
use crate::common::{assert_close, cases, rates, tandem};
use fairwire_alloc::{Criterion, Limit, Problem, Uniqueness, check, solve, solve_rates};

fn widest(problem: &Problem) -> f64 {
    problem.links.iter().map(|link| link.capacity_bps).fold(0.0, f64::max)
}

#[test]
fn the_order_of_flows_and_links_and_the_unit_of_rates_do_not_matter() {
    let mut random = Random::new(31);
    for case in 0..cases(10_000) {
        let problem = random.problem(if case % 2 == 0 { Numbers::Reals } else { Numbers::Integers }, 12);
        let criterion = Criterion::ALL[case as usize % Criterion::ALL.len()];
        let first = solve_rates(&problem, criterion).expect("solvable");
        if first.unique != Uniqueness::Yes {
            continue;
        }
        let shuffled = |random: &mut Random, count: usize| {
            let mut order: Vec<usize> = (0..count).collect();
            (0..count).for_each(|at| order.swap(at, random.between(at, count - 1)));
            order
        };
        let (flows, links) = (shuffled(&mut random, problem.flows.len()), shuffled(&mut random, problem.links.len()));
        let mut changed = problem.clone();
        let unit = 8.0;
        changed.flows = flows.iter().map(|&flow| problem.flows[flow].clone()).collect();
        for flow in &mut changed.flows {
            flow.demand_bps *= unit;
            flow.route.iter_mut().for_each(|link| *link = links[*link]);
        }
        for (old, &new) in links.iter().enumerate() {
            changed.links[new] = problem.links[old].clone();
            changed.links[new].capacity_bps *= unit;
        }
        let second = solve_rates(&changed, criterion).expect("solvable");
        let expected: Vec<f64> = flows.iter().map(|&flow| unit * first.rates_bps[flow]).collect();
        // The repeated construction only approaches its limit.
        let slack = if criterion == Criterion::RiasIterative { 1e-6 } else { 1e-9 };
        assert_close(&second.rates_bps, &expected, slack * widest(&changed));
    }
}

/// Kelly's line: one long flow over n unit links, one short flow on each. The
/// long one gets 1/(n+1), the short ones n/(n+1).
#[test]
fn proportional_rates_on_a_line_are_the_known_ones() {
    for hops in 1..=12usize {
        let mut flows = vec![(1, hops + 1)];
        flows.extend((1..=hops).map(|from| (from, from + 1)));
        let line = tandem(hops + 1, &flows);
        let fair = solve(&line, Criterion::Proportional).expect("solvable");
        let parts = (hops + 1) as f64;
        let mut expected = vec![hops as f64 / parts; hops + 1];
        expected[0] = 1.0 / parts;
        assert_close(&rates(&fair), &expected, 1e-12);
        let Limit::Link { why, .. } = &fair.flows[1].limited_by else { panic!("held by a link") };
        assert!(why.contains("no other link of its route costs anything"), "{why}");
    }
}

/// Where only one link is full, shares are by weight, and demands are met
/// first: water-filling.
#[test]
fn proportional_equals_weighted_max_min_on_a_single_link() {
    let mut random = Random::new(32);
    for _ in 0..cases(2000) {
        let mut problem = random.tandem(Numbers::Reals, 10);
        problem.links.truncate(1);
        for flow in &mut problem.flows {
            flow.route = vec![0];
        }
        let proportional = solve_rates(&problem, Criterion::Proportional).expect("solvable");
        let max_min = solve_rates(&problem, Criterion::WeightedMaxMin).expect("solvable");
        assert_close(&proportional.rates_bps, &max_min.rates_bps, 1e-10 * widest(&problem));
    }
}

/// Flows that weigh a millionth of others are held to as much.
#[test]
fn proportional_rates_pass_the_check_where_weights_are_a_million_apart() {
    let mut random = Random::new(33);
    for _ in 0..cases(2000) {
        let mut problem = random.problem(Numbers::Reals, 10);
        for flow in &mut problem.flows {
            flow.weight = if random.chance(0.5) { 1.0 } else { 1e6 };
        }
        let rates = solve_rates(&problem, Criterion::Proportional).expect("solvable").rates_bps;
        check(&problem, Criterion::Proportional, &rates, 1e-9).expect("proportionally fair");
    }
}

/// The four-flow parking lot: only the last link is full, so the rates with
/// the largest sum of logarithms are equal, and not those by hops.
#[test]
fn the_parking_lot_is_shared_evenly_under_proportional_fairness() {
    let lot = tandem(5, &[(1, 5), (2, 5), (3, 5), (4, 5)]);
    assert_close(&rates(&solve(&lot, Criterion::Proportional).expect("solvable")), &[0.25; 4], 1e-13);
    let by_hops = solve(&lot, Criterion::InverseHop).expect("solvable");
    assert_close(&rates(&by_hops), &[0.12, 0.16, 0.24, 0.48], 1e-12);
    assert!(check(&lot, Criterion::Proportional, &rates(&by_hops), 1e-9).is_err());
}
