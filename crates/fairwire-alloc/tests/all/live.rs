//! Rates that follow changes are those of a fresh solve.

use crate::common::random::{Numbers, Random};
use crate::common::{cases, tandem};
use fairwire_alloc::{
    AllocError, Criterion, LiveFlow, LiveProblem, Precision, Problem, Terms, check_with_terms, solve_rates,
    solve_rates_with_terms,
};

const FAMILY: [Criterion; 4] =
    [Criterion::MaxMin, Criterion::WeightedMaxMin, Criterion::InverseHop, Criterion::GeneralWeighted];
const CHANGES: usize = 200;

/// A live problem and what it stands for.
struct Twin {
    live: LiveProblem,
    problem: Problem,
    terms: Terms,
    /// Index of each flow of `problem` in `live`.
    indices: Vec<usize>,
}

impl Twin {
    fn new(random: &mut Random, criterion: Criterion) -> Self {
        let problem = random.problem(Numbers::Reals, 25);
        let terms = Terms { min_rates_bps: vec![0.0; problem.flows.len()], ..Terms::default() };
        let live = LiveProblem::new(&problem, &terms, criterion).expect("solvable");
        Self { live, indices: (0..problem.flows.len()).collect(), problem, terms }
    }

    /// One random change to both.
    fn change(&mut self, random: &mut Random) {
        let flows = self.problem.flows.len();
        let flow = if flows > 0 { random.up_to(flows - 1) } else { 0 };
        let narrow = |problem: &Problem, route: &[usize]| {
            route.iter().map(|&link| problem.links[link].capacity_bps).fold(f64::INFINITY, f64::min)
        };
        match random.up_to(if flows == 0 { 1 } else { 6 }) {
            0 | 1 => {
                let mut other = random.network(Numbers::Reals, 1).flows.remove(0);
                let links = self.problem.links.len();
                other.route.retain(|&link| link < links);
                if other.route.is_empty() {
                    other.route.push(random.up_to(links - 1));
                }
                let wanted = LiveFlow {
                    route: other.route.clone(),
                    demand_bps: other.demand_bps,
                    weight: other.weight,
                    min_rate_bps: 0.02 * random.real() * narrow(&self.problem, &other.route),
                };
                let Ok(index) = self.live.add_flow(&wanted) else { return };
                (other.ingress, other.egress) = (0, 0);
                self.problem.flows.push(other);
                self.terms.min_rates_bps.push(wanted.min_rate_bps);
                self.indices.push(index);
            }
            2 => {
                self.live.remove_flow(self.indices[flow]).expect("there");
                self.problem.flows.remove(flow);
                self.terms.min_rates_bps.remove(flow);
                self.indices.remove(flow);
            }
            3 => {
                let demand = if random.chance(0.3) { f64::INFINITY } else { 1e5 * 10f64.powf(3.5 * random.real()) };
                if self.live.set_demand(self.indices[flow], demand).is_ok() {
                    self.problem.flows[flow].demand_bps = demand;
                }
            }
            4 => {
                let weight = 10f64.powf(2.0 * random.real() - 1.0);
                self.live.set_weight(self.indices[flow], weight).expect("good");
                self.problem.flows[flow].weight = weight;
            }
            5 => {
                let minimum = 0.05 * random.real() * narrow(&self.problem, &self.problem.flows[flow].route);
                if self.live.set_min_rate(self.indices[flow], minimum).is_ok() {
                    self.terms.min_rates_bps[flow] = minimum;
                }
            }
            _ => {
                let link = random.up_to(self.problem.links.len() - 1);
                let capacity = self.problem.links[link].capacity_bps * 10f64.powf(0.6 * random.real() - 0.3);
                if self.live.set_capacity(link, capacity).is_ok() {
                    self.problem.links[link].capacity_bps = capacity;
                }
            }
        }
    }

    fn rates(&self) -> Vec<f64> {
        self.indices.iter().map(|&index| self.live.rate_bps(index)).collect()
    }

    fn widest(&self) -> f64 {
        self.problem.links.iter().map(|link| link.capacity_bps).fold(0.0, f64::max)
    }

