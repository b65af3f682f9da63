//! A law's message in a datagram.
//!
//! | bytes | what stands there |
//! | --- | --- |
//! | 0–3 | `fwm1` on a ring, `fwn1` in a network |
//! | 4–11 | which ring or network, law and lease: a checksum of all |
//! | then | what the message is about, and who sends it: [`RingHead`], [`FlowHead`] |
//! | then | the message as it goes over every wire |
//!
//! Numbers stand with the high byte first.

mod network;
mod ring;

pub use network::FlowHead;
pub use ring::RingHead;

use serde::Serialize;
use std::marker::PhantomData;

const MARK_BYTES: usize = 4;
const SUM_BYTES: usize = 8;

/// What a message is about, and who sends it.
pub trait Head: Sized {
    /// The first bytes of a datagram.
    const MARK: [u8; MARK_BYTES];
    /// Its length in bytes.
    const BYTES: usize;

    /// Writes it behind what is there.
    fn write(&self, bytes: &mut Vec<u8>);

    /// That of so many bytes; none if they are none.
    fn read(bytes: &[u8]) -> Option<Self>;
}

/// What all datagrams of one ring or network have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope<H> {
    sum: u64,
    head: PhantomData<fn() -> H>,
}

/// Why a datagram is none of a neighbour's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stray {
    /// No message of fairwire, or of nobody who is a neighbour.
    Foreign,
    /// The sender has another ring or network, another law or another lease in mind.
    Other,
}

impl<H: Head> Envelope<H> {
    /// Of those who agree on all of this.
    fn agreed(on: &impl Serialize) -> Self {
        let said = serde_json::to_vec(on).unwrap_or_default();
        Self { sum: crc::Crc::<u64>::new(&crc::CRC_64_XZ).checksum(&said), head: PhantomData }
    }

    /// The datagram with a message.
    pub fn seal(&self, head: &H, message: &[u8]) -> Vec<u8> {
        let mut datagram = Vec::with_capacity(MARK_BYTES + SUM_BYTES + H::BYTES + message.len());
        datagram.extend(H::MARK);
        datagram.extend(self.sum.to_be_bytes());
        head.write(&mut datagram);
        datagram.extend(message);
        datagram
    }

    /// The message in a datagram, and what it is about.
    ///
    /// # Errors
    /// [`Stray`] for all others; no bytes make it panic.
    pub fn open<'b>(&self, datagram: &'b [u8]) -> Result<(H, &'b [u8]), Stray> {
        let (mark, rest) = datagram.split_first_chunk::<MARK_BYTES>().ok_or(Stray::Foreign)?;
        let (sum, rest) = rest.split_first_chunk::<SUM_BYTES>().ok_or(Stray::Foreign)?;
        let (head, message) = rest.split_at_checked(H::BYTES).ok_or(Stray::Foreign)?;
        let head = H::read(head).filter(|_| *mark == H::MARK).ok_or(Stray::Foreign)?;
        if u64::from_be_bytes(*sum) == self.sum { Ok((head, message)) } else { Err(Stray::Other) }
    }
}

#[cfg(test)]
mod tests;
