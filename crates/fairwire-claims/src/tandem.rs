//! The papers' tandems of unit links as allocation problems.

use crate::catalogue::{Claim, flows, topology};
use fairwire_alloc::{Flow, Link, Problem};

/// The flows of the claim's topology, in its order.
pub fn flows_of(claim: &Claim) -> Option<Vec<(usize, usize)>> {
    match claim.scenario.get("topology") {
        Some(name) => topology(name.as_str()?),
        None => flows(&claim.scenario),
    }
}

/// Nodes in a row joined by unit links, with these flows, all of infinite demand.
pub fn unit_tandem(flows: &[(usize, usize)]) -> Problem {
    let nodes = flows.iter().map(|&(_, to)| to).max().unwrap_or(0) + 1;
    Problem {
        nodes: (0..nodes).map(|node| node.to_string()).collect(),
        ingress_weights: vec![1.0; nodes],
        links: (0..nodes - 1).map(|link| Link { id: link.to_string(), capacity_bps: 1.0 }).collect(),
        flows: flows
            .iter()
            .map(|&(from, to)| Flow {
                id: format!("({from},{to})"),
                ingress: from,
                egress: to,
                route: (from..to).collect(),
                demand_bps: f64::INFINITY,
                weight: 1.0,
            })
            .collect(),
    }
}
