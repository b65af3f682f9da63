//! How the bytes of messages are laid out, told as data: what dissectors are made of.
//!
//! Each message has its [`MessageFormat`] where it is read and written ([`crate::WireMessage::FORMATS`]). Tests hold the two
//! against each other: what `parse` takes is laid out as the format says, with the values that the message has, and what the
//! format does not allow `parse` does not take.

mod decode;

pub use decode::{Decoded, Misfit, Value};

/// The layout of a message: sections, one behind the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessageFormat {
    /// By this captured frames tell it from other formats; never given to another.
    pub code: u8,
    /// Its name in filters.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// What stands in it.
    pub sections: &'static [Section],
}

/// Fields that stand together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// Whether it is there.
    pub when: When,
    /// How often.
    pub times: Times,
    /// Its fields, one behind the other.
    pub fields: &'static [Field],
}

/// Bits of a byte that have to be so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct When {
    /// Which byte of the message.
    pub at: usize,
    /// Which bits.
    pub mask: u8,
    /// What they have to be.
    pub is: u8,
}

/// How often a section is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// Once.
    Once,
    /// As often as a number says that stands in so many bytes of the message.
    NumberAt {
        /// Where.
        at: usize,
        /// In how many bytes, the high one first.
        bytes: usize,
    },
}

/// A field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// Its name in filters; fields of one name hold the same.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    /// How long it is.
    pub width: Width,
    /// What its bytes mean.
    pub kind: Kind,
}

/// How long a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// So many bytes.
    Bytes(usize),
    /// All up to the last so many bytes of the message.
    AllBut(usize),
}

/// What the bytes of a field mean. Numbers stand with the high byte first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A whole number from `least` on; some have names.
    Number {
        /// The least.
        least: u64,
        /// What single numbers are called.
        names: &'static [(u64, &'static str)],
    },
    /// Several numbers in one byte.
    Parts(&'static [Part]),
    /// A part of a link: a number, less `less`, over `of`.
    Share {
        /// What the whole link is.
        of: f64,
        /// What nothing is.
        less: i64,
        /// Whether the number is signed.
        signed: bool,
    },
    /// An IEEE double.
    Double {
        /// Its unit: `bit/s`, `s` or none.
        unit: &'static str,
        /// The least.
        least: f64,
        /// The most.
        most: f64,
    },
    /// A rate in bit/s as ATM's 16-bit float.
    AtmFloat,
    /// A rate in the ring's unit; all ones mean no limit.
    RateCode,
    /// Six bytes.
    Address,
    /// A checksum.
    Checksum,
    /// Zeros.
    Zero,
    /// Anything.
    Bytes,
}

/// Some bits of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name in filters.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    /// How far its lowest bit is from the lowest of the byte.
    pub shift: u32,
    /// How many bits it has.
    pub bits: u32,
    /// What single numbers are called.
    pub names: &'static [(u64, &'static str)],
}

impl When {
    /// Always.
    pub const ALWAYS: Self = Self { at: 0, mask: 0, is: 0 };

    /// If a byte, where it is masked, is that.
    pub const fn byte(at: usize, mask: u8, is: u8) -> Self {
        Self { at, mask, is }
    }

    /// Whether the message is so.
    pub fn holds(self, message: &[u8]) -> bool {
        message.get(self.at).is_some_and(|byte| byte & self.mask == self.is)
    }
}

impl Section {
    /// Fields that are always there.
    pub const fn always(fields: &'static [Field]) -> Self {
        Self { when: When::ALWAYS, times: Times::Once, fields }
    }

    /// Fields that are there if bits are so.
    pub const fn when(when: When, fields: &'static [Field]) -> Self {
        Self { when, times: Times::Once, fields }
    }
}

impl Field {
    /// A field of so many bytes.
    pub const fn new(name: &'static str, title: &'static str, bytes: usize, kind: Kind) -> Self {
        Self { name, title, width: Width::Bytes(bytes), kind }
    }

    /// A whole number.
    pub const fn number(name: &'static str, title: &'static str, bytes: usize) -> Self {
        Self::new(name, title, bytes, Kind::Number { least: 0, names: &[] })
    }

    /// A double from `least` to `most`.
    pub const fn double(name: &'static str, title: &'static str, unit: &'static str, least: f64, most: f64) -> Self {
        Self::new(name, title, 8, Kind::Double { unit, least, most })
    }

    /// Zeros.
    pub const fn zero(bytes: usize) -> Self {
        Self::new("zero", "zero", bytes, Kind::Zero)
    }

    /// A checksum.
    pub const fn checksum(title: &'static str, bytes: usize) -> Self {
        Self::new("checksum", title, bytes, Kind::Checksum)
    }
}

impl Part {
    /// A bit that says yes or no.
    pub const fn flag(name: &'static str, title: &'static str, shift: u32) -> Self {
        Self { name, title, shift, bits: 1, names: &[] }
    }
}

/// All formats that stations, switches and hosts send, in the order of their codes.
pub fn all() -> Vec<&'static MessageFormat> {
    let mut all: Vec<&'static MessageFormat> = Vec::new();
    let of_rings = crate::ring::message_formats();
    let of_rates = crate::rate::message_formats();
    for format in of_rings.into_iter().chain(of_rates).flatten() {
        if !all.iter().any(|known| known.code == format.code) {
            all.push(format);
        }
    }
    all.sort_by_key(|format| format.code);
    all
}
