//! What every rate law owes its driver, whatever happens to it: each test goes over the list of laws.

mod chain;
mod checks;
mod conformance;
mod hostile;
mod spoiled;
