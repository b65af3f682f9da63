//! Tests in which laws run rings, gateways and networks of their own, for minutes of simulated time. One program, as in
//! `tests/all`, but an optimised one (`.cargo/test-compiler`).

#[path = "../common/any_law.rs"]
mod any_law;
mod dvsr_plus;
mod protection;
mod queue_laws;
mod rate_contract;
mod rate_laws;
mod rate_shares;
