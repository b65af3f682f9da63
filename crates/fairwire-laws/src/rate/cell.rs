//! The control packet that most rate laws use.
//!
//! | bytes | field |
//! | --- | --- |
//! | 0 | version, 1 |
//! | 1 | flags: 1 backward (DIR), 2 congestion (CI), 4 the last packet of its flow, 8 rates as ATM's 16-bit float |
//! | 2–3 | 0 |
//! | 4–7 | number, from 1 on |
//! | 8–15 | ER, explicit rate |
//! | 16–23 | CCR, the source's allowed rate |
//! | 24–31 | MR, minimum rate |
//! | 32–39 | weight |
//! | 40–47 | round-trip time of the source, in s |
//! | 48–50 | 0 |
//! | 51–52 | CRC-16 of all before |
//!
//! Numbers stand with the high byte first; rates in bit/s are IEEE doubles, or codes of two bytes and six of zero. It is as
//! long as a cell of ATM.

use super::parts::atm_float;
use super::wire::control_packet;
use crate::MessageError;
use crate::format::{Field, Kind, MessageFormat, Part, Section, When};
use crate::frame::checksum::{SEALED, genibus, hec};

const LENGTH: usize = 53;
const VERSION: u8 = 1;
const BACKWARD: u8 = 1;
const CONGESTION: u8 = 2;
const LAST: u8 = 4;
const FLOATS: u8 = 8;
const FLAGS: u8 = BACKWARD | CONGESTION | LAST | FLOATS;

/// No link is faster, in bit/s.
pub const MOST_BPS: f64 = 1e18;
/// No round trip takes longer, in s.
const MOST_ROUND_TRIP_S: f64 = 1e6;

const fn rate_field(name: &'static str, title: &'static str) -> Field {
    Field::double(name, title, "bit/s", 0.0, MOST_BPS)
}

const fn float_field(name: &'static str, title: &'static str) -> Field {
    Field::new(name, title, 2, Kind::AtmFloat)
}

const ER: &str = "ER, explicit rate";
const CCR: &str = "CCR, the source's allowed rate";
const MR: &str = "MR, minimum rate";

const FORMAT: MessageFormat = MessageFormat {
    code: 4,
    name: "ratecell",
    title: "explicit-rate control packet",
    sections: &[
        Section::always(&[
            version(VERSION as u64, &[(VERSION as u64, "1")]),
            Field::new(
                "flags",
                "flags",
                1,
                Kind::Parts(&[
                    Part::flag("backward", "backward (DIR)", BACKWARD.trailing_zeros()),
                    Part::flag("congestion", "congestion (CI)", CONGESTION.trailing_zeros()),
                    Part::flag("last", "the last packet of its flow", LAST.trailing_zeros()),
                    Part::flag("floats", "rates as ATM's 16-bit float", FLOATS.trailing_zeros()),
                ]),
            ),
            Field::zero(2),
            Field::new("number", "number", 4, Kind::Number { least: 1, names: &[] }),
        ]),
        Section::when(When::byte(1, FLOATS, 0), &[rate_field("er", ER), rate_field("ccr", CCR), rate_field("mr", MR)]),
        Section::when(
            When::byte(1, FLOATS, FLOATS),
            &[
                float_field("er", ER),
                Field::zero(6),
                float_field("ccr", CCR),
                Field::zero(6),
                float_field("mr", MR),
                Field::zero(6),
            ],
        ),
        Section::always(&[
            Field::double("weight", "weight", "", f64::MIN_POSITIVE, MOST_BPS),
            Field::double("rtt", "round-trip time of the source", "s", 0.0, MOST_ROUND_TRIP_S),
            Field::zero(3),
            Field::checksum("CRC-16", 2),
        ]),
    ],
};

/// The version of a control packet.
pub(super) const fn version(least: u64, names: &'static [(u64, &'static str)]) -> Field {
    Field::new("version", "version", 1, Kind::Number { least, names })
}

/// How rates stand in control packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RateFormat {
    /// As they are.
    #[default]
    Exact,
    /// As ATM's 16-bit floats, rounded down by up to 0.2 %.
    AtmFloat,
}

impl RateFormat {
    /// Two rates that differ by less than this part may be meant to be one.
    pub fn slack(self) -> f64 {
        match self {
            Self::Exact => 1e-9,
            Self::AtmFloat => 2.0 * atm_float::STEP,
        }
    }
}

/// A control packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateCell {
    /// Whether it is on its way back.
    pub backward: bool,
    /// CI: whether a queue on the way is too long.
    pub congestion: bool,
    /// Whether its flow sends nothing after it.
    pub last: bool,
    /// How its rates stand on the wire.
    pub format: RateFormat,
    /// Its number, from 1 on.
    pub number: u32,
    /// ER, explicit rate, in bit/s.
    pub explicit_bps: f64,
    /// CCR, the source's allowed rate, in bit/s.
    pub current_bps: f64,
    /// MR, the minimum rate of the flow, in bit/s.
    pub minimum_bps: f64,
    /// The weight of the flow.
    pub weight: f64,
    /// The source's round-trip time in s, 0 if it knows none yet.
    pub round_trip_s: f64,
}