    fn worst(&self, expected: &[f64]) -> f64 {
        let off = self.rates().iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        off / self.widest()
    }
}

#[test]
fn exact_updates_equal_fresh_solves_after_every_change() {
    let mut random = Random::new(51);
    let mut worst = 0.0_f64;
    for sequence in 0..cases(1000) {
        let criterion = FAMILY[sequence as usize % FAMILY.len()];
        let mut twin = Twin::new(&mut random, criterion);
        for step in 0..CHANGES {
            twin.change(&mut random);
            if random.chance(0.2) {
                // Several changes at once.
                continue;
            }
            let update = twin.live.update(Precision::Exact);
            assert_eq!(update.capacity_error, 0.0);
            let fresh = solve_rates_with_terms(&twin.problem, &twin.terms, criterion)
                .unwrap_or_else(|error| panic!("sequence {sequence}, step {step}: {error}"));
            let off = twin.worst(&fresh.rates_bps);
            worst = worst.max(off);
            assert!(off <= 1e-12, "sequence {sequence}, step {step}, {criterion}: off by {off:e}");
        }
    }
    println!("worst {worst:e} of the largest capacity");
}

/// The rates are exactly fair for the capacities that are within the bound:
/// what full links carry.
#[test]
fn bounded_updates_are_fair_for_capacities_within_the_bound() {
    let mut random = Random::new(52);
    let (mut looked, mut updates, mut forward) = (0, 0, 0.0_f64);
    for sequence in 0..cases(1000) {
        let criterion = FAMILY[sequence as usize % FAMILY.len()];
        let error = [1e-2, 1e-3, 1e-6][sequence as usize % 3];
        let mut twin = Twin::new(&mut random, criterion);
        for step in 0..CHANGES {
            twin.change(&mut random);
            let update = twin.live.update(Precision::Within(error));
            assert!(update.capacity_error <= error);
            (looked, updates) = (looked + update.looked_at, updates + 1);
            let rates = twin.rates();
            let mut near = twin.problem.clone();
            let mut loads = vec![0.0; near.links.len()];
            for (flow, rate) in near.flows.iter().zip(&rates) {
                flow.route.iter().for_each(|&link| loads[link] += rate);
            }
            for (at, link) in near.links.iter_mut().enumerate() {
                let holds = twin.indices.iter().any(|&index| twin.live.held_by(index) == Some(at));
                let off = (loads[at] - link.capacity_bps) / link.capacity_bps;
                assert!(off <= error * (1.0 + 1e-6), "sequence {sequence}, step {step}: overloaded by {off:e}");
                if holds {
                    assert!(off >= -error * (1.0 + 1e-6), "sequence {sequence}, step {step}: left {off:e}");
                    link.capacity_bps = loads[at];
                } else {
                    link.capacity_bps = link.capacity_bps.max(loads[at]);
                }
            }
            check_with_terms(&near, &twin.terms, criterion, &rates, 1e-9)
                .unwrap_or_else(|violation| panic!("sequence {sequence}, step {step}, {criterion}: {violation}"));
            if step % 50 == 49 {
                let fresh = solve_rates_with_terms(&twin.problem, &twin.terms, criterion).expect("solvable");
                forward = forward.max(twin.worst(&fresh.rates_bps) / error);
            }
        }
        // Back to exact.
        twin.live.update(Precision::Exact);
        let fresh = solve_rates_with_terms(&twin.problem, &twin.terms, criterion).expect("solvable");
        assert!(twin.worst(&fresh.rates_bps) <= 1e-12);
    }
    println!("{looked} looks in {updates} updates; rates off by up to {forward} times the bound (of the widest link)");
}

/// Where a finer update looks at nothing, what a coarser one left stays: only an exact one makes rates exact.
#[test]
fn a_finer_update_does_not_undo_what_a_coarser_one_left() {
    let problem = Random::new(7).problem(Numbers::Reals, 25);
    let mut live = LiveProblem::new(&problem, &Terms::default(), Criterion::MaxMin).expect("solvable");
    live.set_capacity(0, 0.9 * problem.links[0].capacity_bps).expect("a link");
    let coarse = live.update(Precision::Within(0.2)).capacity_error;
    assert!(coarse > 0.0 && coarse <= 0.2);
    let fine = live.update(Precision::Within(1e-6));
    assert_eq!((fine.capacity_error, live.capacity_error()), (coarse, coarse));
    assert_eq!(live.update(Precision::Exact).capacity_error, 0.0);
}

