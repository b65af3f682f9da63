//! The topology and protection frame (TP): what a station says of its two spans.
//!
//! | payload byte | bits, highest first |
//! | --- | --- |
//! | 0 | zero 2, sequence number 6 |
//! | 1 | wrapped west 1, request west 3, wrapped east 1, request east 3 |
//!
//! That a TP frame carries these fields is public; their places are our reading.

use super::{Request, Side};
use crate::MessageError;

/// Sequence numbers count modulo this.
pub(super) const SEQUENCES: u8 = 64;

/// What a station says of its two spans, by [`Side`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TopologyReport {
    /// Rises, modulo 64, when the rest changes.
    pub sequence: u8,
    /// What the station asks for the span.
    pub requests: [Request; 2],
    /// Whether it wraps there.
    pub wrapped: [bool; 2],
}

impl TopologyReport {
    /// The payload of its frame.
    pub fn payload(&self) -> [u8; 2] {
        let nibble = |side: Side| u8::from(self.wrapped[side.index()]) << 3 | self.requests[side.index()] as u8;
        [self.sequence % SEQUENCES, nibble(Side::West) << 4 | nibble(Side::East)]
    }

    /// Reads the payload of a frame.
    ///
    /// # Errors
    /// [`MessageError`] if there are not two bytes or a field has no meaning.
    pub fn parse(payload: &[u8]) -> Result<Self, MessageError> {
        let &[sequence, state] = payload else {
            return Err(MessageError::Length { got: payload.len(), expected: 2 });
        };
        if sequence >= SEQUENCES {
            return Err(MessageError::Field { field: "sequence", value: sequence.into() });
        }
        let nibbles = [state >> 4, state & 0xf];
        let request = |nibble: u8| {
            let number = nibble & 7;
            Request::from_number(number).ok_or(MessageError::Field { field: "request", value: number.into() })
        };
        Ok(Self {
            sequence,
            requests: [request(nibbles[0])?, request(nibbles[1])?],
            wrapped: nibbles.map(|nibble| nibble >> 3 == 1),
        })
    }

    /// Whether this was said before `other`: at most half a turn of the numbers ago.
    pub(super) fn is_older_than(&self, other: &Self) -> bool {
        let ahead = (other.sequence + SEQUENCES - self.sequence) % SEQUENCES;
        (1..SEQUENCES / 2).contains(&ahead)
    }
}
