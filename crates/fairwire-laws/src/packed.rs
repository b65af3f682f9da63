//! Messages of any law on their way between laws of one process.

use crate::MessageError;

/// A message of some law, as drivers carry it that are not built for one law.
///
/// Nothing changes it on the way. Only the law that packed it can tell what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackedMessage {
    /// The bytes that go on the wire.
    Bytes(Box<[u8]>),
    /// Two words that say the same as so many bytes on the wire.
    Words {
        /// What is said.
        words: [u64; 2],
        /// How many bytes that is on the wire.
        wire_bytes: u16,
    },
}

impl PackedMessage {
    /// How many bytes go on the wire.
    #[inline(always)]
    pub fn wire_bytes(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Words { wire_bytes, .. } => (*wire_bytes).into(),
        }
    }

    /// Its bytes, if it travels as bytes.
    ///
    /// # Errors
    /// [`MessageError::Length`] if it does not: no law of the same make packed it.
    pub fn into_bytes(self) -> Result<Vec<u8>, MessageError> {
        match self {
            Self::Bytes(bytes) => Ok(bytes.into_vec()),
            Self::Words { wire_bytes, .. } => Err(MessageError::Length { got: 0, expected: wire_bytes.into() }),
        }
    }
}
