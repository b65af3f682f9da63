//! Aggressive mode: Proposition 2.

use super::SLACK;
use super::party::Party;
use serde::Serialize;

/// Proposition 2 on one link.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AggressiveVerdict {
    /// Whether the link is congested: full at the fair rates, and asked for more.
    pub congested: bool,
    /// Every ingress-egress pair that crosses it, the farthest upstream first.
    pub flows: Vec<AggressiveFlow>,
}

/// One ingress-egress pair on the link.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AggressiveFlow {
    /// Who it is.
    #[serde(flatten)]
    pub party: Party,
    /// The smallest sender downstream of its ingress; none if it has no other there.
    pub smallest: Option<Smallest>,
    /// Whether it swings for ever.
    pub oscillates: bool,
}

/// The sender downstream whose rate everybody upstream is told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Smallest {
    /// Where it enters.
    pub ingress: usize,
    /// Where it leaves.
    pub egress: usize,
    /// r_osc = min(r_kl, R_kl), in bit/s.
    pub rate_bps: f64,
}

impl AggressiveVerdict {
    /// Whether any flow swings for ever.
    pub fn oscillates(&self) -> bool {
        self.flows.iter().any(|flow| flow.oscillates)
    }
}

impl AggressiveFlow {
    /// Between which rates it swings, in bit/s, for small buffers and without delay:
    /// from r_osc to min(r_ni, R_ni).
    pub fn range_bps(&self) -> Option<(f64, f64)> {
        self.smallest.filter(|_| self.oscillates).map(|smallest| (smallest.rate_bps, self.party.entitled_bps()))
    }
}

/// [dvsr] §IV-A1, Proposition 2: flow (n,i) over the congested link j swings if the
/// smallest min(r_kl, R_kl) among the flows with n < k ≤ j < l is below both
/// R_ni and r_ni.
pub(super) fn judge(capacity_bps: f64, pairs: &[Party]) -> AggressiveVerdict {
    let slack = SLACK * capacity_bps;
    let sum = |part: fn(&Party) -> f64| pairs.iter().map(part).sum::<f64>();
    let congested =
        sum(|pair| pair.fair_bps) >= capacity_bps - slack && sum(|pair| pair.demand_bps) > capacity_bps + slack;
    let flows = pairs.iter().map(|party| {
        let smallest = smallest_downstream(pairs, party);
        let oscillates = congested
            && smallest.is_some_and(|smallest| {
                smallest.rate_bps < party.fair_bps - slack && smallest.rate_bps < party.demand_bps - slack
            });
        AggressiveFlow { party: party.clone(), smallest, oscillates }
    });
    AggressiveVerdict { congested, flows: flows.collect() }
}

fn smallest_downstream(pairs: &[Party], upstream: &Party) -> Option<Smallest> {
    pairs
        .iter()
        .filter(|pair| pair.links_before < upstream.links_before)
        .map(|pair| Smallest { ingress: pair.ingress, egress: pair.egress, rate_bps: pair.entitled_bps() })
        .min_by(|a, b| a.rate_bps.total_cmp(&b.rate_bps))
}
