//! Who competes on a link.

use fairwire_alloc::{Flow, Problem};
use serde::Serialize;

/// Flows that the propositions count as one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Party {
    /// Where they enter.
    pub ingress: usize,
    /// Where the first of them leaves.
    pub egress: usize,
    /// Their numbers in the problem.
    pub flows: Vec<usize>,
    /// Links between the ingress and this link: 0 for the station the link leaves.
    pub links_before: usize,
    /// r: what they ask for together, in bit/s; infinite for a greedy flow.
    pub demand_bps: f64,
    /// R: what is fair for them together, in bit/s.
    pub fair_bps: f64,
}

impl Party {
    /// min(r, R), in bit/s.
    pub fn entitled_bps(&self) -> f64 {
        self.demand_bps.min(self.fair_bps)
    }
}

/// What makes flows one party.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Grouping {
    /// The same ingress and egress.
    Pair,
    /// The same ingress.
    Ingress,
}

/// Whether a flow sends anything that a law shares out. What classes guarantee has been
/// granted before; a flow that asks for no more takes room and is no sender that a law counts.
pub(super) fn sends(flow: &Flow) -> bool {
    flow.demand_bps > 0.0
}

/// The parties on a link, the farthest upstream first; of flows that send ([`sends`]).
pub(super) fn parties(problem: &Problem, fair_rates_bps: &[f64], link: usize, grouping: Grouping) -> Vec<Party> {
    let mut parties: Vec<Party> = Vec::new();
    for (index, (flow, &fair_bps)) in
        problem.flows.iter().zip(fair_rates_bps).enumerate().filter(|(_, (flow, _))| sends(flow))
    {
        let Some(links_before) = flow.route.iter().position(|&crossed| crossed == link) else { continue };
        let known = parties.iter_mut().find(|party| {
            party.ingress == flow.ingress && (grouping == Grouping::Ingress || party.egress == flow.egress)
        });
        match known {
            Some(party) => {
                party.flows.push(index);
                party.demand_bps += flow.demand_bps;
                party.fair_bps += fair_bps;
            }
            None => parties.push(Party {
                ingress: flow.ingress,
                egress: flow.egress,
                flows: vec![index],
                links_before,
                demand_bps: flow.demand_bps,
                fair_bps,
            }),
        }
    }
    parties.sort_by_key(|party| std::cmp::Reverse(party.links_before));
    parties
}
