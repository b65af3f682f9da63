//! Laws for the queue in front of a link, and the contract between such a law and
//! its driver.
//!
//! To add a law, write one file beside `droptail.rs` and add its name to the list
//! below; the command line, the scenario schema, the simulator and the
//! benchmarks find it there.

mod blue;
mod chance;
mod codel_control;
mod contract;
mod fattest;
mod flow_ways;
mod hashing;
mod host_share;
mod lane_turns;
mod lanes;
mod longest;
mod red_average;
mod registry;
mod site;
mod slots;
mod sparse_turns;

pub use contract::{DropReason, Eviction, Order, QueueLaw, QueueView, QueuedPacket, Selection, Verdict};
pub use lanes::{Lane, Lanes, MOST_LANES, Waiting};
pub use red_average::Count;
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
