//! What-if answers and sensitivities are what solving again says.

use crate::common::random::{Numbers, Random};
use crate::common::{assert_close, cases, tandem};
use fairwire_alloc::{
    AllocError, Ceiling, Change, Criterion, Flow, Holder, Problem, Terms, sensitivities, sensitivity, solve_rates,
    solve_rates_with_terms, what_if,
};

/// A random change, and the changed problem made by hand.
fn random_change(problem: &Problem, random: &mut Random) -> (Change, Problem, Vec<Option<usize>>) {
    let mut changed = problem.clone();
    let mut now: Vec<Option<usize>> = (0..problem.flows.len()).map(Some).collect();
    let (flow, link) = (random.up_to(problem.flows.len() - 1), random.up_to(problem.links.len() - 1));
    let change = match random.up_to(6) {
        0 => {
            changed.links[link].capacity_bps *= 1.1;
            Change::CapacityTimes { link, factor: 1.1 }
        }
        1 => {
            let capacity_bps = changed.links[link].capacity_bps * (0.3 + random.real());
            changed.links[link].capacity_bps = capacity_bps;
            Change::Capacity { link, capacity_bps }
        }
        2 => {
            let demand_bps = 1e5 * 10f64.powf(3.5 * random.real());
            changed.flows[flow].demand_bps = demand_bps;
            Change::Demand { flow, demand_bps }
        }
        3 => {
            changed.flows[flow].weight *= 3.0;
            Change::Weight { flow, weight: changed.flows[flow].weight }
        }
        4 => {
            let added = Flow { id: "new".into(), ..problem.flows[flow].clone() };
            changed.flows.push(added.clone());
            now.push(Some(problem.flows.len()));
            Change::FlowAdded(added)
        }
        5 => {
            changed.flows.remove(flow);
            now = (0..problem.flows.len()).map(|f| (f != flow).then(|| if f < flow { f } else { f - 1 })).collect();
            Change::FlowRemoved { flow }
        }
        _ => {
            // Whoever crosses it is gone; the link may as well stay.
            let mut next = 0;
            for (slot, flow) in now.iter_mut().zip(&problem.flows) {
                *slot = (!flow.route.contains(&link)).then(|| {
                    next += 1;
                    next - 1
                });
            }
            changed.flows.retain(|flow| !flow.route.contains(&link));
            Change::LinkLost { link }
        }
    };
    (change, changed, now)
}

#[test]
fn what_if_equals_solving_the_changed_problem() {
    let mut random = Random::new(61);
    let terms = Terms::default();
    for case in 0..cases(5000) {
        let problem = random.problem(if case % 2 == 0 { Numbers::Reals } else { Numbers::Integers }, 12);
        let criterion = Criterion::ALL[case as usize % Criterion::ALL.len()];
        let (change, changed, now) = random_change(&problem, &mut random);
        let answer = what_if(&problem, &terms, criterion, std::slice::from_ref(&change)).expect("solvable");
        let before = solve_rates(&problem, criterion).expect("solvable");
        let after = solve_rates(&changed, criterion).expect("solvable");
        let widest = problem.links.iter().chain(&changed.links).map(|link| link.capacity_bps).fold(0.0, f64::max);
        assert_eq!(answer.flows.len(), now.len());
        for (old, (flow, now)) in answer.flows.iter().zip(&now).enumerate() {
            assert_eq!(flow.before_bps, before.rates_bps.get(old).copied());
            match (flow.after_bps, now) {
                (None, None) => {}
                (Some(rate), Some(now)) => assert!(
                    (rate - after.rates_bps[*now]).abs() <= 1e-9 * widest,
                    "case {case}: {change:?}, {criterion}: {rate} instead of {}\n{problem:?}",
                    after.rates_bps[*now]
                ),
                other => panic!("case {case}: {other:?}"),
            }
            if let (Some(Holder::Link(link)), Some(_)) = (flow.held_after, now) {
                let route = problem.flows.get(old).map_or(&changed.flows[changed.flows.len() - 1].route, |f| &f.route);
                assert!(route.contains(&link));
            }
        }
    }
}

