//! The ledger that circulates against the traffic.
//!
//! | byte | field |
//! | --- | --- |
//! | 0 | how weights are written: 3 = all alike, one byte; 4 = any, four bytes |
//! | 1 | generation in the upper four bits: a ledger that replaces a lost one counts one up; lap in the lower four |
//! | 2–3 | number of stations N, big endian |
//! | 4… | for each link, by the station that it leaves: its room, two bytes; the weight of those it holds, one byte or four; the largest use of it of late, and in this lap so far, a byte each |
//!
//! All numbers are big endian. Room is signed, in units of 2⁻¹⁴ of what the link has
//! for fairness-eligible traffic. A station only ever adds to an entry and takes away
//! again what it added, so entries are whole numbers and sums wrap: what was added
//! can be taken away exactly, whatever else happened. Uses are per unit of weight, in
//! units of 2⁻⁸ of the link, rounded down, and one added: 0 says that nobody has told any.

use crate::format::{Field, Kind, MessageFormat, Section, Times, When};
use crate::ring::lap::header::{self, HEADER_BYTES};
use crate::ring::lap::{Circulates, Number};
use crate::{MessageError, PackedMessage, WireMessage};

const ROOM_BYTES: usize = 2;
const USE_BYTES: usize = 2;

/// The room of a link that nobody uses.
pub const WHOLE_LINK: i32 = 16_384;
/// What of a link's capacity one unit of room is.
pub const ROOM_UNIT: f64 = 1.0 / WHOLE_LINK as f64;
const USE_UNIT: f64 = 1.0 / 256.0;

/// How the weights of those that a link holds are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightWidth {
    /// One byte: how many they are. For equal weights and up to 255 stations.
    Count,
    /// Four bytes: whole numbers in proportion to the weights.
    Proportional,
}

impl WeightWidth {
    const fn bytes(self) -> usize {
        match self {
            Self::Count => 1,
            Self::Proportional => 4,
        }
    }

    /// What a ledger has for each link.
    const fn entry_bytes(self) -> usize {
        ROOM_BYTES + self.bytes() + USE_BYTES
    }

    const fn code(self) -> u8 {
        match self {
            Self::Count => 3,
            Self::Proportional => 4,
        }
    }
}

const ROOM: Field = Field::new(
    "room",
    "room: what is left beside those that the link does not hold",
    ROOM_BYTES,
    Kind::Share { of: WHOLE_LINK as f64, less: 0, signed: true },
);
const LARGEST_USE: Field = use_field("use", "largest use of late per unit of weight");
const LAP_USE: Field = use_field("lap_use", "largest use in this lap so far");

const fn use_field(name: &'static str, title: &'static str) -> Field {
    Field::new(name, title, 1, Kind::Share { of: 1.0 / USE_UNIT, less: 1, signed: false })
}

const fn held_field(width: WeightWidth) -> Field {
    Field::number("held", "weight of those that the link holds", width.bytes())
}

const fn entries(width: WeightWidth, fields: &'static [Field]) -> Section {
    Section { when: When::byte(0, 0xFF, width.code()), times: Times::NumberAt { at: 2, bytes: 2 }, fields }
}

const FORMAT: MessageFormat = MessageFormat {
    code: 2,
    name: "dvsrplus",
    title: "DVSR-plus ledger",
    sections: &[
        header::lap_header!(&[
            (WeightWidth::Count.code() as u64, "weights alike, one byte"),
            (WeightWidth::Proportional.code() as u64, "any weights, four bytes"),
        ]),
        entries(WeightWidth::Count, &[ROOM, held_field(WeightWidth::Count), LARGEST_USE, LAP_USE]),
        entries(WeightWidth::Proportional, &[ROOM, held_field(WeightWidth::Proportional), LARGEST_USE, LAP_USE]),
    ],
};

/// A ledger: its bytes, known to be in order; two words, handed on in registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    bytes: Box<[u8]>,
}

impl Frame {
    /// A ledger of `stations` unused links.
    pub fn new(width: WeightWidth, stations: usize) -> Self {
        let mut frame = Self { bytes: header::new_frame(width.code(), stations, stations * width.entry_bytes()) };
        (0..stations).for_each(|link| frame.add_room(link, WHOLE_LINK));
        frame
    }

    /// How weights are written.
    #[inline(always)]
    pub fn width(&self) -> WeightWidth {
        if self.bytes[0] == WeightWidth::Count.code() { WeightWidth::Count } else { WeightWidth::Proportional }
    }

