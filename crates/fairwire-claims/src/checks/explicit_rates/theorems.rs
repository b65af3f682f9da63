//! What [wmfqc] proves: Theorems 1 to 3, Lemma 1 and Definitions 2 to 4, on random states and networks.

use super::one_link::OneLink;
use super::random_networks::{NETWORKS, outcomes};
use super::runs::{Scheme, Setting, Test};
use super::{Claim, Finding, Trouble, margin, steady};
use crate::tolerance::round;
use fairwire_core::{RandomStream, Streams};
use fairwire_laws::rate::share_tree::ShareTree;
use rand::RngExt;
use serde_json::json;

const STATES: usize = 2_000;

/// Limits and weights of some flows, and an excess that does not suffice for all.
struct State {
    flows: Vec<(f64, f64)>,
    excess: f64,
}

impl State {
    fn draw(rng: &mut RandomStream) -> Self {
        let flow = |rng: &mut RandomStream| (rng.random_range(0.0..1.0f64), rng.random_range(0.1..10.0f64));
        let count = rng.random_range(1..200usize);
        let flows: Vec<(f64, f64)> = (0..count).map(|_| flow(rng)).collect();
        let part = rng.random_range(0.01..1.2f64);
        Self { excess: part * flows.iter().map(|(limit, _)| limit).sum::<f64>(), flows }
    }

    /// Flows in the order of limit/weight.
    fn ordered(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.flows.len()).collect();
        order.sort_by(|a, b| self.level(*a).total_cmp(&self.level(*b)).then(a.cmp(b)));
        order
    }

    fn level(&self, flow: usize) -> f64 {
        let (limit, weight) = self.flows[flow];
        limit / weight
    }

    /// θ of the flow at each place of the order: eq. (2). Sums are taken from either end, so that no digit cancels.
    fn thetas(&self, order: &[usize]) -> Vec<f64> {
        let mut weights_from = vec![0.0; order.len() + 1];
        for (place, flow) in order.iter().enumerate().rev() {
            weights_from[place] = weights_from[place + 1] + self.flows[*flow].1;
        }
        let mut before = 0.0;
        let theta = |(flow, weights): (&usize, &f64)| {
            let theta = (self.excess - before) / weights;
            before += self.flows[*flow].0;
            theta
        };
        order.iter().zip(&weights_from).map(theta).collect()
    }

    /// `Find_NFS` as printed: NFS and the place of the critical flow, if there is one.
    fn find_nfs(&self, order: &[usize]) -> Option<(f64, usize)> {
        let thetas = self.thetas(order);
        let place = (0..order.len()).find(|place| self.level(order[*place]) >= thetas[*place])?;
        Some((thetas[place], place))
    }

    /// The same by the law's tree: NFS and the critical flow.
    fn by_tree(&self) -> Option<(f64, usize)> {
        let mut tree = ShareTree::new();
        for (flow, (limit, weight)) in (0..).zip(&self.flows) {
            tree.set(flow, *limit, *weight);
        }
        tree.fair_share(self.excess).map(|share| (share.nfs, share.critical as usize))
    }
}

fn states() -> impl Iterator<Item = State> {
    let mut rng = Streams::new(1, 0).component("states");
    (0..STATES).map(move |_| State::draw(&mut rng))
}

/// Theorem 1.
pub fn theorem1(claim: &Claim) -> Result<Finding, Trouble> {
    let within = margin(claim, "abs")?;
    let (mut with_critical, mut broken) = (0, 0);
    for state in states() {
        let Some((nfs, critical)) = state.by_tree() else { continue };
        with_critical += 1;
        let order = state.ordered();
        let place = order.iter().position(|flow| *flow == critical).ok_or("the critical flow is none of the flows")?;
        let below = order[..place].iter().all(|flow| state.level(*flow) < nfs + within);
        let above = order[place..].iter().all(|flow| state.level(*flow) >= nfs - within);
        broken += usize::from(!(below && above));
    }
    let measured = json!({ "states": STATES, "with_a_critical_flow": with_critical, "broken": broken });
    let note = "random limits and weights of up to 199 flows; NFS and the critical flow are those of the law's tree, the order is ours. All \
                flows before the critical one are below NFS, all from it on are not";
    Ok(Finding::new(measured, broken == 0 && with_critical > 0, note))
}

