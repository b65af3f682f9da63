//! Flat arrays and intervals give what the problem they stand for gives.

use crate::common::random::{Numbers, Random};
use crate::common::{assert_close, cases};
use fairwire_alloc::{
    AllocError, Arrays, Criterion, MaxMin, Problem, RingArrays, RingMaxMin, Terms, solve_rates, solve_rates_with_terms,
};

/// A problem in flat form.
#[derive(Default)]
struct Flat {
    capacities: Vec<f64>,
    starts: Vec<u32>,
    links: Vec<u32>,
    demands: Vec<f64>,
    weights: Vec<f64>,
    minimums: Vec<f64>,
}

impl Flat {
    fn new(problem: &Problem) -> Self {
        let mut flat = Self { starts: vec![0], ..Self::default() };
        flat.capacities = problem.links.iter().map(|link| link.capacity_bps).collect();
        for flow in &problem.flows {
            flat.links.extend(flow.route.iter().map(|&link| link as u32));
            flat.starts.push(flat.links.len() as u32);
            flat.demands.push(flow.demand_bps);
            flat.weights.push(flow.weight);
        }
        flat
    }

    fn arrays(&self) -> Arrays<'_> {
        Arrays {
            capacities_bps: &self.capacities,
            route_starts: &self.starts,
            route_links: &self.links,
            demands_bps: &self.demands,
            weights: &self.weights,
            min_rates_bps: &self.minimums,
        }
    }
}

fn widest(problem: &Problem) -> f64 {
    problem.links.iter().map(|link| link.capacity_bps).fold(0.0, f64::max)
}

#[test]
fn flat_arrays_agree_with_problems() {
    let mut random = Random::new(41);
    let mut solver = MaxMin::default();
    for case in 0..cases(10_000) {
        let problem = random.problem(if case % 2 == 0 { Numbers::Reals } else { Numbers::Integers }, 20);
        let mut flat = Flat::new(&problem);
        let mut terms = Terms::default();
        if case % 3 == 0 {
            for flow in &problem.flows {
                let part =
                    flow.route.iter().map(|&link| problem.links[link].capacity_bps).fold(f64::INFINITY, f64::min);
                terms.min_rates_bps.push(random.real() * part / problem.flows.len() as f64);
            }
            flat.minimums.clone_from(&terms.min_rates_bps);
        }
        let expected = solve_rates_with_terms(&problem, &terms, Criterion::GeneralWeighted).expect("solvable");
        solver.solve(&flat.arrays()).expect("solvable");
        assert_close(solver.rates_bps(), &expected.rates_bps, 1e-12 * widest(&problem));
        for (flow, (held, expected)) in solver.held_by().iter().zip(&expected.bottleneck).enumerate() {
            // A demand may be met just where a link fills up.
            let off = (problem.flows[flow].demand_bps - solver.rates_bps()[flow]).abs();
            let is_tie = off <= 1e-12 * widest(&problem);
            assert!(is_tie || (*held == MaxMin::NO_LINK) == expected.is_none(), "case {case}, flow {flow}");
        }
        let plain = Arrays { weights: &[], demands_bps: &[], min_rates_bps: &[], ..flat.arrays() };
        solver.solve(&plain).expect("solvable");
        let mut greedy = problem.clone();
        greedy.flows.iter_mut().for_each(|flow| flow.demand_bps = f64::INFINITY);
        let expected = solve_rates(&greedy, Criterion::MaxMin).expect("solvable");
        assert_close(solver.rates_bps(), &expected.rates_bps, 1e-12 * widest(&problem));
    }
}

