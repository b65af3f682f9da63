//! Topology discovery and protection of a packet ring (IEEE 802.17, clause 11).
//!
//! One [`Protection`] stands at each station and looks at both spans. It hears
//! keepalives, floods what it knows of its spans, learns who is where, and tells
//! its driver which ringlet reaches whom, what to wrap, what fairness state to
//! forget, and when frames that must not be reordered have to go. Like a law it
//! opens no socket and reads no clock: [`Event`]s and the time go in, [`Action`]s
//! and the next timeout come out.
//!
//! The life of a cut: no frame comes for [`Params::keepalive_timeout`]; the
//! station's request becomes *signal fail* and goes around as a topology frame;
//! one propagation later everybody has a new [`Topology`], and sources steer (or
//! the two stations at the cut wrap). When frames come again the request becomes
//! *wait to restore* for [`Params::wait_to_restore`], and then idle.
//!
//! Timers, defaults, ranges and the order of requests are the standard's, as its
//! public MIB tells them. **Our reading**, where public texts are silent:
//!
//! - Both ends of a span hold to the greater of their two requests, so a wire cut
//!   in one direction only takes the span out of use.
//! - Requests from signal fail up stand side by side; below, only the highest one
//!   on the ring takes effect, at equal height that of the station of lowest address.
//! - Control frames cross a span that is out of use but not dead; only data leave it.
//! - The topology checksum covers the stations in their order and whether the ring
//!   is closed. Neighbours that agree on it know the same topology.
//! - A change sends [`BURST`] topology frames at the fast timer, the first at once.
//! - Strict order waits until both neighbours agree and [`Params::stability`] has
//!   passed without a change, and where stations have come, another fast timer: that is
//!   how long they may take to greet, one after the other.
//! - Keepalives of our own are idle frames.

mod attributes;
mod burst;
mod database;
mod driver;
mod machine;
mod pace;
mod params;
mod request;
mod side;
mod side_watch;
mod topology;
mod topology_checksum;
mod topology_report;

pub use attributes::{Attributes, ProtectionMode};
pub use burst::{burst_bytes, report_bytes};
pub use driver::{Action, Event};
pub use machine::Protection;
pub use pace::BURST;
pub use params::{OutOfRange, Params};
pub use request::{Command, Request, SignalQuality};
pub use side::Side;
pub use topology::Topology;
pub use topology_checksum::TopologyChecksum;
pub use topology_report::TopologyReport;
