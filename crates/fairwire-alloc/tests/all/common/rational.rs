//! Exact answers in rational arithmetic, for problems made of integers.
//!
//! Written from the definitions, without a line of the crate's solvers.

use std::collections::BTreeMap;

use fairwire_alloc::Problem;
use num_bigint::BigInt;
use num_rational::Ratio;
use num_traits::{Signed, ToPrimitive, Zero};

/// A rational number of any size.
pub type BigRational = Ratio<BigInt>;

/// An integer-valued float as a rational.
pub fn exact(value: f64) -> BigRational {
    assert_eq!(value.fract(), 0.0, "only integers are exact");
    BigRational::from_integer((value as i64).into())
}

fn ratio(above: i64, below: usize) -> BigRational {
    BigRational::new(above.into(), (below as i64).into())
}

/// Weighted max-min by rounds: find the lowest level at which a demand is met
/// or a link fills, freeze, repeat.
pub fn max_min(problem: &Problem, weights: &[BigRational]) -> Vec<BigRational> {
    let routes: Vec<Vec<usize>> = problem.flows.iter().map(|flow| flow.route.clone()).collect();
    let demands: Vec<Option<BigRational>> = problem.flows.iter().map(|flow| finite(flow.demand_bps)).collect();
    fill(problem, &routes, &demands, weights)
}

fn finite(demand: f64) -> Option<BigRational> {
    demand.is_finite().then(|| exact(demand))
}

fn fill(
    problem: &Problem,
    routes: &[Vec<usize>],
    demands: &[Option<BigRational>],
    weights: &[BigRational],
) -> Vec<BigRational> {
    let mut rates: Vec<Option<BigRational>> = vec![None; routes.len()];
    while rates.iter().any(Option::is_none) {
        let unfrozen: Vec<usize> = (0..routes.len()).filter(|&f| rates[f].is_none()).collect();
        let level_of_link = |link: usize| -> Option<BigRational> {
            let mut left = exact(problem.links[link].capacity_bps);
            let mut weight = BigRational::zero();
            for flow in (0..routes.len()).filter(|&flow| routes[flow].contains(&link)) {
                match &rates[flow] {
                    Some(rate) => left -= rate,
                    None => weight += &weights[flow],
                }
            }
            (!weight.is_zero()).then(|| left / weight)
        };
        let of_links: Vec<Option<BigRational>> = (0..problem.links.len()).map(level_of_link).collect();
        let of_demands =
            unfrozen.iter().filter_map(|&flow| demands[flow].as_ref().map(|demand| demand / &weights[flow]));
        let level = of_demands.chain(of_links.iter().flatten().cloned()).min().expect("a level");
        for flow in unfrozen {
            let met = demands[flow].as_ref().is_some_and(|d| d / &weights[flow] == level);
            let full = routes[flow].iter().any(|&link| of_links[link].as_ref() == Some(&level));
            if met || full {
                rates[flow] = Some(&weights[flow] * &level);
            }
        }
    }
    rates.into_iter().flatten().collect()
}

/// Unweighted max-min with one vote a (ingress, egress, route), then inside.
pub fn ingress_egress(problem: &Problem) -> Vec<BigRational> {
    let mut pairs: BTreeMap<(usize, usize, Vec<usize>), Vec<usize>> = BTreeMap::new();
    for (index, flow) in problem.flows.iter().enumerate() {
        pairs.entry((flow.ingress, flow.egress, flow.route.clone())).or_default().push(index);
    }
    let routes: Vec<Vec<usize>> = pairs.keys().map(|(_, _, route)| route.clone()).collect();
    let demand = |flow: &usize| finite(problem.flows[*flow].demand_bps);
    let demands: Vec<Option<BigRational>> = pairs
        .values()
        .map(|flows| flows.iter().map(demand).try_fold(BigRational::zero(), |sum, d| Some(sum + d?)))
        .collect();
    let sums = fill(problem, &routes, &demands, &vec![ratio(1, 1); routes.len()]);
    let mut rates = vec![BigRational::zero(); problem.flows.len()];
    for (flows, sum) in pairs.values().zip(sums) {
        // Equal parts, handing back what somebody does not want.
        let mut open = flows.clone();
        let mut left = sum;
        while !open.is_empty() {
            let part = &left / ratio(open.len() as i64, 1);
            let (low, high): (Vec<usize>, Vec<usize>) =
                open.iter().partition(|&flow| demand(flow).is_some_and(|d| d <= part));
            if low.is_empty() {
                high.iter().for_each(|&flow| rates[flow] = part.clone());
                break;
            }
            for flow in low {
                rates[flow] = demand(&flow).expect("finite");
                left -= &rates[flow];
            }
            open = high;
        }
    }
    rates
}

/// Flow weights 1/hops.
pub fn inverse_hops(problem: &Problem) -> Vec<BigRational> {
    problem.flows.iter().map(|flow| ratio(1, flow.route.len())).collect()
}

