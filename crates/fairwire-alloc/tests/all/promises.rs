//! Minimum rates of flows and ingresses, peak and supported rates.

use crate::common::random::{Numbers, Random};
use crate::common::{GREEDY, assert_close, cases, rates, rational, tandem};
use fairwire_alloc::{
    AllocError, Ceiling, Criterion, Limit, Problem, Terms, Uniqueness, Violation, check_with_terms, solve,
    solve_with_terms,
};

/// Random terms; promises are small enough to fit unless `greedy`.
fn random_terms(problem: &Problem, random: &mut Random, numbers: Numbers, greedy: bool) -> Terms {
    let mut on_link = vec![0usize; problem.links.len()];
    problem.flows.iter().flat_map(|flow| &flow.route).for_each(|&link| on_link[link] += 1);
    let mut terms = Terms::default();
    for flow in &problem.flows {
        let part = flow.route.iter().map(|&link| problem.links[link].capacity_bps / on_link[link] as f64);
        let part = part.fold(f64::INFINITY, f64::min) * if greedy { 3.0 } else { 1.0 };
        let promise = if random.chance(0.5) { 0.0 } else { random.real() * part };
        let promise = if matches!(numbers, Numbers::Integers) { promise.round().min(part.floor()) } else { promise };
        let beyond = |random: &mut Random| match random.chance(0.3) {
            true => (promise + random.real() * part * 4.0).ceil(),
            false => f64::INFINITY,
        };
        terms.min_rates_bps.push(promise);
        terms.peak_rates_bps.push(beyond(random));
        terms.supported_rates_bps.push(beyond(random));
    }
    terms
}

#[test]
fn general_weighted_rates_pass_their_checker_and_changed_ones_do_not() {
    let mut random = Random::new(21);
    for case in 0..cases(10_000) {
        let numbers = if case % 2 == 0 { Numbers::Reals } else { Numbers::Integers };
        let problem = random.problem(numbers, 14);
        let terms = random_terms(&problem, &mut random, numbers, false);
        let fair = solve_with_terms(&problem, &terms, Criterion::GeneralWeighted).expect("minimums fit");
        let found = rates(&fair);
        let verdict = |rates: &[f64]| check_with_terms(&problem, &terms, Criterion::GeneralWeighted, rates, 1e-9);
        verdict(&found).unwrap_or_else(|error| panic!("case {case}: {error}\n{problem:?}\n{terms:?}"));
        for (index, flow) in fair.flows.iter().enumerate() {
            let (most, _) = terms.ceiling(&problem, index);
            assert!(flow.rate_bps >= terms.min_rates_bps[index].min(problem.flows[index].demand_bps) * (1.0 - 1e-12));
            assert!(flow.rate_bps <= most);
            assert!(flow.limited_by != Limit::Demand || flow.rate_bps == most);
        }
        let (from, to) = (random.up_to(found.len() - 1), random.up_to(found.len() - 1));
        let narrow = |flow: usize| {
            let route = problem.flows[flow].route.iter();
            route.map(|&link| problem.links[link].capacity_bps).fold(f64::INFINITY, f64::min)
        };
        let step = 1e-3 * narrow(from).min(narrow(to));
        if found[from] > step {
            let mut moved = found.clone();
            moved[from] -= step;
            assert!(verdict(&moved).is_err(), "case {case}: lowered {from}\n{problem:?}\n{terms:?}");
            moved[to] += step;
            assert!(from == to || verdict(&moved).is_err(), "case {case}: moved {from} {to}\n{problem:?}\n{terms:?}");
        }
    }
}

