//! Packets that go before others.
//!
//! They have a queue of their own, which the link serves first. What a rate law reserves is kept from them: while both
//! wait, the others earn credit at the reserved rate, and as soon as it is enough for their first packet they send it.

use super::books::Depth;
use super::ledger::Owner;
use super::packet::Packet;
use std::collections::VecDeque;

/// The queue, and the credit of those that wait behind it.
#[derive(Debug, Default)]
pub struct High {
    waiting: VecDeque<HighPacket>,
    bytes: u64,
    reserved_bps: f64,
    credit_bits: f64,
}

/// A packet that goes before others.
#[derive(Clone, Copy, Debug)]
pub struct HighPacket {
    pub packet: Packet,
    pub owner: Owner,
    pub since: u64,
}

impl High {
    pub fn depth(&self) -> Depth {
        Depth { packets: self.waiting.len() as u32, bytes: self.bytes }
    }

    pub fn push(&mut self, packet: HighPacket) {
        self.bytes += u64::from(packet.packet.size);
        self.waiting.push_back(packet);
    }

    pub fn reserve(&mut self, reserved_bps: f64) {
        self.reserved_bps = reserved_bps;
    }

    /// The packet that goes now, before one of `behind_bytes` that is the first to wait behind; none if it is that one's turn.
    pub fn take(&mut self, behind_bytes: Option<u32>) -> Option<HighPacket> {
        match behind_bytes {
            None => self.credit_bits = 0.0,
            Some(bytes) => {
                let bits = f64::from(bytes) * 8.0;
                if self.waiting.is_empty() {
                    self.credit_bits = 0.0;
                } else if self.credit_bits >= bits {
                    self.credit_bits -= bits;
                    return None;
                }
            }
        }
        let packet = self.waiting.pop_front()?;
        self.bytes -= u64::from(packet.packet.size);
        Some(packet)
    }

    /// A packet is sent for so long while others wait behind this queue.
    pub fn earn(&mut self, transmission_ns: u64) {
        self.credit_bits += self.reserved_bps * transmission_ns as f64 / 1e9;
    }

    pub fn iter(&self) -> impl Iterator<Item = &HighPacket> {
        self.waiting.iter()
    }
}