#[test]
fn intervals_on_a_ring_agree_with_routes() {
    let mut random = Random::new(42);
    let mut solver = RingMaxMin::default();
    for case in 0..cases(10_000) {
        let stations = random.between(1, 12);
        let mut problem = random.empty_ring(stations, 1.0);
        let equal = random.chance(0.3);
        problem.links.iter_mut().for_each(|link| {
            link.capacity_bps = if equal { 10.0 } else { 10f64.powf(3.0 * random.real()) };
        });
        let (mut from, mut hops) = (Vec::new(), Vec::new());
        let (weighted, wanted) = (random.chance(0.5), random.chance(0.5));
        for flow in 0..random.between(0, 60) {
            from.push(random.up_to(stations - 1) as u32);
            hops.push(random.between(1, stations) as u32);
            let route = (0..hops[flow]).map(|hop| ((from[flow] + hop) as usize) % stations).collect();
            let demand_bps = if wanted && random.chance(0.5) { 30.0 * random.real() } else { f64::INFINITY };
            let weight = if weighted { 10f64.powf(4.0 * random.real() - 2.0) } else { 1.0 };
            let id = flow.to_string();
            problem.flows.push(fairwire_alloc::Flow { id, ingress: 0, egress: 0, route, demand_bps, weight });
        }
        let flat = Flat::new(&problem);
        let ring = RingArrays {
            capacities_bps: &flat.capacities,
            from: &from,
            hops: &hops,
            demands_bps: if wanted { &flat.demands } else { &[] },
            weights: if weighted { &flat.weights } else { &[] },
        };
        solver.solve(&ring).expect("solvable");
        let expected = solve_rates(&problem, Criterion::WeightedMaxMin).expect("solvable");
        let (actual, expected) = (solver.rates_bps(), &expected.rates_bps);
        assert!(actual.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-11 * 1e3), "case {case}: {problem:?}");
    }
}

#[test]
fn bad_arrays_are_refused() {
    let refuse = |change: &dyn Fn(&mut Flat)| {
        let mut flat = Flat {
            capacities: vec![1.0, 2.0],
            starts: vec![0, 2, 3],
            links: vec![0, 1, 1],
            demands: vec![f64::INFINITY; 2],
            weights: vec![1.0; 2],
            minimums: vec![0.0; 2],
        };
        MaxMin::default().solve(&flat.arrays()).expect("good");
        change(&mut flat);
        MaxMin::default().solve(&flat.arrays()).expect_err("refused")
    };
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(refuse(&|flat| flat.capacities[1] = bad), AllocError::Capacity { .. }));
        assert!(matches!(refuse(&|flat| flat.weights[1] = bad), AllocError::FlowWeight { .. }));
    }
    assert!(matches!(refuse(&|flat| flat.capacities[1] = 2f64.powi(53)), AllocError::TooLarge { .. }));
    assert!(matches!(refuse(&|flat| flat.demands[1] = -1.0), AllocError::Demand { .. }));
    assert!(matches!(refuse(&|flat| flat.demands[1] = f64::NAN), AllocError::Demand { .. }));
    assert!(matches!(refuse(&|flat| flat.demands[1] = 1e300), AllocError::TooLarge { .. }));
    assert!(matches!(refuse(&|flat| flat.minimums[1] = f64::NAN), AllocError::Term { .. }));
    assert!(matches!(refuse(&|flat| flat.minimums = vec![0.5, 1.6]), AllocError::InfeasibleMinimums { .. }));
    assert!(matches!(refuse(&|flat| flat.links[2] = 2), AllocError::UnknownLink { .. }));
    assert!(matches!(refuse(&|flat| flat.links[1] = 0), AllocError::RepeatedLink { .. }));
    assert!(matches!(refuse(&|flat| flat.starts = vec![0, 0, 3]), AllocError::EmptyRoute { .. }));
    assert!(matches!(refuse(&|flat| flat.starts = vec![0, 3, 2]), AllocError::Rows { .. }));
    assert!(matches!(refuse(&|flat| flat.starts = vec![0, 7, 3]), AllocError::Rows { .. }));
    assert!(matches!(refuse(&|flat| flat.starts = vec![1, 2, 3]), AllocError::Rows { .. }));
    assert!(matches!(refuse(&|flat| flat.weights.push(1.0)), AllocError::TermCount { .. }));
    assert!(matches!(refuse(&|flat| flat.starts = Vec::new()), AllocError::TermCount { .. }));
    assert!(matches!(refuse(&|flat| flat.links.push(0)), AllocError::Rows { .. }));
    let nothing = Arrays::default();
    MaxMin::default().solve(&nothing).expect("nothing to share is no error");

    let ring = |from: &[u32], hops: &[u32]| {
        let ring = RingArrays { capacities_bps: &[1.0, 2.0, 3.0], from, hops, ..RingArrays::default() };
        RingMaxMin::default().solve(&ring)
    };
    assert!(ring(&[0, 2], &[3, 1]).is_ok());
    assert!(matches!(ring(&[3], &[1]), Err(AllocError::UnknownLink { .. })));
    assert!(matches!(ring(&[0], &[4]), Err(AllocError::UnknownLink { .. })));
    assert!(matches!(ring(&[0], &[0]), Err(AllocError::EmptyRoute { .. })));
    assert!(matches!(ring(&[0], &[]), Err(AllocError::TermCount { .. })));
}
