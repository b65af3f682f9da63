//! Proportional fairness: the largest Σ w log x that links and demands allow.
//!
//! Every link has a price; a flow takes what its weight buys at the price of
//! its route, x = min(demand, w / Σ prices), and the best prices fill every
//! link that costs anything. They minimise a smooth convex function, found
//! here by Newton's method on the prices, with prices kept at zero or more.

mod dual;
mod newton;

use dual::Dual;

use crate::allocation::Rates;
use crate::solve::Solved;
use crate::{AllocError, Criterion, Problem};

/// Prices are refined until every link is full or free to this part …
const GOAL: f64 = 1e-14;
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
    let found = newton::minimise(&dual, GOAL);
    let (rates, gap) = dual.feasible(&found);
    if gap > ACCEPTED {
        return Err(AllocError::NotCertified {
            criterion: Criterion::Proportional,
            violation: format!("a gap of {gap:e} remains"),
        });
    }
    let (mut rates_bps, mut bottleneck) = (rates, Vec::with_capacity(problem.flows.len()));
    for (index, flow) in problem.flows.iter().enumerate() {
        rates_bps[index] = (rates_bps[index] * dual.unit_bps).min(flow.demand_bps);
        let dearest = flow.route.iter().copied().reduce(|a, b| if found.prices[b] > found.prices[a] { b } else { a });
        bottleneck.push(if dual.is_satisfied(index, &found.prices) { None } else { dearest });
    }
    let prices = found.prices.iter().map(|price| price / dual.unit_bps).collect();
    Ok(Solved { rates: Rates::sole(rates_bps, bottleneck), prices })
}
