//! Fairness frames: sixteen bytes that tell a rate upstream.
//!
//! | byte | field |
//! | --- | --- |
//! | 0 | ttl: 255 where the frame starts, one less at each station that passes it on |
//! | 1 | baseControl: ri, fe, ft = fairness, sc, we, parity |
//! | 2–7 | saCompact: the station whose rate it is |
//! | 8–9 | fairnessHeader: ffType in the upper three bits, zeros |
//! | 10–11 | fairRate per unit weight, big endian; all ones for "no limit" |
//! | 12–15 | FCS over the bytes before it |
//!
//! The fields and their widths are public knowledge of 802.17. The places of the
//! bits, and all ones as the reserved value, are our reading ([`crate::frame`]).

use crate::frame::{Address, BaseControl, FrameType, IDLE_BYTES, MAX_TTL, fcs};
use crate::{MessageError, PackedMessage, WireMessage};
use fairwire_core::Ringlet;
use std::fmt;

/// Length of a fairness frame.
pub const FAIRNESS_BYTES: usize = IDLE_BYTES;

/// The rate that means "no limit".
pub const FULL_RATE: u16 = 0xffff;

/// Who a fairness frame is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choke {
    /// Goes from station to station and tells each the one most congested point
    /// downstream: the MAC obeys it.
    Single = 0,
    /// Goes all the way around and tells everybody one link's rate: for clients
    /// that hold back by destination.
    Multi = 1,
}

/// A fairness frame.
///
/// Two words: laws, queues and wires hand frames on in every interval, and as fields of their own
/// sizes they would be copied through memory, where whoever reads waits for the copy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FairnessFrame {
    /// From the lowest bit: 8 bits of ttl, 8 of ringlet and 48 of source.
    origin: u64,
    /// 16 bits of rate and 16 of choke.
    told: u32,
}

const RINGLET_SHIFT: u32 = 8;
const SOURCE_SHIFT: u32 = 16;
const CHOKE_SHIFT: u32 = 16;

impl FairnessFrame {
    /// A frame that starts on `ringlet`, against the traffic it speaks of, at `source`: the station whose
    /// outgoing link has this rate per unit weight, in the ring's unit; [`FULL_RATE`] for no limit.
    #[inline]
    pub const fn new(choke: Choke, ringlet: Ringlet, source: Address, fair_rate: u16) -> Self {
        let [a, b, c, d, e, f] = source.0;
        let source = u64::from_be_bytes([0, 0, a, b, c, d, e, f]);
        Self {
            origin: source << SOURCE_SHIFT | (ringlet.index() as u64) << RINGLET_SHIFT | MAX_TTL as u64,
            told: (choke as u32) << CHOKE_SHIFT | fair_rate as u32,
        }
    }

    /// Hops left.
    #[inline]
    pub const fn ttl(&self) -> u8 {
        self.origin as u8
    }

    /// The ringlet it is sent on.
    #[inline]
    pub const fn ringlet(&self) -> Ringlet {
        Ringlet::BOTH[(self.origin >> RINGLET_SHIFT) as usize & 1]
    }

    /// The station whose outgoing link has this rate.
    #[inline]
    pub const fn source(&self) -> Address {
        let [_, _, a, b, c, d, e, f] = (self.origin >> SOURCE_SHIFT).to_be_bytes();
        Address([a, b, c, d, e, f])
    }

    /// Who it is for.
    #[inline]
    pub const fn choke(&self) -> Choke {
        if self.told >> CHOKE_SHIFT == Choke::Single as u32 { Choke::Single } else { Choke::Multi }
    }

    /// The rate per unit weight; [`FULL_RATE`] for no limit.
    #[inline]
    pub const fn fair_rate(&self) -> u16 {
        self.told as u16
    }

    /// The frame as a station passes it on, unless its hops are used up.
    #[inline]
    pub const fn forwarded(self) -> Option<Self> {
        if self.ttl() == 1 { None } else { Some(self.with_ttl(self.ttl() - 1)) }
    }

    const fn with_ttl(self, ttl: u8) -> Self {
        Self { origin: self.origin & !(u8::MAX as u64) | ttl as u64, ..self }
    }

    /// Links crossed when it arrives with this ttl.
    pub const fn hops(&self) -> usize {
        MAX_TTL as usize + 1 - self.ttl() as usize
    }

    fn base_control(&self) -> u8 {
        BaseControl::control(FrameType::Fairness, self.ringlet()).bits_with_parity(self.ttl())
    }

    fn bytes(self) -> [u8; FAIRNESS_BYTES] {
        let mut bytes = [0; FAIRNESS_BYTES];
        bytes[0] = self.ttl();
        bytes[1] = self.base_control();
        bytes[2..8].copy_from_slice(&self.source().0);
        bytes[8] = (self.choke() as u8) << 5;
        bytes[10..12].copy_from_slice(&self.fair_rate().to_be_bytes());
        let fcs = fcs(&bytes[..12]);
        bytes[12..].copy_from_slice(&fcs);
        bytes
    }
}

impl fmt::Debug for FairnessFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FairnessFrame")
            .field("ttl", &self.ttl())
            .field("ringlet", &self.ringlet())
            .field("source", &self.source())
            .field("choke", &self.choke())
            .field("fair_rate", &self.fair_rate())
            .finish()
    }
}

