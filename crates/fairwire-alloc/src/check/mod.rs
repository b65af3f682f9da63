//! Is a given set of rates fair? Code of its own, shared with no solver.

mod ingress_egress;
mod max_min;
mod proportional;
mod rias;
mod rias_iterative;
mod rivals;
mod violation;

pub use violation::Violation;

use crate::{Criterion, Problem, Terms};

/// What the checkers must know of promises.
#[derive(Clone, Copy)]
pub(crate) struct Promised<'a> {
    /// Minimum rate of each flow, bit/s; empty for none.
    pub flows: &'a [f64],
    /// Minimum rate of each node as an ingress, bit/s; empty for none.
    pub ingresses: &'a [f64],
}

/// Decides whether `rates_bps` (one a flow, bit/s) are fair for `problem`.
///
/// `tolerance` is relative to link capacity: 1e-9 lets a link of 1 Gb/s be
/// off by 1 b/s in every comparison. Where a flow crosses a narrower link,
/// that one counts when the flow is compared with others. Under `proportional` it also bounds what
/// any other feasible rates could gain, Σ w (y − x) / x, relative to Σ w.
///
/// # Errors
/// The first [`Violation`] found: a problem that is not valid, rates of the
/// wrong number or not finite, a link over capacity, a flow over its demand,
/// or a flow that the criterion would give more.
pub fn check(problem: &Problem, criterion: Criterion, rates_bps: &[f64], tolerance: f64) -> Result<(), Violation> {
    check_with_terms(problem, &Terms::default(), criterion, rates_bps, tolerance)
}

/// [`check`] where promises and ceilings stand beside the problem.
///
/// # Errors
/// As [`check`], and when a flow or ingress has less than it is promised.
pub fn check_with_terms(
    problem: &Problem,
    terms: &Terms,
    criterion: Criterion,
    rates_bps: &[f64],
    tolerance: f64,
) -> Result<(), Violation> {
    let valid = problem.validate().and_then(|()| terms.validate(problem));
    valid.map_err(|error| Violation::Problem(error.to_string()))?;
    let promised = Promised { flows: &terms.min_rates_bps, ingresses: &terms.ingress_min_rates_bps };
    if terms.caps_anybody() {
        check_valid(&terms.capped(problem), promised, criterion, rates_bps, tolerance)
    } else {
        check_valid(problem, promised, criterion, rates_bps, tolerance)
    }
}

/// [`check`] for a problem that is known to be valid.
pub(crate) fn check_valid(
    problem: &Problem,
    promised: Promised,
    criterion: Criterion,
    rates: &[f64],
    tolerance: f64,
) -> Result<(), Violation> {
    if !tolerance.is_finite() || tolerance < 0.0 {
        return Err(Violation::Tolerance { tolerance });
    }
    let loads = feasible(problem, rates, tolerance)?;
    let own_weight = |flow: usize| problem.flows[flow].weight;
    match criterion {
        Criterion::Rias => rias::check(problem, promised.ingresses, rates, &loads, tolerance),
        Criterion::RiasIterative => rias_iterative::check(problem, rates, tolerance),
        Criterion::IngressEgress => ingress_egress::check(problem, rates, &loads, tolerance),
        Criterion::MaxMin => max_min::check(problem, rates, &loads, tolerance, &|_| 1.0, &|_| 0.0),
        Criterion::WeightedMaxMin => max_min::check(problem, rates, &loads, tolerance, &own_weight, &|_| 0.0),
        Criterion::InverseHop => {
            let by_hops = |flow: usize| 1.0 / problem.flows[flow].route.len() as f64;
            max_min::check(problem, rates, &loads, tolerance, &by_hops, &|_| 0.0)
        }
        Criterion::GeneralWeighted => {
            let promise = |flow: usize| match promised.flows.get(flow) {
                Some(minimum) => minimum.min(problem.flows[flow].demand_bps),
                None => 0.0,
            };
            max_min::check_promises(problem, rates, tolerance, &promise)?;
            max_min::check(problem, rates, &loads, tolerance, &own_weight, &promise)
        }
        Criterion::Proportional => proportional::check(problem, rates, &loads, tolerance),
    }
}

/// Rates are numbers within demands and capacities; returns the link loads.
fn feasible(problem: &Problem, rates: &[f64], tolerance: f64) -> Result<Vec<f64>, Violation> {
    if rates.len() != problem.flows.len() {
        return Err(Violation::Count { rates: rates.len(), flows: problem.flows.len() });
    }
    let mut loads = vec![0.0; problem.links.len()];
    for (flow, &rate) in problem.flows.iter().zip(rates) {
        let slack = tolerance * narrowest(problem, &flow.route);
        if !rate.is_finite() || rate < -slack {
            return Err(Violation::Rate { flow: flow.id.clone(), rate_bps: rate });
        }
        if rate > flow.demand_bps + slack {
            return Err(Violation::OverDemand { flow: flow.id.clone(), rate_bps: rate, demand_bps: flow.demand_bps });
        }
        for &link in &flow.route {
            loads[link] += rate;
        }
    }
    for (link, &load) in problem.links.iter().zip(&loads) {
        if load > link.capacity_bps * (1.0 + tolerance) {
            return Err(Violation::OverCapacity {
                link: link.id.clone(),
                load_bps: load,
                capacity_bps: link.capacity_bps,
            });
        }
    }
    Ok(loads)
}

/// How far one party on a link may be ahead of another: as the tolerance says of the narrowest link that the other one
/// crosses, but for what rounding leaves on this link.
fn slack_ahead(problem: &Problem, route: &[usize], link: usize, tolerance: f64) -> f64 {
    let capacity = problem.links[link].capacity_bps;
    (tolerance * narrowest(problem, route)).max(ROUNDING * capacity).min(tolerance * capacity)
}

/// What sums of rates over a link may be off by, relative to its capacity.
const ROUNDING: f64 = 1e-13;

/// Smallest capacity along a route, bit/s.
fn narrowest(problem: &Problem, route: &[usize]) -> f64 {
    route.iter().map(|&link| problem.links[link].capacity_bps).fold(f64::INFINITY, f64::min)
}

/// Whether a flow has what it asked for.
fn is_satisfied(problem: &Problem, flow: usize, rate: f64, tolerance: f64) -> bool {
    let flow = &problem.flows[flow];
    rate >= flow.demand_bps - tolerance * narrowest(problem, &flow.route)
}
