//! What the two ends of a connection send each other.

use fairwire_core::Instant;

/// Up to three runs of segments that arrived beyond the first that is missing, the
/// latest first (RFC 2018).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    runs: [(u32, u32); 3],
}

impl SackBlocks {
    /// The runs, each from its first segment to just beyond its last; further ones
    /// are left out.
    pub fn new(runs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut blocks = Self::default();
        let present = runs.into_iter().filter(|(first, beyond)| first < beyond);
        for (block, run) in blocks.runs.iter_mut().zip(present) {
            *block = run;
        }
        blocks
    }

    /// The runs that there are.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.runs.iter().copied().take_while(|(first, beyond)| first < beyond)
    }
}

/// A data segment. Segments of a connection have numbers, from 0; all but the last
/// are of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its number.
    pub number: u32,
    /// Its size on the wire in bytes, headers included.
    pub size_bytes: u32,
    /// Whether it was sent before.
    pub retransmitted: bool,
    /// Whether a queue may mark it instead of dropping it.
    pub ecn_capable: bool,
    /// Whether the sender has answered the receiver's echo of a mark (CWR, RFC 3168).
    pub window_reduced: bool,
    /// When it was sent.
    pub sent_at: Instant,
}

/// An acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// The first segment that is missing: all before have arrived.
    pub next: u32,
    /// What has arrived beyond it, where the receiver tells.
    pub sack: SackBlocks,
    /// When the segment that caused it was sent (the echo of RFC 7323).
    pub sent_at: Instant,
    /// Whether that segment had been sent before: no round-trip time is taken of it then (Karn).
    pub of_retransmitted: bool,
    /// Whether a mark is being echoed (ECE, RFC 3168).
    pub congestion_experienced: bool,
}
