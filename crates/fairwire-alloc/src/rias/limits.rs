//! Which link holds each flow, read off from rates that are nearly exact.

use super::layout::Layout;

/// Picks, for every flow, its demand if that is met within `tolerance`
/// (relative to capacity; `None`) and otherwise the slot on its route that
/// violates the bottleneck conditions least.
pub(crate) fn limits(layout: &Layout, rates: &[f64], tolerance: f64) -> Vec<Option<usize>> {
    let totals = layout.totals(rates);
    let beyond = |slot: usize| totals[slot] - layout.slot_minimum[slot];
    let links = 0..layout.problem.links.len();
    let load: Vec<f64> =
        links.clone().map(|link| layout.link_slots.indices(link).map(|slot| totals[slot]).sum()).collect();
    let most_claimed: Vec<f64> = links
        .map(|link| {
            let claims = layout.link_slots.indices(link);
            claims.map(|slot| beyond(slot) / layout.slot_weight[slot]).fold(0.0, f64::max)
        })
        .collect();
    let most_inside: Vec<f64> = (0..totals.len())
        .map(|slot| {
            let flows = layout.slot_flows.indices(slot);
            flows.map(|flow| rates[flow] / layout.problem.flows[flow].weight).fold(0.0, f64::max)
        })
        .collect();

    let violation = |flow: usize, slot: usize| {
        let link = layout.slot_link[slot];
        let capacity = layout.problem.links[link].capacity_bps;
        let spare = capacity - load[link];
        let behind = most_claimed[link] * layout.slot_weight[slot] - beyond(slot);
        let inside = most_inside[slot] * layout.problem.flows[flow].weight - rates[flow];
        spare.max(behind).max(inside) / capacity
    };
    layout
        .problem
        .flows
        .iter()
        .enumerate()
        .map(|(index, flow)| {
            if rates[index] >= flow.demand_bps - tolerance * layout.narrowest(index) {
                return None;
            }
            // `min_by` keeps the first of equals: the link nearest the ingress.
            layout.flow_slots.indices(index).min_by(|&a, &b| violation(index, a).total_cmp(&violation(index, b)))
        })
        .collect()
}
