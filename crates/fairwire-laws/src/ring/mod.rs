//! Laws for packet rings, and the contract between a ring law and its driver.
//!
//! To add a law, write one file beside `fifo.rs` and add its name to the list
//! below; the command line, the scenario schema, the simulator and the
//! benchmarks find it there.

mod contract;
mod registry;

pub use contract::{AddQueueView, LawAbout, LinkView, RingAction, RingLaw, RingSite, SiteFlow, StationView};
pub use registry::{RingLawVisitor, UnknownLaw};

registry::ring_laws! { dvsr, fifo }
