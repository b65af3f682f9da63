//! The bottleneck condition of weighted flow max-min.
//!
//! A feasible vector is max-min fair exactly when every flow has its demand
//! or crosses a full link on which no flow has a larger rate, beyond what it
//! is promised, per weight.

use super::violation::{Violation, ahead, spare};
use super::{is_satisfied, narrowest};
use crate::Problem;

pub(super) fn check(
    problem: &Problem,
    rates: &[f64],
    loads: &[f64],
    tolerance: f64,
    weight: &dyn Fn(usize) -> f64,
    promise: &dyn Fn(usize) -> f64,
) -> Result<(), Violation> {
    // The flow with the largest rate per weight on each link.
    let mut leader: Vec<Option<usize>> = vec![None; problem.links.len()];
    let level = |flow: usize| (rates[flow] - promise(flow)) / weight(flow);
    for (index, flow) in problem.flows.iter().enumerate() {
        for &link in &flow.route {
            if leader[link].is_none_or(|first| level(first) < level(index)) {
                leader[link] = Some(index);
            }
        }
    }

    let leader = |flow: usize, link: usize| leader[link].unwrap_or(flow);
    let has_spare =
        |link: usize| problem.links[link].capacity_bps - loads[link] > tolerance * problem.links[link].capacity_bps;
    let is_behind = |flow: usize, link: usize| {
        let first = leader(flow, link);
        (level(first) - level(flow)) * weight(flow).min(weight(first)) > tolerance * problem.links[link].capacity_bps
    };
    for (index, flow) in problem.flows.iter().enumerate() {
        let held = is_satisfied(problem, index, rates[index], tolerance)
            || flow.route.iter().any(|&link| !has_spare(link) && !is_behind(index, link));
        if held {
            continue;
        }
        let reason = |&link: &usize| {
            let (id, capacity) = (&problem.links[link].id, problem.links[link].capacity_bps);
            if has_spare(link) {
                return spare(id, capacity - loads[link]);
            }
            let first = leader(index, link);
            ahead(id, &format!("flow {}", problem.flows[first].id), level(first), level(index))
        };
        return Err(Violation::NoBottleneck {
            flow: flow.id.clone(),
            rate_bps: rates[index],
            links: flow.route.iter().map(reason).collect(),
        });
    }
    Ok(())
}

/// No flow has less than it is promised.
pub(super) fn check_promises(
    problem: &Problem,
    rates: &[f64],
    tolerance: f64,
    promise: &dyn Fn(usize) -> f64,
) -> Result<(), Violation> {
    for (index, flow) in problem.flows.iter().enumerate() {
        if rates[index] < promise(index) - tolerance * narrowest(problem, &flow.route) {
            return Err(Violation::UnderMinimum {
                flow: flow.id.clone(),
                rate_bps: rates[index],
                minimum_bps: promise(index),
            });
        }
    }
    Ok(())
}
