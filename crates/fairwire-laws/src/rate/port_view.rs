//! What a port shows its law.

use fairwire_core::BitRate;

/// Link and queue of a port at one instant. The counters are of all time and only grow: a law takes differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortView {
    /// The link's capacity.
    pub capacity: BitRate,
    /// Packets in the queue of the flows, the one in transmission included.
    pub packets: u32,
    /// Bytes of controlled flows that have arrived, data and control packets.
    pub controlled_bytes: u64,
    /// Bytes that the link has sent of higher priority.
    pub higher_bytes: u64,
    /// Bytes that have arrived at the same queue and that no rate law controls.
    pub uncontrolled_bytes: u64,
}