impl RateCell {
    fn rates(&self) -> [f64; 3] {
        [self.explicit_bps, self.current_bps, self.minimum_bps]
    }
}

control_packet!(RateCell, format: FORMAT, read: read, write: write, length: |_| LENGTH);

fn write(cell: &RateCell, bytes: &mut Vec<u8>) {
    bytes.resize(LENGTH, 0);
    let flag = |set: bool, flag: u8| if set { flag } else { 0 };
    bytes[0] = VERSION;
    bytes[1] = flag(cell.backward, BACKWARD)
        | flag(cell.congestion, CONGESTION)
        | flag(cell.last, LAST)
        | flag(cell.format == RateFormat::AtmFloat, FLOATS);
    bytes[4..8].copy_from_slice(&cell.number.to_be_bytes());
    for (place, rate) in cell.rates().into_iter().enumerate() {
        let at = 8 + 8 * place;
        match cell.format {
            RateFormat::Exact => bytes[at..at + 8].copy_from_slice(&rate.to_be_bytes()),
            RateFormat::AtmFloat => bytes[at..at + 2].copy_from_slice(&atm_float::encode(rate).to_be_bytes()),
        }
    }
    bytes[32..40].copy_from_slice(&cell.weight.to_be_bytes());
    bytes[40..48].copy_from_slice(&cell.round_trip_s.to_be_bytes());
    bytes.truncate(LENGTH - 2);
    seal(bytes);
}

fn read(bytes: &[u8]) -> Result<RateCell, MessageError> {
    if bytes.len() != LENGTH {
        return Err(MessageError::Length { got: bytes.len(), expected: LENGTH });
    }
    is_sealed(bytes)?;
    let field = |field: &'static str, value: u8| Err(MessageError::Field { field, value: value.into() });
    if bytes[0] != VERSION {
        return field("version", bytes[0]);
    }
    let flags = bytes[1];
    if flags & !FLAGS != 0 {
        return field("flags", flags);
    }
    let zeros = [2, 3, 48, 49, 50];
    if let Some(&at) = zeros.iter().find(|&&at| bytes[at] != 0) {
        return field("reserved", bytes[at]);
    }
    let number = u32::from_be_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
    if number == 0 {
        return Err(MessageError::Field { field: "number", value: 0 });
    }
    let format = if flags & FLOATS == 0 { RateFormat::Exact } else { RateFormat::AtmFloat };
    Ok(RateCell {
        backward: flags & BACKWARD != 0,
        congestion: flags & CONGESTION != 0,
        last: flags & LAST != 0,
        format,
        number,
        explicit_bps: rate(bytes, 8, format, "er")?,
        current_bps: rate(bytes, 16, format, "ccr")?,
        minimum_bps: rate(bytes, 24, format, "mr")?,
        weight: double(bytes, 32, "weight", f64::MIN_POSITIVE, MOST_BPS)?,
        round_trip_s: double(bytes, 40, "round-trip", 0.0, MOST_ROUND_TRIP_S)?,
    })
}

fn rate(bytes: &[u8], at: usize, format: RateFormat, field: &'static str) -> Result<f64, MessageError> {
    if format == RateFormat::Exact {
        return double(bytes, at, field, 0.0, MOST_BPS);
    }
    let (code, rest) = (u16::from_be_bytes([bytes[at], bytes[at + 1]]), &bytes[at + 2..at + 8]);
    let rate = atm_float::decode(code);
    // One rate has one code.
    if rest.iter().any(|byte| *byte != 0) || atm_float::encode(rate) != code {
        return Err(MessageError::Field { field, value: code.into() });
    }
    Ok(rate)
}

/// Puts the checksum of all bytes behind them.
pub(super) fn seal(bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&hec(bytes));
}

/// Whether the last two bytes are the checksum of all before.
pub(super) fn is_sealed(bytes: &[u8]) -> Result<(), MessageError> {
    match genibus(bytes) {
        SEALED => Ok(()),
        _ => Err(MessageError::Checksum { field: "checksum" }),
    }
}

/// A double from `least` to `most`; not-a-number and minus zero are neither.
pub(super) fn double(bytes: &[u8], at: usize, field: &'static str, least: f64, most: f64) -> Result<f64, MessageError> {
    let bits = bytes[at..at + 8].iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
    let value = f64::from_bits(bits);
    if (least..=most).contains(&value) && !value.is_sign_negative() {
        return Ok(value);
    }
    Err(MessageError::Field { field, value: bits })
}
