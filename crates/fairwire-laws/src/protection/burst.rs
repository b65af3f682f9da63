//! How much protection says at most when something has changed.

use super::{Attributes, BURST, TopologyChecksum, TopologyReport};
use crate::frame::{CONTROL_OVERHEAD_BYTES, IDLE_BYTES};

/// Bytes on the wire of a topology frame.
pub fn report_bytes() -> u64 {
    frame_bytes(&TopologyReport::default().payload())
}

/// Bytes that a station sends on one ringlet after a change, at most, before it is back to its usual pace: its topology
/// frames, each with a checksum, its attributes and a keepalive. What it only passes on is not counted.
pub fn burst_bytes() -> u64 {
    let checksum = frame_bytes(&TopologyChecksum::default().payload());
    // Topology frames of a burst, and a checksum that the change itself is told by.
    let news = u64::from(BURST + 1) * (report_bytes() + checksum);
    news + frame_bytes(&Attributes::default().payload()) + IDLE_BYTES as u64
}

fn frame_bytes(payload: &[u8]) -> u64 {
    (CONTROL_OVERHEAD_BYTES + payload.len()) as u64
}
