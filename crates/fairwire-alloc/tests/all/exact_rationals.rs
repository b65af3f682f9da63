//! Rates of problems made of small integers, against rational arithmetic.

use crate::common::random::{Numbers, Random};
use crate::common::{rates, rational};
use fairwire_alloc::{Criterion, Problem, Uniqueness, solve};

#[test]
fn max_min_criteria_equal_the_rational_water_filling() {
    let mut random = Random::new(11);
    for _ in 0..1500 {
        let problem = random.problem(Numbers::Integers, 9);
        let ones = vec![rational::exact(1.0); problem.flows.len()];
        let weights: Vec<_> = problem.flows.iter().map(|flow| rational::exact(flow.weight)).collect();
        compare(&problem, Criterion::MaxMin, &rational::max_min(&problem, &ones));
        compare(&problem, Criterion::WeightedMaxMin, &rational::max_min(&problem, &weights));
        let inverse_hops = rational::inverse_hops(&problem);
        compare(&problem, Criterion::InverseHop, &rational::max_min(&problem, &inverse_hops));
        compare(&problem, Criterion::IngressEgress, &rational::ingress_egress(&problem));
    }
}

fn compare(problem: &Problem, criterion: Criterion, expected: &[rational::BigRational]) {
    let fair = solve(problem, criterion).expect("solvable");
    rational::assert_equal(&rates(&fair), expected, problem);
}

/// The conditions that hold with equality at the answer determine it, the
/// rational solution is RIAS fair without any tolerance, and the floats are
/// that solution. With a unique answer nothing may be left undetermined.
#[test]
fn rias_equals_the_rational_solution_and_that_is_fair() {
    let mut random = Random::new(12);
    let mut several = 0;
    for case in 0..2000 {
        let problem = random.problem(Numbers::Integers, 8);
        let fair = solve(&problem, Criterion::Rias).expect("solvable");
        let exact = rational::rias(&problem, &rates(&fair));
        several += u32::from(fair.unique == Uniqueness::No);
        let Some(exact) = exact else {
            assert_eq!(fair.unique, Uniqueness::No, "case {case} is undetermined\n{problem:?}");
            continue;
        };
        assert_eq!(rational::rias_objection(&problem, &exact), None, "case {case}\n{problem:?}");
        rational::assert_equal(&rates(&fair), &exact, &problem);
    }
    println!("{several} problems with several answers");
}