/// The one exact RIAS-fair matrix near `approximate`, from all conditions
/// that hold there with equality; `None` when they leave it undetermined.
pub fn rias(problem: &Problem, approximate: &[f64]) -> Option<Vec<BigRational>> {
    let flows = problem.flows.len();
    let near = |a: f64, b: f64| (a - b).abs() < 1e-7;
    let mut system = System::new(flows);
    for (index, flow) in problem.flows.iter().enumerate() {
        if near(approximate[index], flow.demand_bps) {
            let mut row = vec![BigRational::zero(); flows];
            row[index] = ratio(1, 1);
            system.add(row, exact(flow.demand_bps));
        }
    }
    for link in 0..problem.links.len() {
        let on: Vec<usize> = (0..flows).filter(|&flow| problem.flows[flow].route.contains(&link)).collect();
        let load: f64 = on.iter().map(|&flow| approximate[flow]).sum();
        if !near(load, problem.links[link].capacity_bps) {
            continue;
        }
        let mut row = vec![BigRational::zero(); flows];
        on.iter().for_each(|&flow| row[flow] = ratio(1, 1));
        system.add(row, exact(problem.links[link].capacity_bps));
        let weight = |flow: usize| problem.ingress_weights[problem.flows[flow].ingress];
        let aggregate = |ingress: usize| -> f64 {
            on.iter().filter(|&&f| problem.flows[f].ingress == ingress).map(|&f| approximate[f]).sum()
        };
        for (position, &a) in on.iter().enumerate() {
            for &b in &on[position + 1..] {
                let (from, to) = (problem.flows[a].ingress, problem.flows[b].ingress);
                let mut row = vec![BigRational::zero(); flows];
                if from == to {
                    let (wa, wb) = (problem.flows[a].weight, problem.flows[b].weight);
                    if near(approximate[a] / wa, approximate[b] / wb) {
                        row[a] = exact(wb);
                        row[b] = -exact(wa);
                        system.add(row, BigRational::zero());
                    }
                } else if near(aggregate(from) / weight(a), aggregate(to) / weight(b)) {
                    for &flow in &on {
                        if problem.flows[flow].ingress == from {
                            row[flow] = exact(weight(b));
                        } else if problem.flows[flow].ingress == to {
                            row[flow] = -exact(weight(a));
                        }
                    }
                    system.add(row, BigRational::zero());
                }
            }
        }
    }
    system.solution()
}

/// Exact certificate: the reason why `rates` is not RIAS fair, if any.
pub fn rias_objection(problem: &Problem, rates: &[BigRational]) -> Option<String> {
    let on = |link: usize| (0..rates.len()).filter(move |&flow| problem.flows[flow].route.contains(&link));
    let load = |link: usize| -> BigRational { on(link).map(|flow| rates[flow].clone()).sum() };
    let capacity = |link: usize| exact(problem.links[link].capacity_bps);
    let claim = |link: usize, ingress: usize| -> BigRational {
        let own = on(link).filter(|&flow| problem.flows[flow].ingress == ingress);
        let sum: BigRational = own.map(|flow| rates[flow].clone()).sum();
        sum / exact(problem.ingress_weights[ingress])
    };
    let level = |flow: usize| &rates[flow] / exact(problem.flows[flow].weight);

    if let Some(link) = (0..problem.links.len()).find(|&link| load(link) > capacity(link)) {
        return Some(format!("link {link} is overloaded"));
    }
    (0..rates.len()).find_map(|flow| {
        let own = &problem.flows[flow];
        let demand = finite(own.demand_bps);
        if rates[flow].is_negative() || demand.as_ref().is_some_and(|d| &rates[flow] > d) {
            return Some(format!("flow {flow} has an impossible rate"));
        }
        let held = demand.is_some_and(|demand| rates[flow] == demand)
            || own.route.iter().any(|&link| {
                load(link) == capacity(link)
                    && on(link).all(|other| {
                        let ingress = problem.flows[other].ingress;
                        claim(link, ingress) <= claim(link, own.ingress)
                            && (ingress != own.ingress || level(other) <= level(flow))
                    })
            });
        (!held).then(|| format!("flow {flow} is held by nothing"))
    })
}

/// Fails unless every float is the rational it should be, to the last digits.
pub fn assert_equal(actual: &[f64], expected: &[BigRational], problem: &Problem) {
    for (flow, (actual, expected)) in actual.iter().zip(expected).enumerate() {
        let [above, below] = [expected.numer(), expected.denom()].map(|part| part.to_f64().expect("a number"));
        let expected_float = above / below;
        assert!(
            (actual - expected_float).abs() <= 1e-12,
            "flow {flow}: {actual} instead of {expected} = {expected_float}\n{problem:?}"
        );
    }
}

/// Linear equations in row echelon form.
struct System {
    unknowns: usize,
    /// Reduced rows with their right-hand sides; the pivot of each is 1.
    rows: Vec<(usize, Vec<BigRational>, BigRational)>,
}

impl System {
    fn new(unknowns: usize) -> Self {
        Self { unknowns, rows: Vec::new() }
    }

    /// Adds an equation; one that follows from the others is dropped, one
    /// that contradicts them fails the test.
    fn add(&mut self, mut row: Vec<BigRational>, mut right: BigRational) {
        for (pivot, other, other_right) in &self.rows {
            let factor = row[*pivot].clone();
            if !factor.is_zero() {
                for (value, theirs) in row.iter_mut().zip(other) {
                    *value -= &factor * theirs;
                }
                right -= &factor * other_right;
            }
        }
        let Some(pivot) = row.iter().position(|value| !value.is_zero()) else {
            assert!(right.is_zero(), "conditions that hold nearly contradict each other exactly");
            return;
        };
        let factor = row[pivot].clone();
        row.iter_mut().for_each(|value| *value /= &factor);
        right /= factor;
        for (_, other, other_right) in &mut self.rows {
            let factor = other[pivot].clone();
            if !factor.is_zero() {
                for (value, own) in other.iter_mut().zip(&row) {
                    *value -= &factor * own;
                }
                *other_right -= &factor * &right;
            }
        }
        self.rows.push((pivot, row, right));
    }

    fn solution(self) -> Option<Vec<BigRational>> {
        if self.rows.len() < self.unknowns {
            return None;
        }
        let mut solution = vec![BigRational::zero(); self.unknowns];
        for (pivot, _, right) in self.rows {
            solution[pivot] = right;
        }
        Some(solution)
    }
}
