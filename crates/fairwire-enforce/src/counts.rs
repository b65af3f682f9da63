//! What classes of HTB have counted.
//!
//! The kernel tells of each class what was sent, and what waits; how many packets were dropped, but not how many bytes.

use fairwire_core::Bytes;
use std::collections::BTreeMap;

/// What a class has counted since it was made, and what waits there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassCount {
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Packets sent; it begins again at zero after 2³².
    pub sent_packets: u32,
    /// Bytes that wait.
    pub waiting_bytes: u32,
    /// Packets that wait.
    pub waiting_packets: u32,
    /// Packets dropped; it begins again at zero after 2³².
    pub dropped: u32,
}

impl ClassCount {
    /// How large packets are there: those that wait, or else the largest.
    pub fn packet_bytes(&self, largest: Bytes) -> u64 {
        u64::from(self.waiting_bytes).checked_div(self.waiting_packets.into()).unwrap_or(largest.get())
    }
}

/// Counts of all classes of a device.
pub type ClassCounts = BTreeMap<u16, ClassCount>;
