//! Six-byte addresses.

use fairwire_core::StationId;
use std::fmt;

/// A six-byte address.
///
/// A station's is locally administered: `02:00:00:00` and its number, big endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub [u8; 6]);

impl Address {
    /// Everybody.
    pub const BROADCAST: Self = Self([0xff; 6]);

    /// The address of `station`.
    pub const fn of(station: StationId) -> Self {
        let [high, low] = station.0.to_be_bytes();
        Self([2, 0, 0, 0, high, low])
    }

    /// The station that has this address, if one can.
    pub const fn station(self) -> Option<StationId> {
        match self.0 {
            [2, 0, 0, 0, high, low] => Some(StationId(u16::from_be_bytes([high, low]))),
            _ => None,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}
