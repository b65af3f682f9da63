//! Captures: what links sent, as a file that Wireshark opens (pcapng).
//!
//! Each captured link, in its one direction, is an interface of the file; times are those of the run's own clock, in ns, and
//! say when a packet's first bit left. Of real runs packets are the frames of the kernels, of simulated ones headers that
//! say as much as the simulator knows (`headers.rs`). Control messages stand in frames of their own with their bytes
//! unchanged (`message.rs`); what these mean is told by a dissector for Wireshark ([`dissector`]).

mod dissector;
mod headers;
mod links;
mod message;
mod units;
mod writer;

pub use dissector::dissector;
pub use links::{CaptureLink, CaptureLinks, UnknownLink};
pub use message::{MESSAGE_ETHERTYPE, MESSAGE_HEADER_BYTES, MESSAGE_UNIT_BYTES};
pub use writer::CaptureWriter;
