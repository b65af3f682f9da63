//! HEC and FCS.

use crc::{CRC_16_GENIBUS, CRC_32_ISO_HDLC, Crc, Table};

/// The Genibus parameters: x¹⁶+x¹²+x⁵+1, started with ones, inverted at the end.
const HEADER: Crc<u16, Table<1>> = Crc::<u16, Table<1>>::new(&CRC_16_GENIBUS);
static FRAME: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISO_HDLC);

/// The header checksum of `bytes`, as it stands on the wire.
pub fn hec(bytes: &[u8]) -> [u8; 2] {
    HEADER.checksum(bytes).to_be_bytes()
}

/// The frame checksum of `bytes`, as it stands on the wire.
///
/// Four bytes a step: the library takes sixteen or one, and most frames here have a dozen.
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
        }
        assert_eq!(fcs(b"123456789"), [0xcb, 0xf4, 0x39, 0x26], "the check value of CRC-32");
    }
}
