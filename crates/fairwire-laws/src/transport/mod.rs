//! The two ends of a TCP connection as plain state machines, and the laws of
//! congestion control that a sender follows.
//!
//! To add a law, write one file beside `cubic.rs` and add its module and, in the list below, its name and type; the
//! command line, the scenario schema, the simulator and the benchmarks find it there.

// The laws; the window rules that some of them share.
pub mod bbr;
pub mod cubic;
pub mod dctcp;
mod window;
pub mod windowed;

// The contract, and the ends that follow a law.
mod contract;
mod ends;
mod registry;

pub use contract::{
    Acked, Congestion, CongestionControl, Delivered, KernelControl, LostSegment, MarkEcho, RateSample, Recovery,
    StartWindow, Timeout,
};
pub use ends::{Ack, Receiver, SackBlocks, Segment, Sender, SenderCounts, TcpSettings, Waited};
pub use registry::UnknownControl;
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
