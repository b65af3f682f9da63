//! Where a queue law works.

use fairwire_core::{BitRate, Bytes, Instant, Span};

/// The queue in front of one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueSite {
    /// Since when the law is there: the link is idle and nothing waits. No call has an earlier time.
    pub start: Instant,
    /// The link's capacity at the start; [`super::QueueLaw::on_capacity`] tells of changes.
    pub capacity: BitRate,
    /// The link's propagation time.
    pub delay: Span,
    /// What the queue holds at most, the packet in transmission not counted.
    pub limit: Limit,
    /// Mean size of the packets to come: laws that count packets take it for the time that one
    /// needs on the link.
    pub mean_packet: Bytes,
}

/// What a queue holds at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// So many packets, of whatever size.
    Packets(u32),
    /// So many bytes.
    Bytes(Bytes),
}

impl Limit {
    /// Whether `bytes` more in one packet still fit beside what waits.
    #[inline]
    pub fn admits(self, packets: u32, bytes: u64, more: u32) -> bool {
        match self {
            Self::Packets(most) => packets < most,
            Self::Bytes(most) => bytes + u64::from(more) <= most.get(),
        }
    }

    /// Whether a queue of so many is within the limit.
    #[inline]
    pub fn holds(self, packets: u32, bytes: u64) -> bool {
        match self {
            Self::Packets(most) => packets <= most,
            Self::Bytes(most) => bytes <= most.get(),
        }
    }
}
