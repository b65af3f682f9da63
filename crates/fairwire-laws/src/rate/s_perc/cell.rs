//! The control packet of s-PERC: it carries what ports know of its flow.
//!
//! | bytes | field |
//! | --- | --- |
//! | 0 | version, 1 |
//! | 1 | flags: 1 backward, 2 the last packet of its flow, 4 it carries the states of its hops, 8 doubtful |
//! | 2 | n, the hops whose states it carries, 64 at most |
//! | 3 | hops that it has passed on its way from the source, n at most |
//! | 4–7 | number, from 1 on |
//! | 8–15 | ER, what the flow gets beyond its minimum |
//! | 16–23 | MR, minimum rate |
//! | 24–31 | weight |
//! | 32–39 | the most that source and destination allow beyond the minimum |
//! | 40–47 | time within which the next packet with states leaves the source, in s; 0 if it promises nothing |
//! | 48… | n states of 44 bytes, in the order of the way |
//! | last 2 | CRC-16 of all before |
//!
//! A state is: flags (1 held elsewhere), 0, the round in which it was counted (2 bytes), a (8), w (8), MR (8), p (8) and the
//! tag of the port (8). Numbers stand with the high byte first; rates in bit/s, as IEEE doubles.

use super::super::cell::{MOST_BPS, double, is_sealed, seal, version};
use super::super::wire::control_packet;
use crate::MessageError;
use crate::format::{Field, Kind, MessageFormat, Part, Section, Times, When};

/// A flow has no more hops than this.
pub const MOST_HOPS: usize = 64;
const VERSION: u8 = 1;
const HEAD: usize = 48;
const STATE: usize = 44;
const BACKWARD: u8 = 1;
const LAST: u8 = 2;
const STATES: u8 = 4;
const DOUBTFUL: u8 = 8;
const MOST_LOOP_S: f64 = 1e6;

/// A control packet of s-PERC.
#[derive(Clone, Debug, PartialEq)]
pub struct PercCell {
    /// Whether it is on its way back.
    pub backward: bool,
    /// Whether its flow sends nothing after it.
    pub last: bool,
    /// Whether it carries the states of its hops: ports look at no other.
    pub carries_states: bool,
    /// Whether its states may not be what was counted last: later ones were lost, or were under way when the flow ended.
    pub doubtful: bool,
    /// Its number, from 1 on.
    pub number: u32,
    /// ER: what the flow gets beyond its minimum, in bit/s.
    pub explicit_bps: f64,
    /// MR, the minimum rate of the flow, in bit/s.
    pub minimum_bps: f64,
    /// The weight of the flow.
    pub weight: f64,
    /// The most that source and destination allow beyond the minimum, in bit/s.
    pub most_bps: f64,
    /// Within this time the source sends its next packet with states, in s; 0 if it promises nothing.
    pub loop_s: f64,
    /// Hops that it has passed on its way from the source, and not on its way back.
    pub passed: usize,
    /// The states of its hops, in the order of the way.
    pub hops: Vec<HopState>,
}

/// What a port has counted of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HopState {
    /// Whether the flow counts as held elsewhere, so that it takes `excess_bps`; else as held here.
    pub elsewhere: bool,
    /// In which round of the port it was counted last.
    pub round: u16,
    /// a: what the flow takes beyond its minimum if it is held elsewhere, in bit/s.
    pub excess_bps: f64,
    /// Its weight.
    pub weight: f64,
    /// Its minimum rate in bit/s.
    pub minimum_bps: f64,
    /// p: what the other hops may believe that this one gives, in bit/s a unit of weight; infinite for anything.
    pub offers: f64,
    /// By this the port knows that it has written the state.
    pub tag: u64,
}

