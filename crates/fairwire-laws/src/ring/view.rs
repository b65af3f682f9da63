//! What a law may see of its station when it decides.

use fairwire_core::Bytes;

/// The station as a law may see it when it decides.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StationView<'a> {
    /// The outgoing link.
    pub link: LinkView,
    /// What waits there in transit.
    pub transit: TransitView,
    /// The station's add queues, in the order of [`RingSite::flows`].
    pub adds: &'a [AddQueueView],
}

/// The outgoing link and the queue in front of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkView {
    /// How often, since the run began, the link ended a packet and found no other.
    pub ran_dry: u64,
    /// Bytes that wait now, the packet in transmission not counted.
    pub waiting: Bytes,
}

/// The transit queues in front of the outgoing link. A station that merges its
/// own packets into the only queue shows all of it as primary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransitView {
    /// Bytes in the primary queue: all traffic, or class A where there are two.
    pub primary: Bytes,
    /// Bytes in the secondary queue: classes B and C.
    pub secondary: Bytes,
}

/// What waits at the station for one egress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddQueueView {
    /// Packets that wait now; `u32::MAX` for a source that never runs out.
    pub packets: u32,
    /// Bytes that its sources have offered since the run began.
    pub offered_bytes: u64,
    /// How often, since the run began, the queue became empty.
    pub ran_empty: u64,
}
