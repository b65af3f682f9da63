//! The control frames that travel against the traffic ([dvsr] §V-B3, §VIII-A):
//! one that circulates with the rates of all links, or one from each station with
//! the rate of its own.
//!
//! | byte | field |
//! | --- | --- |
//! | 0 | encoding: 1 = one byte a rate, 2 = four bytes a rate; 128 more in a frame of one link |
//! | 1 | all links: generation in the upper four bits, lap in the lower four; one link: 0 |
//! | 2–3 | number of stations N, big endian |
//!
//! All links: N rates follow, per unit weight, as fractions of each link's capacity.
//! One link: the station that it leaves and the hops that the frame has left, two
//! bytes each, big endian, and the rate.
//!
//! The paper has no header: the N bytes of its testbed are the payload here.

use crate::format::{self, Field, MessageFormat, Section, Times, When};
use crate::ring::lap::header::{self, HEADER_BYTES};
use crate::ring::lap::{Circulates, Number};
use crate::{MessageError, PackedMessage, WireMessage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// What byte 0 has beside the encoding in a frame that tells of one link.
const ONE_LINK: u8 = 128;
/// Of a frame that tells of one link.
const NODE_BYTES: usize = 4;

const fn share_field(encoding: Encoding) -> Field {
    let of = match encoding {
        Encoding::Byte => BYTE_WHOLE,
        Encoding::Exact => EXACT_WHOLE,
    };
    let kind = format::Kind::Share { of, less: 0, signed: false };
    Field::new("rate", "rate of the link per unit weight", encoding.width(), kind)
}

const BYTE_RATE: &[Field] = &[share_field(Encoding::Byte)];
const EXACT_RATE: &[Field] = &[share_field(Encoding::Exact)];

const fn all_links(encoding: Encoding, fields: &'static [Field]) -> Section {
    let times = Times::NumberAt { at: 2, bytes: 2 };
    Section { when: When::byte(0, 0xFF, encoding.code()), times, fields }
}

const fn one_link(encoding: Encoding, fields: &'static [Field]) -> Section {
    Section::when(When::byte(0, 0xFF, encoding.code() | ONE_LINK), fields)
}

const FORMAT: MessageFormat = MessageFormat {
    code: 1,
    name: "dvsr",
    title: "DVSR control frame",
    sections: &[
        header::lap_header!(&[
            (Encoding::Byte.code() as u64, "all links, one byte a rate"),
            (Encoding::Exact.code() as u64, "all links, four bytes a rate"),
            ((Encoding::Byte.code() | ONE_LINK) as u64, "one link, one byte"),
            ((Encoding::Exact.code() | ONE_LINK) as u64, "one link, four bytes"),
        ]),
        Section::when(
            When::byte(0, ONE_LINK, ONE_LINK),
            &[Field::number("origin", "station that the link leaves", 2), Field::number("hops", "hops left", 2)],
        ),
        all_links(Encoding::Byte, BYTE_RATE),
        all_links(Encoding::Exact, EXACT_RATE),
        one_link(Encoding::Byte, BYTE_RATE),
        one_link(Encoding::Exact, EXACT_RATE),
    ],
};

/// What stands for the whole link.
const BYTE_WHOLE: f64 = 255.0;
const EXACT_WHOLE: f64 = u32::MAX as f64;

/// How a frame writes rates, whether it tells of all links or one, and how many stations the ring has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind([u8; HEADER_BYTES - 1]);

/// A control frame: its bytes, known to be in order; two words, handed on in registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    bytes: Box<[u8]>,
}

impl Frame {
    /// A frame for `stations` stations that grants every link whole.
    pub fn new(encoding: Encoding, stations: usize) -> Self {
        let mut bytes = header::new_frame(encoding.code(), stations, stations * encoding.width());
        bytes[HEADER_BYTES..].fill(0xff);
        Self { bytes }
    }

    /// A frame that tells the rate of the link that leaves `origin` to the next
    /// `hops` of `stations` stations upstream.
    pub fn of_node(encoding: Encoding, stations: usize, origin: usize, hops: usize, fraction: f64) -> Self {
        let mut bytes = header::new_frame(encoding.code() | ONE_LINK, stations, NODE_BYTES + encoding.width());
        bytes[4..6].copy_from_slice(&(origin as u16).to_be_bytes());
        bytes[6..8].copy_from_slice(&(hops as u16).to_be_bytes());
        let mut frame = Self { bytes };
        frame.write_fraction(HEADER_BYTES + NODE_BYTES, fraction);
        frame
    }

