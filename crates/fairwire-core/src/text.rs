//! Quantities as people write them: a number and its unit.
//!
//! `"622 Mb/s"`, `"0.1 ms"`, `"200 kB"`. No crate reads bit rates, sizes and
//! times with one grammar and rejects a bare number, so the few lines are here.

use crate::{BitRate, Bytes, Span};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;
use std::str::FromStr;

/// A quantity that cannot be read; the message says what to write instead.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum UnitError {
    /// There is no number in front.
    #[error("`{text}` does not start with a number; write {what} such as \"{example}\"")]
    NotANumber {
        /// What was written.
        text: String,
        /// The kind of quantity expected.
        what: &'static str,
        /// One that would do.
        example: &'static str,
    },
    /// There is a number and no unit.
    #[error("`{text}` has no unit; write {what} such as \"{example}\"")]
    NoUnit {
        /// What was written.
        text: String,
        /// The kind of quantity expected.
        what: &'static str,
        /// One that would do, with the number that was written.
        example: String,
    },
    /// The unit is not one of this kind of quantity.
    #[error("`{unit}` is not a unit of {what}; use one of {units}")]
    UnknownUnit {
        /// The unit that was written.
        unit: String,
        /// The kind of quantity expected.
        what: &'static str,
        /// The units there are.
        units: String,
    },
    /// More than nothing, and less than half of what is counted in.
    #[error("`{text}` is less than a {least}; write \"0 {least}\", or \"1 {least}\" at least")]
    TooSmall {
        /// What was written.
        text: String,
        /// What is counted in.
        least: &'static str,
    },
    /// Negative, infinite or beyond what 64 bits hold.
    #[error("`{text}` is out of range; write {what} from 0 to {largest}")]
    OutOfRange {
        /// What was written.
        text: String,
        /// The kind of quantity expected.
        what: &'static str,
        /// The largest that fits.
        largest: &'static str,
    },
}

/// What the grammar must know of one kind of quantity.
struct Grammar {
    what: &'static str,
    example: &'static str,
    largest: &'static str,
    /// Spellings and their size in the base unit; the first of each size is the preferred one.
    units: &'static [(&'static str, f64)],
    /// How many units at the front of `units` an error message lists.
    listed: usize,
}

const TIME: Grammar = Grammar {
    what: "a time",
    example: "0.1 ms",
    largest: "5124095 h",
    units: &[("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 6e10), ("h", 3.6e12), ("µs", 1e3), ("μs", 1e3)],
    listed: 6,
};

const RATE: Grammar = Grammar {
    what: "a bit rate",
    example: "622 Mb/s",
    largest: "18446744 Tb/s",
    units: &[
        ("b/s", 1.0),
        ("kb/s", 1e3),
        ("Mb/s", 1e6),
        ("Gb/s", 1e9),
        ("Tb/s", 1e12),
        ("bit/s", 1.0),
        ("kbit/s", 1e3),
        ("Mbit/s", 1e6),
        ("Gbit/s", 1e9),
        ("Tbit/s", 1e12),
        ("bps", 1.0),
        ("kbps", 1e3),
        ("Mbps", 1e6),
        ("Gbps", 1e9),
        ("Tbps", 1e12),
    ],
    listed: 5,
};

const SIZE: Grammar = Grammar {
    what: "a size",
    example: "200 kB",
    largest: "18446744073 GB",
    units: &[
        ("B", 1.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
    ],
    listed: 7,
};

impl Grammar {
    fn read(&self, text: &str) -> Result<u64, UnitError> {
        let trimmed = text.trim();
        let end = trimmed
            .char_indices()
            .find(|&(at, c)| {
                !(c.is_ascii_digit()
                    || c == '.'
                    || c == '_'
                    || (at == 0 && matches!(c, '-' | '+'))
                    || is_exponent(trimmed, at))
            })
            .map_or(trimmed.len(), |(at, _)| at);
        let (number, unit) = (trimmed[..end].replace('_', ""), trimmed[end..].trim());
        let value: f64 = number.parse().map_err(|_| UnitError::NotANumber {
            text: trimmed.to_owned(),
            what: self.what,
            example: self.example,
        })?;
        if unit.is_empty() {
            let usual = self.example.split_once(' ').map_or("", |(_, unit)| unit);
            return Err(UnitError::NoUnit {
                text: trimmed.to_owned(),
                what: self.what,
                example: format!("{number} {usual}"),
            });
        }
        let Some(&(_, scale)) = self.units.iter().find(|(name, _)| *name == unit) else {
            let units = self.units[..self.listed].iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            return Err(UnitError::UnknownUnit { unit: unit.to_owned(), what: self.what, units });
        };
        let scaled = (value * scale).round();
        if !(scaled >= 0.0 && scaled < u64::MAX as f64) || value.is_sign_negative() {
            return Err(UnitError::OutOfRange { text: trimmed.to_owned(), what: self.what, largest: self.largest });
        }
        if scaled == 0.0 && value > 0.0 {
            return Err(UnitError::TooSmall { text: trimmed.to_owned(), least: self.units[0].0 });
        }
        Ok(scaled as u64)
    }

    /// The shortest way to write `value` that reads back to it, in a unit of which
    /// there is at least one; of equally short ones that with the larger unit.
    fn write(&self, value: u64) -> String {
        let usual = |unit: &&(&str, f64)| unit.1 <= value as f64 && (!unit.0.contains('i') || unit.1 < 1e3);
        let text = |(name, scale): &(&str, f64)| format!("{} {name}", value as f64 / scale);
        let exact = |text: &String| self.read(text) == Ok(value);
        let written = self.units[..self.listed].iter().rev().filter(usual).map(text).filter(exact);
        written.min_by_key(String::len).unwrap_or_else(|| format!("{value} {}", self.units[0].0))
    }

    fn schema(&self) -> Schema {
        let units = self.units.iter().map(|(name, _)| *name).collect::<Vec<_>>().join("|");
        json_schema!({
            "type": "string",
            "description": format!("{} with its unit, such as \"{}\"", self.what, self.example),
            "pattern": format!("^ *[0-9][0-9_]*([.][0-9]*)?([eE][-+]?[0-9]+)? *({units}) *$"),
        })
    }
}

/// Whether the character at `at` belongs to an exponent such as `e6` or `E-3`.
fn is_exponent(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let sign = |i: usize| matches!(bytes.get(i), Some(b'-' | b'+'));
    let mark = |i: usize| matches!(bytes.get(i), Some(b'e' | b'E'));
    at > 0
        && ((mark(at) && (digit(at + 1) || (sign(at + 1) && digit(at + 2))))
            || (sign(at) && mark(at - 1) && digit(at + 1)))
}

macro_rules! quantity {
    ($type:ty, $grammar:expr, $name:literal, $from:expr, $get:expr) => {
        impl FromStr for $type {
            type Err = UnitError;
            fn from_str(text: &str) -> Result<Self, UnitError> {
                $grammar.read(text).map($from)
            }
        }

        impl $type {
            /// The quantity as a scenario would write it; reading it back gives the same value (up to 2^53 base units).
            pub fn to_text(self) -> String {
                $grammar.write($get(self))
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.to_text())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = Cow::<str>::deserialize(deserializer)?;
                text.parse().map_err(de::Error::custom)
            }
        }

        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }
            fn inline_schema() -> bool {
                true
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $grammar.schema()
            }
        }
    };
}

