//! The two ends of a TCP connection as plain state machines, and the laws of
//! congestion control that a sender follows.

mod segment;
mod settings;

pub use segment::{Ack, SackBlocks, Segment};
pub use settings::TcpSettings;
