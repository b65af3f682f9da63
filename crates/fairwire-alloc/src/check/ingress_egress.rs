//! Max-min between (ingress, egress) pairs and inside each pair.

use std::collections::BTreeMap;

use super::violation::{Violation, ahead, spare};
use super::is_satisfied;
use crate::{Flow, Problem};

type Pair<'a> = (usize, usize, &'a [usize]);

fn pair(flow: &Flow) -> Pair<'_> {
    (flow.ingress, flow.egress, &flow.route)
}

pub(super) fn check(
    problem: &Problem,
    rates: &[f64],
    loads: &[f64],
    tolerance: f64,
) -> Result<(), Violation> {
    let mut sums: BTreeMap<Pair, f64> = BTreeMap::new();
    let mut largest_inside: BTreeMap<Pair, usize> = BTreeMap::new();
    for (index, flow) in problem.flows.iter().enumerate() {
        *sums.entry(pair(flow)).or_default() += rates[index];
        let leader = largest_inside.entry(pair(flow)).or_insert(index);
        if rates[*leader] < rates[index] {
            *leader = index;
        }
    }
    let mut largest_on: Vec<Option<(Pair, f64)>> = vec![None; problem.links.len()];
    for (&pair, &sum) in &sums {
        for &link in pair.2 {
            if largest_on[link].is_none_or(|(_, most)| most < sum) {
                largest_on[link] = Some((pair, sum));
            }
        }
    }

    for (index, flow) in problem.flows.iter().enumerate() {
        if is_satisfied(problem, index, rates[index], tolerance) {
            continue;
        }
        let own = sums[&pair(flow)];
        let sibling = largest_inside[&pair(flow)];
        let mut reasons = Vec::new();
        for &link in &flow.route {
            let (id, capacity) = (&problem.links[link].id, problem.links[link].capacity_bps);
            let slack = tolerance * capacity;
            let (first, most) = largest_on[link].unwrap_or((pair(flow), own));
            if capacity - loads[link] > slack {
                reasons.push(spare(id, capacity - loads[link]));
            } else if most - own > slack {
                let who =
                    format!("pair {}->{}", problem.nodes[first.0], problem.nodes[first.1]);
                reasons.push(ahead(id, &who, most, own));
            } else if rates[sibling] - rates[index] > slack {
                let who = format!("flow {} of the same pair", problem.flows[sibling].id);
                reasons.push(ahead(id, &who, rates[sibling], rates[index]));
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
