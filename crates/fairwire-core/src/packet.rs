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
    /// Its service class.
    pub class: ServiceClass,
    /// Whether it is subject to fairness: class C, and class B beyond its
    /// committed rate.
    pub fairness_eligible: bool,
}

impl PacketMeta {
    /// Whether it uses reclaimable bandwidth, which it is promised and others may use while it is idle:
    /// class A1, and class B within its committed rate.
    #[inline(always)]
    pub fn is_reclaimable(&self) -> bool {
        !self.fairness_eligible && self.class != ServiceClass::A0
    }
}

/// Service classes of a packet ring, best first ([rpr-enhanced-conservative] §II).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ServiceClass {
    /// Reserved rate that nobody else may use.
    A0,
    /// Reserved rate that others may use while it is idle.
    A1,
    /// A committed rate that others may use while it is idle, and fairness-eligible
    /// excess.
    B,
    /// Best effort: fairness eligible.
    #[default]
    C,
}

impl ServiceClass {
    /// All of them, best first.
    pub const ALL: [Self; 4] = [Self::A0, Self::A1, Self::B, Self::C];

    /// Whether it takes the primary transit queue.
    pub const fn is_primary(self) -> bool {
        matches!(self, Self::A0 | Self::A1)
    }
}
