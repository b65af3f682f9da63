//! The two ends of a TCP connection as plain state machines, and the laws of
//! congestion control that a sender follows.
//!
//! To add a law, write one file beside `reno.rs` and add its name to the list below; the
//! command line, the scenario schema, the simulator and the benchmarks find it there.

mod contract;
mod params;
mod receiver;
mod recovery;
mod registry;
mod runs;
mod scoreboard;
mod segment;
mod sender;
mod settings;
mod timer;
mod window;

pub use contract::{Acked, Congestion, CongestionControl, Recovery, StartWindow, Timeout};
pub use params::LossParams;
pub use receiver::Receiver;
pub use registry::UnknownControl;
pub use segment::{Ack, SackBlocks, Segment};
pub use sender::{Sender, SenderCounts};
pub use settings::TcpSettings;

registry::controls! {
    tahoe,
    reno,
    newreno,
    sack,
    cubic,
}