/// Theorem 2.
pub fn theorem2(claim: &Claim) -> Result<Finding, Trouble> {
    let within = margin(claim, "abs")?;
    let (mut other_flow, mut other_nfs, mut not_monotone) = (0, 0, 0);
    let mut none = 0;
    for state in states() {
        let order = state.ordered();
        let thetas = state.thetas(&order);
        let constrained: Vec<bool> =
            order.iter().zip(&thetas).map(|(flow, theta)| state.level(*flow) < theta - within).collect();
        let unconstrained = order.iter().zip(&thetas).map(|(flow, theta)| state.level(*flow) >= theta + within);
        // Once a flow is not constrained, none behind it is.
        let first = unconstrained.into_iter().position(|is| is).unwrap_or(order.len());
        not_monotone += usize::from(constrained[first..].iter().any(|is| *is));
        match (state.find_nfs(&order), state.by_tree()) {
            (None, None) => none += 1,
            (Some((nfs, place)), Some((by_tree, critical))) => {
                other_flow += usize::from(order[place] != critical);
                other_nfs += usize::from((nfs - by_tree).abs() > within);
            }
            _ => other_flow += 1,
        }
    }
    let measured = json!({
        "same_r_and_nfs": other_flow + other_nfs == 0, "states": STATES, "without_critical_flow": none, "other_critical_flow": other_flow,
        "other_nfs": other_nfs, "theta_tells_constrained_flows_apart": not_monotone == 0,
    });
    let note = "the printed list, walked from its first flow on, beside the search in the law's tree, over random limits and weights of up \
                to 199 flows";
    Ok(Finding::new(measured, other_flow + other_nfs + not_monotone == 0, note))
}

/// Lemma 1.
pub fn lemma1(claim: &Claim) -> Result<Finding, Trouble> {
    let within = margin(claim, "abs")?;
    let mut found = Vec::new();
    let mut farthest = 0.0f64;
    for (peak, supported) in [(25.44, 63.6), (50.88, 25.44), (40.0, 40.0)] {
        let link =
            OneLink { law: "{ name = \"wmfqc\" }", capacity_mbps: 1_000.0, flows: vec![[4.24, peak, supported, 1.0]] };
        let rate = link.run()?.allowed_mbps[0];
        farthest = farthest.max((rate - f64::min(peak, supported)).abs());
        found.push(json!({ "pr_mbps": peak, "sr_mbps": supported, "ar_mbps": round(rate) }));
    }
    let outcomes = outcomes(1e-6)?;
    let unheld: usize = outcomes.iter().map(|outcome| outcome.unheld).sum();
    let unheld_apart = outcomes.iter().map(|outcome| outcome.unheld_apart).fold(0.0, f64::max);
    let measured = json!({
        "ar": found, "farthest_mbps": farthest, "unheld_flows_in_random_networks": unheld, "their_farthest_part": round(unheld_apart),
    });
    let note = "one flow on a link of 1 Gb/s in the packet simulator, and all flows of random networks that no link holds. The destination \
                writes SR - MR as printed; the source clips AR at PR, without which it would come to SR";
    Ok(Finding::new(measured, farthest <= within && unheld_apart <= within && unheld > 0, note))
}

const OF_RANDOM_NETWORKS: &str = "three to six switches, three to eight flows of cells over random ways, minimums, weights, peak and supported \
                                  rates, two seconds each with queue control; a third of the flows stop half-way. Allowed rates at the end";

/// Definitions 2 to 4: what switches tell is what water filling by weight gives.
pub fn definition(claim: &Claim) -> Result<Finding, Trouble> {
    let within = margin(claim, "rel")?;
    let outcomes = outcomes(within)?;
    let apart = outcomes.iter().map(|outcome| outcome.apart).fold(0.0, f64::max);
    let below: usize = outcomes.iter().map(|outcome| outcome.below_minimum).sum();
    let measured = json!({
        "distributed_equals_centralised": apart <= within, "ar_at_least_mr": below == 0, "networks": NETWORKS,
        "flows": outcomes.iter().map(|outcome| outcome.flows).sum::<usize>(), "farthest_part": round(apart),
        "networks_apart": outcomes.iter().filter(|outcome| outcome.apart > within).count(),
    });
    Ok(Finding::new(measured, apart <= within && below == 0, OF_RANDOM_NETWORKS))
}

/// Theorem 3.
pub fn theorem3(claim: &Claim) -> Result<Finding, Trouble> {
    let within = margin(claim, "rel")?;
    let outcomes = outcomes(within)?;
    let certified = outcomes.iter().filter(|outcome| outcome.certified).count();
    let mut states = (0, 0);
    for setting in [Setting::Equal, Setting::Wan] {
        let (all, fair) = steady::certified(Test::new(setting, Scheme::Wmfqc), within)?;
        states = (states.0 + all, states.1 + fair);
    }
    let holds = certified as u64 == NETWORKS && states.0 == states.1;
    let measured = json!({
        "weighted_maxmin": holds, "states_of_the_rebuilt_network": states.0, "of_these_certified": states.1, "random_networks": NETWORKS,
        "of_those_certified": certified,
    });
    let note = format!(
        "a checker that shares no code with the solver looks for a bottleneck of each flow: on the paper's network before each next event, \
         with and without weights, and on random networks ({OF_RANDOM_NETWORKS})"
    );
    Ok(Finding::new(measured, holds, note))
}
