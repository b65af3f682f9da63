//! What every rate law owes its driver, whatever happens to it: each test goes over the list of laws.

#[path = "../common/any_law.rs"]
mod any_law;

mod chain;
mod checks;
mod conformance;
mod hostile;
mod spoiled;