    /// Which ledger this is: one that replaces a lost one counts one up.
    pub fn generation(&self) -> u8 {
        self.number().generation()
    }

    /// How many links it tells of.
    pub fn stations(&self) -> usize {
        header::stations(&self.bytes)
    }

    /// What the link has beside what those use that it does not hold, in units of [`ROOM_UNIT`].
    pub fn room(&self, link: usize) -> i32 {
        let at = self.entry(link);
        i16::from_be_bytes([self.bytes[at], self.bytes[at + 1]]).into()
    }

    /// Adds to the room of a link; the sum wraps.
    pub fn add_room(&mut self, link: usize, units: i32) {
        let at = self.entry(link);
        let room = self.room(link).wrapping_add(units) as i16;
        self.bytes[at..at + ROOM_BYTES].copy_from_slice(&room.to_be_bytes());
    }

    /// The weight of those that the link holds.
    pub fn held(&self, link: usize) -> u32 {
        let at = self.entry(link) + ROOM_BYTES;
        match self.width() {
            WeightWidth::Count => self.bytes[at].into(),
            WeightWidth::Proportional => u32::from_be_bytes(std::array::from_fn(|i| self.bytes[at + i])),
        }
    }

    /// Adds to the weight of those that the link holds; the sum wraps.
    pub fn add_held(&mut self, link: usize, weight: u32) {
        self.set_held(link, self.held(link).wrapping_add(weight));
    }

    /// Takes away from the weight of those that the link holds; the difference wraps.
    pub fn take_held(&mut self, link: usize, weight: u32) {
        self.set_held(link, self.held(link).wrapping_sub(weight));
    }

    fn set_held(&mut self, link: usize, weight: u32) {
        let at = self.entry(link) + ROOM_BYTES;
        match self.width() {
            WeightWidth::Count => self.bytes[at] = weight as u8,
            WeightWidth::Proportional => self.bytes[at..at + 4].copy_from_slice(&weight.to_be_bytes()),
        }
    }

    /// The largest use of the link that was told of late, as a fraction of the link.
    pub fn largest_use(&self, link: usize) -> f64 {
        f64::from(self.bytes[self.uses(link)].saturating_sub(1)) * USE_UNIT
    }

    /// A station other than the link's own uses this fraction of the link; one that uses nothing
    /// tells that, or what others used would be believed long after they were held.
    pub fn tell_use(&mut self, link: usize, fraction: f64) {
        let so_far = self.uses(link) + 1;
        self.bytes[so_far] = self.bytes[so_far].max(use_code(fraction));
    }

    /// The link's own station, which uses this fraction of it, ends the lap: unless
    /// nobody else has come by since it last did. Three quarters of what was told before are
    /// remembered: whoever has just been held must not be forgotten at once, but soon.
    pub fn close_uses(&mut self, link: usize, own_fraction: f64) {
        let at = self.uses(link);
        if self.bytes[at + 1] > 0 {
            let remembered = u16::from(self.bytes[at].saturating_sub(1)) * 3 / 4 + 1;
            self.bytes[at] = self.bytes[at + 1].max(use_code(own_fraction)).max(remembered as u8);
            self.bytes[at + 1] = 0;
        }
    }

    fn uses(&self, link: usize) -> usize {
        self.entry(link) + ROOM_BYTES + self.width().bytes()
    }

    fn entry(&self, link: usize) -> usize {
        HEADER_BYTES + link * self.width().entry_bytes()
    }
}

/// How a use is written: one more than its units; 0 says that nobody has told any.
fn use_code(fraction: f64) -> u8 {
    ((fraction / USE_UNIT) as u8).saturating_add(1)
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
            let width =
                [WeightWidth::Count, WeightWidth::Proportional].into_iter().find(|width| width.code() == header[0]);
            let width = width.ok_or(MessageError::Field { field: "version", value: header[0].into() })?;
            Ok(header::stations(header) * width.entry_bytes())
        })?;
        Ok(Self { bytes: bytes.into_boxed_slice() })
    }

    fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_vec()
    }

    fn wire_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Its bytes were checked when the frame was made.
    #[inline]
    fn unpack(packed: PackedMessage) -> Result<Self, MessageError> {
        packed.into_bytes().map(|bytes| Self { bytes: bytes.into_boxed_slice() })
    }
}
