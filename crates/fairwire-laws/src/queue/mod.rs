//! Laws for the queue in front of a link, and the contract between such a law and
//! its driver.
//!
//! To add a law, write one file beside `droptail.rs` and add its name to the list
//! below; the command line, the scenario schema, the simulator and the
//! benchmarks find it there.

mod chance;
mod contract;
mod lanes;
mod longest;
mod red_average;
mod registry;
mod site;

pub use contract::{DropReason, Eviction, Order, QueueLaw, QueueView, QueuedPacket, Selection, Verdict};
pub use lanes::{Lane, Lanes, MOST_LANES, Waiting};
pub use red_average::Count;
pub use registry::UnknownQueueLaw;
pub use site::{Limit, QueueSite};

use fairwire_core::{Cx, Instant, Probe};

registry::queue_laws! {
    droptail,
    red,
    fred,
    vrr,
}