quantity!(Span, TIME, "Time", Span::from_nanos, Span::as_nanos);
quantity!(BitRate, RATE, "BitRate", BitRate::from_bps, BitRate::as_bps);
quantity!(Bytes, SIZE, "Size", Bytes::new, Bytes::get);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_people_write() {
        assert_eq!("622 Mb/s".parse(), Ok(BitRate::from_mbps(622)));
        assert_eq!("622.08Mbit/s".parse(), Ok(BitRate::from_bps(622_080_000)));
        assert_eq!("1e3 kb/s".parse(), Ok(BitRate::from_mbps(1)));
        assert_eq!("0.1 ms".parse(), Ok(Span::from_micros(100)));
        assert_eq!("10 µs".parse(), Ok(Span::from_micros(10)));
        assert_eq!("200 kB".parse(), Ok(Bytes::new(200_000)));
        assert_eq!("1_000 B".parse(), Ok(Bytes::new(1_000)));
    }

    #[test]
    fn says_what_to_write_instead() {
        let message = |text: &str| text.parse::<BitRate>().unwrap_err().to_string();
        assert_eq!(message("622"), "`622` has no unit; write a bit rate such as \"622 Mb/s\"");
        assert_eq!(message("622 MB/s"), "`MB/s` is not a unit of a bit rate; use one of b/s, kb/s, Mb/s, Gb/s, Tb/s");
        assert_eq!(message("fast"), "`fast` does not start with a number; write a bit rate such as \"622 Mb/s\"");
        assert_eq!(message("-1 Mb/s"), "`-1 Mb/s` is out of range; write a bit rate from 0 to 18446744 Tb/s");
        for text in ["", "e", "1e", "1e+", ".", "-", "+5", "9e99 s", "١ s", "1..2 s", "é"] {
            let _ = text.parse::<Span>();
            let _ = text.parse::<Bytes>();
        }
    }

    #[test]
    fn text_reads_back_to_the_same_value() {
        for value in [0, 1, 999, 1_000, 1_234_567, 622_000_000, 599_040_001, 123_456_789_012_345] {
            assert_eq!(BitRate::from_bps(value).to_text().parse(), Ok(BitRate::from_bps(value)));
            assert_eq!(Span::from_nanos(value).to_text().parse(), Ok(Span::from_nanos(value)));
            assert_eq!(Bytes::new(value).to_text().parse(), Ok(Bytes::new(value)));
        }
        assert_eq!(BitRate::from_mbps(622).to_text(), "622 Mb/s");
        assert_eq!(Span::from_micros(100).to_text(), "100 us");
        assert_eq!(Span::from_nanos(5_000_000_000_000).to_text(), "5000 s");
        assert_eq!(Span::from_nanos(1_500).to_text(), "1.5 us");
    }
}