const FORMAT: MessageFormat = MessageFormat {
    code: 6,
    name: "perc",
    title: "s-PERC control packet",
    sections: &[
        Section::always(&[
            version(VERSION as u64, &[(VERSION as u64, "1")]),
            Field::new(
                "flags",
                "flags",
                1,
                Kind::Parts(&[
                    Part::flag("backward", "backward", BACKWARD.trailing_zeros()),
                    Part::flag("last", "the last packet of its flow", LAST.trailing_zeros()),
                    Part::flag("states", "it carries the states of its hops", STATES.trailing_zeros()),
                    Part::flag("doubtful", "its states may not be what was counted last", DOUBTFUL.trailing_zeros()),
                ]),
            ),
            Field::number("hops", "hops whose states it carries", 1),
            Field::number("passed", "hops that it has passed", 1),
            Field::new("number", "number", 4, Kind::Number { least: 1, names: &[] }),
            Field::double("er", "ER, what the flow gets beyond its minimum", "bit/s", 0.0, MOST_BPS),
            Field::double("mr", "MR, minimum rate", "bit/s", 0.0, MOST_BPS),
            Field::double("weight", "weight", "", f64::MIN_POSITIVE, MOST_BPS),
            Field::double("most", "the most that its ends allow beyond the minimum", "bit/s", 0.0, MOST_BPS),
            Field::double("loop", "time within which its next states leave", "s", 0.0, MOST_LOOP_S),
        ]),
        Section {
            when: When::ALWAYS,
            times: Times::NumberAt { at: 2, bytes: 1 },
            fields: &[
                Field::new(
                    "hop_flags",
                    "flags of a hop",
                    1,
                    Kind::Parts(&[Part::flag("hop_elsewhere", "held elsewhere", 0)]),
                ),
                Field::zero(1),
                Field::number("hop_round", "round in which it was counted", 2),
                Field::double("hop_excess", "a, what the flow takes there", "bit/s", 0.0, MOST_BPS),
                Field::double("hop_weight", "weight there", "", f64::MIN_POSITIVE, MOST_BPS),
                Field::double("hop_mr", "minimum rate there", "bit/s", 0.0, MOST_BPS),
                Field::double("hop_offers", "p, what the hop gives a unit of weight", "bit/s", 0.0, f64::INFINITY),
                Field::new("hop_tag", "tag of the port", 8, Kind::Bytes),
            ],
        },
        Section::always(&[Field::checksum("CRC-16", 2)]),
    ],
};

control_packet!(PercCell, format: FORMAT, read: read, write: write, length: |cell| length(cell.hops.len()));

fn write(cell: &PercCell, bytes: &mut Vec<u8>) {
    let flag = |set: bool, flag: u8| if set { flag } else { 0 };
    bytes.reserve(length(cell.hops.len()));
    let flags = flag(cell.backward, BACKWARD)
        | flag(cell.last, LAST)
        | flag(cell.carries_states, STATES)
        | flag(cell.doubtful, DOUBTFUL);
    bytes.extend_from_slice(&[VERSION, flags, cell.hops.len() as u8, cell.passed as u8]);
    bytes.extend_from_slice(&cell.number.to_be_bytes());
    for value in [cell.explicit_bps, cell.minimum_bps, cell.weight, cell.most_bps, cell.loop_s] {
        bytes.extend_from_slice(&value.to_be_bytes());
    }
    for hop in &cell.hops {
        bytes.extend_from_slice(&[hop.elsewhere.into(), 0]);
        bytes.extend_from_slice(&hop.round.to_be_bytes());
        for value in [hop.excess_bps, hop.weight, hop.minimum_bps, hop.offers] {
            bytes.extend_from_slice(&value.to_be_bytes());
        }
        bytes.extend_from_slice(&hop.tag.to_be_bytes());
    }
    seal(bytes);
}

const fn length(hops: usize) -> usize {
    HEAD + STATE * hops + 2
}

fn read(bytes: &[u8]) -> Result<PercCell, MessageError> {
    let expected = length(bytes.get(2).map_or(0, |hops| usize::from(*hops)));
    if bytes.len() != expected {
        return Err(MessageError::Length { got: bytes.len(), expected });
    }
    is_sealed(bytes)?;
    let field = |field: &'static str, at: usize| Err(MessageError::Field { field, value: bytes[at].into() });
    if bytes[0] != VERSION {
        return field("version", 0);
    }
    let flags = bytes[1];
    if flags & !(BACKWARD | LAST | STATES | DOUBTFUL) != 0 || (flags & STATES == 0 && bytes[2] != 0) {
        return field("flags", 1);
    }
    if usize::from(bytes[2]) > MOST_HOPS {
        return field("hops", 2);
    }
    // Only forward may a packet come to a hop that it has no state of.
    if bytes[3] > bytes[2] {
        return field("passed", 3);
    }
    let number = u32::from_be_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
    if number == 0 {
        return Err(MessageError::Field { field: "number", value: 0 });
    }
    Ok(PercCell {
        backward: flags & BACKWARD != 0,
        last: flags & LAST != 0,
        carries_states: flags & STATES != 0,
        doubtful: flags & DOUBTFUL != 0,
        number,
        explicit_bps: double(bytes, 8, "er", 0.0, MOST_BPS)?,
        minimum_bps: double(bytes, 16, "mr", 0.0, MOST_BPS)?,
        weight: double(bytes, 24, "weight", f64::MIN_POSITIVE, MOST_BPS)?,
        most_bps: double(bytes, 32, "most", 0.0, MOST_BPS)?,
        loop_s: double(bytes, 40, "loop", 0.0, MOST_LOOP_S)?,
        passed: bytes[3].into(),
        hops: bytes[HEAD..expected - 2].chunks_exact(STATE).map(state).collect::<Result<_, _>>()?,
    })
}

