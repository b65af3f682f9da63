//! What must hold on every problem, tried on thousands of random ones.

use crate::common::random::{Numbers, Random};
use crate::common::{cases, rates};
use fairwire_alloc::{Allocation, Criterion, Flow, Limit, Problem, Uniqueness, check, max_min_shares, solve};

#[test]
fn every_answer_passes_its_checker_and_perturbed_answers_do_not() {
    let mut random = Random::new(1);
    let mut rejected = 0;
    for case in 0..cases(10_000) {
        let numbers = if case % 2 == 0 { Numbers::Reals } else { Numbers::Integers };
        let problem = random.problem(numbers, if case % 10 == 0 { 60 } else { 14 });
        for criterion in Criterion::ALL {
            let fair = solve(&problem, criterion)
                .unwrap_or_else(|error| panic!("case {case}, {criterion}: {error}\n{problem:?}"));
            check(&problem, criterion, &rates(&fair), 1e-9)
                .unwrap_or_else(|error| panic!("case {case}, {criterion}: {error}\n{problem:?}"));
            limits_are_true(&problem, &fair);
            if fair.unique == Uniqueness::Yes {
                rejected += perturbed_is_rejected(&problem, &fair, &mut random);
            }
        }
    }
    assert!(rejected > 10 * cases(10_000), "only {rejected} perturbations could be tried");
}

/// A limit says what the rates say: demands are met, links are full, the
/// sharers add up to the load.
fn limits_are_true(problem: &Problem, fair: &Allocation) {
    for (flow, rate) in problem.flows.iter().zip(&fair.flows) {
        assert!(rate.low_bps <= rate.rate_bps && rate.rate_bps <= rate.high_bps);
        match &rate.limited_by {
            Limit::Demand => {
                assert!((rate.rate_bps - flow.demand_bps).abs() <= 1e-9 * flow.demand_bps);
            }
            Limit::Link { link, why, sharers } => {
                let capacity = problem.links[*link].capacity_bps;
                assert!(flow.route.contains(link));
                let load = fair.links[*link].load_bps;
                // The repeated construction only approaches its limit.
                let iterated = fair.criterion == Criterion::RiasIterative;
                let slack = if iterated { 1e-5 } else { 1e-9 } * capacity;
                assert!(
                    (load - capacity).abs() <= slack,
                    "{}: {rate:?} names a link with {load} on it\n{problem:?}",
                    fair.criterion
                );
                assert!(why.contains(&problem.links[*link].id));
                let sum: f64 = sharers.iter().map(|sharer| sharer.rate_bps).sum();
                assert!((sum - capacity).abs() <= slack);
            }
        }
    }
}

/// Moves, lowers and raises rates; returns how many changes were tried.
fn perturbed_is_rejected(problem: &Problem, fair: &Allocation, random: &mut Random) -> u64 {
    let flows = problem.flows.len();
    let fair_rates = rates(fair);
    let narrow = |flow: usize| {
        let route = problem.flows[flow].route.iter();
        route.map(|&link| problem.links[link].capacity_bps).fold(f64::INFINITY, f64::min)
    };
    let reject = |what: &str, perturbed: &[f64]| {
        assert!(
            check(problem, fair.criterion, perturbed, 1e-9).is_err(),
            "{} accepted {what}: {perturbed:?} beside {fair_rates:?}\n{problem:?}",
            fair.criterion
        );
    };
    let mut tried = 0;
    let (from, to) = (random.up_to(flows - 1), random.up_to(flows - 1));
    let step = 1e-3 * narrow(from).min(narrow(to));
    if fair_rates[from] > step {
        let mut lowered = fair_rates.clone();
        lowered[from] -= step;
        reject("a lowered rate", &lowered);
        tried += 1;
        if from != to {
            lowered[to] += step;
            reject("a moved rate", &lowered);
            tried += 1;
        }
    }
    let mut raised = fair_rates.clone();
    raised[to] += narrow(to);
    reject("a rate over capacity or demand", &raised);
    let mut raised = fair_rates.clone();
    raised[to] += step;
    reject("a raised rate", &raised);
    tried + 2
}

/// An iteration of our own, started anywhere, ends inside the intervals; with
/// a unique answer it ends there.
#[test]
fn other_ways_to_a_fair_matrix_end_within_the_intervals() {
    let mut random = Random::new(2);
    let (mut settled, mut several) = (0, 0);
    for case in 0..2500 {
        let numbers = if case % 2 == 0 { Numbers::Reals } else { Numbers::Integers };
        let problem = match case % 3 {
            0 => random.network(numbers, 8),
            1 => random.ring(numbers, 14),
            _ => random.tandem(numbers, 12),
        };
        let fair = solve(&problem, Criterion::Rias).expect("solvable");
        several += u32::from(fair.unique == Uniqueness::No);
        for _ in 0..3 {
            let Some(found) = wander(&problem, &mut random) else { continue };
            settled += 1;
            check(&problem, Criterion::Rias, &found, 1e-8).expect("the iteration ends fair");
            for (flow, &rate) in fair.flows.iter().zip(&found) {
                let widest = problem.links.iter().map(|l| l.capacity_bps).fold(0.0, f64::max);
                assert!(
                    flow.low_bps - 1e-7 * widest <= rate && rate <= flow.high_bps + 1e-7 * widest,
                    "case {case}: {rate} outside {flow:?}\n{problem:?}"
                );
            }
        }
    }
    assert!(settled > 6000, "only {settled} iterations settled");
    println!("{settled} iterations settled, {several} problems with several answers");
}

