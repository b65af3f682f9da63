//! HEC and FCS.

use crc::{CRC_16_GENIBUS, CRC_32_ISO_HDLC, Crc, Table};

/// The Genibus parameters: x¹⁶+x¹²+x⁵+1, started with ones, inverted at the end.
const HEADER: Crc<u16, Table<1>> = Crc::<u16, Table<1>>::new(&CRC_16_GENIBUS);
const FRAME: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISO_HDLC);

/// The header checksum of `bytes`, as it stands on the wire.
pub fn hec(bytes: &[u8]) -> [u8; 2] {
    HEADER.checksum(bytes).to_be_bytes()
}

/// The frame checksum of `bytes`, as it stands on the wire.
pub fn fcs(bytes: &[u8]) -> [u8; 4] {
    FRAME.checksum(bytes).to_be_bytes()
}
