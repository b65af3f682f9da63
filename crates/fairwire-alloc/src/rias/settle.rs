//! A RIAS-fair matrix by letting one flow at a time take what it is due.

use super::layout::Layout;
use crate::max_min::max_min_shares;

/// Sweeps after which the search is given up.
const MAX_SWEEPS: usize = 10_000;

/// Moves one flow at a time to the smallest hierarchical share along its
/// route until nothing moves. A step below one damps each move, for the rare
/// case that full moves chase each other. `None` when it does not settle.
pub(crate) fn settle(layout: &Layout, start: &[f64], step: f64) -> Option<Vec<f64>> {
    let mut rates = start.to_vec();
    let mut totals = layout.totals(&rates);
    for _ in 0..MAX_SWEEPS {
        let mut moved = 0.0_f64;
        for flow in 0..rates.len() {
            let due = layout
                .flow_slots
                .indices(flow)
                .map(|slot| share(layout, slot, flow, &rates, &totals))
                .fold(layout.problem.flows[flow].demand_bps, f64::min);
            let change = step * (due - rates[flow]);
            moved = moved.max(change.abs() / layout.narrowest(flow));
            rates[flow] += change;
            for slot in layout.flow_slots.indices(flow) {
                totals[slot] += change;
            }
        }
        // The running totals pick up rounding; a sweep is a good time to
        // drop it.
        totals = layout.totals(&rates);
        if moved <= 1e-14 * step {
            return Some(rates);
        }
    }
    None
}

/// What `flow` would get on the link of `slot` if it alone were insatiable
/// and all others demanded their current rates.
fn share(layout: &Layout, slot: usize, flow: usize, rates: &[f64], totals: &[f64]) -> f64 {
    let slots = layout.link_slots.indices(layout.slot_link[slot]);
    let claims: Vec<f64> = slots
        .clone()
        .map(|other| if other == slot { f64::INFINITY } else { totals[other].max(0.0) })
        .collect();
    let weights: Vec<f64> = slots.clone().map(|other| layout.slot_weight[other]).collect();
    let granted = max_min_shares(layout.slot_capacity(slot), &claims, &weights);
    let budget = slots.zip(granted).find(|&(other, _)| other == slot).map_or(0.0, |(_, a)| a);

    let flows = layout.slot_flows.indices(slot);
    let claims: Vec<f64> = flows
        .clone()
        .map(|own| if own == flow { f64::INFINITY } else { rates[own].max(0.0) })
        .collect();
    let weights: Vec<f64> =
        flows.clone().map(|own| layout.problem.flows[own].weight).collect();
    let granted = max_min_shares(budget, &claims, &weights);
    flows.zip(granted).find(|&(own, _)| own == flow).map_or(0.0, |(_, rate)| rate)
}