#[test]
fn general_weighted_rates_of_integers_are_the_rational_ones() {
    let mut random = Random::new(22);
    for _ in 0..cases(5000) {
        let problem = random.problem(Numbers::Integers, 9);
        let terms = random_terms(&problem, &mut random, Numbers::Integers, false);
        let fair = solve_with_terms(&problem, &terms, Criterion::GeneralWeighted).expect("minimums fit");
        // What is left after the minimums is a plain weighted max-min.
        let mut left = problem.clone();
        let mut promised = Vec::new();
        for (index, flow) in left.flows.iter_mut().enumerate() {
            let (most, _) = terms.ceiling(&problem, index);
            let promise = terms.min_rates_bps[index].min(flow.demand_bps);
            flow.demand_bps = most - promise;
            flow.route.iter().for_each(|&link| left.links[link].capacity_bps -= promise);
            promised.push(promise);
        }
        let weights: Vec<_> = left.flows.iter().map(|flow| rational::exact(flow.weight)).collect();
        let expected: Vec<_> = rational::max_min(&left, &weights)
            .into_iter()
            .zip(&promised)
            .map(|(excess, promise)| excess + rational::exact(*promise))
            .collect();
        rational::assert_equal(&rates(&fair), &expected, &problem);
    }
}

#[test]
fn minimums_that_do_not_fit_are_proved_by_a_set_without_a_spare_member() {
    let mut random = Random::new(23);
    let mut refused = 0;
    for _ in 0..cases(10_000) {
        let problem = random.problem(Numbers::Reals, 14);
        let terms = random_terms(&problem, &mut random, Numbers::Reals, true);
        let promise = |flow: usize| {
            let (most, _) = terms.ceiling(&problem, flow);
            terms.min_rates_bps[flow].min(most)
        };
        let load = |link: usize, keep: &dyn Fn(usize) -> bool| -> f64 {
            let on = (0..problem.flows.len()).filter(|&flow| problem.flows[flow].route.contains(&link) && keep(flow));
            on.map(promise).sum()
        };
        let all_fit = (0..problem.links.len()).all(|link| load(link, &|_| true) <= problem.links[link].capacity_bps);
        match solve_with_terms(&problem, &terms, Criterion::GeneralWeighted) {
            Ok(_) => assert!(all_fit),
            Err(AllocError::InfeasibleMinimums { link, capacity_bps, promised_bps, flows }) => {
                refused += 1;
                let link = problem.links.iter().position(|of| of.id == link).expect("a link of the problem");
                assert_eq!(problem.links[link].capacity_bps, capacity_bps);
                let named = |flow: usize| flows.contains(&problem.flows[flow].id);
                assert!((load(link, &named) - promised_bps).abs() <= 1e-9 * promised_bps);
                assert!(promised_bps > capacity_bps);
                for spare in (0..problem.flows.len()).filter(|&flow| named(flow)) {
                    assert!(load(link, &|flow| flow != spare && named(flow)) <= capacity_bps);
                }
                // No link is overbooked by fewer.
                for other in 0..problem.links.len() {
                    let mut sizes: Vec<f64> = (0..problem.flows.len())
                        .filter(|&flow| problem.flows[flow].route.contains(&other))
                        .map(promise)
                        .collect();
                    sizes.sort_by(|a, b| b.total_cmp(a));
                    let fewer: f64 = sizes.iter().take(flows.len() - 1).sum();
                    assert!(fewer <= problem.links[other].capacity_bps * (1.0 + 1e-12));
                }
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(refused > cases(1000), "only {refused} refused");
}

/// Ingress minimums that fit wherever the ingress has flows.
/// The answer must not hang on the order of anything but the links.
#[test]
fn of_links_overbooked_by_as_few_the_first_one_is_told() {
    let problem = tandem(4, &[(3, 4), (3, 4), (2, 3), (2, 3), (1, 2), (1, 2), (1, 2)]);
    let told = |min_rates_bps: [f64; 7]| {
        let terms = Terms { min_rates_bps: min_rates_bps.to_vec(), ..Terms::default() };
        match solve_with_terms(&problem, &terms, Criterion::GeneralWeighted) {
            Err(AllocError::InfeasibleMinimums { link, flows, .. }) => (link, flows.len()),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(told([0.6, 0.6, 0.7, 0.7, 0.4, 0.4, 0.4]), ("link 2".to_owned(), 2), "three are more than two");
    assert_eq!(told([0.6, 0.6, 0.2, 0.2, 0.4, 0.4, 0.4]), ("link 3".to_owned(), 2));
}

fn ingress_minimums(problem: &Problem, random: &mut Random) -> Terms {
    let mut least = vec![f64::INFINITY; problem.nodes.len()];
    for link in 0..problem.links.len() {
        let mut here: Vec<usize> =
            problem.flows.iter().filter(|flow| flow.route.contains(&link)).map(|flow| flow.ingress).collect();
        here.sort_unstable();
        here.dedup();
        for &node in &here {
            least[node] = least[node].min(problem.links[link].capacity_bps / here.len() as f64);
        }
    }
    let promise = |least: f64, random: &mut Random| match least.is_finite() && random.chance(0.6) {
        true => least * random.real(),
        false => 0.0,
    };
    Terms { ingress_min_rates_bps: least.into_iter().map(|least| promise(least, random)).collect(), ..Terms::default() }
}

#[test]
fn rias_with_ingress_minimums_passes_its_checker_and_keeps_the_promises() {
    let mut random = Random::new(24);
    let mut lifted = 0;
    for case in 0..cases(10_000) {
        let problem = random.problem(if case % 2 == 0 { Numbers::Reals } else { Numbers::Integers }, 14);
        let terms = ingress_minimums(&problem, &mut random);
        let fair = solve_with_terms(&problem, &terms, Criterion::Rias)
            .unwrap_or_else(|error| panic!("case {case}: {error}\n{problem:?}\n{terms:?}"));
        let found = rates(&fair);
        check_with_terms(&problem, &terms, Criterion::Rias, &found, 1e-9)
            .unwrap_or_else(|error| panic!("case {case}: {error}\n{problem:?}\n{terms:?}"));
        for (flow, rate) in problem.flows.iter().zip(&fair.flows) {
            let Limit::Link { link, .. } = rate.limited_by else { continue };
            let own = problem
                .flows
                .iter()
                .zip(&found)
                .filter(|(other, _)| other.ingress == flow.ingress && other.route.contains(&link));
            let held: f64 = own.map(|(_, rate)| rate).sum();
            let promised = terms.ingress_min_rates_bps[flow.ingress];
            assert!(held >= promised * (1.0 - 1e-9), "case {case}: {held} instead of {promised}");
        }
        let without = rates(&solve(&problem, Criterion::Rias).expect("solvable"));
        lifted += u64::from(without.iter().zip(&found).any(|(a, b)| (a - b).abs() > 1e-6 * a.max(*b)));
        if fair.unique == Uniqueness::Yes {
            let at = random.up_to(found.len() - 1);
            let mut lowered = found.clone();
            lowered[at] *= 0.99;
            let verdict = check_with_terms(&problem, &terms, Criterion::Rias, &lowered, 1e-9);
            assert!(found[at] <= 1e-6 || verdict.is_err(), "case {case}: lowered {at}\n{problem:?}");
        }
    }
    assert!(lifted > cases(2000), "minimums mattered in {lifted} cases only");
}

/// Stations 1, 2 and 3 send to 4 over a unit link; 1 is promised half of it.
#[test]
fn an_ingress_minimum_comes_first_and_the_rest_is_shared() {
    let lot = tandem(4, &[(1, 4), (2, 4), (3, 4)]);
    let terms = Terms { ingress_min_rates_bps: vec![0.5, 0.0, 0.0, 0.0], ..Terms::default() };
    let fair = solve_with_terms(&lot, &terms, Criterion::Rias).expect("solvable");
    let (share, promised) = (0.5 / 3.0, 0.5 + 0.5 / 3.0);
    assert_close(&rates(&fair), &[promised, share, share], 1e-12);
    let Limit::Link { why, .. } = &fair.flows[1].limited_by else { panic!("held by a link") };
    assert_eq!(
        why,
        "link link 3 is full (1 b/s); beyond what is promised to each, ingresses 1, 2 and 3 hold 0.166667 b/s, \
         and there is nobody else"
    );
    let plain = check_with_terms(&lot, &terms, Criterion::Rias, &[1.0 / 3.0; 3], 1e-9).expect_err("a promise broken");
    assert!(matches!(plain, Violation::NoBottleneck { .. }), "{plain}");
    let too_much = Terms { ingress_min_rates_bps: vec![0.5, 0.4, 0.2, 0.0], ..Terms::default() };
    let error = solve_with_terms(&lot, &too_much, Criterion::Rias).expect_err("too much").to_string();
    assert_eq!(error, "link link 3 carries 1 b/s, but the minimum rates of ingresses 1, 2, 3 need 1.1 b/s");
}

/// `[wmfqc] §II` by hand: 10 in all, 2 + 1 promised, the other 7 by weights 1, 2
/// and 4; the third may have 2 only.
#[test]
fn minimums_peaks_and_weights_by_hand() {
    let mut lot = tandem(2, &[(1, 2), (1, 2), (1, 2)]);
    lot.links[0].capacity_bps = 10.0;
    for (flow, weight) in lot.flows.iter_mut().zip([1.0, 2.0, 4.0]) {
        flow.weight = weight;
    }
    let terms = Terms {
        min_rates_bps: vec![2.0, 1.0, 0.0],
        peak_rates_bps: vec![GREEDY, GREEDY, 2.0],
        supported_rates_bps: vec![GREEDY, GREEDY, 3.0],
        ..Terms::default()
    };
    let fair = solve_with_terms(&lot, &terms, Criterion::GeneralWeighted).expect("solvable");
    assert_close(&rates(&fair), &[2.0 + 5.0 / 3.0, 1.0 + 10.0 / 3.0, 2.0], 1e-12);
    assert_eq!(terms.ceiling(&lot, 2), (2.0, Ceiling::Peak));
    assert_eq!(terms.ceiling(&lot, 0), (GREEDY, Ceiling::Demand));
    let plain = solve(&lot, Criterion::GeneralWeighted).expect("solvable");
    assert_close(&rates(&plain), &rates(&solve(&lot, Criterion::WeightedMaxMin).expect("solvable")), 1e-15);
}

#[test]
fn bad_terms_are_refused_in_words() {
    let lot = tandem(2, &[(1, 2), (1, 2)]);
    let said = |terms: Terms| {
        let error = solve_with_terms(&lot, &terms, Criterion::GeneralWeighted).expect_err("refused").to_string();
        let verdict = check_with_terms(&lot, &terms, Criterion::GeneralWeighted, &[0.5, 0.5], 1e-9);
        assert!(verdict.is_err());
        error
    };
    let none = Terms::default;
    assert_eq!(
        said(Terms { min_rates_bps: vec![0.1], ..none() }),
        "minimum rates for flows: 1 given, but 2 needed (or none)"
    );
    for bad in [-1.0, f64::NAN, f64::INFINITY, 2f64.powi(53)] {
        let error = said(Terms { min_rates_bps: vec![0.0, bad], ..none() });
        assert!(error.starts_with("(1,2): the minimum rate must be"), "{error}");
        assert!(said(Terms { ingress_min_rates_bps: vec![0.0, bad], ..none() }).starts_with("2: the minimum rate"));
    }
    assert!(said(Terms { peak_rates_bps: vec![f64::NAN, 1.0], ..none() }).contains("the peak rate must be"));
    assert!(said(Terms { supported_rates_bps: vec![-1.0, 1.0], ..none() }).contains("the supported rate must be"));
    assert_eq!(
        said(Terms { min_rates_bps: vec![0.4, 0.0], peak_rates_bps: vec![0.25, 1.0], ..none() }),
        "flow (1,2): its minimum rate is 0.4 b/s, more than the 0.25 b/s it may have"
    );
    assert_eq!(
        said(Terms { min_rates_bps: vec![0.75, 0.5], ..none() }),
        "link link 1 carries 1 b/s, but the minimum rates of (1,2), (1,2) need 1.25 b/s"
    );
}
