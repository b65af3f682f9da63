//! A law's message in a datagram.
//!
//! | bytes | what stands there |
//! | --- | --- |
//! | 0–3 | `fwm1` |
//! | 4–11 | which ring, law and lease: a checksum of all |
//! | 12 | the ringlet whose traffic the message is about |
//! | 13–14 | the station that sends it |
//! | 15… | the message as it goes over every wire |
//!
//! Numbers stand with the high byte first.

use fairwire_core::{Ringlet, Span, StationId};
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::RingPlan;

const MARK: [u8; 4] = *b"fwm1";
/// Bytes in front of a message.
pub const HEADER_BYTES: usize = 15;

/// What datagrams of one station say of their ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    ring: u64,
    station: StationId,
}

/// A message that has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// The ringlet whose traffic it is about.
    pub ringlet: Ringlet,
    /// Who sent it.
    pub from: StationId,
    /// The law's bytes.
    pub message: Vec<u8>,
}

/// Why a datagram is none of a neighbour's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stray {
    /// No message of fairwire.
    Foreign,
    /// The sender has another ring or another law in mind.
    OtherRing,
}

impl Envelope {
    /// Of a station on a ring. What the law has to agree on with its neighbours is part of the checksum: links, weights, the lease, and the law with
    /// its parameters; what flows there are is not.
    pub fn of_ring(plan: &RingPlan, law: &RingLawChoice, lease: Span, station: StationId) -> Self {
        let links = plan
            .links
            .each_ref()
            .map(|links| links.iter().map(|link| (link.capacity.as_bps(), link.delay.as_nanos())).collect::<Vec<_>>());
        let weights: Vec<f64> = plan.stations.iter().map(|station| station.weight.get()).collect();
        let said = serde_json::to_vec(&(links, weights, law, lease.as_nanos())).unwrap_or_default();
        Self { ring: crc::Crc::<u64>::new(&crc::CRC_64_XZ).checksum(&said), station }
    }

    /// The datagram with a message.
    pub fn seal(&self, ringlet: Ringlet, message: &[u8]) -> Vec<u8> {
        let mut datagram = Vec::with_capacity(HEADER_BYTES + message.len());
        datagram.extend(MARK);
        datagram.extend(self.ring.to_be_bytes());
        datagram.push(ringlet.index() as u8);
        datagram.extend(self.station.0.to_be_bytes());
        datagram.extend(message);
        datagram
    }

    /// The message in a datagram.
    ///
    /// # Errors
    /// [`Stray`] for all others; no bytes make it panic.
    pub fn open(&self, datagram: &[u8]) -> Result<Letter, Stray> {
        let (mark, rest) = datagram.split_first_chunk::<4>().ok_or(Stray::Foreign)?;
        let (ring, rest) = rest.split_first_chunk::<8>().ok_or(Stray::Foreign)?;
        let ([ringlet, high, low], message) = rest.split_first_chunk::<3>().ok_or(Stray::Foreign)?;
        let ringlet = Ringlet::BOTH.get(usize::from(*ringlet)).filter(|_| *mark == MARK).ok_or(Stray::Foreign)?;
        if u64::from_be_bytes(*ring) != self.ring {
            return Err(Stray::OtherRing);
        }
        let from = StationId(u16::from_be_bytes([*high, *low]));
        Ok(Letter { ringlet: *ringlet, from, message: message.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn envelope(ring: u64, station: u16) -> Envelope {
        Envelope { ring, station: StationId(station) }
    }

    #[test]
    fn a_neighbour_on_the_same_ring_reads_what_was_sent() {
        let datagram = envelope(7, 300).seal(Ringlet::One, b"ledger");
        assert_eq!(datagram.len(), HEADER_BYTES + 6);
        let letter = Letter { ringlet: Ringlet::One, from: StationId(300), message: b"ledger".to_vec() };
        assert_eq!(envelope(7, 2).open(&datagram), Ok(letter));
        assert_eq!(envelope(8, 2).open(&datagram), Err(Stray::OtherRing));
    }

    #[test]
    fn whatever_else_comes_is_foreign() {
        let datagram = envelope(7, 1).seal(Ringlet::Zero, b"");
        for length in 0..HEADER_BYTES {
            assert_eq!(envelope(7, 2).open(&datagram[..length]), Err(Stray::Foreign), "{length} bytes");
        }
        for (place, byte) in [(0, b'x'), (12, 2)] {
            let mut other = datagram.clone();
            other[place] = byte;
            assert_eq!(envelope(7, 2).open(&other), Err(Stray::Foreign));
        }
    }
}
