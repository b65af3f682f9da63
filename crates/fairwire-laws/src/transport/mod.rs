//! The two ends of a TCP connection as plain state machines, and the laws of
//! congestion control that a sender follows.
//!
//! To add a law, write one file beside `cubic.rs` and add its module and, in the list below, its name and type; the
//! command line, the scenario schema, the simulator and the benchmarks find it there.

pub mod bbr;
mod contract;
pub mod cubic;
pub mod dctcp;
mod deliveries;
mod following;
mod pacer;
mod receiver;
mod recovery;
mod registry;
mod runs;
mod scoreboard;
mod segment;
mod sender;
mod settings;
mod timer;
mod waits;
mod window;
pub mod windowed;

pub use contract::{
    Acked, Congestion, CongestionControl, Delivered, KernelControl, LostSegment, MarkEcho, RateSample, Recovery,
    StartWindow, Timeout,
};
pub use receiver::Receiver;
pub use registry::UnknownControl;
pub use segment::{Ack, SackBlocks, Segment};
pub use sender::{Sender, SenderCounts};
pub use settings::TcpSettings;
pub use waits::Waited;
pub use windowed::LossParams;

registry::controls! {
    tahoe: windowed::Tahoe,
    reno: windowed::Reno,
    newreno: windowed::NewReno,
    sack: windowed::Sack,
    cubic: cubic::Law,
    dctcp: dctcp::Law,
    bbr: Box<bbr::Law>,
}
