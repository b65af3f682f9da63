//! Problems whose numbers are far apart or just beside one another: each has its answer, and that passes its checker.

use crate::common::random::{Numbers, Random};
use crate::common::{GREEDY, cases, rates, tandem_with_demands};
use fairwire_alloc::{AllocError, Criterion, Problem, check, solve};

/// Rates of a problem, which must be found and pass the independent checker.
fn answer(problem: &Problem, criterion: Criterion) -> Vec<f64> {
    let fair = solve(problem, criterion).unwrap_or_else(|error| panic!("{criterion}: {error}\n{problem:?}"));
    check(problem, criterion, &rates(&fair), 1e-9)
        .unwrap_or_else(|error| panic!("{criterion}: {error}\n{problem:?}\n{:?}", rates(&fair)));
    rates(&fair)
}

/// Random problems, then the same with demands just beside what flows have or an even part of a link.
fn solve_all(criterion: Criterion, numbers: &[Numbers]) {
    let mut random = Random::new(31);
    for case in 0..cases(5_000) {
        let mut problem = random.problem(numbers[case as usize % numbers.len()], 12);
        let fair = answer(&problem, criterion);
        random.put_demands_at_edges(&mut problem, &fair);
        answer(&problem, criterion);
    }
}

const ALL: [Numbers; 3] = [Numbers::Wide, Numbers::Reals, Numbers::Integers];

#[test]
fn proportional_refuses_nothing() {
    solve_all(Criterion::Proportional, &ALL);
}

/// Capacities that are next to nothing divide to numbers without end: rates are told, or that there are none.
#[test]
fn proportional_rates_beside_next_to_no_capacity_are_numbers_or_refused() {
    let mut solved = 0;
    for exponent in [-3, -100, -150, -200, -300, -305, -308] {
        let narrow = 10f64.powi(exponent);
        for capacities in [[narrow, narrow, 1.0], [narrow, 3.0 * narrow, 1.0], [narrow, 1.0, 1.0]] {
            let mut problem = tandem_with_demands(4, &[(1, 4, GREEDY), (1, 2, GREEDY), (2, 4, GREEDY), (1, 3, GREEDY)]);
            problem.links.iter_mut().zip(capacities).for_each(|(link, capacity)| link.capacity_bps = capacity);
            match solve(&problem, Criterion::Proportional) {
                Ok(fair) => {
                    solved += 1;
                    check(&problem, Criterion::Proportional, &rates(&fair), 1e-9)
                        .unwrap_or_else(|error| panic!("{error}: {capacities:?}, {:?}", rates(&fair)));
                }
                Err(error) => assert!(matches!(error, AllocError::NotCertified { .. }), "{error}"),
            }
        }
    }
    assert!(solved >= 6, "{solved}");
}

#[test]
fn max_min_refuses_nothing() {
    for criterion in [Criterion::MaxMin, Criterion::WeightedMaxMin, Criterion::InverseHop] {
        solve_all(criterion, &ALL);
    }
}

#[test]
fn criteria_with_promises_and_pairs_refuse_nothing() {
    solve_all(Criterion::GeneralWeighted, &ALL);
    solve_all(Criterion::IngressEgress, &ALL);
}

#[test]
fn rias_refuses_nothing() {
    solve_all(Criterion::Rias, &ALL);
}

/// The construction comes to its end and passes its checker, or it is said that it does not end.
#[test]
fn the_construction_ends_or_says_that_it_does_not() {
    let mut random = Random::new(32);
    let (mut ended, mut endless) = (0, 0);
    for case in 0..cases(1_000) {
        let problem = random.problem(ALL[case as usize % ALL.len()], 12);
        match solve(&problem, Criterion::RiasIterative) {
            Ok(fair) => {
                check(&problem, Criterion::RiasIterative, &rates(&fair), 1e-8)
                    .unwrap_or_else(|error| panic!("case {case}: {error}\n{problem:?}"));
                ended += 1;
            }
            Err(error) => {
                assert!(matches!(error, AllocError::NotCertified { .. }), "{error}");
                assert!(error.to_string().contains("the construction still hands out rates"), "{error}");
                endless += 1;
            }
        }
    }
    assert!(endless > 0 && ended > 9 * endless, "{ended} ended, {endless} did not");
}

/// A demand just above the narrow link, with and without idle links.
#[test]
fn one_flow_beside_a_narrow_link_has_what_it_carries() {
    for idle in [0, 3] {
        for above in [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 6.6e-5, 1e-4, 0.01] {
            let mut problem = tandem_with_demands(3 + idle, &[(1, 3, 1e9 * (1.0 + above))]);
            problem.links.iter_mut().for_each(|link| link.capacity_bps = 10e9);
            problem.links[1].capacity_bps = 1e9;
            let rate = answer(&problem, Criterion::Proportional)[0];
            assert!((rate - 1e9).abs() <= 1e-6, "{rate} at {above}, {idle} idle");
        }
        for per_mille in 900..=1100 {
            let demand = f64::from(per_mille) * 1e6;
            let mut problem = tandem_with_demands(3 + idle, &[(1, 3, demand)]);
            problem.links.iter_mut().for_each(|link| link.capacity_bps = 10e9);
            problem.links[1].capacity_bps = 1e9;
            let rate = answer(&problem, Criterion::Proportional)[0];
            assert!((rate - demand.min(1e9)).abs() <= 1e-6, "{rate} instead of {demand}");
        }
    }
}

