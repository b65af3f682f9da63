//! What a driver may skip for speed.
//!
//! All of this is optional. A law that tells nothing is right, and a driver that
//! asks for nothing is right, too.

use super::RingLaw;
use fairwire_core::{Bytes, Span};

/// Promises of a law that let a driver skip work.
pub struct RingHints<L: RingLaw> {
    /// The smallest message that the law ever sends on a ring of so many stations;
    /// zero promises nothing. What takes long to send lets a driver take stations
    /// further by themselves.
    pub least_message: fn(&L::Params, stations: usize) -> Bytes,
    /// Whether the law reads the add queues when it is called like this. `false`
    /// promises that it never does: the view shows none then. The answer stays the
    /// same for the life of the law.
    pub reads_adds: fn(&L, Call) -> bool,
    /// What the law does about messages that change nothing when they arrive.
    pub advice: Option<AdviceHints<L>>,
}

/// Of a law that sends *advice*: messages that only count when the law is called the next time.
pub struct AdviceHints<L: RingLaw> {
    /// Whether a message is advice. `true` promises that [`RingLaw::on_message`] with it
    /// leads to no action, moves no timeout, shows nothing and reads nothing of the
    /// station: a driver may tell the law of it later, right before the next call,
    /// with an empty view and the time at which it came.
    pub is_advice: fn(&L::Msg) -> bool,
    /// Whether with its parameters the law sends nothing but advice, of which the last
    /// makes up for all before: nobody answers, or passes anything on, before it is
    /// called for another reason.
    pub sends_only_advice: fn(&L) -> bool,
    /// What the law does at every timeout from now on if no packet passes its station
    /// any more and none waits there. Only a law that sends nothing but advice answers.
    /// An answer holds as long as that is so, whatever is heard meanwhile: a driver may
    /// do what is told here without the law, and tells it of that with `has_rested`.
    pub rests: fn(&L) -> Option<Rest<L::Msg>>,
    /// So many timeouts have gone by at rest. It leads to no action.
    pub has_rested: fn(&mut L, timeouts: u64),
}

/// For what a law is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// A message has arrived.
    Message,
    /// A timeout has passed.
    Timeout,
}

/// What a law does at each timeout while no packet passes its station.
#[derive(Clone, Debug, PartialEq)]
pub struct Rest<M> {
    /// From one timeout to the next.
    pub period: Span,
    /// What is sent to the next station upstream at each: advice.
    pub message: M,
}

impl<L: RingLaw> RingHints<L> {
    /// No promises.
    pub const NONE: Self = Self { least_message: |_, _| Bytes::ZERO, reads_adds: |_, _| true, advice: None };
}
