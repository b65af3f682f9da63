//! The control packet of WMFQC with grants.
//!
//! | bytes | field |
//! | --- | --- |
//! | 0 | version, 1 |
//! | 1 | flags: 1 backward, 2 the last packet of its flow, 4 a notice: a port wrote it by itself |
//! | 2–3 | 0 |
//! | 4–7 | number, from 1 on; in a notice that of the last control packet of its flow that passed the port |
//! | 8–11 | the number of the last answer that the source applied, 0 for none |
//! | 12–19 | ER, what the flow's share is beyond its minimum |
//! | 20–27 | GR, what it is granted |
//! | 28–35 | CCR, the source's allowed rate |
//! | 36–43 | the loop: a round trip and the time between two control packets, in s; 0 for none |
//! | 44–45 | 0 |
//! | 46–47 | CRC-16 of all before |
//!
//! Minimum and weight are not in it: ports know what was admitted. Numbers stand with the high byte first; rates in bit/s, as IEEE doubles.

use super::super::cell::{MOST_BPS, double, is_sealed, seal, version};
use super::super::wire::control_packet;
use crate::MessageError;
use crate::format::{Field, Kind, MessageFormat, Part, Section};

const LENGTH: usize = 48;
const VERSION: u8 = 1;
const BACKWARD: u8 = 1;
const LAST: u8 = 2;
const NOTICE: u8 = 4;
const MOST_LOOP_S: f64 = 1e6;

/// A control packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrantCell {
    /// Whether it is on its way back.
    pub backward: bool,
    /// Whether its flow sends nothing after it.
    pub last: bool,
    /// Whether a port wrote it by itself.
    pub notice: bool,
    /// Its number, from 1 on; in a notice that of the last control packet of its flow that passed the port.
    pub number: u32,
    /// The number of the last answer that the source applied; 0 for none.
    pub applied: u32,
    /// ER: the flow's share beyond its minimum, in bit/s.
    pub explicit_bps: f64,
    /// GR: what it is granted, its minimum included, in bit/s.
    pub granted_bps: f64,
    /// CCR: the source's allowed rate in bit/s.
    pub current_bps: f64,
    /// A round trip of the source and the time between its last two control packets, in s; 0 for none.
    pub loop_s: f64,
}

impl GrantCell {
    /// Its size in bits.
    pub(super) const BITS: f64 = LENGTH as f64 * 8.0;

    /// A port tells by itself what a flow's share is, of which `explicit_bps` are beyond its minimum; the last control packet
    /// of the flow that passed the port had this number.
    pub(super) fn notice(number: u32, explicit_bps: f64, share_bps: f64) -> Self {
        Self {
            backward: true,
            last: false,
            notice: true,
            number,
            applied: 0,
            explicit_bps,
            granted_bps: share_bps,
            current_bps: 0.0,
            loop_s: 0.0,
        }
    }
}

const FORMAT: MessageFormat = MessageFormat {
    code: 5,
    name: "grantcell",
    title: "control packet with grants",
    sections: &[Section::always(&[
        version(VERSION as u64, &[(VERSION as u64, "1")]),
        Field::new(
            "flags",
            "flags",
            1,
            Kind::Parts(&[
                Part::flag("backward", "backward", BACKWARD.trailing_zeros()),
                Part::flag("last", "the last packet of its flow", LAST.trailing_zeros()),
                Part::flag("notice", "a port wrote it by itself", NOTICE.trailing_zeros()),
            ]),
        ),
        Field::zero(2),
        Field::new("number", "number", 4, Kind::Number { least: 1, names: &[] }),
        Field::number("applied", "the last answer that the source applied", 4),
        Field::double("er", "ER, the flow's share beyond its minimum", "bit/s", 0.0, MOST_BPS),
        Field::double("gr", "GR, what it is granted", "bit/s", 0.0, MOST_BPS),
        Field::double("ccr", "CCR, the source's allowed rate", "bit/s", 0.0, MOST_BPS),
        Field::double("loop", "loop of the source", "s", 0.0, MOST_LOOP_S),
        Field::zero(2),
        Field::checksum("CRC-16", 2),
    ])],
};

control_packet!(GrantCell, format: FORMAT, read: read, write: write, length: |_| LENGTH);

