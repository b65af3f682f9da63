//! How a station puts transit traffic and its own on the link.

use fairwire_core::Bytes;
use serde::{Deserialize, Serialize};

/// The transit queues of a station and who goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Datapath {
    /// One queue, first in first out, that the station's packets join past their
    /// limiters ([dvsr] §V-B1).
    Merged,
    /// One transit queue that goes before the station ([dvsr] §II-A).
    TransitFirst,
    /// One transit queue that takes turns with the station, as the testbed of
    /// [dvsr] §VIII-A did.
    Alternating,
    /// A primary queue for class A and a secondary one for classes B and C
    /// ([dvsr] §II-A, [rpr-enhanced-conservative] §II).
    DualQueue,
}

/// Depths of the secondary transit queue from which on the station gives way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StqThresholds {
    /// Deeper than this, the station adds nothing that is fairness eligible.
    pub stop: Option<Bytes>,
    /// From this depth on, the queue goes before what is fairness eligible; below it
    /// they take turns.
    pub outrank: Bytes,
}

impl StqThresholds {
    /// The queue outranks the station only when an eighth of it, or four packets, is
    /// left for what class A and commitments hold up; the papers do not tell the value.
    pub fn never_stopping(secondary: Bytes, max_packet: Bytes) -> Self {
        let left = (secondary.get() / 8).max(4 * max_packet.get());
        Self { stop: None, outrank: Bytes::new(secondary.get().saturating_sub(left)) }
    }
}
