//! Max-min between (ingress, egress) pairs and inside each pair.

use std::collections::BTreeMap;

use super::is_satisfied;
use super::violation::{Violation, ahead, spare};
use crate::{Flow, Problem};

type Pair<'a> = (usize, usize, &'a [usize]);

fn pair(flow: &Flow) -> Pair<'_> {
    (flow.ingress, flow.egress, &flow.route)
}

pub(super) fn check(problem: &Problem, rates: &[f64], loads: &[f64], tolerance: f64) -> Result<(), Violation> {
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
        let objection = |link: usize| {
            let (first, most) = largest_on[link].unwrap_or((pair(flow), own));
            let capacity = problem.links[link].capacity_bps;
            let slack = tolerance * capacity;
            if capacity - loads[link] > slack {
                Some(Objection::Spare(capacity - loads[link]))
            } else if most - own > slack {
                Some(Objection::Pair(first.0, first.1, most))
            } else {
                (rates[sibling] - rates[index] > slack).then_some(Objection::Sibling)
            }
        };
        if flow.route.iter().any(|&link| objection(link).is_none()) {
            continue;
        }
        let reason = |&link: &usize| {
            let id = &problem.links[link].id;
            Some(match objection(link)? {
                Objection::Spare(left) => spare(id, left),
                Objection::Pair(from, to, most) => {
                    let who = format!("pair {}->{}", problem.nodes[from], problem.nodes[to]);
                    ahead(id, &who, most, own)
                }
                Objection::Sibling => {
                    let who = format!("flow {} of the same pair", problem.flows[sibling].id);
                    ahead(id, &who, rates[sibling], rates[index])
                }
            })
        };
        return Err(Violation::NoBottleneck {
            flow: flow.id.clone(),
            rate_bps: rates[index],
            links: flow.route.iter().filter_map(reason).collect(),
        });
    }
    Ok(())
}

/// Why a link does not hold a flow.
enum Objection {
    /// It has this much left.
    Spare(f64),
    /// This pair (ingress, egress) holds more: this much.
    Pair(usize, usize, f64),
    /// Another flow of the pair holds more.
    Sibling,
}
