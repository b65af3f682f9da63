//! `fairwire.run` and `fairwire.Simulation`: simulations, and what they leave behind.

mod batch;
mod interrupt;
mod replayed;
mod rows;
mod runs;
mod settings;
mod simulation;
mod worker;

pub use interrupt::{abandonable, interruptible};
pub use replayed::replay;
pub use runs::{Runs, columns, promises, run, save_pages};
pub use settings::{laws_to_compare, setting};
pub use simulation::{Simulation, nanoseconds};
