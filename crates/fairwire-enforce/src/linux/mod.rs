//! The kernel: counters by netlink, limits by `tc`, the clock, sockets.

mod counters;
mod link;
mod run;
mod shaper;
mod socket;
mod warden;

pub use run::enforce;