/// Slopes against solving again with a step so small that no other link or
/// demand comes into play.
#[test]
fn sensitivities_of_max_min_equal_small_steps() {
    let mut random = Random::new(62);
    let family = [Criterion::MaxMin, Criterion::WeightedMaxMin, Criterion::InverseHop, Criterion::GeneralWeighted];
    let (mut compared, mut two_sided) = (0, 0);
    for case in 0..cases(5000) {
        let problem = random.problem(if case % 2 == 0 { Numbers::Reals } else { Numbers::Integers }, 12);
        let criterion = family[case as usize % family.len()];
        let terms = match case % 3 {
            0 => Terms {
                min_rates_bps: problem
                    .flows
                    .iter()
                    .map(|flow| {
                        let narrow = flow.route.iter().map(|&link| problem.links[link].capacity_bps);
                        0.5 * narrow.fold(f64::INFINITY, f64::min) / problem.flows.len() as f64
                    })
                    .collect(),
                ..Terms::default()
            },
            _ => Terms::default(),
        };
        let found = sensitivities(&problem, &terms, criterion).expect("solvable");
        let here = solve_rates_with_terms(&problem, &terms, criterion).expect("solvable").rates_bps;
        for one in &found {
            for (side, slopes, total) in [(1.0, &one.up, one.total_up), (-1.0, &one.down, one.total_down)] {
                let mut stepped = problem.clone();
                let step = 1e-7 * stepped.links[one.link].capacity_bps;
                stepped.links[one.link].capacity_bps += side * step;
                let there = solve_rates_with_terms(&stepped, &terms, criterion).expect("solvable").rates_bps;
                let mut expected: Vec<f64> =
                    there.iter().zip(&here).map(|(there, here)| side * (there - here) / step).collect();
                let sum: f64 = expected.iter().sum();
                for &(flow, slope) in slopes {
                    expected[flow] -= slope;
                }
                // Rates are good to some last digits of the widest link.
                let widest = problem.links.iter().map(|link| link.capacity_bps).fold(0.0, f64::max);
                let slack = 1e-6 + 1e-14 * widest / step;
                assert!(
                    expected.iter().all(|off| off.abs() <= slack),
                    "case {case}, link {}, side {side}, {criterion}: {expected:?} beside {slopes:?}\n{problem:?}",
                    one.link
                );
                assert!((sum - total).abs() <= slack * here.len() as f64);
                compared += 1;
            }
            two_sided += u32::from(one.up != one.down);
        }
    }
    assert!(two_sided > 10, "only {two_sided} links are worth differently up and down");
    println!("{compared} compared, {two_sided} worth differently up and down");
}

/// Two links in a row, one of 1 and one of 2: more is worth something on the
/// narrow one only. With both of 1, taking from either costs, adding to one
/// of them brings nothing.
#[test]
fn a_link_can_be_worth_less_up_than_down() {
    let mut line = tandem(3, &[(1, 3)]);
    line.links[1].capacity_bps = 2.0;
    let found = sensitivities(&line, &Terms::default(), Criterion::MaxMin).expect("solvable");
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].link, found[0].total_up, found[0].total_down), (0, 1.0, 1.0));
    let even = tandem(3, &[(1, 3)]);
    for criterion in [Criterion::MaxMin, Criterion::Rias, Criterion::Proportional] {
        for one in sensitivities(&even, &Terms::default(), criterion).expect("solvable") {
            assert_close(&[one.total_up, one.total_down], &[0.0, 1.0], 1e-5);
        }
    }
    // Kelly's line: the long flow has 1/3, the short ones 2/3.
    let kelly = tandem(3, &[(1, 3), (1, 2), (2, 3)]);
    let one = sensitivity(&kelly, &Terms::default(), Criterion::Proportional, 0).expect("solvable");
    assert!(one.total_up > 0.0 && one.up.len() == 3);
}

#[test]
fn an_answer_says_who_gains_who_loses_and_what_holds_now() {
    let lot = tandem(3, &[(1, 3), (1, 2), (2, 3)]);
    let change = [Change::CapacityTimes { link: 0, factor: 0.5 }];
    let answer = what_if(&lot, &Terms::default(), Criterion::MaxMin, &change).expect("solvable");
    let gains: Vec<f64> = answer.flows.iter().map(|flow| flow.gain_bps()).collect();
    assert_close(&gains, &[-0.25, -0.25, 0.25], 1e-12);
    assert_eq!(answer.links[0].after_bps, 0.5);
    let gone = [Change::LinkLost { link: 0 }];
    let answer = what_if(&lot, &Terms::default(), Criterion::MaxMin, &gone).expect("solvable");
    assert_eq!(answer.flows[0].after_bps, None);
    assert_eq!(answer.flows[2].after_bps, Some(1.0));
    assert_eq!(answer.flows[2].held_after, Some(Holder::Link(1)));
    assert_eq!(answer.links[0].after_bps, 0.0);
    let peak = [Change::PeakRate { flow: 2, peak_rate_bps: 0.1 }];
    let answer = what_if(&lot, &Terms::default(), Criterion::MaxMin, &peak).expect("solvable");
    assert_eq!(answer.flows[2].held_after, Some(Holder::Ceiling(Ceiling::Peak)));
    assert!(answer.moved().contains(&2));
    let bad = what_if(&lot, &Terms::default(), Criterion::MaxMin, &[Change::FlowRemoved { flow: 9 }]);
    assert!(matches!(bad, Err(AllocError::UnknownChange { .. })));
    let bad = what_if(&lot, &Terms::default(), Criterion::MaxMin, &[Change::CapacityTimes { link: 0, factor: -1.0 }]);
    assert!(matches!(bad, Err(AllocError::Capacity { .. })));
    let promise = [Change::MinRate { flow: 0, min_rate_bps: 0.8 }, Change::MinRate { flow: 1, min_rate_bps: 0.8 }];
    let bad = what_if(&lot, &Terms::default(), Criterion::GeneralWeighted, &promise);
    assert!(matches!(bad, Err(AllocError::InfeasibleMinimums { .. })));
}
