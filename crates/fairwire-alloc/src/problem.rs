//! What is to be shared, and among whom.

use crate::AllocError;

/// From here on a 64-bit float no longer holds every whole number of bit/s.
pub(crate) const TOO_LARGE_BPS: f64 = 9_007_199_254_740_992.0;

/// The smallest weight of a flow or ingress.
pub const LEAST_WEIGHT: f64 = 1e-6;
/// The largest weight of a flow or ingress. Rates are exact to about 10⁻¹² of a link's capacity, under RIAS to 10⁻⁹: beside weights
/// 10⁸ times as large a flow's own rate has six digits, beside those 10¹² times as large none for sure.
pub const LARGEST_WEIGHT: f64 = 1e6;

/// A directed link.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Name used in explanations, for example `r0:4`.
    pub id: String,
    /// Capacity in bit/s; positive and below 2^53.
    pub capacity_bps: f64,
}

/// All traffic that one sender offers from one ingress to one egress.
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    /// Name used in explanations.
    pub id: String,
    /// Index of the node where the flow enters.
    pub ingress: usize,
    /// Index of the node where the flow leaves.
    pub egress: usize,
    /// Indices of the links it crosses, in order, each at most once.
    pub route: Vec<usize>,
    /// Offered rate in bit/s, below 2^53; `f64::INFINITY` for a greedy flow.
    pub demand_bps: f64,
    /// Weight of the flow: inside its ingress under RIAS, among all flows
    /// under weighted max-min. From [`LEAST_WEIGHT`] to [`LARGEST_WEIGHT`].
    pub weight: f64,
}

/// Links, and the flows that compete for them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Problem {
    /// Node names; flows refer to nodes by index.
    pub nodes: Vec<String>,
    /// Weight of each node as an ingress, one a node (RIAS only); from
    /// [`LEAST_WEIGHT`] to [`LARGEST_WEIGHT`].
    pub ingress_weights: Vec<f64>,
    /// The links; routes refer to them by index.
    pub links: Vec<Link>,
    /// The flows; every answer keeps their order.
    pub flows: Vec<Flow>,
}

impl Problem {
    /// Checks that indices exist, routes are simple and numbers make sense.
    ///
    /// # Errors
    /// The first [`AllocError`] met, in the order nodes, links, flows.
    pub fn validate(&self) -> Result<(), AllocError> {
        self.validate_nodes()?;
        self.validate_links()?;
        // The flow that was last seen on each link tells a repeated link
        // without a set per route.
        let mut last_seen = vec![usize::MAX; self.links.len()];
        self.flows.iter().enumerate().try_for_each(|(index, flow)| self.validate_flow(index, flow, &mut last_seen))
    }

    fn validate_nodes(&self) -> Result<(), AllocError> {
        if self.ingress_weights.len() != self.nodes.len() {
            return Err(AllocError::IngressWeightCount {
                nodes: self.nodes.len(),
                weights: self.ingress_weights.len(),
            });
        }
        for (node, &weight) in self.nodes.iter().zip(&self.ingress_weights) {
            if !is_weight(weight) {
                return Err(AllocError::IngressWeight { node: node.clone(), weight });
            }
        }
        Ok(())
    }

    fn validate_links(&self) -> Result<(), AllocError> {
        for link in &self.links {
            if !is_finite_positive(link.capacity_bps) {
                return Err(AllocError::Capacity { link: link.id.clone(), capacity_bps: link.capacity_bps });
            }
            if link.capacity_bps >= TOO_LARGE_BPS {
                let (name, rate_bps) = (link.id.clone(), link.capacity_bps);
                return Err(AllocError::TooLarge { what: "link", name, rate_bps });
            }
        }
        Ok(())
    }

    pub(crate) fn validate_flow(&self, index: usize, flow: &Flow, last_seen: &mut [usize]) -> Result<(), AllocError> {
        let name = || flow.id.clone();
        for (role, node) in [("ingress", flow.ingress), ("egress", flow.egress)] {
            if node >= self.nodes.len() {
                let nodes = self.nodes.len();
                return Err(AllocError::UnknownNode { flow: name(), role, node, nodes });
            }
        }
        if flow.route.is_empty() {
            return Err(AllocError::EmptyRoute { flow: name() });
        }
        for &link in &flow.route {
            let Some(seen) = last_seen.get_mut(link) else {
                let links = self.links.len();
                return Err(AllocError::UnknownLink { flow: name(), link, links });
            };
            if *seen == index {
                let link = self.links[link].id.clone();
                return Err(AllocError::RepeatedLink { flow: name(), link });
            }
            *seen = index;
        }
        if flow.demand_bps.is_nan() || flow.demand_bps < 0.0 {
            return Err(AllocError::Demand { flow: name(), demand_bps: flow.demand_bps });
        }
        if flow.demand_bps.is_finite() && flow.demand_bps >= TOO_LARGE_BPS {
            return Err(AllocError::TooLarge { what: "flow", name: name(), rate_bps: flow.demand_bps });
        }
        if !is_weight(flow.weight) {
            return Err(AllocError::FlowWeight { flow: name(), weight: flow.weight });
        }
        Ok(())
    }
}

/// Whether a value can be a weight: sums and ratios of such numbers stay far from the ends of floats.
pub fn is_weight(value: f64) -> bool {
    (LEAST_WEIGHT..=LARGEST_WEIGHT).contains(&value)
}

/// Whether a value can be a capacity.
pub(crate) fn is_finite_positive(value: f64) -> bool {
    value.is_finite() && value > 0.0
}