fn state(bytes: &[u8]) -> Result<HopState, MessageError> {
    if bytes[0] > 1 || bytes[1] != 0 {
        return Err(MessageError::Field { field: "hop-flags", value: bytes[0].into() });
    }
    Ok(HopState {
        elsewhere: bytes[0] == 1,
        round: u16::from_be_bytes([bytes[2], bytes[3]]),
        excess_bps: double(bytes, 4, "hop-excess", 0.0, MOST_BPS)?,
        weight: double(bytes, 12, "hop-weight", f64::MIN_POSITIVE, MOST_BPS)?,
        minimum_bps: double(bytes, 20, "hop-mr", 0.0, MOST_BPS)?,
        offers: double(bytes, 28, "hop-offers", 0.0, f64::INFINITY)?,
        tag: bytes[36..44].iter().fold(0, |tag, byte| tag << 8 | u64::from(*byte)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate::{RateMessage, Refusal};

    fn cell() -> PercCell {
        let hop = HopState {
            elsewhere: true,
            round: 513,
            excess_bps: 3e6,
            weight: 2.5,
            minimum_bps: 1e6,
            offers: f64::INFINITY,
            tag: 0x0102_0304_0506_0708,
        };
        PercCell {
            backward: true,
            last: false,
            carries_states: true,
            doubtful: true,
            number: 7,
            explicit_bps: 4e6,
            minimum_bps: 1e6,
            weight: 2.5,
            most_bps: 9e6,
            loop_s: 0.003,
            passed: 1,
            hops: vec![hop, HopState { elsewhere: false, offers: 1.5e6, ..hop }],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for cell in [cell(), PercCell { carries_states: false, passed: 0, hops: Vec::new(), ..cell() }] {
            let mut bytes = Vec::new();
            cell.write(&mut bytes);
            assert_eq!((bytes.len(), PercCell::read(&bytes)), (length(cell.hops.len()), Ok(cell)));
        }
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        let refused = |change: &dyn Fn(&mut PercCell)| {
            let mut cell = cell();
            change(&mut cell);
            let mut bytes = Vec::new();
            cell.write(&mut bytes);
            PercCell::read(&bytes)
        };
        assert_eq!(refused(&|cell| cell.number = 0), Err(Refusal::Field));
        assert_eq!(refused(&|cell| cell.passed = 3), Err(Refusal::Field));
        assert_eq!(refused(&|cell| cell.carries_states = false), Err(Refusal::Field));
        assert_eq!(refused(&|cell| cell.weight = 0.0), Err(Refusal::Field));
        assert_eq!(refused(&|cell| cell.explicit_bps = -1.0), Err(Refusal::Field));
        assert_eq!(refused(&|cell| cell.hops[1].offers = f64::NAN), Err(Refusal::Field));
        assert_eq!(refused(&|cell| cell.hops = vec![cell.hops[0]; MOST_HOPS + 1]), Err(Refusal::Field));
        let mut bytes = Vec::new();
        cell().write(&mut bytes);
        assert_eq!(PercCell::read(&bytes[1..]), Err(Refusal::Length));
        assert_eq!(PercCell::read(&[]), Err(Refusal::Length));
        for at in [0, 1, 3, 20, 60, bytes.len() - 1] {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert_eq!(PercCell::read(&changed), Err(Refusal::Checksum), "{at}");
        }
    }
}
