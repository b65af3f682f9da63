//! The bottleneck condition of weighted flow max-min.
//!
//! A feasible vector is max-min fair exactly when every flow has its demand
//! or crosses a full link on which no flow has a larger rate, beyond what it
//! is promised, per weight.

use super::rivals::Rivals;
use super::violation::{Violation, ahead, spare};
use super::{is_satisfied, narrowest, slack_ahead};
use crate::Problem;
use crate::interrupt::look;

pub(super) fn check(
    problem: &Problem,
    rates: &[f64],
    loads: &[f64],
    tolerance: f64,
    weight: &dyn Fn(usize) -> f64,
    promise: &dyn Fn(usize) -> f64,
) -> Result<(), Violation> {
    let level = |flow: usize| (rates[flow] - promise(flow)) / weight(flow);
    let mut rivals = vec![Rivals::default(); problem.links.len()];
    for (index, flow) in problem.flows.iter().enumerate() {
        flow.route.iter().for_each(|&link| rivals[link].add(index, level(index), weight(index)));
    }
    rivals.iter_mut().for_each(Rivals::sort);

    let has_spare =
        |link: usize| problem.links[link].capacity_bps - loads[link] > tolerance * problem.links[link].capacity_bps;
    let ahead_of = |flow: usize, link: usize| {
        let slack = slack_ahead(problem, &problem.flows[flow].route, link, tolerance);
        rivals[link].ahead(level(flow), weight(flow), slack)
    };
    for (index, flow) in problem.flows.iter().enumerate() {
        look();
        let held = is_satisfied(problem, index, rates[index], tolerance)
            || flow.route.iter().any(|&link| !has_spare(link) && ahead_of(index, link).is_none());
        if held {
            continue;
        }
        let reason = |&link: &usize| {
            let (id, capacity) = (&problem.links[link].id, problem.links[link].capacity_bps);
            if has_spare(link) {
                return Some(spare(id, capacity - loads[link]));
            }
            let (first, theirs) = ahead_of(index, link)?;
            Some(ahead(id, &format!("flow {}", problem.flows[first].id), theirs, level(index)))
        };
        return Err(Violation::NoBottleneck {
            flow: flow.id.clone(),
            rate_bps: rates[index],
            links: flow.route.iter().filter_map(reason).collect(),
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
