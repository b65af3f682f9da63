//! The way in: from a problem and a criterion to rates.

use std::borrow::Cow;

use crate::allocation::{Allocation, Rates};
use crate::incidence::Incidence;
use crate::water_filling::{Network, fill};
use crate::{AllocError, Criterion, Problem, Terms};
use crate::{explain, general_weighted, ingress_egress, iterative, proportional, rias};

/// Fair rates with an explanation for every flow.
///
/// # Errors
/// What [`Problem::validate`] finds, or [`AllocError::NotCertified`] if no
/// method arrives at rates that pass the criterion's checker.
pub fn solve(problem: &Problem, criterion: Criterion) -> Result<Allocation, AllocError> {
    solve_with_terms(problem, &Terms::default(), criterion)
}

/// Fair rates alone, for large problems and tight loops: [`solve`] without
/// the sentences.
///
/// # Errors
/// As [`solve`].
pub fn solve_rates(problem: &Problem, criterion: Criterion) -> Result<Rates, AllocError> {
    solve_rates_with_terms(problem, &Terms::default(), criterion)
}

/// [`solve`] where promises and ceilings stand beside the problem.
///
/// # Errors
/// As [`solve`]; what [`Terms::validate`] finds;
/// [`AllocError::InfeasibleMinimums`] or
/// [`AllocError::InfeasibleIngressMinimums`] with a smallest set of flows or
/// ingresses whose minimums do not fit.
pub fn solve_with_terms(problem: &Problem, terms: &Terms, criterion: Criterion) -> Result<Allocation, AllocError> {
    let problem = validated(problem, terms)?;
    let solved = solve_valid(&problem, terms, criterion)?;
    Ok(explain::explain(&problem, terms, criterion, solved))
}

/// [`solve_rates`] where promises and ceilings stand beside the problem.
///
/// # Errors
/// As [`solve_with_terms`].
pub fn solve_rates_with_terms(problem: &Problem, terms: &Terms, criterion: Criterion) -> Result<Rates, AllocError> {
    let problem = validated(problem, terms)?;
    Ok(solve_valid(&problem, terms, criterion)?.rates)
}

/// Rates, and what a criterion knows besides.
pub(crate) struct Solved {
    pub rates: Rates,
    /// Price of each link under proportional fairness, weight per bit/s;
    /// otherwise empty.
    pub prices: Vec<f64>,
}

/// The problem with every demand lowered to its ceiling.
fn validated<'a>(problem: &'a Problem, terms: &Terms) -> Result<Cow<'a, Problem>, AllocError> {
    problem.validate()?;
    terms.validate(problem)?;
    Ok(if terms.caps_anybody() { Cow::Owned(terms.capped(problem)) } else { Cow::Borrowed(problem) })
}

fn solve_valid(problem: &Problem, terms: &Terms, criterion: Criterion) -> Result<Solved, AllocError> {
    let rates = match criterion {
        Criterion::Rias => rias::solve(problem, terms)?,
        Criterion::RiasIterative => iterative::solve(problem)?,
        Criterion::IngressEgress => ingress_egress::solve(problem),
        Criterion::MaxMin | Criterion::WeightedMaxMin | Criterion::InverseHop => flow_max_min(problem, criterion),
        Criterion::GeneralWeighted => general_weighted::solve(problem, terms)?,
        Criterion::Proportional => return proportional::solve(problem),
    };
    Ok(Solved { rates, prices: Vec::new() })
}

fn flow_max_min(problem: &Problem, criterion: Criterion) -> Rates {
    let capacities: Vec<f64> = problem.links.iter().map(|link| link.capacity_bps).collect();
    let routes = Incidence::from_rows(problem.flows.iter().map(|flow| flow.route.iter().copied()));
    let demands: Vec<f64> = problem.flows.iter().map(|flow| flow.demand_bps).collect();
    let weights = if criterion == Criterion::MaxMin { Vec::new() } else { flow_weights(problem, criterion) };
    let filled =
        fill(&Network { capacities: &capacities, routes: routes.rows(), demands: &demands, weights: &weights });
    Rates::sole(filled.rates, filled.bottleneck)
}

/// What a flow's rate is divided by when flows are compared.
pub(crate) fn flow_weights(problem: &Problem, criterion: Criterion) -> Vec<f64> {
    problem
        .flows
        .iter()
        .map(|flow| match criterion {
            Criterion::WeightedMaxMin | Criterion::GeneralWeighted | Criterion::Proportional => flow.weight,
            Criterion::InverseHop => 1.0 / flow.route.len() as f64,
            _ => 1.0,
        })
        .collect()
}
