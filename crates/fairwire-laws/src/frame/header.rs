//! The eighteen bytes in front of data and control frames.

use super::checksum::hec;
use super::{Address, BaseControl, FrameType};
use crate::MessageError;

/// Length of the header, HEC included.
pub const HEADER_BYTES: usize = 18;

/// What the originator of a frame writes into ttl: enough for the largest ring.
pub const MAX_TTL: u8 = 255;

/// The header of a data or control frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Hops left; each station on the way takes one.
    pub ttl: u8,
    /// Ringlet, type and class.
    pub base: BaseControl,
    /// Where it goes.
    pub destination: Address,
    /// Where it comes from.
    pub source: Address,
    /// What ttl was at the start.
    pub ttl_base: u8,
    /// Order and wrapping.
    pub extended: ExtendedControl,
}

/// Order and wrapping of a frame.
///
/// | bit, highest first | field |
/// | --- | --- |
/// | 0 | ef: extended frame, two more addresses follow |
/// | 1–2 | fi: how it is flooded |
/// | 3 | ps: has passed its source on the other ringlet after a wrap |
/// | 4 | so: strict order |
/// | 5–7 | zero |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtendedControl {
    /// Two more addresses follow.
    pub extended_frame: bool,
    /// How it is flooded, 0 to 3; 0 is not at all.
    pub flooding: u8,
    /// Has passed its source after a wrap; wrapped a second time it is discarded.
    pub passed_source: bool,
    /// Must not be reordered: discarded while the topology is unsettled.
    pub strict_order: bool,
}

impl ExtendedControl {
    /// The byte.
    pub const fn bits(self) -> u8 {
        (self.extended_frame as u8) << 7
            | (self.flooding & 3) << 5
            | (self.passed_source as u8) << 4
            | (self.strict_order as u8) << 3
    }

    /// What the byte says.
    ///
    /// # Errors
    /// [`MessageError::Field`] if a bit is set that has no meaning.
    pub const fn from_bits(byte: u8) -> Result<Self, MessageError> {
        if byte & 7 != 0 {
            return Err(MessageError::Field { field: "extendedControl", value: byte as u64 });
        }
        Ok(Self {
            extended_frame: byte >> 7 == 1,
            flooding: byte >> 5 & 3,
            passed_source: byte >> 4 & 1 == 1,
            strict_order: byte >> 3 & 1 == 1,
        })
    }
}

impl Header {
    /// Links crossed by the frame when it arrives with this header.
    pub const fn hops(&self) -> u16 {
        self.ttl_base as u16 - self.ttl as u16 + 1
    }

    /// The bytes, with a good HEC.
    pub fn bytes(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[0] = self.ttl;
        bytes[1] = self.base.bits();
        bytes[2..8].copy_from_slice(&self.destination.0);
        bytes[8..14].copy_from_slice(&self.source.0);
        bytes[14] = self.ttl_base;
        bytes[15] = self.extended.bits();
        let hec = hec(&bytes[..16]);
        bytes[16..].copy_from_slice(&hec);
        bytes
    }

    /// Reads the header at the front of `bytes`.
    ///
    /// # Errors
    /// [`MessageError`] if there are too few bytes, the HEC does not hold, a
    /// field has no meaning, or ttl is zero or above where it started.
    pub fn parse(bytes: &[u8]) -> Result<Self, MessageError> {
        let Some(bytes) = bytes.first_chunk::<HEADER_BYTES>() else {
            return Err(MessageError::Length { got: bytes.len(), expected: HEADER_BYTES });
        };
        if bytes[16..] != hec(&bytes[..16]) {
            return Err(MessageError::Checksum { field: "hec" });
        }
        let address = |at: usize| Address(std::array::from_fn(|i| bytes[at + i]));
        let header = Self {
            ttl: bytes[0],
            base: BaseControl::from_bits(bytes[1]),
            destination: address(2),
            source: address(8),
            ttl_base: bytes[14],
            extended: ExtendedControl::from_bits(bytes[15])?,
        };
        if bytes[1] & 1 != 0 {
            return Err(MessageError::Field { field: "baseControl", value: bytes[1].into() });
        }
        if header.ttl == 0 || header.ttl > header.ttl_base {
            return Err(MessageError::Field { field: "ttl", value: header.ttl.into() });
        }
        Ok(header)
    }
}

/// What kind of frame these bytes begin, if there are as many as every frame has.
pub fn peek_type(bytes: &[u8]) -> Option<FrameType> {
    (bytes.len() >= super::IDLE_BYTES).then(|| BaseControl::from_bits(bytes[1]).frame_type)
}
