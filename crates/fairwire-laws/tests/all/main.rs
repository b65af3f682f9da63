//! Every test of the crate in one program: it is linked once, and all of its tests share the processors.

mod any_law;
mod conformance;
mod control_frames;
mod frames;
mod lost_frames;
mod message_formats;
mod queue_laws;
mod rate_contract;
mod rate_shares;
mod registry;
mod resting;
mod rings_of_laws;
mod transport;
