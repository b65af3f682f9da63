//! What a control law may know of a packet.

use crate::{FlowId, StationId};

/// A packet as a law sees it: never its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketMeta {
    /// The flow it belongs to.
    pub flow: FlowId,
    /// Where it entered the ring.
    pub ingress: StationId,
    /// Where it leaves the ring.
    pub egress: StationId,
    /// Its size on the wire in bytes, headers included.
    pub size_bytes: u32,
}