impl WireMessage for FairnessFrame {
    fn parse(bytes: Vec<u8>) -> Result<Self, MessageError> {
        let Ok(bytes) = <[u8; FAIRNESS_BYTES]>::try_from(bytes.as_slice()) else {
            return Err(MessageError::Length { got: bytes.len(), expected: FAIRNESS_BYTES });
        };
        if bytes[12..] != fcs(&bytes[..12]) {
            return Err(MessageError::Checksum { field: "fcs" });
        }
        let choke = match bytes[8] {
            0x00 => Choke::Single,
            0x20 => Choke::Multi,
            other => return Err(MessageError::Field { field: "fairnessHeader", value: other.into() }),
        };
        let ringlet = BaseControl::from_bits(bytes[1]).ringlet;
        let source = Address(std::array::from_fn(|i| bytes[2 + i]));
        let fair_rate = u16::from_be_bytes([bytes[10], bytes[11]]);
        let frame = Self::new(choke, ringlet, source, fair_rate).with_ttl(bytes[0]);
        // Every other bit is fixed.
        if frame.ttl() == 0 {
            Err(MessageError::Field { field: "ttl", value: 0 })
        } else if bytes[1] != frame.base_control() {
            Err(MessageError::Field { field: "baseControl", value: bytes[1].into() })
        } else if bytes[9] != 0 {
            Err(MessageError::Field { field: "fairnessHeader", value: bytes[9].into() })
        } else {
            Ok(frame)
        }
    }

    fn into_bytes(self) -> Vec<u8> {
        self.bytes().to_vec()
    }

    #[inline]
    fn wire_bytes(&self) -> usize {
        FAIRNESS_BYTES
    }

    #[inline(always)]
    fn pack(self) -> PackedMessage {
        PackedMessage::Words { words: [self.origin, self.told.into()], wire_bytes: FAIRNESS_BYTES as u16 }
    }

    #[inline(always)]
    fn unpack(packed: PackedMessage) -> Result<Self, MessageError> {
        match packed {
            PackedMessage::Words { words: [origin, told], .. } => Ok(Self { origin, told: told as u32 }),
            PackedMessage::Bytes(bytes) => Self::parse(bytes.into_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_core::StationId;

    fn frame() -> FairnessFrame {
        FairnessFrame::new(Choke::Single, Ringlet::One, Address::of(StationId(4)), 0x1234)
    }

    #[test]
    fn the_bytes_are_where_they_belong() {
        let bytes = frame().into_bytes();
        // ri 1, ft 10, sc 11: eight ones in ttl and four here, so the parity bit is set.
        assert_eq!(bytes[..12], [255, 0b1010_1101, 2, 0, 0, 0, 0, 4, 0, 0, 0x12, 0x34]);
        assert_eq!(bytes[12..], fcs(&bytes[..12]));
        let multi = FairnessFrame::new(Choke::Multi, Ringlet::Zero, frame().source(), 0x1234).into_bytes();
        assert_eq!((multi[1], multi[8]), (0b0010_1100, 0x20));
    }

    #[test]
    fn what_is_written_is_read() {
        for choke in [Choke::Single, Choke::Multi] {
            for ringlet in Ringlet::BOTH {
                for ttl in 1..=255 {
                    let frame = FairnessFrame::new(choke, ringlet, Address([9, 8, 7, 6, 5, 254]), 0xabcd).with_ttl(ttl);
                    assert_eq!((frame.ttl(), frame.ringlet(), frame.choke()), (ttl, ringlet, choke));
                    assert_eq!((frame.source(), frame.fair_rate()), (Address([9, 8, 7, 6, 5, 254]), 0xabcd));
                    assert_eq!(FairnessFrame::parse(frame.into_bytes()), Ok(frame));
                }
            }
        }
    }

    #[test]
    fn hops_are_counted_down() {
        let one_on = frame().forwarded().unwrap();
        assert_eq!((frame().hops(), one_on.hops(), one_on.source()), (1, 2, frame().source()));
        assert_eq!(frame().with_ttl(1).forwarded(), None);
    }

    /// Each byte, changed with and without a good checksum, is refused for the right reason.
    #[test]
    fn what_is_no_frame_is_refused() {
        assert_eq!(FairnessFrame::parse(vec![0; 15]), Err(MessageError::Length { got: 15, expected: 16 }));
        let changed = |at: usize, bits: u8, mend: bool| {
            let mut bytes = frame().into_bytes();
            bytes[at] ^= bits;
            if mend {
                let good = fcs(&bytes[..12]);
                bytes[12..].copy_from_slice(&good);
            }
            FairnessFrame::parse(bytes)
        };
        for at in 0..16 {
            assert_eq!(changed(at, 0x40, false), Err(MessageError::Checksum { field: "fcs" }), "{at}");
        }
        let field = |at, bits| match changed(at, bits, true) {
            Err(MessageError::Field { field, .. }) => field,
            other => panic!("{other:?}"),
        };
        assert_eq!(field(0, 255), "ttl");
        assert_eq!(field(0, 1), "baseControl", "ttl and parity");
        for bit in [0x80, 0x40, 0x20, 0x10, 8, 4, 2, 1] {
            assert_eq!(field(1, bit), "baseControl", "{bit:#x}");
        }
        for (at, bit) in [(8, 0x80), (8, 0x40), (8, 1), (9, 1), (9, 0x80)] {
            assert_eq!(field(at, bit), "fairnessHeader");
        }
    }
}
