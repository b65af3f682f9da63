//! The slides' construction worked through anew, in the plainest way.
//!
//! A construction has no certificate; the check is a second computation that
//! works through every round of the construction link by link.

use std::collections::BTreeMap;

use super::narrowest;
use super::violation::Violation;
use crate::Problem;
use crate::interrupt::look;

/// Unequal weights can make the construction very slow; the solver gives up before this.
const MAX_ROUNDS: usize = 220_000;

pub(super) fn check(problem: &Problem, rates: &[f64], tolerance: f64) -> Result<(), Violation> {
    let expected = construct(problem);
    for ((flow, &rate_bps), expected_bps) in problem.flows.iter().zip(rates).zip(expected) {
        // The construction approaches its limit only geometrically, hence
        // the extra allowance.
        let slack = (tolerance + 1e-12) * narrowest(problem, &flow.route);
        if (rate_bps - expected_bps).abs() > slack {
            return Err(Violation::Differs { flow: flow.id.clone(), rate_bps, expected_bps });
        }
    }
    Ok(())
}

fn construct(problem: &Problem) -> Vec<f64> {
    let mut rates = vec![0.0; problem.flows.len()];
    let mut spare: Vec<f64> = problem.links.iter().map(|link| link.capacity_bps).collect();
    let on_link = by_link_and_ingress(problem);
    for _ in 0..MAX_ROUNDS {
        let unmet: Vec<f64> =
            problem.flows.iter().zip(&rates).map(|(flow, rate)| (flow.demand_bps - rate).max(0.0)).collect();
        let mut grant = unmet.clone();
        for (ingresses, &spare) in on_link.iter().zip(&spare) {
            look();
            for (flow, share) in shares_on(problem, ingresses, spare, &unmet) {
                grant[flow] = grant[flow].min(share);
            }
        }
        let mut progress = false;
        for (index, flow) in problem.flows.iter().enumerate() {
            rates[index] += grant[index];
            progress |= grant[index] > 1e-15 * narrowest(problem, &flow.route);
            for &link in &flow.route {
                spare[link] = (spare[link] - grant[index]).max(0.0);
            }
        }
        if !progress {
            break;
        }
    }
    rates
}

/// Flows on each link, by ingress.
type ByIngress = BTreeMap<usize, Vec<usize>>;

fn by_link_and_ingress(problem: &Problem) -> Vec<ByIngress> {
    let mut on_link = vec![ByIngress::new(); problem.links.len()];
    for (index, flow) in problem.flows.iter().enumerate() {
        for &link in &flow.route {
            on_link[link].entry(flow.ingress).or_default().push(index);
        }
    }
    on_link
}

/// Steps I and II on one link: (flow, share) for all that cross it.
fn shares_on(problem: &Problem, by_ingress: &ByIngress, spare: f64, unmet: &[f64]) -> Vec<(usize, f64)> {
    let aggregates: Vec<(f64, f64)> = by_ingress
        .iter()
        .map(|(&ingress, flows)| {
            let wanted = flows.iter().map(|&flow| unmet[flow]).sum();
            (wanted, problem.ingress_weights[ingress])
        })
        .collect();
    let level = water_level(spare, &aggregates);
    let mut shares = Vec::new();
    for ((wanted, weight), flows) in aggregates.into_iter().zip(by_ingress.values()) {
        let granted = wanted.min(level * weight);
        let own: Vec<(f64, f64)> = flows.iter().map(|&flow| (unmet[flow], problem.flows[flow].weight)).collect();
        let level = water_level(granted, &own);
        for (&flow, (wanted, weight)) in flows.iter().zip(own) {
            shares.push((flow, wanted.min(level * weight)));
        }
    }
    shares
}

/// The level x at which users with (demand, weight) fill `amount` when each
/// takes the smaller of its demand and weight times x; infinite when all
/// demands fit. Users found to be below the level leave until nobody does.
fn water_level(amount: f64, users: &[(f64, f64)]) -> f64 {
    let mut above: Vec<(f64, f64)> = users.to_vec();
    let mut left = amount;
    loop {
        let weight: f64 = above.iter().map(|(_, weight)| weight).sum();
        if above.is_empty() {
            return f64::INFINITY;
        }
        let level = left.max(0.0) / weight;
        let before = above.len();
        for &(demand, weight) in &above {
            if demand <= level * weight {
                left -= demand;
            }
        }
        above.retain(|&(demand, weight)| demand > level * weight);
        if above.len() == before {
            return level;
        }
    }
}
