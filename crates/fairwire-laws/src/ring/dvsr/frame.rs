//! The control frame that circulates against the traffic ([dvsr] §V-B3, §VIII-A).
//!
//! | byte | field |
//! | --- | --- |
//! | 0 | encoding: 1 = one byte a rate, 2 = four bytes a rate |
//! | 1 | zero |
//! | 2–3 | number of stations N, big endian |
//! | 4… | N rates per unit weight as fractions of each link's capacity |
//!
//! The paper has no header: the N bytes of its testbed are the payload here.

use crate::{MessageError, WireMessage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const HEADER_BYTES: usize = 4;

/// How the frame writes a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// One byte a rate, 255 for the whole link, rounded down, as in the
    /// paper's testbed: steps of 0.4 % of the capacity.
    Byte,
    /// Four bytes a rate, steps of 2^-32 of the capacity.
    Exact,
}

impl Encoding {
    const fn width(self) -> usize {
        match self {
            Self::Byte => 1,
            Self::Exact => 4,
        }
    }

    const fn code(self) -> u8 {
        match self {
            Self::Byte => 1,
            Self::Exact => 2,
        }
    }
}

/// A control frame: its bytes, known to be in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    encoding: Encoding,
    bytes: Vec<u8>,
}

impl Frame {
    /// A frame for `stations` stations that grants every link whole.
    pub fn new(encoding: Encoding, stations: usize) -> Self {
        let mut bytes = vec![0xff; HEADER_BYTES + stations * encoding.width()];
        bytes[0] = encoding.code();
        bytes[1] = 0;
        bytes[2..4].copy_from_slice(&(stations as u16).to_be_bytes());
        Self { encoding, bytes }
    }

    /// How many rates it carries.
    pub fn stations(&self) -> usize {
        usize::from(u16::from_be_bytes([self.bytes[2], self.bytes[3]]))
    }

    /// The rate of the link that leaves `station`, as a fraction of its capacity.
    pub fn fraction(&self, station: usize) -> f64 {
        let at = HEADER_BYTES + station * self.encoding.width();
        match self.encoding {
            Encoding::Byte => f64::from(self.bytes[at]) / 255.0,
            Encoding::Exact => {
                let word: [u8; 4] = std::array::from_fn(|i| self.bytes[at + i]);
                f64::from(u32::from_be_bytes(word)) / f64::from(u32::MAX)
            }
        }
    }

    /// Writes the rate of the link that leaves `station`; clamped to [0, 1], rounded down.
    pub fn set_fraction(&mut self, station: usize, fraction: f64) {
        let at = HEADER_BYTES + station * self.encoding.width();
        let fraction = fraction.clamp(0.0, 1.0);
        match self.encoding {
            Encoding::Byte => self.bytes[at] = (fraction * 255.0) as u8,
            Encoding::Exact => {
                let word = (fraction * f64::from(u32::MAX)) as u32;
                self.bytes[at..at + 4].copy_from_slice(&word.to_be_bytes());
            }
        }
    }
}

impl WireMessage for Frame {
    fn parse(bytes: Vec<u8>) -> Result<Self, MessageError> {
        if bytes.len() < HEADER_BYTES {
            return Err(MessageError::Length { got: bytes.len(), expected: HEADER_BYTES });
        }
        let encoding = match bytes[0] {
            1 => Encoding::Byte,
            2 => Encoding::Exact,
            other => return Err(MessageError::Field { field: "encoding", value: other.into() }),
        };
        if bytes[1] != 0 {
            return Err(MessageError::Field { field: "reserved", value: bytes[1].into() });
        }
        let frame = Self { encoding, bytes };
        let expected = HEADER_BYTES + frame.stations() * encoding.width();
        if frame.bytes.len() != expected {
            return Err(MessageError::Length { got: frame.bytes.len(), expected });
        }
        Ok(frame)
    }

    fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