#[test]
fn changes_that_make_no_sense_are_refused_and_leave_things_as_they_were() {
    let mut random = Random::new(53);
    let problem = random.network(Numbers::Integers, 6);
    let mut live = LiveProblem::new(&problem, &Terms::default(), Criterion::GeneralWeighted).expect("solvable");
    let good = LiveFlow { route: vec![0], demand_bps: f64::INFINITY, weight: 1.0, min_rate_bps: 0.0 };
    let links = problem.links.len();
    let refused = |live: &mut LiveProblem, flow: LiveFlow| live.add_flow(&flow).expect_err("refused");
    assert!(matches!(refused(&mut live, LiveFlow { route: vec![], ..good.clone() }), AllocError::EmptyRoute { .. }));
    assert!(matches!(
        refused(&mut live, LiveFlow { route: vec![links], ..good.clone() }),
        AllocError::UnknownLink { .. }
    ));
    assert!(matches!(
        refused(&mut live, LiveFlow { route: vec![0, 0], ..good.clone() }),
        AllocError::RepeatedLink { .. }
    ));
    assert!(matches!(refused(&mut live, LiveFlow { demand_bps: f64::NAN, ..good.clone() }), AllocError::Demand { .. }));
    assert!(matches!(refused(&mut live, LiveFlow { weight: 0.0, ..good.clone() }), AllocError::FlowWeight { .. }));
    assert!(matches!(
        refused(&mut live, LiveFlow { min_rate_bps: 1e6, ..good.clone() }),
        AllocError::InfeasibleMinimums { .. }
    ));
    assert!(matches!(live.set_demand(99, 1.0), Err(AllocError::UnknownFlow { flow: 99 })));
    assert!(matches!(live.remove_flow(99), Err(AllocError::UnknownFlow { .. })));
    assert!(matches!(live.set_weight(0, -1.0), Err(AllocError::FlowWeight { .. })));
    assert!(matches!(live.set_capacity(links, 1.0), Err(AllocError::UnknownLink { .. })));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(live.set_capacity(0, bad), Err(AllocError::Capacity { .. })));
    }
    assert!(matches!(live.set_capacity(0, 2f64.powi(53)), Err(AllocError::TooLarge { .. })));
    assert_eq!(live.update(Precision::Exact).looked_at, 0);
    let expected = solve_rates(&problem, Criterion::GeneralWeighted).expect("solvable");
    for (index, rate) in expected.rates_bps.iter().enumerate() {
        assert_eq!(live.rate_bps(index), *rate);
    }
    let index = live.add_flow(&LiveFlow { min_rate_bps: 0.25, ..good }).expect("fits");
    live.update(Precision::Exact);
    assert!(live.rate_bps(index) >= 0.25);
    live.remove_flow(index).expect("there");
    assert!(live.remove_flow(index).is_err());
    assert!(!live.has(index));
    assert!(matches!(
        LiveProblem::new(&problem, &Terms::default(), Criterion::Rias),
        Err(AllocError::NotIncremental { .. })
    ));
}

#[test]
fn a_link_may_become_as_small_as_what_is_promised_there() {
    let terms = Terms { min_rates_bps: vec![0.25, 0.5], ..Terms::default() };
    let problem = tandem(2, &[(1, 2), (1, 2)]);
    let mut live = LiveProblem::new(&problem, &terms, Criterion::GeneralWeighted).expect("solvable");
    assert!(matches!(live.set_capacity(0, 0.74), Err(AllocError::InfeasibleMinimums { .. })));
    live.set_capacity(0, 0.75).expect("both promises fit");
    live.update(Precision::Exact);
    assert_eq!([0, 1].map(|flow| live.rate_bps(flow)), [0.25, 0.5]);
}
