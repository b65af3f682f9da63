//! A control frame between two neighbours.
//!
//! A law's message travels as the value that it is. Nothing changes it on the way, and its
//! bytes hold exactly what it holds, so that of these only their number matters to a link.
//! An audited station reads every message anew from its bytes.

use fairwire_core::Ringlet;
use fairwire_laws::PackedMessage;

/// What one law or protection says to the next.
#[derive(Debug)]
pub enum Frame {
    /// From law to law: for that of the other ringlet, on which it travels upstream.
    Law(PackedMessage),
    /// From law to law: for the one that it names.
    Addressed { message: PackedMessage, to: Addressee },
    /// From law to law, advice: nothing happens when it arrives.
    Advice(PackedMessage),
    /// From protection to protection: bytes.
    Protection(Vec<u8>),
}

/// Which law a control message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressee {
    /// The law of this ringlet.
    Law(Ringlet),
    /// The same, at the other end of a ring that is open here: it goes there the long way.
    LawAtOtherEnd(Ringlet),
}

impl Frame {
    /// A message for the law of the other ringlet, which may be advice.
    pub fn of<const ADVICE: bool>(message: PackedMessage) -> Self {
        if ADVICE { Self::Advice(message) } else { Self::Law(message) }
    }

    /// Whether a law sends it.
    #[inline(always)]
    pub fn is_of_law(&self) -> bool {
        !matches!(self, Self::Protection(_))
    }

    /// Its bytes on the wire.
    #[inline]
    pub fn size(&self) -> u16 {
        match self {
            Self::Law(message) | Self::Addressed { message, .. } | Self::Advice(message) => message.wire_bytes() as u16,
            Self::Protection(bytes) => bytes.len() as u16,
        }
    }
}
