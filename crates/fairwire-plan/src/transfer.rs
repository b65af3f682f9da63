//! What a transfer took.

use fairwire_core::Instant;

/// One finished transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// When its first segment was sent.
    pub start: Instant,
    /// When its last segment was acknowledged.
    pub end: Instant,
    /// Bytes on the wire that it needs without loss.
    pub bytes: u64,
    /// Segments sent, retransmissions included.
    pub sent: u32,
    /// Segments sent again.
    pub retransmitted: u32,
}
