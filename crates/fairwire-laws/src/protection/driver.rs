//! What a driver tells the protection of a station, and what it is told to do.

use super::{Command, Side, SignalQuality};
use crate::frame::Address;
use fairwire_core::Ringlet;

/// Something that happens at a station.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// An idle frame or a control frame of ours ([`Protection::takes`](super::Protection::takes)) came in on this ringlet.
    Frame {
        /// Where it came in.
        ringlet: Ringlet,
        /// The frame.
        bytes: Vec<u8>,
    },
    /// Another control or fairness frame came in on this ringlet: the neighbour lives.
    Heard {
        /// Where it came in.
        ringlet: Ringlet,
    },
    /// The layer below reports on what it receives.
    Signal {
        /// Where.
        side: Side,
        /// How well.
        quality: SignalQuality,
    },
    /// An operator commands.
    Command {
        /// Which span.
        side: Side,
        /// What.
        command: Command,
    },
}

/// What a driver is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Send a frame ahead of all data; the bytes are those that the next station receives.
    SendFrame {
        /// Where it goes out.
        ringlet: Ringlet,
        /// The frame.
        bytes: Vec<u8>,
    },
    /// [`Protection::topology`](super::Protection::topology) has changed: ask [`Protection::ringlet_for`](super::Protection::ringlet_for) anew.
    TopologyChanged,
    /// Begin or cease to loop data that would leave on this side to the other ringlet.
    Wrap {
        /// The side with the span that is out of use.
        side: Side,
        /// Begin or cease.
        on: bool,
    },
    /// Keep strict order again, or discard all frames that ask for it.
    StrictOrder {
        /// Keep or discard.
        on: bool,
    },
    /// The next station downstream on this ringlet is lost: forget what it said of its rates.
    Forget {
        /// The ringlet that left over the span.
        ringlet: Ringlet,
    },
    /// What [`Protection::attributes`] says of this station has changed.
    AttributesChanged {
        /// Who.
        station: Address,
    },
    /// Some stations wrap and some only steer, so that all steer; or no longer so.
    /// Ask [`Protection::ringlet_for`](super::Protection::ringlet_for) anew.
    MixedProtection {
        /// Whether it is so.
        on: bool,
    },
}
