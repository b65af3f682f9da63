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

// The contract, and what laws are made of.
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
mod red_params;
mod registry;
mod site;
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