/// From a random start, lets flows in random order take what they are due.
fn wander(problem: &Problem, random: &mut Random) -> Option<Vec<f64>> {
    let widest = problem.links.iter().map(|link| link.capacity_bps).fold(0.0, f64::max);
    let mut current: Vec<f64> =
        problem.flows.iter().map(|flow| (widest * random.real()).min(flow.demand_bps)).collect();
    let shift = random.up_to(problem.flows.len());
    for _ in 0..3000 {
        let mut moved = 0.0_f64;
        for position in 0..current.len() {
            let flow = (position + shift) % current.len();
            let due = problem.flows[flow]
                .route
                .iter()
                .map(|&link| hierarchical_share(problem, link, flow, &current))
                .fold(problem.flows[flow].demand_bps, f64::min);
            moved = moved.max((due - current[flow]).abs() / widest);
            current[flow] = due;
        }
        if moved < 1e-13 {
            return Some(current);
        }
    }
    None
}

fn hierarchical_share(problem: &Problem, link: usize, flow: usize, rates: &[f64]) -> f64 {
    let own = problem.flows[flow].ingress;
    let mut claims = vec![0.0; problem.nodes.len()];
    let on_link = |other: &usize| problem.flows[*other].route.contains(&link);
    for other in (0..rates.len()).filter(on_link) {
        claims[problem.flows[other].ingress] += rates[other];
    }
    claims[own] = f64::INFINITY;
    // An ingress without traffic here claims nothing and so takes nothing.
    let budget = max_min_shares(problem.links[link].capacity_bps, &claims, &problem.ingress_weights)[own];
    let siblings: Vec<usize> =
        (0..rates.len()).filter(on_link).filter(|&other| problem.flows[other].ingress == own).collect();
    let claims: Vec<f64> =
        siblings.iter().map(|&other| if other == flow { f64::INFINITY } else { rates[other] }).collect();
    let weights: Vec<f64> = siblings.iter().map(|&other| problem.flows[other].weight).collect();
    let at = siblings.iter().position(|&other| other == flow).expect("the flow crosses the link");
    max_min_shares(budget, &claims, &weights)[at]
}

/// `[dvsr] §III-A`: an ingress with enough demand gets its part of each link.
#[test]
fn every_greedy_ingress_gets_its_guaranteed_part_of_its_bottleneck() {
    let mut random = Random::new(3);
    for _ in 0..1000 {
        let problem = random.tandem(Numbers::Reals, 12);
        let fair = solve(&problem, Criterion::Rias).expect("solvable");
        for (flow, rate) in problem.flows.iter().zip(&fair.flows) {
            let Limit::Link { link, sharers, .. } = &rate.limited_by else { continue };
            let own = sharers.iter().find(|s| s.name == problem.nodes[flow.ingress]);
            let own = own.expect("an ingress shares its own bottleneck");
            let weights: f64 = sharers.iter().map(|sharer| sharer.weight).sum();
            let part = problem.links[*link].capacity_bps * own.weight / weights;
            assert!(own.rate_bps >= part * (1.0 - 1e-9));
        }
    }
}

#[test]
fn the_same_problem_gives_the_same_bits() {
    let mut random = Random::new(4);
    for _ in 0..200 {
        let problem = random.problem(Numbers::Reals, 20);
        for criterion in Criterion::ALL {
            assert_eq!(solve(&problem, criterion), solve(&problem, criterion));
        }
    }
}

/// Where everybody sends to everybody the bounds stay wide open and plain
/// iteration runs in circles; an answer that passes the check is due all the
/// same.
#[test]
fn dense_rings_get_a_certified_answer() {
    let mut random = Random::new(5);
    for stations in [6, 12, 20, 28] {
        for share_with_demand in [0.0, 0.7] {
            let mut problem = random.empty_ring(stations, 622e6);
            for from in 0..stations {
                for hops in 1..=stations / 2 {
                    let demand_bps = match random.chance(share_with_demand) {
                        true => 40e6 * random.real(),
                        false => f64::INFINITY,
                    };
                    problem.flows.push(Flow {
                        id: format!("{from}+{hops}"),
                        ingress: from,
                        egress: (from + hops) % stations,
                        route: (from..from + hops).map(|link| link % stations).collect(),
                        demand_bps,
                        weight: 1.0,
                    });
                }
            }
            let fair = solve(&problem, Criterion::Rias).expect("solvable");
            check(&problem, Criterion::Rias, &rates(&fair), 1e-10).expect("fair");
            limits_are_true(&problem, &fair);
            if share_with_demand == 0.0 {
                // Everybody is in the same position: each flow has one part
                // of the ring's first links, 1 + 2 + … + n/2 flow-hops each.
                let parts = (stations / 2 * (stations / 2 + 1) / 2) as f64;
                for rate in rates(&fair) {
                    assert!((rate - 622e6 / parts).abs() < 1e-4);
                }
            }
        }
    }
}