fn write(cell: &GrantCell, bytes: &mut Vec<u8>) {
    let flag = |set: bool, flag: u8| if set { flag } else { 0 };
    let flags = flag(cell.backward, BACKWARD) | flag(cell.last, LAST) | flag(cell.notice, NOTICE);
    bytes.extend_from_slice(&[VERSION, flags, 0, 0]);
    bytes.extend_from_slice(&cell.number.to_be_bytes());
    bytes.extend_from_slice(&cell.applied.to_be_bytes());
    let GrantCell { explicit_bps, granted_bps, current_bps, loop_s, .. } = *cell;
    for value in [explicit_bps, granted_bps, current_bps, loop_s] {
        bytes.extend_from_slice(&value.to_be_bytes());
    }
    bytes.extend_from_slice(&[0, 0]);
    seal(bytes);
}

fn read(bytes: &[u8]) -> Result<GrantCell, MessageError> {
    if bytes.len() != LENGTH {
        return Err(MessageError::Length { got: bytes.len(), expected: LENGTH });
    }
    is_sealed(bytes)?;
    let field = |field: &'static str, value: u64| Err(MessageError::Field { field, value });
    if bytes[0] != VERSION {
        return field("version", bytes[0].into());
    }
    // A notice comes from a port, and so it is on its way back.
    let is_notice = bytes[1] & NOTICE != 0;
    if bytes[1] & !(BACKWARD | LAST | NOTICE) != 0 || (is_notice && bytes[1] != BACKWARD | NOTICE) {
        return field("flags", bytes[1].into());
    }
    if let Some(&at) = [2, 3, 44, 45].iter().find(|&&at| bytes[at] != 0) {
        return field("reserved", bytes[at].into());
    }
    let whole = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let (number, applied) = (whole(4), whole(8));
    if number == 0 {
        return field("number", 0);
    }
    // Nothing is applied that was not sent before.
    if applied >= number {
        return field("applied", applied.into());
    }
    Ok(GrantCell {
        backward: bytes[1] & BACKWARD != 0,
        last: bytes[1] & LAST != 0,
        notice: is_notice,
        number,
        applied,
        explicit_bps: double(bytes, 12, "er", 0.0, MOST_BPS)?,
        granted_bps: double(bytes, 20, "gr", 0.0, MOST_BPS)?,
        current_bps: double(bytes, 28, "ccr", 0.0, MOST_BPS)?,
        loop_s: double(bytes, 36, "loop", 0.0, MOST_LOOP_S)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate::{RateMessage, Refusal};

    const CELL: GrantCell = GrantCell {
        backward: true,
        last: true,
        notice: false,
        number: 0x0102_0304,
        applied: 0x0102_0303,
        explicit_bps: 1e6,
        granted_bps: 2e6,
        current_bps: 3e6,
        loop_s: 0.004,
    };

    fn bytes_of(cell: &GrantCell) -> Vec<u8> {
        let mut bytes = Vec::new();
        cell.write(&mut bytes);
        bytes
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!((bytes_of(&CELL).len(), GrantCell::read(&bytes_of(&CELL))), (LENGTH, Ok(CELL)));
        let notice = GrantCell { last: false, notice: true, ..CELL };
        assert_eq!(GrantCell::read(&bytes_of(&notice)), Ok(notice));
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        for cell in [
            GrantCell { number: 0, applied: 0, ..CELL },
            GrantCell { notice: true, ..CELL },
            GrantCell { notice: true, last: false, backward: false, ..CELL },
            GrantCell { applied: CELL.number, ..CELL },
            GrantCell { explicit_bps: -1.0, ..CELL },
            GrantCell { granted_bps: f64::NAN, ..CELL },
            GrantCell { current_bps: f64::INFINITY, ..CELL },
            GrantCell { loop_s: -0.0, ..CELL },
        ] {
            assert_eq!(GrantCell::read(&bytes_of(&cell)), Err(Refusal::Field), "{cell:?}");
        }
        for at in [0, 1, 2, 44] {
            let mut bytes = bytes_of(&CELL);
            bytes[at] = 0x80;
            bytes.truncate(LENGTH - 2);
            seal(&mut bytes);
            assert_eq!(GrantCell::read(&bytes), Err(Refusal::Field), "{at}");
        }
        let mut bytes = bytes_of(&CELL);
        bytes[20] ^= 1;
        assert_eq!(GrantCell::read(&bytes), Err(Refusal::Checksum));
        assert_eq!(GrantCell::read(&bytes[1..]), Err(Refusal::Length));
    }
}
