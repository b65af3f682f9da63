//! Real packets through every law.
//!
//! A simulation of a ring or a network walks beside the clock ([`fairwire_sim::walk_beside`]). At its ends are stations or
//! hosts that are network namespaces of this machine, each with one TAP device: what their kernels' UDP and TCP send comes
//! up there, takes the simulated way under the law at the times that it would take, and goes down to the kernel of the
//! station where it arrives. Nothing needs root, and nothing has a name on the host: it is gone with the process.
//!
//! This is the one crate with a clock, sockets and `unsafe` code, the latter in one module. Elsewhere than on Linux it
//! compiles, and says that real runs need Linux.
#![deny(unsafe_code)]
// What only the Linux half calls.
#![cfg_attr(not(target_os = "linux"), allow(dead_code))]

mod access_line;
mod capture;
mod clock;
mod closing;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
mod error;
mod fidelity;
mod frame;
mod journal;
mod layout;
#[cfg(target_os = "linux")]
mod linux;
mod nameless;
mod options;
mod pauses;
mod replay;
mod stamp;

pub use capture::{
    CaptureLink, CaptureLinks, CaptureWriter, MESSAGE_ETHERTYPE, MESSAGE_HEADER_BYTES, MESSAGE_UNIT_BYTES, UnknownLink,
    dissector,
};
pub use closing::Closing;
#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Home, Stage, Warden, become_program_in, enter, findings};
pub use error::NetError;
pub use fidelity::{Fidelity, LinkCheck, Verdict};
pub use frame::Foreign;
pub use journal::{ArrivalsJournal, ArrivalsJournalError, ArrivalsJournalWriter};
pub use layout::Layout;
#[cfg(target_os = "linux")]
pub use linux::{Home, Stage, Warden, become_program_in, enter, findings};
pub use nameless::nameless_file;
pub use options::{Carried, Entrance, Finding, Frames, Guest, Options, Outcome, Own, TcpCounts, Written};
pub use pauses::Pause;
pub use replay::replay;

/// Stations or hosts of a real run at most.
pub const MOST_STATIONS: usize = 64;
/// Flows of a real run at most: each has a port.
pub const MOST_FLOWS: usize = 50_000;
