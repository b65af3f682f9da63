//! Laws for the queue in front of a link, and the contract between such a law and
//! its driver.
//!
//! To add a law, write one file beside `droptail.rs`, and add its module and its name in the list
//! below; the command line, the scenario schema, the simulator and the
//! benchmarks find it there.

// The laws, as in the list below.
pub mod cake;
pub mod choke;
pub mod codel;
pub mod droptail;
pub mod drr;
pub mod fq_codel;
pub mod fred;
pub mod pie;
pub mod red;
pub mod sfq;
pub mod vrr;

// The contract.
mod contract;
mod registry;
mod site;

// What laws are made of.
mod parts;

pub use contract::{DropReason, Eviction, Order, QueueLaw, QueueView, QueuedPacket, Selection, Verdict};
pub use parts::lanes::{Lane, Lanes, MOST_LANES, Waiting};
pub use parts::red_average::Count;
pub use registry::UnknownQueueLaw;
pub use site::{Limit, QueueSite};

use fairwire_core::{BitRate, Cx, FlowId, Instant};

registry::queue_laws! {
    droptail,
    red,
    fred,
    vrr,
    codel,
    pie,
    fq_codel,
    drr,
    sfq,
    choke,
    cake,
}
