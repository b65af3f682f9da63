//! HEC and FCS, and the checksum of control packets.
//!
//! The library takes sixteen bytes a step or one. Messages are short, and most of their bytes would go one by one: here steps are shorter.

use crc::{CRC_16_GENIBUS, CRC_32_ISO_HDLC, Crc, Table};

static HEADER: Crc<u16, Table<16>> = Crc::<u16, Table<16>>::new(&CRC_16_GENIBUS);
static FRAME: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISO_HDLC);

/// The checksum of anything with its own checksum behind it.
pub(crate) const SEALED: u16 = CRC_16_GENIBUS.residue ^ CRC_16_GENIBUS.xorout;

/// The Genibus checksum of `bytes`: x¹⁶+x¹²+x⁵+1, started with ones, inverted at the end.
pub(crate) fn genibus(bytes: &[u8]) -> u16 {
    let (long, rest) = bytes.as_chunks::<16>();
    let (short, last) = rest.as_chunks::<2>();
    let crc = long.iter().fold(u16::MAX, genibus_after);
    let crc = short.iter().fold(crc, genibus_after);
    !last.iter().fold(crc, |crc, byte| (crc << 8) ^ HEADER.table()[0][usize::from((crc >> 8) as u8 ^ byte)])
}

/// The checksum so far, after two bytes more at least.
#[inline]
fn genibus_after<const STEP: usize>(crc: u16, bytes: &[u8; STEP]) -> u16 {
    let mut bytes = *bytes;
    bytes[0] ^= (crc >> 8) as u8;
    bytes[1] ^= crc as u8;
    // What a byte does to the checksum if so many bytes of its step follow it.
    let effects = HEADER.table().iter();
    effects.zip(bytes.iter().rev()).fold(0, |crc, (effect, byte)| crc ^ effect[usize::from(*byte)])
}

/// The header checksum of `bytes`, as it stands on the wire.
pub fn hec(bytes: &[u8]) -> [u8; 2] {
    genibus(bytes).to_be_bytes()
}

/// The frame checksum of `bytes`, as it stands on the wire. Four bytes a step.
pub fn fcs(bytes: &[u8]) -> [u8; 4] {
    // What a byte does to the checksum if so many bytes of its step follow it.
    let effects = FRAME.table();
    let effect = |followed_by: usize, byte: u8| effects[followed_by][usize::from(byte)];
    let (steps, rest) = bytes.as_chunks();
    let whole = steps.iter().fold(u32::MAX, |crc, step| {
        let [a, b, c, d] = (crc ^ u32::from_le_bytes(*step)).to_le_bytes();
        effect(3, a) ^ effect(2, b) ^ effect(1, c) ^ effect(0, d)
    });
    let crc = rest.iter().fold(whole, |crc, byte| (crc >> 8) ^ effect(0, crc as u8 ^ byte));
    (!crc).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_any_length_have_the_checksum_of_the_library() {
        let bytes: Vec<u8> = (0..200u32).map(|i| (i * i / 3) as u8).collect();
        for length in 0..bytes.len() {
            let bytes = &bytes[..length];
            assert_eq!(fcs(bytes), FRAME.checksum(bytes).to_be_bytes(), "{length}");
            assert_eq!(hec(bytes), HEADER.checksum(bytes).to_be_bytes(), "{length}");
            assert_eq!(genibus(&[bytes, &hec(bytes)].concat()), SEALED, "{length}");
        }
        assert_eq!(hec(b"123456789"), [0xd6, 0x4e], "the check value of CRC-16/GENIBUS");
        assert_eq!(fcs(b"123456789"), [0xcb, 0xf4, 0x39, 0x26], "the check value of CRC-32");
    }
}
