//! Why a control packet is not taken for what it says.

use crate::MessageError;

/// Why a control packet is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// It has another length than its kind has.
    Length,
    /// Its checksum does not hold.
    Checksum,
    /// A field holds what has no meaning: another version, a rate that is negative, not a number or beyond all links.
    Field,
    /// It says that it goes the other way.
    Direction,
    /// The port knows no such flow.
    UnknownFlow,
    /// One like it, or a later one, has passed before; or it answers what was never asked.
    Stale,
    /// Its flow sends more than it may.
    AboveAllowed,
}

impl Refusal {
    /// All of them, in order.
    pub const ALL: [Self; 7] = [
        Self::Length,
        Self::Checksum,
        Self::Field,
        Self::Direction,
        Self::UnknownFlow,
        Self::Stale,
        Self::AboveAllowed,
    ];

    /// Its place among all.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The kind, as answers tell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Checksum => "checksum",
            Self::Field => "field",
            Self::Direction => "direction",
            Self::UnknownFlow => "unknown-flow",
            Self::Stale => "stale",
            Self::AboveAllowed => "above-allowed",
        }
    }
}

impl From<MessageError> for Refusal {
    fn from(error: MessageError) -> Self {
        match error {
            MessageError::Length { .. } => Self::Length,
            MessageError::Checksum { .. } => Self::Checksum,
            MessageError::Field { .. } => Self::Field,
        }
    }
}
