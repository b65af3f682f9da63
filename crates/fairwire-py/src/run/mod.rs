//! `fairwire.run`: simulations, and what they leave behind.

mod batch;
mod interrupt;
mod rows;
mod runs;
mod settings;

pub use runs::{Runs, columns, run};
pub use settings::{laws_to_compare, setting};
