//! What every part of fairwire agrees on: time, rates, sizes, weights, ids,
//! packet metadata, the exact link serialiser, named random streams, and the
//! context [`Cx`] in which a control law is called.
//!
//! Nothing here performs I/O, reads a clock or starts a thread.
#![forbid(unsafe_code)]

mod cx;
mod ids;
mod packet;
mod random;
mod rate;
mod serialiser;
mod size;
mod text;
mod text_control;
mod time;
mod timetable;
mod weight;

pub use cx::{Cx, Probe, Sample};
pub use ids::{FlowId, Ringlet, StationId};
pub use packet::{PacketMeta, ServiceClass};
pub use random::{RandomStream, Streams};
pub use rate::BitRate;
pub use serialiser::{EqualPackets, Serialiser};
pub use size::Bytes;
pub use text::UnitError;
pub use text_control::{NoName, check_name, is_text_control};
pub use time::{Instant, Span};
pub use timetable::{Pace, Timetable};
pub use weight::{NotAWeight, Weight};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
