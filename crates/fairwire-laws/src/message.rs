//! What laws say to each other, as bytes.

use crate::PackedMessage;
use crate::format::MessageFormat;

/// A control message that knows its own bytes.
///
/// A message owns its buffer: parsing checks the bytes where they lie, and a
/// law that passes a message on after changing one field copies nothing.
pub trait WireMessage: Sized {
    /// How its bytes are laid out, in each of the ways that there are; none where nobody has told.
    const FORMATS: &'static [&'static MessageFormat] = &[];

    /// Takes a received buffer for a message if it is one.
    ///
    /// # Errors
    /// [`MessageError`] when the bytes are not a message of this kind; no byte
    /// sequence makes it panic.
    fn parse(bytes: Vec<u8>) -> Result<Self, MessageError>;

    /// The bytes that go on the wire; `parse` accepts them and finds the same message in them.
    fn into_bytes(self) -> Vec<u8>;

    /// How many bytes these are.
    fn wire_bytes(&self) -> usize;

    /// The message as it travels between laws of one process: its bytes, unless it is said
    /// in two words, which are handed on in registers.
    #[inline]
    fn pack(self) -> PackedMessage {
        PackedMessage::Bytes(self.into_bytes().into_boxed_slice())
    }

    /// The message that [`WireMessage::pack`] has packed. What was packed here need not be checked again.
    ///
    /// # Errors
    /// [`MessageError`] when it is of another make.
    #[inline]
    fn unpack(packed: PackedMessage) -> Result<Self, MessageError> {
        packed.into_bytes().and_then(Self::parse)
    }
}

/// Bytes that are not the message they should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// Too few or too many bytes for what the message says it holds.
    #[error("the message has {got} bytes where {expected} belong")]
    Length {
        /// Bytes that were received.
        got: usize,
        /// Bytes that belong there.
        expected: usize,
    },
    /// A checksum does not belong to the bytes it covers.
    #[error("the checksum `{field}` does not hold")]
    Checksum {
        /// The checksum's name.
        field: &'static str,
    },
    /// A field holds a value that has no meaning.
    #[error("field `{field}` holds {value}, which has no meaning")]
    Field {
        /// The field's name.
        field: &'static str,
        /// What it holds.
        value: u64,
    },
}

/// The message of a law that sends none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoMessage {}

impl WireMessage for NoMessage {
    fn parse(bytes: Vec<u8>) -> Result<Self, MessageError> {
        Err(MessageError::Length { got: bytes.len(), expected: 0 })
    }

    fn into_bytes(self) -> Vec<u8> {
        match self {}
    }

    fn wire_bytes(&self) -> usize {
        match *self {}
    }
}
