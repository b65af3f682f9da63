//! The papers' topologies on unit links.

use fairwire_alloc::{Criterion, Flow, Link, Problem, solve_rates};

/// Nodes in a row, unit links, and flows (from, to, demand).
pub fn tandem(flows: &[(usize, usize, f64)]) -> Problem {
    let nodes = flows.iter().map(|flow| flow.1).max().unwrap_or(0) + 1;
    Problem {
        nodes: (0..nodes).map(|node| node.to_string()).collect(),
        ingress_weights: vec![1.0; nodes],
        links: (0..nodes - 1).map(|link| Link { id: link.to_string(), capacity_bps: 1.0 }).collect(),
        flows: flows
            .iter()
            .map(|&(from, to, demand_bps)| Flow {
                id: format!("({from},{to})"),
                ingress: from,
                egress: to,
                route: (from..to).collect(),
                demand_bps,
                weight: 1.0,
            })
            .collect(),
    }
}

/// The RIAS rates.
pub fn fair(problem: &Problem) -> Vec<f64> {
    solve_rates(problem, Criterion::Rias).expect("a tandem has RIAS rates").rates_bps
}

/// Demand without end.
pub const GREEDY: f64 = f64::INFINITY;
