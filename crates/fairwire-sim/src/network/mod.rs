//! The network simulator: links, routes, queues and their laws, and the two ends of
//! every flow.

mod audit;
mod books;
pub(crate) mod build;
mod capture;
mod changes;
mod engine;
#[cfg(test)]
mod gone_tests;
mod high;
mod hosts;
mod late;
mod ledger;
mod link;
mod micro_flows;
mod packet;
mod port;
mod routes;
mod rows;
mod served;
mod simulation;
mod summary;
mod transmitter;
mod turns;
mod view;
mod visitors;
mod window_samples;

pub use simulation::NetworkSimulation;
pub use view::{NetworkFlowView, NetworkLinkView, NetworkView};

use fairwire_plan::{NetworkPlan, NetworkRecord, PlanError};

/// Simulates `plan`.
///
/// The record depends on the plan alone: not on the machine, the time of day, or
/// [`NetworkPlan::engine`].
///
/// # Errors
/// [`PlanError`] if the plan cannot be run.
pub fn simulate_network(plan: &NetworkPlan) -> Result<NetworkRecord, PlanError> {
    simulate_network_watched(plan, &mut |_| true)
}

/// As [`simulate_network`], telling `watch` from time to time how much simulated time
/// has passed, as a fraction; when it answers `false` the run ends early and
/// its record covers what was simulated until then.
///
/// # Errors
/// [`PlanError`] if the plan cannot be run.
pub fn simulate_network_watched(
    plan: &NetworkPlan,
    watch: &mut dyn FnMut(f64) -> bool,
) -> Result<NetworkRecord, PlanError> {
    let mut simulation = NetworkSimulation::new(plan.clone())?;
    simulation.advance_watched(simulation.end(), watch);
    Ok(simulation.into_record())
}

/// As [`simulate_network_watched`], for a run that counts only as a whole: none as soon as `watch` answers `false`, be it while
/// the network is being built.
///
/// # Errors
/// [`PlanError`] if the plan cannot be run.
pub fn simulate_whole_network(
    plan: &NetworkPlan,
    watch: &mut dyn FnMut(f64) -> bool,
) -> Result<Option<NetworkRecord>, PlanError> {
    NetworkSimulation::whole(plan.clone(), watch)
}
