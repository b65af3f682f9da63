//! Will RPR's fairness modes come to rest on a link? Propositions 2 and 3.
//!
//! Both propositions take the fair (RIAS) rates R and the demands r of a
//! scenario and look at one congested link: [`links`] does so for all.
//! Flows of the same ingress and egress count as one, as they do in the paper; flows without
//! demand count nowhere.
//! The propositions are stated for equal weights.

mod aggressive;
mod conservative;
mod party;

pub use aggressive::{AggressiveFlow, AggressiveVerdict, Smallest};
pub use conservative::{ConservativeParty, ConservativeVerdict};
pub use party::Party;

use crate::AnalysisError;
use crate::error::parameter;
use fairwire_alloc::Problem;
use party::{Grouping, parties, sends};
use serde::Serialize;

/// Rates are the same if they differ by less than this part of the capacity.
const SLACK: f64 = 1e-9;

/// What theory says of one link.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkAnalysis {
    /// The link's number in the problem.
    pub link: usize,
    /// C, in bit/s.
    pub capacity_bps: f64,
    /// Sum of the fair rates over the link, in bit/s.
    pub load_bps: f64,
    /// Sum of the demands over the link in bit/s; infinite if a flow is greedy.
    pub demand_bps: f64,
    /// How many ingresses send over it.
    pub ingresses: usize,
    /// Proposition 2.
    pub aggressive: AggressiveVerdict,
    /// Proposition 3, corrected.
    pub conservative: ConservativeVerdict,
}

/// Applies both propositions to every link over which anybody has something to send.
///
/// A flow whose demand is 0 is left out: it may have been granted a class's rate, which is
/// no longer part of the capacity, but modes neither count nor throttle it.
///
/// `fair_rates_bps` are the RIAS rates, one a flow of the problem.
/// `low_threshold` is where conservative mode sees congestion, as a part of
/// the capacity (0.8 by default in the paper). Every flow of the problem is
/// taken to follow one ring: if two flows share a link, the one with fewer
/// links before it entered downstream of the other.
///
/// # Errors
/// [`AnalysisError::RateCount`] or [`AnalysisError::Parameter`].
pub fn links(
    problem: &Problem,
    fair_rates_bps: &[f64],
    low_threshold: f64,
) -> Result<Vec<LinkAnalysis>, AnalysisError> {
    parameter("low_threshold", low_threshold, |value| value > 0.0 && value <= 1.0, "above 0 and at most 1")?;
    if fair_rates_bps.len() != problem.flows.len() {
        return Err(AnalysisError::RateCount { flows: problem.flows.len(), given: fair_rates_bps.len() });
    }
    let carries = |link: &usize| problem.flows.iter().any(|flow| sends(flow) && flow.route.contains(link));
    let used = (0..problem.links.len()).filter(carries);
    Ok(used.map(|link| one_link(problem, fair_rates_bps, link, low_threshold)).collect())
}

fn one_link(problem: &Problem, fair_rates_bps: &[f64], link: usize, low_threshold: f64) -> LinkAnalysis {
    let capacity_bps = problem.links[link].capacity_bps;
    let pairs = parties(problem, fair_rates_bps, link, Grouping::Pair);
    let ingresses = parties(problem, fair_rates_bps, link, Grouping::Ingress);
    LinkAnalysis {
        link,
        capacity_bps,
        load_bps: pairs.iter().map(|pair| pair.fair_bps).sum(),
        demand_bps: pairs.iter().map(|pair| pair.demand_bps).sum(),
        ingresses: ingresses.len(),
        aggressive: aggressive::judge(capacity_bps, &pairs),
        conservative: conservative::judge(capacity_bps, low_threshold, ingresses),
    }
}
