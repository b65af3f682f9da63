//! The slides' three-step construction of RIAS rates, repeated on leftovers.
//!
//! `[rias-benchmark-slides]`, backup slides, Steps I to III, with end-to-end
//! rates subtracted in Step III. It reproduces the slides' scenarios but is
//! not RIAS in general: each leftover is shared without regard to what an
//! ingress already holds.

use crate::Problem;
use crate::allocation::Rates;
use crate::max_min::max_min_shares;
use crate::rias::layout::Layout;

/// Rounds after which what is still left over is left alone.
const MAX_ROUNDS: usize = 10_000;
/// A round that grants less than this, relative to capacity, is the last.
const NOTHING: f64 = 1e-15;

/// Rates of the repeated construction for a valid problem.
pub(crate) fn solve(problem: &Problem) -> Rates {
    let layout = Layout::new(problem);
    let mut left: Vec<f64> = problem.links.iter().map(|link| link.capacity_bps).collect();
    let mut unmet: Vec<f64> = problem.flows.iter().map(|flow| flow.demand_bps).collect();
    let mut rates = vec![0.0; problem.flows.len()];
    for _ in 0..MAX_ROUNDS {
        let granted = construct(&layout, &left, &unmet);
        let mut largest = 0.0_f64;
        for (flow, &rate) in granted.iter().enumerate() {
            largest = largest.max(rate / layout.narrowest(flow));
            rates[flow] += rate;
            unmet[flow] = (unmet[flow] - rate).max(0.0);
            for &link in &problem.flows[flow].route {
                left[link] = (left[link] - rate).max(0.0);
            }
        }
        if largest <= NOTHING {
            break;
        }
    }
    let bottleneck = bottlenecks(problem, &rates, &left);
    Rates::sole(rates, bottleneck)
}

/// Steps I and II: what one round grants end to end.
fn construct(layout: &Layout, left: &[f64], unmet: &[f64]) -> Vec<f64> {
    let problem = layout.problem;
    let wanted = layout.totals(unmet);
    let mut granted = unmet.to_vec();
    for (link, &capacity) in left.iter().enumerate() {
        let slots: Vec<usize> = layout.link_slots.indices(link).collect();
        let demands: Vec<f64> = slots.iter().map(|&slot| wanted[slot]).collect();
        let weights: Vec<f64> = slots.iter().map(|&slot| layout.slot_weight[slot]).collect();
        for (&slot, aggregate) in slots.iter().zip(max_min_shares(capacity, &demands, &weights)) {
            let flows: Vec<usize> = layout.slot_flows.indices(slot).collect();
            let demands: Vec<f64> = flows.iter().map(|&flow| unmet[flow]).collect();
            let weights: Vec<f64> =
                flows.iter().map(|&flow| problem.flows[flow].weight).collect();
            for (&flow, share) in flows.iter().zip(max_min_shares(aggregate, &demands, &weights)) {
                granted[flow] = granted[flow].min(share);
            }
        }
    }
    granted
}

/// The construction ends with every unmet flow at a link with nothing left;
/// the emptiest one counts.
fn bottlenecks(problem: &Problem, rates: &[f64], left: &[f64]) -> Vec<Option<usize>> {
    let emptiness = |link: usize| left[link] / problem.links[link].capacity_bps;
    problem
        .flows
        .iter()
        .zip(rates)
        .map(|(flow, &rate)| {
            if rate >= flow.demand_bps * (1.0 - 1e-12) {
                return None;
            }
            flow.route.iter().copied().min_by(|&a, &b| emptiness(a).total_cmp(&emptiness(b)))
        })
        .collect()
}
