//! Builders shared by the tests.

pub mod random;
pub mod rational;

use fairwire_alloc::{Allocation, Flow, Link, Problem};

/// A greedy flow's demand.
pub const GREEDY: f64 = f64::INFINITY;

/// A tandem with nodes 1..=nodes, unit links (link n leaves node n) and
/// greedy flows of weight 1 between the given nodes.
pub fn tandem(nodes: usize, flows: &[(usize, usize)]) -> Problem {
    let greedy: Vec<_> = flows.iter().map(|&(from, to)| (from, to, GREEDY)).collect();
    tandem_with_demands(nodes, &greedy)
}

/// The same with a demand for each flow.
pub fn tandem_with_demands(nodes: usize, flows: &[(usize, usize, f64)]) -> Problem {
    Problem {
        nodes: (1..=nodes).map(|node| node.to_string()).collect(),
        ingress_weights: vec![1.0; nodes],
        links: (1..nodes).map(|n| Link { id: format!("link {n}"), capacity_bps: 1.0 }).collect(),
        flows: flows
            .iter()
            .map(|&(from, to, demand_bps)| Flow {
                id: format!("({from},{to})"),
                ingress: from - 1,
                egress: to - 1,
                route: (from - 1..to - 1).collect(),
                demand_bps,
                weight: 1.0,
            })
            .collect(),
    }
}

/// The rates of an answer, in the order of the problem.
pub fn rates(allocation: &Allocation) -> Vec<f64> {
    allocation.flows.iter().map(|flow| flow.rate_bps).collect()
}

/// Fails with both lists when any pair differs by more than `within`.
pub fn assert_close(actual: &[f64], expected: &[f64], within: f64) {
    assert_eq!(actual.len(), expected.len());
    let worst = actual.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst <= within, "off by {worst:e}: {actual:?} instead of {expected:?}");
}

/// How many random cases to try: all of them when `FAIRWIRE_ALL_CASES` is set,
/// otherwise a fifth, so that a test takes seconds.
pub fn cases(all: u64) -> u64 {
    if std::env::var_os("FAIRWIRE_ALL_CASES").is_some() { all } else { all / 5 }
}
