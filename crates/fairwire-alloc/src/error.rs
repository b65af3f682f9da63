//! What can be wrong with a question.

use thiserror::Error;

use crate::text;

/// Why a problem was refused or could not be solved.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum AllocError {
    /// The list of ingress weights does not match the list of nodes.
    #[error("{} but {}; give one weight a node", text::count(*.nodes, "node"), text::count(*.weights, "ingress weight"))]
    IngressWeightCount {
        /// Number of nodes.
        nodes: usize,
        /// Number of weights.
        weights: usize,
    },
    /// An ingress weight is not a number from [`crate::LEAST_WEIGHT`] to [`crate::LARGEST_WEIGHT`].
    #[error("node {node}: the ingress weight must be a number from 0.000001 to 1000000, not {weight:?}")]
    IngressWeight {
        /// Name of the node.
        node: String,
        /// The weight given.
        weight: f64,
    },
    /// A capacity is zero, negative, infinite or not a number.
    #[error("link {link}: the capacity must be a positive number of bit/s, not {capacity_bps}")]
    Capacity {
        /// Name of the link.
        link: String,
        /// The capacity given, bit/s.
        capacity_bps: f64,
    },
    /// A flow names a node that does not exist.
    #[error("flow {flow}: {role} is node index {node}, but {}", there_are(*.nodes, "node"))]
    UnknownNode {
        /// Name of the flow.
        flow: String,
        /// `ingress` or `egress`.
        role: &'static str,
        /// The index given.
        node: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// A flow crosses no link.
    #[error("flow {flow}: the route is empty; a flow must cross at least one link")]
    EmptyRoute {
        /// Name of the flow.
        flow: String,
    },
    /// A route names a link that does not exist.
    #[error("flow {flow}: the route uses link index {link}, but {}", there_are(*.links, "link"))]
    UnknownLink {
        /// Name of the flow.
        flow: String,
        /// The index given.
        link: usize,
        /// Number of links.
        links: usize,
    },
    /// A route crosses one link more than once.
    #[error("flow {flow}: the route crosses link {link} more than once")]
    RepeatedLink {
        /// Name of the flow.
        flow: String,
        /// Name of the link.
        link: String,
    },
    /// A demand is negative or not a number.
    #[error("flow {flow}: the demand must be zero or more bit/s (infinite for a greedy flow), not {demand_bps}")]
    Demand {
        /// Name of the flow.
        flow: String,
        /// The demand given, bit/s.
        demand_bps: f64,
    },
    /// A flow weight is not a number from [`crate::LEAST_WEIGHT`] to [`crate::LARGEST_WEIGHT`].
    #[error("flow {flow}: the weight must be a number from 0.000001 to 1000000, not {weight:?}")]
    FlowWeight {
        /// Name of the flow.
        flow: String,
        /// The weight given.
        weight: f64,
    },
    /// A capacity or a finite rate is so large that neighbouring bit/s can no
    /// longer be told apart.
    #[error("{what} {name}: {rate_bps:e} b/s is too large; rates must stay below 2^53 b/s")]
    TooLarge {
        /// `link`, `flow` or `node`.
        what: &'static str,
        /// Its name.
        name: String,
        /// The rate given, bit/s.
        rate_bps: f64,
    },
    /// A list of promises or ceilings has the wrong length.
    #[error("{what}: {given} given, but {wanted} needed (or none)")]
    TermCount {
        /// What the list holds.
        what: &'static str,
        /// Its length.
        given: usize,
        /// The number of flows or nodes.
        wanted: usize,
    },
    /// A minimum, peak or supported rate is negative or not a number, or a
    /// minimum is 2^53 bit/s or more.
    #[error("{of}: the {what} must be zero or more bit/s{}, not {rate_bps}", if *.what == "minimum rate" { " and less than 2^53" } else { "" })]
    Term {
        /// Which rate.
        what: &'static str,
        /// Name of the flow or node.
        of: String,
        /// The rate given, bit/s.
        rate_bps: f64,
    },
    /// A flow is promised more than it may have.
    #[error("flow {flow}: its minimum rate is {}, more than the {} it may have", text::rate(*.min_bps), text::rate(*.most_bps))]
    MinimumOverPeak {
        /// Name of the flow.
        flow: String,
        /// Its minimum rate, bit/s.
        min_bps: f64,
        /// The smaller of its peak and supported rate, bit/s.
        most_bps: f64,
    },
    /// The minimum rates of some flows do not fit into a link.
    #[error("link {link} carries {}, but the minimum rates of {} need {}", text::rate(*.capacity_bps), .flows.join(", "), text::rate(*.promised_bps))]
    InfeasibleMinimums {
        /// Name of the link.
        link: String,
        /// Its capacity, bit/s.
        capacity_bps: f64,
        /// What the flows are promised together, bit/s.
        promised_bps: f64,
        /// Names of a smallest set of flows whose minimums do not fit: without
        /// any one of them the others would.
        flows: Vec<String>,
    },
    /// The minimum rates of some ingresses do not fit into a link.
    #[error("link {link} carries {}, but the minimum rates of ingresses {} need {}", text::rate(*.capacity_bps), .ingresses.join(", "), text::rate(*.promised_bps))]
    InfeasibleIngressMinimums {
        /// Name of the link.
        link: String,
        /// Its capacity, bit/s.
        capacity_bps: f64,
        /// What the ingresses are promised together, bit/s.
        promised_bps: f64,
        /// Names of a smallest set of ingresses whose minimums do not fit.
        ingresses: Vec<String>,
    },
    /// The rows of a sparse matrix do not fit together.
    #[error(
        "a route ends at {ends}, but the list of links has {} up to there; rows must ascend from 0 to its length", text::count(*.items, "entry")
    )]
    Rows {
        /// Where a row ends.
        ends: usize,
        /// Where it should end at most.
        items: usize,
    },
    /// A change names something that does not exist.
    #[error("a change names {what} {index}, but {}", there_are(*.count, what))]
    UnknownChange {
        /// `flow`, `link` or `node`.
        what: &'static str,
        /// The index given.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// There is no flow of this index, or no longer.
    #[error("there is no flow {flow}")]
    UnknownFlow {
        /// The index given.
        flow: usize,
    },
    /// Rates under this criterion cannot follow changes one by one.
    #[error(
        "rates under {criterion} cannot be updated step by step; solve again, or use max-min, weighted-max-min, inverse-hop or general-weighted"
    )]
    NotIncremental {
        /// The criterion asked for.
        criterion: crate::Criterion,
    },
    /// A criterion nobody knows.
    #[error("unknown criterion {name}; choose one of {known}")]
    UnknownCriterion {
        /// The name asked for.
        name: String,
        /// The names that work.
        known: String,
    },
    /// No method arrived at rates that pass the criterion's checker.
    #[error("no {criterion} rates found that pass the check: {violation}")]
    NotCertified {
        /// The criterion asked for.
        criterion: crate::Criterion,
        /// What the checker said of the best attempt.
        violation: String,
    },
}

/// What there is less of than was named: `there is only 1 link`.
fn there_are(count: usize, noun: &str) -> String {
    let counted = text::count(count, noun);
    match count {
        0 => format!("there are no {}", text::plural(noun)),
        1 => format!("there is only {counted}"),
        _ => format!("there are only {counted}"),
    }
}
