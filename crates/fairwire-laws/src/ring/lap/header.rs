//! How a frame that circulates begins.
//!
//! | byte | field |
//! | --- | --- |
//! | 0 | what the frame holds and how it is written: a code of the law's own |
//! | 1 | [`Number`]: generation in the upper four bits, lap in the lower four |
//! | 2–3 | number of stations N, big endian |
//! | 4… | the law's own |

use super::Number;
use crate::MessageError;
use crate::format::{Field, Kind, Part};

/// How many bytes go before the law's own.
pub const HEADER_BYTES: usize = 4;

/// The header as formats tell of it, with what the codes of byte 0 mean.
macro_rules! lap_header {
    ($codes:expr) => {
        crate::format::Section::always(&[
            crate::format::Field::new("kind", "kind", 1, crate::format::Kind::Number { least: 0, names: $codes }),
            crate::ring::lap::header::NUMBER,
            crate::ring::lap::header::STATIONS,
        ])
    };
}

pub(in crate::ring) use lap_header;

pub(in crate::ring) const NUMBER: Field = Field::new(
    "circulation",
    "generation and lap",
    1,
    Kind::Parts(&[
        Part { name: "generation", title: "generation", shift: 4, bits: 4, names: &[] },
        Part { name: "lap", title: "lap", shift: 0, bits: 4, names: &[] },
    ]),
);
pub(in crate::ring) const STATIONS: Field = Field::number("stations", "stations", 2);

/// A header, and zeros for the law's own bytes.
pub fn new_frame(code: u8, stations: usize, own_bytes: usize) -> Box<[u8]> {
    let mut bytes = vec![0; HEADER_BYTES + own_bytes];
    bytes[0] = code;
    bytes[2..4].copy_from_slice(&(stations as u16).to_be_bytes());
    bytes.into_boxed_slice()
}

/// An error unless a header comes first, and behind it as many bytes as `own_bytes` finds in the header.
pub fn check(bytes: &[u8], own_bytes: impl FnOnce(&[u8]) -> Result<usize, MessageError>) -> Result<(), MessageError> {
    let got = bytes.len();
    if got < HEADER_BYTES {
        return Err(MessageError::Length { got, expected: HEADER_BYTES });
    }
    let expected = HEADER_BYTES + own_bytes(bytes)?;
    if got == expected { Ok(()) } else { Err(MessageError::Length { got, expected }) }
}

/// Which frame it is, and on which lap.
#[inline]
pub fn number(bytes: &[u8]) -> Number {
    Number::of_byte(bytes[1])
}

/// Gives it another number.
#[inline]
pub fn set_number(bytes: &mut [u8], number: Number) {
    bytes[1] = number.byte();
}

/// How many stations the ring has.
#[inline]
pub fn stations(bytes: &[u8]) -> usize {
    usize::from(u16::from_be_bytes([bytes[2], bytes[3]]))
}
