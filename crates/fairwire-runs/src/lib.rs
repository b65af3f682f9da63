//! Runs of a scenario, from the question to what is kept of them.
//!
//! * A [`Batch`] says what to run, laws times seeds times replications, and simulates it
//!   side by side on all cores.
//! * A [`Simulation`] is one of its runs, taken through time by hand; a [`View`] is what it looks like.
//! * A [`Replay`] brings what came to real runs again, under their law or another one.
//! * A [`Reference`] is what would be fair; every run is summed up against it.
//! * A [`Meter`] reads measures off runs, as `[expect]` names them.
//! * [`Promises`] holds the scenario's `[expect]` against runs; each gives a [`Verdict`].
//! * [`Cautions`] are what to know before trusting the numbers.
//! * A [`Folder`] keeps all of it: tables, manifest and report.
//!
//! The command and Python are two fronts of this.
#![forbid(unsafe_code)]

mod arrivals;
mod batch;
mod captured;
mod carried;
mod cautions;
mod folder;
mod meter;
mod promises;
mod reference;
mod replay;
mod simulation;
mod time_to_fair;
mod verdict;
mod view;

pub use arrivals::{Arrivals, ArrivalsError, RunHeader};
pub use batch::{Batch, FinishedRun, Job, once_each, plan_of};
pub use captured::CaptureFailure;
pub use carried::{Others, view_of};
pub use cautions::{Cautions, add_new, do_not_differ};
pub use fairwire_sim::{BringError, BroughtPacket, Delivery, Fate};
pub use folder::Folder;
pub use meter::Meter;
pub use promises::Promises;
pub use reference::{Reference, fair_rates};
pub use replay::{Replay, Replayed};
pub use simulation::Simulation;
pub use verdict::{Measured, Verdict, in_words, worst};
pub use view::{FlowView, LimitView, LinkView, QueueView, SenderView, View};
