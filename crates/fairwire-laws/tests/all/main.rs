//! Every test of the crate in one program: it is linked once, and all of its tests share the processors.

#[path = "../common/any_law.rs"]
mod any_law;
mod conformance;
mod control_frames;
mod frames;
mod lost_frames;
mod message_formats;
mod registry;
mod resting;
mod rings_of_laws;
mod transport;
