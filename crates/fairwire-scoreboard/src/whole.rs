//! Runs of networks that count only as a whole.

use crate::ScoreError;
use fairwire_plan::{NetworkPlan, NetworkRecord};
use fairwire_sim::simulate_whole_network;

/// Simulates a case under a law; none if `tell`, which is told how far it is, stopped it.
///
/// # Errors
/// [`ScoreError::Plan`] if the plan cannot be run, [`ScoreError::Invariant`] if the simulator broke one.
pub fn simulate_whole(
    plan: &NetworkPlan,
    case: &str,
    law: &'static str,
    tell: &mut dyn FnMut(f64) -> bool,
) -> Result<Option<NetworkRecord>, ScoreError> {
    let record = simulate_whole_network(plan, tell);
    let record = record.map_err(|source| ScoreError::Plan { case: case.to_owned(), law, source })?;
    match record.as_ref().and_then(|record| record.violations.first()) {
        Some(violation) => Err(ScoreError::Invariant { case: case.to_owned(), law, violation: violation.clone() }),
        None => Ok(record),
    }
}
