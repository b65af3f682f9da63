//! Max-min among (ingress, egress) pairs, then inside each pair.
//!
//! `[rias-benchmark-slides]` shows this granularity as unsuitable: it rewards
//! an ingress for spreading its traffic over many egresses.

use std::collections::BTreeMap;

use crate::Problem;
use crate::allocation::Rates;
use crate::incidence::Incidence;
use crate::one_resource::max_min_shares;
use crate::water_filling::{Network, fill};

/// Flow indices of each pair, in the order of ingress, egress and route.
/// Flows of one pair with different routes share no common fate and count
/// apart.
pub(crate) fn pairs(problem: &Problem) -> Vec<Vec<usize>> {
    let mut pairs: BTreeMap<(usize, usize, &[usize]), Vec<usize>> = BTreeMap::new();
    for (index, flow) in problem.flows.iter().enumerate() {
        pairs.entry((flow.ingress, flow.egress, &flow.route)).or_default().push(index);
    }
    pairs.into_values().collect()
}

/// Ingress-egress fair rates of a valid problem.
pub(crate) fn solve(problem: &Problem) -> Rates {
    let pairs = pairs(problem);
    let capacities: Vec<f64> = problem.links.iter().map(|link| link.capacity_bps).collect();
    let routes = Incidence::from_rows(pairs.iter().map(|pair| problem.flows[pair[0]].route.iter().copied()));
    let demands: Vec<f64> =
        pairs.iter().map(|pair| pair.iter().map(|&flow| problem.flows[flow].demand_bps).sum()).collect();
    let filled = fill(&Network { capacities: &capacities, routes: routes.rows(), demands: &demands, weights: &[] });

    let mut rates = vec![0.0; problem.flows.len()];
    let mut bottleneck = vec![None; problem.flows.len()];
    for (index, pair) in pairs.iter().enumerate() {
        let demands: Vec<f64> = pair.iter().map(|&flow| problem.flows[flow].demand_bps).collect();
        let shares = max_min_shares(filled.rates[index], &demands, &vec![1.0; pair.len()]);
        for ((&flow, share), demand) in pair.iter().zip(shares).zip(demands) {
            rates[flow] = share;
            bottleneck[flow] = if share >= demand { None } else { filled.bottleneck[index] };
        }
    }
    Rates::sole(rates, bottleneck)
}
