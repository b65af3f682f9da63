//! Every test of the crate in one program: it is linked once, and all of its tests share the processors.

mod a_new_law;
mod beside;
mod broken_promises;
mod capacity_changes;
mod captured;
mod classes;
mod common;
mod conservative;
mod control;
mod counted;
mod demand_changes;
mod domains;
mod driver;
mod dvsr;
mod dvsr_plus;
mod engine_paths;
mod exact;
mod explicit_rates;
mod heal;
mod hold;
mod hold_protected;
#[path = "../network_common/mod.rs"]
mod network_common;
mod network_exact;
mod network_paths;
mod network_steps;
mod network_traffic;
mod odd_networks;
mod odd_plans;
mod protection;
mod rest;
mod ring_steps;
mod ring_tcp;
mod sources;
mod stress;
mod wrapping;
