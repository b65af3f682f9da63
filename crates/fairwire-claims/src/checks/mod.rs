//! One function a claim, grouped by what it takes.

pub mod allocation;
mod bounds_in_packets;
pub mod classes;
pub mod convergence;
mod drawn;
pub(crate) mod drop_spacing;
pub mod dvsr_cost;
pub mod dvsr_rules;
pub mod enhanced_conservative;
pub mod explicit_rates;
pub mod fairness_bounds;
pub mod fairness_rules;
pub mod fairness_tables;
mod five_ms;
pub mod gateway_rules;
pub mod gateway_shares;
pub mod gateway_times;
mod lone_station;
pub mod oscillation_models;
mod rates_seen;
pub mod rias_rules;
pub mod ring_tcp;
pub mod rpr_convergence;
pub mod rpr_shares;
pub mod rpr_swings;
pub mod rpr_unbalanced;
pub mod shares;
pub mod station_rules;
pub mod virtual_time;

use crate::catalogue::Claim;
use crate::row::Finding;
use crate::runs::Trouble;

/// Measures one claim.
pub type Check = fn(&Claim) -> Result<Finding, Trouble>;

/// The claim's entry under `key`, which the catalogue must have.
pub(crate) fn expected_rates(claim: &Claim, key: &str) -> Result<Vec<f64>, Trouble> {
    claim.expected_rates(key).ok_or_else(|| format!("the catalogue gives no list `{key}`"))
}

/// The claim's number under `key`, which the catalogue must have.
pub(crate) fn expected_number(claim: &Claim, key: &str) -> Result<f64, Trouble> {
    claim.expected_number(key).ok_or_else(|| format!("the catalogue gives no number `{key}`"))
}
