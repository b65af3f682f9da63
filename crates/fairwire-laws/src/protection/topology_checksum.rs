//! The topology checksum frame (TC): four bytes to each neighbour.

use crate::MessageError;

/// A checksum of what a station knows of the ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TopologyChecksum(pub u32);

impl TopologyChecksum {
    /// The payload of its frame.
    pub fn payload(self) -> [u8; 4] {
        self.0.to_be_bytes()
    }

    /// Reads the payload of a frame.
    ///
    /// # Errors
    /// [`MessageError`] if there are not four bytes.
    pub fn parse(payload: &[u8]) -> Result<Self, MessageError> {
        let bytes = payload.try_into();
        bytes
            .map(|bytes| Self(u32::from_be_bytes(bytes)))
            .map_err(|_| MessageError::Length { got: payload.len(), expected: 4 })
    }
}
