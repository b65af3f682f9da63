//! Proportional fairness: the largest Σ w log x that links and demands allow.
//!
//! Every link has a price; a flow takes what its weight buys at the price of
//! its route, x = min(demand, w / Σ prices), and the best prices fill every
//! link that costs anything. They minimise a smooth convex function, found
//! here by Newton's method on the prices, with prices kept at zero or more.
//! Where that leaves a link neither full nor free, an interior-point method
//! that prices demands as well takes over.

mod cholesky;
mod dual;
mod interior;
mod newton;

use dual::Dual;

use crate::allocation::Rates;
use crate::solve::Solved;
use crate::{AllocError, Criterion, Problem};

/// Prices are refined until every link is full or free to this part …
const GOAL: f64 = 1e-14;
/// … are good where every link is so, and no rates better, by this part …
const GOOD: f64 = 1e-12;
/// … and accepted if no rates could be better by this much, relative to the
/// sum of weights.
const ACCEPTED: f64 = 1e-9;

/// Proportionally fair rates and link prices (weight per bit/s) of a valid
/// problem.
///
/// # Errors
/// [`AllocError::NotCertified`] if the gap to the best prices stays above 1e-9
/// of the sum of weights.
pub(crate) fn solve(problem: &Problem) -> Result<Solved, AllocError> {
    let dual = Dual::new(problem);
    if dual.weight == 0.0 {
        // Nobody asks for anything.
        let flows = problem.flows.len();
        let rates = Rates::sole(vec![0.0; flows], vec![None; flows]);
        return Ok(Solved { rates, prices: vec![0.0; problem.links.len()] });
    }
    let DualPoint { rates, gap, prices, satisfied } = find(&dual);
    if gap > ACCEPTED {
        return Err(AllocError::NotCertified {
            criterion: Criterion::Proportional,
            violation: format!("a gap of {gap:e} remains"),
        });
    }
    let (mut rates_bps, mut bottleneck) = (rates, Vec::with_capacity(problem.flows.len()));
    for (index, flow) in problem.flows.iter().enumerate() {
        rates_bps[index] = (rates_bps[index] * dual.unit_bps).min(flow.demand_bps);
        let dearest = flow.route.iter().copied().reduce(|a, b| if prices[b] > prices[a] { b } else { a });
        bottleneck.push(if satisfied[index] { None } else { dearest });
    }
    let prices = prices.iter().map(|price| price / dual.unit_bps).collect();
    Ok(Solved { rates: Rates::sole(rates_bps, bottleneck), prices })
}

/// Prices and rates in the units of the dual.
struct DualPoint {
    prices: Vec<f64>,
    rates: Vec<f64>,
    gap: f64,
    satisfied: Vec<bool>,
}

/// The better outcome of two methods, the second one only where the first falls short.
fn find(dual: &Dual) -> DualPoint {
    let point = newton::minimise(dual, GOAL);
    let (rates, gap) = dual.feasible(&point);
    let is_good = gap <= GOOD && dual.residual(&point) <= GOOD;
    if !is_good && dual.capacities.len() <= interior::MAX_LINKS {
        let interior::Interior { prices, rates, gap: other, satisfied, .. } = interior::solve(dual);
        if other <= ACCEPTED || other < gap {
            return DualPoint { prices, rates, gap: other, satisfied };
        }
    }
    let satisfied = (0..rates.len()).map(|flow| dual.is_satisfied(flow, &point.prices)).collect();
    DualPoint { prices: point.prices, rates, gap, satisfied }
}
