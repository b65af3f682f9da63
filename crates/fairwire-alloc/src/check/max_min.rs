//! The bottleneck condition of weighted flow max-min.
//!
//! A feasible vector is max-min fair exactly when every flow has its demand
//! or crosses a full link on which no flow has a larger rate per weight.

use super::violation::{Violation, ahead, spare};
use super::is_satisfied;
use crate::{Flow, Problem};

pub(super) fn check(
    problem: &Problem,
    rates: &[f64],
    loads: &[f64],
    tolerance: f64,
    weight: impl Fn(&Flow) -> f64,
) -> Result<(), Violation> {
    // The flow with the largest rate per weight on each link.
    let mut leader: Vec<Option<usize>> = vec![None; problem.links.len()];
    let level = |flow: usize| rates[flow] / weight(&problem.flows[flow]);
    for (index, flow) in problem.flows.iter().enumerate() {
        for &link in &flow.route {
            if leader[link].is_none_or(|first| level(first) < level(index)) {
                leader[link] = Some(index);
            }
        }
    }

    for (index, flow) in problem.flows.iter().enumerate() {
        if is_satisfied(problem, index, rates[index], tolerance) {
            continue;
        }
        let mut reasons = Vec::new();
        for &link in &flow.route {
            let (id, capacity) = (&problem.links[link].id, problem.links[link].capacity_bps);
            let slack = tolerance * capacity;
            let first = leader[link].unwrap_or(index);
            let first_weight = weight(&problem.flows[first]);
            if capacity - loads[link] > slack {
                reasons.push(spare(id, capacity - loads[link]));
            } else if (level(first) - level(index)) * weight(flow).min(first_weight) > slack {
                let who = format!("flow {}", problem.flows[first].id);
                reasons.push(ahead(id, &who, level(first), level(index)));
            } else {
                reasons.clear();
                break;
            }
        }
        if !reasons.is_empty() {
            return Err(Violation::NoBottleneck {
                flow: flow.id.clone(),
                rate_bps: rates[index],
                links: reasons,
            });
        }
    }
    Ok(())
}
