//! Fair queueing at every node, and nobody who tells the senders.
//!
//! Each link is divided fairly among the ingresses that reach it, and within an
//! ingress among its flows; what exceeds the share is lost there. Nothing holds
//! the sender back, so a flow takes room on its first links for traffic that a
//! later one throws away (`[dvsr]` §I).

use crate::AnalysisError;
use fairwire_alloc::{Problem, max_min_shares};

/// Rounds around a ring before it counts as unsettled; a tandem takes one.
const ROUNDS: usize = 10_000;

/// What becomes of one flow.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivery {
    /// What leaves each link of its route, in bit/s.
    pub after_link_bps: Vec<f64>,
    /// What it sends into the first link, in bit/s; infinite if greedy.
    pub sent_bps: f64,
}

impl Delivery {
    /// What arrives, in bit/s.
    pub fn delivered_bps(&self) -> f64 {
        self.after_link_bps.last().copied().unwrap_or(0.0)
    }

    /// What is carried over at least one link and thrown away at a later one, in bit/s.
    pub fn wasted_bps(&self) -> f64 {
        self.after_link_bps.first().copied().unwrap_or(0.0) - self.delivered_bps()
    }
}

/// The rates of all flows under local fair queueing.
///
/// # Errors
/// [`AnalysisError::Unsettled`] if rates chase each other around the ring.
pub fn deliveries(problem: &Problem) -> Result<Vec<Delivery>, AnalysisError> {
    let mut flows: Vec<Delivery> = problem
        .flows
        .iter()
        .map(|flow| Delivery { after_link_bps: vec![0.0; flow.route.len()], sent_bps: flow.demand_bps })
        .collect();
    let crossing: Vec<Vec<(usize, usize)>> = (0..problem.links.len()).map(|link| crossings(problem, link)).collect();
    for _ in 0..ROUNDS {
        let mut largest_change = 0.0f64;
        for (link, crossing) in crossing.iter().enumerate() {
            let capacity_bps = problem.links[link].capacity_bps;
            let arriving: Vec<f64> = crossing.iter().map(|&(flow, hop)| arriving_bps(&flows[flow], hop)).collect();
            let shares = divide(problem, capacity_bps, crossing, &arriving);
            for (&(flow, hop), share) in crossing.iter().zip(shares) {
                let rate = &mut flows[flow].after_link_bps[hop];
                largest_change = largest_change.max((*rate - share).abs() / capacity_bps);
                *rate = share;
            }
        }
        if largest_change <= 1e-12 {
            return Ok(flows);
        }
    }
    Err(AnalysisError::Unsettled(ROUNDS))
}

/// Flows over the link, each with the position of the link on its route.
fn crossings(problem: &Problem, link: usize) -> Vec<(usize, usize)> {
    let hop = |flow: &fairwire_alloc::Flow| flow.route.iter().position(|&crossed| crossed == link);
    problem.flows.iter().enumerate().filter_map(|(index, flow)| Some((index, hop(flow)?))).collect()
}

fn arriving_bps(flow: &Delivery, hop: usize) -> f64 {
    hop.checked_sub(1).map_or(flow.sent_bps, |before| flow.after_link_bps[before])
}

/// First among ingresses, then among the flows of each.
fn divide(problem: &Problem, capacity_bps: f64, crossing: &[(usize, usize)], arriving: &[f64]) -> Vec<f64> {
    let ingress_of = |position: usize| problem.flows[crossing[position].0].ingress;
    let mut ingresses: Vec<usize> = (0..crossing.len()).map(ingress_of).collect();
    ingresses.sort_unstable();
    ingresses.dedup();
    let members: Vec<Vec<usize>> = ingresses
        .iter()
        .map(|&ingress| (0..crossing.len()).filter(|&position| ingress_of(position) == ingress).collect())
        .collect();
    let demands: Vec<f64> = members.iter().map(|of| of.iter().map(|&position| arriving[position]).sum()).collect();
    let weights: Vec<f64> = ingresses.iter().map(|&ingress| problem.ingress_weights[ingress]).collect();
    let mut shares = vec![0.0; crossing.len()];
    for (of, room) in members.iter().zip(max_min_shares(capacity_bps, &demands, &weights)) {
        let own: Vec<f64> = of.iter().map(|&position| arriving[position]).collect();
        let weights: Vec<f64> = of.iter().map(|&position| problem.flows[crossing[position].0].weight).collect();
        for (&position, share) in of.iter().zip(max_min_shares(room, &own, &weights)) {
            shares[position] = share;
        }
    }
    shares
}