    /// The station that a frame of one link comes from, and the link's rate as a
    /// fraction of its capacity.
    #[inline]
    pub fn as_node_frame(&self) -> Option<(usize, f64)> {
        self.is_node_frame().then(|| (self.word_at(4), self.read_fraction(HEADER_BYTES + NODE_BYTES)))
    }

    #[inline(always)]
    fn is_node_frame(&self) -> bool {
        self.bytes[0] & ONE_LINK != 0
    }

    /// The frame of one link for the next station upstream, if it is to go on.
    pub fn one_hop_on(mut self) -> Option<Self> {
        let left = self.word_at(6).saturating_sub(1);
        self.bytes[6..8].copy_from_slice(&(left as u16).to_be_bytes());
        (left > 0).then_some(self)
    }

    /// The same frame on its next lap, as that station sends it that puts frames on the ring.
    pub fn on_next_lap(mut self) -> Self {
        self.set_number(self.number().next_lap());
        self
    }

    #[inline(always)]
    fn encoding(&self) -> Encoding {
        if self.bytes[0] & !ONE_LINK == Encoding::Byte.code() { Encoding::Byte } else { Encoding::Exact }
    }

    #[inline]
    fn word_at(&self, at: usize) -> usize {
        usize::from(u16::from_be_bytes([self.bytes[at], self.bytes[at + 1]]))
    }

    /// What frames of one ring have in common.
    #[inline]
    pub fn kind(&self) -> Kind {
        Kind([self.bytes[0], self.bytes[2], self.bytes[3]])
    }

    /// How many stations the ring has, and so how many rates a frame of all links carries.
    #[inline]
    pub fn stations(&self) -> usize {
        header::stations(&self.bytes)
    }

    /// The rate of the link that leaves `station`, as a fraction of its capacity,
    /// in a frame of all links.
    #[inline]
    pub fn fraction(&self, station: usize) -> f64 {
        self.read_fraction(HEADER_BYTES + station * self.encoding().width())
    }

    #[inline]
    fn read_fraction(&self, at: usize) -> f64 {
        match self.encoding() {
            Encoding::Byte => f64::from(self.bytes[at]) / BYTE_WHOLE,
            Encoding::Exact => {
                let [first, second, third, fourth] = self.bytes[at..at + 4] else { return 0.0 };
                f64::from(u32::from_be_bytes([first, second, third, fourth])) / EXACT_WHOLE
            }
        }
    }

    /// Writes the rate of the link that leaves `station`; clamped to [0, 1], rounded down.
    #[inline]
    pub fn set_fraction(&mut self, station: usize, fraction: f64) {
        self.write_fraction(HEADER_BYTES + station * self.encoding().width(), fraction);
    }

    #[inline]
    fn write_fraction(&mut self, at: usize, fraction: f64) {
        let fraction = fraction.clamp(0.0, 1.0);
        match self.encoding() {
            Encoding::Byte => self.bytes[at] = (fraction * BYTE_WHOLE) as u8,
            Encoding::Exact => {
                let word = (fraction * EXACT_WHOLE) as u32;
                self.bytes[at..at + 4].copy_from_slice(&word.to_be_bytes());
            }
        }
    }
}

impl Circulates for Frame {
    #[inline]
    fn number(&self) -> Number {
        header::number(&self.bytes)
    }

    #[inline]
    fn set_number(&mut self, number: Number) {
        header::set_number(&mut self.bytes, number);
    }
}

impl WireMessage for Frame {
    const FORMATS: &'static [&'static MessageFormat] = &[&FORMAT];

    fn parse(bytes: Vec<u8>) -> Result<Self, MessageError> {
        header::check(&bytes, |header| {
            let width = match header[0] & !ONE_LINK {
                1 => Encoding::Byte.width(),
                2 => Encoding::Exact.width(),
                _ => return Err(MessageError::Field { field: "encoding", value: header[0].into() }),
            };
            let is_node_frame = header[0] & ONE_LINK != 0;
            Ok(if is_node_frame { NODE_BYTES + width } else { header::stations(header) * width })
        })?;
        let frame = Self { bytes: bytes.into_boxed_slice() };
        if frame.is_node_frame() && frame.number() != Number::default() {
            return Err(MessageError::Field { field: "number", value: frame.number().byte().into() });
        }
        if frame.is_node_frame() && frame.word_at(4) >= frame.stations() {
            return Err(MessageError::Field { field: "origin", value: frame.word_at(4) as u64 });
        }
        Ok(frame)
    }

    fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_vec()
    }

    #[inline]
    fn wire_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Its bytes were checked when the frame was made.
    #[inline]
    fn unpack(packed: PackedMessage) -> Result<Self, MessageError> {
        packed.into_bytes().map(|bytes| Self { bytes: bytes.into_boxed_slice() })
    }
}
