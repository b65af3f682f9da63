//! Reading quantities: text with a number and a unit.

use super::diagnostic::Reported;
use super::document::Value;
use super::table::Field;
use fairwire_core::{BitRate, Bytes, Span, UnitError};
use std::str::FromStr;

/// A quantity that text with a unit denotes.
pub(crate) trait Quantity: FromStr<Err = UnitError> {
    const WHAT: &'static str;
    /// The quantity as a file would write it.
    fn text(&self) -> String;
    /// What one would write under this key.
    fn example(key: &str) -> &'static str;
    /// The unit that a bare number under this key most likely has.
    fn likely_unit(key: &str, number: f64) -> &'static str;
    /// What to say about a unit that is not one, if it tells what was meant.
    fn hint(unit: &str) -> Option<&'static str>;
    /// The unit that one in wrong letters, or without its end, stands for beyond doubt.
    fn meant(unit: &str) -> Option<&'static str>;
}

impl Quantity for BitRate {
    const WHAT: &'static str = "a bit rate";

    fn text(&self) -> String {
        self.to_text()
    }

    fn example(_key: &str) -> &'static str {
        "622 Mb/s"
    }

    fn likely_unit(_key: &str, number: f64) -> &'static str {
        if number < 100_000.0 { "Mb/s" } else { "b/s" }
    }

    fn hint(unit: &str) -> Option<&'static str> {
        let bytes = ["B/s", "kB/s", "KB/s", "MB/s", "GB/s", "TB/s"].contains(&unit);
        bytes.then_some("rates count bits: 1 MB/s is written \"8 Mb/s\"")
    }

    fn meant(unit: &str) -> Option<&'static str> {
        let letters = unit.to_ascii_lowercase();
        match letters.strip_suffix("/s").or_else(|| letters.strip_suffix("ps")).unwrap_or(&letters) {
            "b" | "bit" => Some("b/s"),
            "kb" | "kbit" => Some("kb/s"),
            "mb" | "mbit" => Some("Mb/s"),
            "gb" | "gbit" => Some("Gb/s"),
            "tb" | "tbit" => Some("Tb/s"),
            _ => None,
        }
    }
}

impl Quantity for Span {
    const WHAT: &'static str = "a time";

    fn text(&self) -> String {
        self.to_text()
    }

    fn example(key: &str) -> &'static str {
        if is_short(key) { "0.1 ms" } else { "5 s" }
    }

    // Programs count in seconds or nanoseconds whatever the key.
    fn likely_unit(key: &str, number: f64) -> &'static str {
        match (is_short(key), number) {
            (true, 1e4..) | (false, 1e6..) => "ns",
            (true, number) if number == 0.0 || number > 1e-3 => "ms",
            _ => "s",
        }
    }

    fn hint(unit: &str) -> Option<&'static str> {
        unit.starts_with("sec").then_some("seconds are written \"s\", as in \"5 s\"")
    }

    fn meant(unit: &str) -> Option<&'static str> {
        ["ns", "us", "ms", "s", "min", "h"].into_iter().find(|known| known.eq_ignore_ascii_case(unit))
    }
}

impl Quantity for Bytes {
    const WHAT: &'static str = "a size";

    fn text(&self) -> String {
        self.to_text()
    }

    fn example(key: &str) -> &'static str {
        match key {
            "packet" => "1 kB",
            "segment" => "1500 B",
            _ => "200 kB",
        }
    }

    fn likely_unit(key: &str, number: f64) -> &'static str {
        match key {
            _ if key.ends_with("limit") => "packets",
            _ if number.fract() != 0.0 => "kB",
            _ => "B",
        }
    }

    fn hint(unit: &str) -> Option<&'static str> {
        match unit {
            "KB" | "K" | "k" => Some("1000 bytes are written \"1 kB\", 1024 of them \"1 KiB\""),
            "b" | "kb" | "Mb" | "Gb" => Some("sizes count bytes: \"8 kb\" is written \"1 kB\""),
            _ => None,
        }
    }

    // A small letter may mean a bit.
    fn meant(_unit: &str) -> Option<&'static str> {
        None
    }
}

/// Whether times under this key are mostly far below a second.
fn is_short(key: &str) -> bool {
    ["delay", "mean", "window", "stagger"].iter().any(|word| key.contains(word))
}

/// A number of packets as a file writes it.
pub(crate) fn packets_text<S: serde::Serializer>(packets: &u32, serializer: S) -> Result<S::Ok, S::Error> {
    match packets {
        1 => serializer.serialize_str("1 packet"),
        packets => serializer.collect_str(&format_args!("{packets} packets")),
    }
}

