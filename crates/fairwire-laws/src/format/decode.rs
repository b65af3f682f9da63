//! Messages read by their format alone.

use super::{Field, Kind, MessageFormat, Times, Width};
use crate::rate::atm_rate;

/// What a field, or a part of one, holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Number(u64),
    /// A part of a link, a rate, a time or a weight.
    Real(f64),
    /// Anything else: its bytes.
    Bytes(Vec<u8>),
}

/// A field of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// Its name.
    pub name: &'static str,
    /// The place of its section among those that repeat; 0 elsewhere.
    pub place: usize,
    /// What it holds.
    pub value: Value,
}

/// Why bytes are not of a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// Too few or too many bytes.
    #[error("it has another length")]
    Length,
    /// A field that has no meaning.
    #[error("field {0} is out of its range")]
    Range(&'static str),
}

impl MessageFormat {
    /// The fields of a message that is laid out so.
    ///
    /// # Errors
    /// [`Misfit`] if it is not. Checksums are not looked at, nor what two fields have to do with each other.
    pub fn decode(&self, message: &[u8]) -> Result<Vec<Decoded>, Misfit> {
        let (mut found, mut at) = (Vec::new(), 0);
        for section in self.sections {
            // What says how often, or whether, stands before what is there.
            let times = match section.times {
                _ if !section.when.holds(message) => 0,
                Times::Once => 1,
                Times::NumberAt { at, bytes } => whole(message.get(at..at + bytes).ok_or(Misfit::Length)?) as usize,
            };
            for place in 0..times {
                for field in section.fields {
                    let end = match field.width {
                        Width::Bytes(bytes) => at + bytes,
                        Width::AllBut(behind) => message.len().checked_sub(behind).ok_or(Misfit::Length)?,
                    };
                    let bytes = message.get(at..end).ok_or(Misfit::Length)?;
                    field.decode(bytes, place, &mut found)?;
                    at = end;
                }
            }
        }
        if at == message.len() { Ok(found) } else { Err(Misfit::Length) }
    }
}

impl Field {
    fn decode(&self, bytes: &[u8], place: usize, found: &mut Vec<Decoded>) -> Result<(), Misfit> {
        let name = self.name;
        let fits = |fits: bool, value: Value| if fits { Ok(value) } else { Err(Misfit::Range(name)) };
        let value = match self.kind {
            Kind::Number { least, names } => {
                let number = whole(bytes);
                let is_named = names.is_empty() || names.iter().any(|(named, _)| *named == number);
                fits(number >= least && is_named, Value::Number(number))?
            }
            Kind::Parts(parts) => {
                let mut left = bytes[0];
                for part in parts {
                    let mask = (((1u16 << part.bits) - 1) as u8) << part.shift;
                    let number = u64::from((bytes[0] & mask) >> part.shift);
                    left &= !mask;
                    if !part.names.is_empty() && !part.names.iter().any(|(named, _)| *named == number) {
                        return Err(Misfit::Range(part.name));
                    }
                    found.push(Decoded { name: part.name, place, value: Value::Number(number) });
                }
                // Bits of no part are zero.
                return if left == 0 { Ok(()) } else { Err(Misfit::Range(name)) };
            }
            Kind::Share { of, less, signed } => {
                let number = whole(bytes);
                let number = if signed { signed_whole(number, bytes.len()) } else { number as i64 };
                Value::Real((number - less) as f64 / of)
            }
            Kind::Double { least, most, .. } => {
                let real = f64::from_bits(whole(bytes));
                fits((least..=most).contains(&real) && !real.is_sign_negative(), Value::Real(real))?
            }
            Kind::AtmFloat => Value::Real(atm_rate(whole(bytes) as u16)),
            Kind::RateCode => Value::Number(whole(bytes)),
            Kind::Zero => fits(bytes.iter().all(|byte| *byte == 0), Value::Bytes(bytes.to_vec()))?,
            Kind::Address | Kind::Checksum | Kind::Bytes => Value::Bytes(bytes.to_vec()),
        };
        found.push(Decoded { name, place, value });
        Ok(())
    }
}

/// A number of up to eight bytes, the high one first.
fn whole(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// A number of so many bytes whose highest bit is its sign.
fn signed_whole(number: u64, bytes: usize) -> i64 {
    let unused = 64 - 8 * bytes as u32;
    ((number << unused) as i64) >> unused
}