/// A leader of tiny weight must not hide an unfair one behind it.
#[test]
fn everybody_is_compared_with_everybody() {
    let mut problem = tandem_with_demands(4, &[(1, 4, GREEDY), (2, 4, GREEDY), (3, 4, GREEDY)]);
    problem.links.iter_mut().for_each(|link| link.capacity_bps = 6e8);
    let weights = [1e6, 1e6, 1e-6];
    for (flow, weight) in weights.into_iter().enumerate() {
        problem.flows[flow].weight = weight;
        problem.ingress_weights[flow] = weight;
    }
    let unfair = [1e8, 5e8, 1.0];
    for criterion in [Criterion::WeightedMaxMin, Criterion::GeneralWeighted, Criterion::Rias] {
        let said = check(&problem, criterion, &unfair, 1e-8).expect_err("one has five times as much").to_string();
        assert!(said.contains("(1,4)") && said.contains("holds more"), "{criterion}: {said}");
        let fair = answer(&problem, criterion);
        assert!((fair[0] - 3e8).abs() < 1.0 && (fair[1] - 3e8).abs() < 1.0, "{fair:?}");
    }
}

#[test]
fn weights_out_of_range_are_refused() {
    for weight in [0.0, 5e-324, 9.9e-7, 1.1e6, 1e308, GREEDY, -1.0, f64::NAN] {
        let mut problem = tandem_with_demands(3, &[(1, 3, GREEDY), (2, 3, GREEDY)]);
        problem.flows[0].weight = weight;
        for criterion in Criterion::ALL {
            assert!(matches!(solve(&problem, criterion), Err(AllocError::FlowWeight { .. })), "{weight}");
        }
        problem.flows[0].weight = 1.0;
        problem.ingress_weights[1] = weight;
        assert!(matches!(solve(&problem, Criterion::Rias), Err(AllocError::IngressWeight { .. })), "{weight}");
    }
}

/// A ring whose links carry from 100 kb/s to 100 Tb/s, all flows greedy.
#[test]
fn rias_rates_exist_over_nine_decades_of_capacity() {
    let mut problem = tandem_with_demands(10, &[(1, 10, GREEDY), (1, 2, GREEDY), (5, 10, GREEDY), (9, 10, GREEDY)]);
    for (link, of_link) in problem.links.iter_mut().enumerate() {
        of_link.capacity_bps = 1e5 * 10f64.powi(link as i32 % 10);
    }
    let fair = answer(&problem, Criterion::Rias);
    assert!((fair[0] - 5e4).abs() <= 1e-3 && (fair[1] - 5e4).abs() <= 1e-3, "{fair:?}");
    problem.links.reverse();
    let fair = answer(&problem, Criterion::Rias);
    for rate in [fair[0], fair[2], fair[3]] {
        assert!((rate - 1e5 / 3.0).abs() <= 1e-3, "{fair:?}");
    }
}

/// Whether `rates` are RIAS fair by the definition, read word by word: every flow has its demand, or a full link on which no
/// ingress holds more per weight and no flow of its own ingress does. A lead counts in units of the lighter one.
fn is_plainly_rias_fair(problem: &Problem, rates: &[f64]) -> bool {
    const SLACK: f64 = 1e-7;
    let on = |link: usize| (0..rates.len()).filter(move |&flow| problem.flows[flow].route.contains(&link));
    let held_at = |flow: usize, link: usize| {
        let capacity = problem.links[link].capacity_bps;
        let ingress_of = |flow: usize| problem.flows[flow].ingress;
        let total = |ingress: usize| on(link).filter(|&flow| ingress_of(flow) == ingress).map(|flow| rates[flow]).sum();
        let lead = |theirs: (f64, f64), own: (f64, f64)| (theirs.0 / theirs.1 - own.0 / own.1) * theirs.1.min(own.1);
        let own: f64 = total(ingress_of(flow));
        let is_full = on(link).map(|flow| rates[flow]).sum::<f64>() >= capacity * (1.0 - SLACK);
        is_full
            && on(link).all(|other| {
                let (mine, theirs) = (ingress_of(flow), ingress_of(other));
                let weights = (problem.ingress_weights[theirs], problem.ingress_weights[mine]);
                lead((total(theirs), weights.0), (own, weights.1)) <= SLACK * capacity
                    && (mine != theirs
                        || lead((rates[other], problem.flows[other].weight), (rates[flow], problem.flows[flow].weight))
                            <= SLACK * capacity)
            })
    };
    (0..rates.len()).all(|flow| {
        let of_flow = &problem.flows[flow];
        rates[flow] >= of_flow.demand_bps * (1.0 - SLACK) || of_flow.route.iter().any(|&link| held_at(flow, link))
    })
}

/// Ingress weights from a millionth to a million on rings: what is called fair is fair by the words of the definition.
#[test]
fn rias_with_ingress_weights_over_twelve_decades_is_fair() {
    let mut random = Random::new(33);
    let (mut found, mut refused) = (0, 0);
    for _ in 0..200 {
        let mut problem = random.ring(Numbers::Reals, 12);
        for weight in &mut problem.ingress_weights {
            *weight = 10f64.powf(12.0 * random.real() - 6.0);
        }
        match solve(&problem, Criterion::Rias) {
            Ok(fair) => {
                found += 1;
                assert!(is_plainly_rias_fair(&problem, &rates(&fair)), "{problem:?}\n{:?}", rates(&fair));
            }
            Err(error) => {
                assert!(matches!(error, AllocError::NotCertified { .. }), "{error}");
                refused += 1;
            }
        }
    }
    assert_eq!((found, refused), (200, 0));
}
