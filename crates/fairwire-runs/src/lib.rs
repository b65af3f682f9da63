//! Runs of a scenario, from the question to what is kept of them.
//!
//! * A [`Batch`] says what to run, laws times seeds times replications, and simulates it
//!   side by side on all cores.
//! * A [`Reference`] is what would be fair; every run is summed up against it.
//! * [`Promises`] holds the scenario's `[expect]` against runs; each gives a [`Verdict`].
//! * [`Cautions`] are what to know before trusting the numbers.
//! * A [`Folder`] keeps all of it: tables, manifest and report.
//!
//! The command and Python are two fronts of this.
#![forbid(unsafe_code)]

mod batch;
mod cautions;
mod folder;
mod promises;
mod reference;
mod time_to_fair;
mod verdict;

pub use batch::{Batch, FinishedRun};
pub use cautions::Cautions;
pub use folder::Folder;
pub use promises::Promises;
pub use reference::{Reference, fair_rates};
pub use verdict::{Verdict, in_words, worst};
