//! The kernel: counters by netlink, limits by `tc`, the clock, sockets.

mod counters;
mod device;
mod node;
mod ringlet;
mod run;
mod shaper;
mod socket;
mod station;
mod warden;
