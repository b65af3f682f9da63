//! The way in: from a problem and a criterion to rates.

use crate::allocation::{Allocation, Rates};
use crate::incidence::Incidence;
use crate::water_filling::{Network, fill};
use crate::{AllocError, Criterion, Problem, explain, ingress_egress, iterative, rias};

/// Fair rates with an explanation for every flow.
///
/// # Errors
/// What [`Problem::validate`] finds, or [`AllocError::NotCertified`] if no
/// method arrives at rates that pass the criterion's checker.
pub fn solve(problem: &Problem, criterion: Criterion) -> Result<Allocation, AllocError> {
    let rates = solve_rates(problem, criterion)?;
    Ok(explain::explain(problem, criterion, rates))
}

/// Fair rates alone, for large problems and tight loops: [`solve`] without
/// the sentences.
///
/// # Errors
/// As [`solve`].
pub fn solve_rates(problem: &Problem, criterion: Criterion) -> Result<Rates, AllocError> {
    problem.validate()?;
    match criterion {
        Criterion::Rias => rias::solve(problem),
        Criterion::RiasIterative => Ok(iterative::solve(problem)),
        Criterion::IngressEgress => Ok(ingress_egress::solve(problem)),
        Criterion::MaxMin | Criterion::WeightedMaxMin | Criterion::InverseHop => Ok(flow_max_min(problem, criterion)),
    }
}

fn flow_max_min(problem: &Problem, criterion: Criterion) -> Rates {
    let capacities: Vec<f64> = problem.links.iter().map(|link| link.capacity_bps).collect();
    let routes = Incidence::from_rows(problem.flows.iter().map(|flow| flow.route.iter().copied()));
    let demands: Vec<f64> = problem.flows.iter().map(|flow| flow.demand_bps).collect();
    let weights = flow_weights(problem, criterion);
    let filled = fill(&Network { capacities: &capacities, routes: &routes, demands: &demands, weights: &weights });
    Rates::sole(filled.rates, filled.bottleneck)
}

/// What a flow's rate is divided by when flows are compared.
pub(crate) fn flow_weights(problem: &Problem, criterion: Criterion) -> Vec<f64> {
    problem
        .flows
        .iter()
        .map(|flow| match criterion {
            Criterion::WeightedMaxMin => flow.weight,
            Criterion::InverseHop => 1.0 / flow.route.len() as f64,
            _ => 1.0,
        })
        .collect()
}
