//! Bad questions get one clear error each, and bad answers a clear verdict.

use crate::common::{GREEDY, tandem};
use fairwire_alloc::{AllocError, Arrays, Criterion, LiveProblem, MaxMin, Problem, check, solve, solve_rates};

/// Applies a change to a good problem and returns the error it meets with.
fn error_after(change: impl FnOnce(&mut Problem)) -> String {
    let mut problem = tandem(3, &[(1, 3), (2, 3)]);
    change(&mut problem);
    let error = problem.validate().expect_err("refused");
    for criterion in Criterion::ALL {
        assert_eq!(solve(&problem, criterion).expect_err("refused"), error);
        assert_eq!(solve_rates(&problem, criterion).expect_err("refused"), error);
        let verdict = check(&problem, criterion, &[0.5, 0.5], 1e-9).expect_err("refused");
        assert_eq!(verdict.to_string(), error.to_string());
    }
    error.to_string()
}

#[test]
fn every_kind_of_bad_problem_is_refused_in_words() {
    assert_eq!(error_after(|p| p.ingress_weights.truncate(2)), "3 nodes but 2 ingress weights; give one weight a node");
    for bad in [0.0, -1.0, GREEDY] {
        let said = error_after(|p| p.links[1].capacity_bps = bad);
        assert!(said.starts_with("link link 2: the capacity must be a positive number"), "{said}");
    }
    let said = error_after(|p| p.links[0].capacity_bps = 2f64.powi(53));
    assert_eq!(said, "link link 1: 9.007199254740992e15 b/s is too large; rates must stay below 2^53 b/s");
    let said = error_after(|p| p.flows[1].demand_bps = 2f64.powi(60));
    assert!(said.starts_with("flow (2,3): 1.15"), "{said}");
    assert_eq!(
        error_after(|p| p.ingress_weights[1] = 0.0),
        "node 2: the ingress weight must be a number from 0.000001 to 1000000, not 0.0"
    );
    assert_eq!(
        error_after(|p| p.flows[1].weight = -2.0),
        "flow (2,3): the weight must be a number from 0.000001 to 1000000, not -2.0"
    );
    assert_eq!(
        error_after(|p| p.flows[1].demand_bps = -1.0),
        "flow (2,3): the demand must be zero or more bit/s (infinite for a greedy flow), not -1"
    );
    assert_eq!(
        error_after(|p| p.flows[0].route.clear()),
        "flow (1,3): the route is empty; a flow must cross at least one link"
    );
    assert_eq!(
        error_after(|p| p.flows[0].route.push(7)),
        "flow (1,3): the route uses link index 7, but there are only 2 links"
    );
    assert_eq!(error_after(|p| p.flows[0].route.push(0)), "flow (1,3): the route crosses link link 1 more than once");
    assert_eq!(
        error_after(|p| p.flows[0].egress = 3),
        "flow (1,3): egress is node index 3, but there are only 3 nodes"
    );
    assert_eq!(
        error_after(|p| p.flows[0].ingress = 9),
        "flow (1,3): ingress is node index 9, but there are only 3 nodes"
    );
}

#[test]
fn what_there_is_one_of_is_told_in_the_singular() {
    let mut problem = tandem(2, &[(1, 2)]);
    problem.flows[0].route = vec![3];
    assert_eq!(
        problem.validate().expect_err("refused").to_string(),
        "flow (1,2): the route uses link index 3, but there is only 1 link"
    );
    problem.nodes.truncate(1);
    assert_eq!(
        problem.validate().expect_err("refused").to_string(),
        "1 node but 2 ingress weights; give one weight a node"
    );
    let problem = tandem(2, &[(1, 2)]);
    let verdict = check(&problem, Criterion::MaxMin, &[], 1e-9).expect_err("refused");
    assert_eq!(verdict.to_string(), "0 rates for 1 flow");
}

#[test]
fn demands_and_capacities_that_are_not_numbers_are_refused() {
    let mut problem = tandem(3, &[(1, 3)]);
    problem.flows[0].demand_bps = f64::NAN;
    assert!(matches!(problem.validate(), Err(AllocError::Demand { .. })));
    problem.links[0].capacity_bps = f64::NAN;
    assert!(matches!(problem.validate(), Err(AllocError::Capacity { .. })));
}

#[test]
fn nothing_to_share_is_no_error() {
    for criterion in Criterion::ALL {
        let nobody = solve(&tandem(3, &[]), criterion).expect("solvable");
        assert!(nobody.flows.is_empty());
        assert_eq!(nobody.links.len(), 2);
        let nothing = solve(&Problem::default(), criterion).expect("solvable");
        assert!(nothing.links.is_empty());
    }
}

#[test]
fn bad_rates_get_a_verdict_with_flow_and_link() {
    let lot = tandem(3, &[(1, 3), (2, 3)]);
    let verdict = |rates: &[f64]| check(&lot, Criterion::Rias, rates, 1e-9).expect_err("not fair").to_string();
    assert_eq!(verdict(&[0.5]), "1 rate for 2 flows");
    assert_eq!(verdict(&[0.5, f64::NAN]), "flow (2,3): NaN b/s is not a rate");
    assert_eq!(verdict(&[-0.5, 0.5]), "flow (1,3): -0.5 b/s is not a rate");
    assert_eq!(verdict(&[0.5, 0.75]), "link link 2 carries 1.25 b/s, more than its capacity of 1 b/s");
    assert_eq!(
        verdict(&[0.25, 0.75]),
        "flow (1,3) has 0.25 b/s, less than its demand, and no link holds it: \
         link link 1 has 0.75 b/s to spare; \
         on link link 2 ingress 2 holds more (0.75 b/s against 0.25 b/s per unit of weight)"
    );
    assert!(check(&lot, Criterion::Rias, &[0.5, 0.5], f64::NAN).is_err());
}

#[test]
fn criteria_are_named_in_kebab_case() {
    for criterion in Criterion::ALL {
        assert_eq!(criterion.to_string().parse::<Criterion>(), Ok(criterion));
    }
    assert_eq!("rias-iterative".parse::<Criterion>(), Ok(Criterion::RiasIterative));
    let error = "fairest".parse::<Criterion>().expect_err("unknown");
    assert!(error.to_string().starts_with("unknown criterion fairest; choose one of rias, "));
}

/// Problems, flat arrays and live problems say the same of a weight out of range.
#[test]
fn a_weight_out_of_range_is_told_alike_everywhere() {
    for weight in [0.0, 5e-324, 9.9e-7, 1.1e6, 1e300, 1e308, GREEDY, -1.0] {
        let mut problem = tandem(3, &[(1, 3), (2, 3)]);
        problem.flows[1].weight = weight;
        problem.flows[1].id = "1".to_owned();
        let said = format!("flow 1: the weight must be a number from 0.000001 to 1000000, not {weight:?}");
        let of_problem = solve(&problem, Criterion::WeightedMaxMin).expect_err("refused");
        assert_eq!(of_problem.to_string(), said);

        let arrays = Arrays {
            capacities_bps: &[1.0, 1.0],
            route_starts: &[0, 2, 3],
            route_links: &[0, 1, 1],
            weights: &[1.0, weight],
            ..Arrays::default()
        };
        assert_eq!(MaxMin::default().solve(&arrays).expect_err("refused").to_string(), said);
        assert_eq!(LiveProblem::from_arrays(&arrays).expect_err("refused").to_string(), said);

        let good = Arrays { weights: &[], ..arrays };
        let mut live = LiveProblem::from_arrays(&good).expect("good");
        assert_eq!(live.set_weight(1, weight).expect_err("refused").to_string(), said);
    }
}
