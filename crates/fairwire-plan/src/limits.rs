//! How large rings and networks get.

use fairwire_core::Span;

/// Stations of the largest ring: packets have 14 bits for their egress.
pub const MOST_STATIONS: usize = 1 << 14;

/// Micro-flows of one ring or network at most.
pub const MOST_MICRO_FLOWS: u64 = 1 << 24;

/// A connection whose packets are brought from outside gives back the number by which queue laws know it when nothing of it
/// has been on its way for so long.
pub const SILENT_AFTER: Span = Span::from_millis(4_000);
