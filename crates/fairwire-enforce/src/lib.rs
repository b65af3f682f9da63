//! Laws on the kernel's own forwarding: the third driver, beside the simulator and real runs.
//!
//! The kernel of a router forwards packets as it always does. In front of each link of a ring stands a queue of HTB with a
//! class for what the station adds for each egress, and one for what is in transit ([`fairwire_exchange::GovernedQueue`]).
//! A law reads the counters of these classes, talks with its neighbours by UDP, and moves the limits. No packet passes
//! through this process.
//!
//! | file | holds |
//! | --- | --- |
//! | `plan` | what is governed at a station, checked before anything is touched |
//! | `counted.rs` | from counters of classes to what a law may read |
//! | `governor` | a law, what it wants, and for how long that holds |
//! | `envelope.rs` | a law's message in a datagram |
//! | `linux` | the kernel: counters by netlink, limits by `tc`, the clock, sockets |
#![forbid(unsafe_code)]
// What only the Linux half calls.
#![cfg_attr(not(target_os = "linux"), allow(dead_code))]

mod counted;
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

pub use error::EnforceError;
#[cfg(target_os = "linux")]
pub use linux::enforce;
pub use options::Options;
pub use plan::StationPlan;
pub use status::{LimitStatus, RingletStatus, Status};

/// Elsewhere there is no HTB.
///
/// # Errors
/// [`EnforceError::Unsupported`].
#[cfg(not(target_os = "linux"))]
pub fn enforce(
    _plan: &StationPlan,
    _stop: &dyn Fn() -> bool,
    _tell: &mut dyn FnMut(&Status) -> bool,
) -> Result<(), EnforceError> {
    Err(EnforceError::Unsupported)
}

/// Where neighbours send messages to, unless told.
pub const PORT: u16 = 7_720;
