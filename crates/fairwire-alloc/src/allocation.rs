//! The answer: rates, what holds each flow, and what the links carry.

use std::fmt;
use std::sync::Arc;

use crate::Criterion;

/// Fair rates with their explanations.
#[derive(Debug, Clone, PartialEq)]
pub struct Allocation {
    /// The definition of fair that was asked for.
    pub criterion: Criterion,
    /// Whether these are the only fair rates.
    pub unique: Uniqueness,
    /// One entry a flow, in the order of the problem.
    pub flows: Vec<FlowRate>,
    /// One entry a link, in the order of the problem.
    pub links: Vec<LinkLoad>,
}

/// Whether a criterion admits exactly one set of rates for a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Uniqueness {
    /// Proved: there is exactly one.
    Yes,
    /// Proved: there are several.
    No,
    /// The search was cut short; the rates are fair, others may be too.
    NotDecided,
}

impl fmt::Display for Uniqueness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::NotDecided => "not-decided",
        })
    }
}

/// The fair rate of one flow.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowRate {
    /// The reference rate, bit/s.
    pub rate_bps: f64,
    /// Smallest rate over all fair matrices, bit/s.
    pub low_bps: f64,
    /// Largest rate over all fair matrices, bit/s.
    pub high_bps: f64,
    /// What keeps the flow from getting more.
    pub limited_by: Limit,
}

/// What keeps a flow from getting more.
#[derive(Debug, Clone, PartialEq)]
pub enum Limit {
    /// It has all it asked for.
    Demand,
    /// A full link on which nobody holds more than its fair part.
    Link {
        /// Index of the link.
        link: usize,
        /// A sentence that can be checked by hand against `sharers`.
        why: String,
        /// Who shares the link: ingresses under RIAS, pairs under
        /// ingress-egress, flows otherwise. At most
        /// [`Limit::SHARERS_LISTED`], those first who hold the most for their
        /// weight when there are more than that. All flows that the link holds have the same list.
        sharers: Arc<[Sharer]>,
    },
}

impl Limit {
    /// The longest list of sharers that is written out.
    pub const SHARERS_LISTED: usize = 64;
}

/// One party to a bottleneck link.
#[derive(Debug, Clone, PartialEq)]
pub struct Sharer {
    /// Node name, `ingress->egress`, or flow id.
    pub name: String,
    /// What the party sends over this link, bit/s.
    pub rate_bps: f64,
    /// The weight by which it is compared with the others.
    pub weight: f64,
    /// What it is promised on this link, bit/s: only what it holds beyond that is compared.
    pub promised_bps: f64,
}

/// What one link carries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkLoad {
    /// Sum of the rates that cross the link, bit/s.
    pub load_bps: f64,
}

/// Fair rates without explanations: what [`crate::solve_rates`] returns when
/// only the numbers matter.
#[derive(Debug, Clone, PartialEq)]
pub struct Rates {
    /// Reference rate of each flow, bit/s.
    pub rates_bps: Vec<f64>,
    /// Smallest rate of each flow over all fair matrices, bit/s.
    pub low_bps: Vec<f64>,
    /// Largest rate of each flow over all fair matrices, bit/s.
    pub high_bps: Vec<f64>,
    /// Index of the link that holds each flow; `None` when it has its demand.
    pub bottleneck: Vec<Option<usize>>,
    /// Whether these are the only fair rates.
    pub unique: Uniqueness,
}

impl Rates {
    /// The one and only fair matrix.
    pub(crate) fn sole(rates_bps: Vec<f64>, bottleneck: Vec<Option<usize>>) -> Self {
        Self { low_bps: rates_bps.clone(), high_bps: rates_bps.clone(), rates_bps, bottleneck, unique: Uniqueness::Yes }
    }
}
