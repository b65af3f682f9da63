//! What a scenario is turned into: a question for solvers, a plan for simulators, fair rates, a file without gaps.

pub mod fair_rates;
mod fair_words;
pub mod flow_changes;
pub mod plan;
pub mod problem;
pub mod resolved;
pub mod steps;
