//! Bytes that were a control packet.

use crc::{CRC_16_GENIBUS, Crc};
use fairwire_core::RandomStream;
use rand::RngExt;

const CHECKSUM: Crc<u16> = Crc::<u16>::new(&CRC_16_GENIBUS);

/// The bytes with a good checksum, which no chance finds: the last two bytes are that of all before.
pub fn mended(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some(end) = bytes.len().checked_sub(2) {
        let checksum = CHECKSUM.checksum(&bytes[..end]);
        bytes[end..].copy_from_slice(&checksum.to_be_bytes());
    }
    bytes
}

/// Good bytes with one thing wrong, or a few; sometimes bytes that never were any good.
pub fn spoil(good: &[u8], dice: &mut RandomStream) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for _ in 0..1 + dice.random_range(0..3) * dice.random_range(0..2) {
        spoil_once(&mut bytes, dice);
    }
    bytes
}

fn spoil_once(bytes: &mut Vec<u8>, dice: &mut RandomStream) {
    let at = dice.random_range(0..bytes.len().max(1));
    match dice.random_range(0..12) {
        0 => bytes.truncate(at),
        1 => bytes.extend((0..dice.random_range(1..60)).map(|_| dice.random::<u8>())),
        2 => *bytes = (0..dice.random_range(0..120)).map(|_| dice.random()).collect(),
        3 => bytes.iter_mut().for_each(|byte| *byte = dice.random()),
        4 => bytes.rotate_left(at),
        // Numbers at the ends of what a double can be.
        5 if bytes.len() >= at + 8 => {
            let ends = [0.0, -0.0, 1.0, -1.0, 1e18, 1e300, 5e-324, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
            let value: f64 = ends[dice.random_range(0..ends.len())];
            bytes[at & !7..][..8].copy_from_slice(&value.to_be_bytes());
        }
        6..9 if !bytes.is_empty() => bytes[at] = dice.random(),
        _ if !bytes.is_empty() => bytes[at] ^= 1 << dice.random_range(0..8),
        _ => {}
    }
}
