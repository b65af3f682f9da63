//! Whether rates are RIAS fair above the stations' minima, from the definition.

use super::fluid_ring::{FluidFlow, FluidPlan};

/// The first thing that is not fair about `rates`, up to `slack` of a link; none if all is.
pub fn unfairness(plan: &FluidPlan, rates: &[f64], slack: f64) -> Option<String> {
    for (link, &capacity) in plan.capacities_bps.iter().enumerate() {
        let load: f64 = crossing(plan, link).map(|flow| rates[flow]).sum();
        if load > capacity as f64 * (1.0 + slack) {
            return Some(format!("link {link} carries {load} of {capacity}"));
        }
    }
    (0..rates.len()).find_map(|flow| {
        let content = rates[flow] >= plan.flows[flow].demand_bps * (1.0 - 1e-3) - slack * smallest_link(plan);
        let bottleneck = plan.links(&plan.flows[flow]).any(|link| is_bottleneck(plan, rates, flow, link, slack));
        (!content && !bottleneck).then(|| format!("flow {flow} has {} and no bottleneck", rates[flow]))
    })
}

fn smallest_link(plan: &FluidPlan) -> f64 {
    plan.capacities_bps.iter().copied().min().unwrap_or(0) as f64
}

fn crossing(plan: &FluidPlan, link: usize) -> impl Iterator<Item = usize> {
    (0..plan.flows.len()).filter(move |&flow| plan.links(&plan.flows[flow]).any(|other| other == link))
}

/// Full, nobody has more above his minimum per weight, no sister flow has more per weight.
fn is_bottleneck(plan: &FluidPlan, rates: &[f64], flow: usize, link: usize, slack: f64) -> bool {
    let room = slack * plan.capacities_bps[link] as f64;
    let users: Vec<usize> = crossing(plan, link).collect();
    let load: f64 = users.iter().map(|&user| rates[user]).sum();
    let FluidFlow { from, weight, .. } = plan.flows[flow];
    let above = |ingress: u16| {
        let own = users.iter().filter(|user| plan.flows[**user].from == ingress);
        let used: f64 = own.map(|&user| rates[user]).sum();
        (used - plan.minima_bps[usize::from(ingress)] as f64) / plan.weights[usize::from(ingress)]
    };
    let own_weight = plan.weights[usize::from(from)];
    let nobody_ahead =
        users.iter().all(|&user| above(plan.flows[user].from) <= above(from) + room / own_weight.min(1.0));
    let sisters = users.iter().filter(|user| plan.flows[**user].from == from);
    let no_sister_ahead = sisters
        .map(|&user| rates[user] / plan.flows[user].weight)
        .all(|rate| rate <= rates[flow] / weight + room / weight.min(1.0));
    load >= plan.capacities_bps[link] as f64 - room && nobody_ahead && no_sister_ahead
}
