//! Laws on the kernel's own forwarding: the third driver, beside the simulator and real runs.
//!
//! The kernel of a router forwards packets as it always does. In front of each link stands a queue of HTB
//! ([`fairwire_exchange::GovernedQueue`]): on a ring with a class for what the station adds for each egress, and one for what is
//! in transit; in a network with a class for each flow. A law reads the counters of these classes, talks with its neighbours
//! by UDP, and moves the limits. No packet passes through this process.
//!
//! | file | holds |
//! | --- | --- |
//! | `plan` | what is governed at a station of a ring or a node of a network, checked before anything is touched |
//! | `counts.rs` | what classes have counted |
//! | `counted.rs` | from there to what a law of rings may read |
//! | `governor` | laws, what they want, and for how long that holds |
//! | `envelope` | a law's message in a datagram |
//! | `linux` | the kernel: counters by netlink, limits by `tc`, the clock, sockets |
#![forbid(unsafe_code)]
// What only the Linux half calls.
#![cfg_attr(not(target_os = "linux"), allow(dead_code))]

mod counted;
mod counts;
#[cfg(test)]
mod desk;
mod envelope;
mod error;
mod governor;
#[cfg(target_os = "linux")]
mod linux;
mod options;
mod plan;
mod status;

pub use error::{EnforceError, RouterName};
pub use options::Options;
pub use plan::{NodePlan, StationPlan};
pub use status::{FlowStatus, LimitStatus, LinkStatus, NodeStatus, RingletStatus, Status};

#[cfg(not(target_os = "linux"))]
mod elsewhere;

/// Where neighbours send messages to, unless told.
pub const PORT: u16 = 7_720;
