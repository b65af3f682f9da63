//! What a law may read of its station when it is called.

use super::LinkTraffic;
use fairwire_core::{Bytes, Instant, PacketMeta};

/// The station as a law may read it when it is called.
#[derive(Clone, Copy, Debug)]
pub struct StationView<'a> {
    /// The outgoing link.
    pub link: LinkView,
    /// What waits there in transit.
    pub transit: TransitView,
    /// What has passed the outgoing link since the law was made.
    pub traffic: &'a LinkTraffic,
    /// The station's add queues, in the order of [`super::RingSite::flows`].
    pub adds: &'a [AddQueueView],
}

/// The outgoing link and the queue in front of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkView {
    /// Bytes that wait now, the packet in transmission not counted.
    pub waiting: Bytes,
    /// The link has had something to send at all times since then. None if it has
    /// nothing now, or if the driver does not know.
    pub busy_since: Option<Instant>,
    /// The packet in transmission, if [`super::Counters::sending`] asks for it. None if the link sends none, or if the
    /// driver does not know.
    pub sending: Option<Sending>,
}

/// A packet in transmission. The counters of what was sent hold all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sending {
    /// Which packet.
    pub packet: PacketMeta,
    /// Of its bytes, those that have not left yet.
    pub left_bytes: u64,
}

impl Sending {
    /// `packet` is in transmission, of which so many bytes have not left yet, or all of them if it is smaller.
    #[inline]
    pub fn new(packet: PacketMeta, left_bytes: u64) -> Self {
        Self { packet, left_bytes: left_bytes.min(packet.size_bytes.into()) }
    }
}

/// The transit queues in front of the outgoing link. A station that merges its
/// own packets into the only queue shows all of it as primary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransitView {
    /// Bytes in the primary transit queue (PTQ): all traffic, or class A where there are two.
    pub primary: Bytes,
    /// Bytes in the secondary transit queue (STQ): classes B and C.
    pub secondary: Bytes,
    /// The most that waited there since the law was last shown the queue. A driver that samples its queues tells the most
    /// that it has seen; one whose law does not ask ([`super::Counters::secondary_deepest`]) tells what waits now.
    pub secondary_deepest: Bytes,
}

/// What waits at the station for one egress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddQueueView {
    /// Packets that wait now; `u32::MAX` for a source that never runs out.
    pub packets: u32,
    /// Bytes that wait now; `u64::MAX` for a source that never runs out.
    pub bytes: u64,
    /// Bytes that its sources have offered since the driver began.
    pub offered_bytes: u64,
    /// Packets have waited at all times since then. None if none wait now, or if the
    /// driver does not know. A driver that samples its queues tells the time of the first
    /// of those looks between which, as far as it can tell, the queue was never empty.
    pub waits_since: Option<Instant>,
}

impl Default for StationView<'_> {
    /// A station where nothing has happened yet, and nothing is counted.
    fn default() -> Self {
        static NOTHING: LinkTraffic = LinkTraffic::NOTHING;
        Self { link: LinkView::default(), transit: TransitView::default(), traffic: &NOTHING, adds: &[] }
    }
}

impl LinkView {
    /// Whether the link has had something to send at all times since `then`.
    pub fn is_busy_since(&self, then: Instant) -> bool {
        self.busy_since.is_some_and(|since| since <= then)
    }
}

impl AddQueueView {
    /// Whether packets have waited at all times since `then`.
    pub fn waits_since(&self, then: Instant) -> bool {
        self.waits_since.is_some_and(|since| since <= then)
    }
}
