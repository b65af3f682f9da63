//! Control laws as plain state machines.
//!
//! A law receives typed events and the time and answers with actions and the
//! time at which it wants to be woken. It opens no socket, reads no clock and
//! owns no random source, so the simulator and the real links run the same
//! object. One file or folder holds one law; `ring/mod.rs`, `queue/mod.rs`, `rate/mod.rs` and
//! `transport/mod.rs` each list theirs, and `parts` beside them is what laws of a kind share. `[dvsr]` and
//! the like are papers: `claims/dvsr.toml` gives title and authors.
#![forbid(unsafe_code)]

mod about;
pub mod format;
pub mod frame;
mod message;
mod packed;
pub mod protection;
pub mod queue;
mod ranged;
pub mod rate;
pub mod ring;
mod slots;
pub mod transport;

pub use about::LawAbout;
pub use message::{MessageError, NoMessage, WireMessage};
pub use packed::PackedMessage;
pub use ranged::OutOfRange;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
