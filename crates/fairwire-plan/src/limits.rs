//! How large rings and networks get.

/// Stations of the largest ring: packets have 14 bits for their egress.
pub const MOST_STATIONS: usize = 1 << 14;

/// Micro-flows of one ring or network at most.
pub const MOST_MICRO_FLOWS: u64 = 1 << 24;
