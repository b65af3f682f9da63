//! General weighted fairness: minimums first, the rest by weight.
//!
//! `[wmfqc] §II`: every flow has its minimum rate; what the links have left
//! is shared max-min by weight, up to the smaller of peak and supported rate.

use crate::allocation::Rates;
use crate::incidence::Incidence;
use crate::promises::{Promise, first_overbooked};
use crate::water_filling::{Network, fill};
use crate::{AllocError, Problem, Terms};

/// The part of each flow's minimum rate that it demands, bit/s.
pub(crate) fn granted(problem: &Problem, terms: &Terms) -> Vec<f64> {
    problem.flows.iter().enumerate().map(|(index, flow)| terms.min_rate_bps(index).min(flow.demand_bps)).collect()
}

/// General weighted fair rates of a valid problem whose demands already
/// respect the ceilings of `terms`.
///
/// # Errors
/// [`AllocError::InfeasibleMinimums`] with a smallest set of flows whose
/// minimums alone are more than a link carries.
pub(crate) fn solve(problem: &Problem, terms: &Terms) -> Result<Rates, AllocError> {
    let minimums = granted(problem, terms);
    let routes = Incidence::from_rows(problem.flows.iter().map(|flow| flow.route.iter().copied()));
    let crossing = routes.transposed(problem.links.len());
    let promises = |link: usize| {
        let promise = |flow: usize| Promise { of: flow, rate_bps: minimums[flow] };
        crossing.indices(link).map(promise).collect::<Vec<_>>()
    };
    if let Some(proof) = first_overbooked(problem, promises) {
        let link = &problem.links[proof.link];
        return Err(AllocError::InfeasibleMinimums {
            link: link.id.clone(),
            capacity_bps: link.capacity_bps,
            promised_bps: proof.promised_bps,
            flows: proof.of.iter().map(|&flow| problem.flows[flow].id.clone()).collect(),
        });
    }

    let excess: Vec<f64> = (0..problem.links.len())
        .map(|link| {
            let promised: f64 = crossing.indices(link).map(|flow| minimums[flow]).sum();
            (problem.links[link].capacity_bps - promised).max(0.0)
        })
        .collect();
    let wanted: Vec<f64> = problem.flows.iter().zip(&minimums).map(|(flow, min)| flow.demand_bps - min).collect();
    let weights: Vec<f64> = problem.flows.iter().map(|flow| flow.weight).collect();
    let mut filled = fill(&Network { capacities: &excess, routes: routes.rows(), demands: &wanted, weights: &weights });
    for (index, (rate, minimum)) in filled.rates.iter_mut().zip(&minimums).enumerate() {
        *rate = match filled.bottleneck[index] {
            None => problem.flows[index].demand_bps,
            Some(_) => *rate + minimum,
        };
    }
    Ok(Rates::sole(filled.rates, filled.bottleneck))
}
