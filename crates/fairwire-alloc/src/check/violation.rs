//! What is wrong with a set of rates.

use thiserror::Error;

use crate::text;

/// Why rates are not fair, with the flow and the link concerned.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Violation {
    /// The problem itself is not valid.
    #[error("{0}")]
    Problem(String),
    /// The tolerance is negative or not a number.
    #[error("the tolerance must be zero or a small positive number, not {tolerance}")]
    Tolerance {
        /// The tolerance given.
        tolerance: f64,
    },
    /// Not one rate a flow.
    #[error("{} for {}", text::count(*.rates, "rate"), text::count(*.flows, "flow"))]
    Count {
        /// Number of rates.
        rates: usize,
        /// Number of flows.
        flows: usize,
    },
    /// A rate is negative, infinite or not a number.
    #[error("flow {flow}: {rate_bps} b/s is not a rate")]
    Rate {
        /// Name of the flow.
        flow: String,
        /// The rate given, bit/s.
        rate_bps: f64,
    },
    /// A flow has more than it asked for.
    #[error("flow {flow} has {}, more than its demand of {}", text::rate(*.rate_bps), text::rate(*.demand_bps))]
    OverDemand {
        /// Name of the flow.
        flow: String,
        /// Its rate, bit/s.
        rate_bps: f64,
        /// Its demand, bit/s.
        demand_bps: f64,
    },
    /// A flow has less than it was promised.
    #[error("flow {flow} has {}, less than its minimum rate of {}", text::rate(*.rate_bps), text::rate(*.minimum_bps))]
    UnderMinimum {
        /// Name of the flow.
        flow: String,
        /// Its rate, bit/s.
        rate_bps: f64,
        /// What it was promised and demands, bit/s.
        minimum_bps: f64,
    },
    /// Other feasible rates have a larger sum of weighted logarithms.
    #[error("other rates are better by up to {gain:e} of all weight; flow {flow} (at {}) has the most to gain or lose", text::rate(*.rate_bps))]
    NotProportional {
        /// Upper bound on Σ w (y − x) / x over feasible y, relative to Σ w.
        gain: f64,
        /// The flow whose price is the farthest from what it should pay.
        flow: String,
        /// Its rate, bit/s.
        rate_bps: f64,
    },
    /// A link carries more than it can.
    #[error("link {link} carries {}, more than its capacity of {}", text::rate(*.load_bps), text::rate(*.capacity_bps))]
    OverCapacity {
        /// Name of the link.
        link: String,
        /// Sum of the rates over it, bit/s.
        load_bps: f64,
        /// Its capacity, bit/s.
        capacity_bps: f64,
    },
    /// A flow has less than its demand, and no link on its route justifies it.
    #[error("flow {flow} has {}, less than its demand, and no link holds it: {}", text::rate(*.rate_bps), .links.join("; "))]
    NoBottleneck {
        /// Name of the flow.
        flow: String,
        /// Its rate, bit/s.
        rate_bps: f64,
        /// For each link of the route, why it does not hold the flow.
        links: Vec<String>,
    },
    /// A rate is not the one that a construction arrives at.
    #[error("flow {flow} has {}, the construction gives {}", text::rate(*.rate_bps), text::rate(*.expected_bps))]
    Differs {
        /// Name of the flow.
        flow: String,
        /// Its rate, bit/s.
        rate_bps: f64,
        /// The rate it should have, bit/s.
        expected_bps: f64,
    },
}

/// Why a link that is not full does not hold a flow.
pub(super) fn spare(link: &str, spare_bps: f64) -> String {
    format!("link {link} has {} to spare", text::rate(spare_bps))
}

/// Why a link on which somebody else is ahead does not hold a flow.
pub(super) fn ahead(link: &str, who: &str, theirs_bps: f64, own_bps: f64) -> String {
    format!(
        "on link {link} {who} holds more ({} against {} per unit of weight)",
        text::rate(theirs_bps),
        text::rate(own_bps)
    )
}