impl Field<'_> {
    pub fn quantity<Q: Quantity>(&self) -> Result<Q, Reported> {
        match &self.node.value {
            Value::Text(text) => text.parse().map_err(|error| self.unit_error::<Q>(text, &error)),
            Value::Integer(number) => Err(self.bare_number::<Q>(*number as f64)),
            Value::Float(number) => Err(self.bare_number::<Q>(*number)),
            _ => Err(self.wrong_type(Q::WHAT, &format!("\"{}\"", Q::example(&self.name)))),
        }
    }

    /// A quantity above zero.
    pub fn positive<Q: Quantity + PartialEq + Default>(&self) -> Result<Q, Reported> {
        self.positive_or("")
    }

    /// The same, with what to do instead where zero is meant.
    pub fn positive_or<Q: Quantity + PartialEq + Default>(&self, nothing: &str) -> Result<Q, Reported> {
        let (is_bare_zero, least) = match &self.node.value {
            Value::Integer(number) => (*number == 0, None),
            Value::Float(number) => (*number == 0.0, None),
            Value::Text(text) => match text.parse::<Q>() {
                Err(UnitError::TooSmall { least, .. }) => (false, Some((text, least))),
                _ => (false, None),
            },
            _ => (false, None),
        };
        if let Some((text, least)) = least {
            let message = format!("{}: `{}` is less than a {least}", self.called(), text.trim());
            return Err(self.error(message, "too small", format!("write \"1 {least}\" at least{nothing}")));
        }
        let quantity = if is_bare_zero { Q::default() } else { self.quantity::<Q>()? };
        if quantity == Q::default() {
            let message = format!("{} is zero", self.called());
            let help = format!("write {} above zero, such as \"{}\"{nothing}", Q::WHAT, Q::example(&self.name));
            return Err(self.error(message, "zero", help));
        }
        Ok(quantity)
    }

    /// A number of packets, `"1000 packets"`; none if it is anything else.
    pub fn packets(&self) -> Option<Result<u64, Reported>> {
        let Value::Text(text) = &self.node.value else { return None };
        let number = text.trim_end().strip_suffix("packets").or_else(|| text.trim_end().strip_suffix("packet"))?.trim();
        Some(number.replace('_', "").parse().map_err(|_| {
            let message = format!("{}: `{number}` is not a whole number of packets", self.called());
            self.error(message, "not a whole number", format!("write {}", self.written("\"1000 packets\"")))
        }))
    }

    /// A number of packets and nothing else, from 1 on.
    pub fn packet_count(&self) -> Result<u32, Reported> {
        let example = || self.written("\"64 packets\"");
        let Some(packets) = self.packets() else {
            let message = format!("{} is a number of packets", self.called());
            let number = match self.node.value {
                Value::Integer(number) if number > 0 => self.written(&format!("\"{number} packets\"")),
                Value::Float(number) if number >= 1.0 && number.fract() == 0.0 => {
                    self.written(&format!("\"{number} packets\""))
                }
                _ => example(),
            };
            return Err(self.error(message, "not a number of packets", format!("write {number}")));
        };
        u32::try_from(packets?).ok().filter(|packets| *packets > 0).ok_or_else(|| {
            let message = format!("{} goes from 1 packet to {} packets", self.called(), u32::MAX);
            self.error(message, "out of range", format!("write {}", example()))
        })
    }

    fn bare_number<Q: Quantity>(&self, number: f64) -> Reported {
        let message = format!("{} is {} and has no unit", self.called(), Q::WHAT);
        self.error(message, "a bare number", format!("write {}", self.with_unit::<Q>(number)))
    }

    /// The key with `number` and the unit it most likely has, as a person would write it: the
    /// number itself unless another unit makes it shorter. An example where it makes no sense.
    fn with_unit<Q: Quantity>(&self, number: f64) -> String {
        let plain = format!("{number} {}", Q::likely_unit(&self.name, number));
        let value = match plain.parse::<Q>() {
            Ok(quantity) => Some(quantity.text()).filter(|text| text.len() < plain.len()).unwrap_or(plain),
            Err(_) if plain.ends_with(" packets") && number >= 1.0 && number.fract() == 0.0 => plain,
            Err(_) => Q::example(&self.name).to_owned(),
        };
        self.written(&format!("\"{value}\""))
    }

    /// What the unit reader found, with a mend that fits the key.
    fn unit_error<Q: Quantity>(&self, text: &str, error: &UnitError) -> Reported {
        let whole = error.to_string();
        let (wrong, mend) = whole.split_once("; ").unwrap_or((&whole, "write another value"));
        let example = || format!("write {}", self.written(&format!("\"{}\"", Q::example(&self.name))));
        let help = match error {
            UnitError::NoUnit { text, .. } => {
                format!("write {}", self.with_unit::<Q>(text.replace('_', "").parse().unwrap_or(f64::NAN)))
            }
            UnitError::UnknownUnit { unit, .. } if unit.starts_with(',') => {
                format!("write {}", self.written(&format!("\"{}\"", text.replacen(',', ".", 1))))
            }
            UnitError::UnknownUnit { unit, .. } => match (Q::hint(unit), Q::meant(unit)) {
                (Some(hint), _) => format!("{hint}; {mend}"),
                (None, Some(meant)) => {
                    let number = text.trim().strip_suffix(unit.as_str()).unwrap_or_default().trim();
                    format!("write {}", self.written(&format!("\"{number} {meant}\"")))
                }
                (None, None) => mend.to_owned(),
            },
            UnitError::NotANumber { .. } => example(),
            UnitError::TooSmall { .. } => mend.to_owned(),
            UnitError::OutOfRange { .. } => format!("{mend}, such as \"{}\"", Q::example(&self.name)),
        };
        self.error(format!("{}: {wrong}", self.called()), "cannot be read", help)
    }
}
