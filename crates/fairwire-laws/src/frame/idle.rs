//! Idle frames: sixteen bytes that say only that the wire lives.

use super::checksum::fcs;
use super::{Address, BaseControl, FrameType};
use crate::{MessageError, WireMessage};
use fairwire_core::Ringlet;

/// Length of an idle or fairness frame.
pub const IDLE_BYTES: usize = 16;

/// Says to the next station that the wire lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdleFrame {
    /// The ringlet it is sent on.
    pub ringlet: Ringlet,
    /// Who sent it.
    pub source: Address,
}

impl IdleFrame {
    /// It reaches the next station only.
    const TTL: u8 = 1;

    fn bytes(self) -> [u8; IDLE_BYTES] {
        let mut bytes = [0; IDLE_BYTES];
        bytes[0] = Self::TTL;
        bytes[1] = BaseControl::control(FrameType::Idle, self.ringlet).bits_with_parity(Self::TTL);
        bytes[2..8].copy_from_slice(&self.source.0);
        let fcs = fcs(&bytes[..12]);
        bytes[12..].copy_from_slice(&fcs);
        bytes
    }
}

impl WireMessage for IdleFrame {
    fn parse(bytes: Vec<u8>) -> Result<Self, MessageError> {
        if bytes.len() != IDLE_BYTES {
            return Err(MessageError::Length { got: bytes.len(), expected: IDLE_BYTES });
        }
        let source = Address(std::array::from_fn(|i| bytes[2 + i]));
        let frame = Self { ringlet: BaseControl::from_bits(bytes[1]).ringlet, source };
        // Every other field is fixed, so a good frame is the one its two fields make.
        if bytes[12..] != fcs(&bytes[..12]) {
            Err(MessageError::Checksum { field: "fcs" })
        } else if bytes != frame.bytes() {
            Err(MessageError::Field { field: "baseControl", value: bytes[1].into() })
        } else {
            Ok(frame)
        }
    }

    fn into_bytes(self) -> Vec<u8> {
        self.bytes().to_vec()
    }

    fn wire_bytes(&self) -> usize {
        IDLE_BYTES
    }
}
