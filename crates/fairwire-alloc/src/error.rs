//! What can be wrong with a question.

use thiserror::Error;

/// Why a problem was refused or could not be solved.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum AllocError {
    /// The list of ingress weights does not match the list of nodes.
    #[error("{nodes} nodes but {weights} ingress weights; give one weight a node")]
    IngressWeightCount {
        /// Number of nodes.
        nodes: usize,
        /// Number of weights.
        weights: usize,
    },
    /// An ingress weight is zero, negative, infinite or not a number.
    #[error("node {node}: the ingress weight must be a positive number, not {weight}")]
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
    #[error("flow {flow}: {role} is node index {node}, but there are only {nodes} nodes")]
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
    #[error("flow {flow}: the route uses link index {link}, but there are only {links} links")]
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
    /// A flow weight is zero, negative, infinite or not a number.
    #[error("flow {flow}: the weight must be a positive number, not {weight}")]
    FlowWeight {
        /// Name of the flow.
        flow: String,
        /// The weight given.
        weight: f64,
    },
    /// A criterion that fairwire knows by name but does not compute yet.
    #[error("criterion {name} is not built yet; choose one of {known}")]
    NotBuiltYet {
        /// The name asked for.
        name: String,
        /// The names that work.
        known: String,
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
