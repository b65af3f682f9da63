//! The two ends of a flow: what makes packets, and what answers them. They know
//! neither links nor rings; time and packets go in, packets and wake-ups come out.

pub mod connection;
pub mod periods;
pub mod schedule;
pub mod session;
pub mod source;
pub mod stream;
