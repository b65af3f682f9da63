//! Where a port is.

use fairwire_core::{BitRate, Instant};

/// Where a port is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PortSite {
    /// Since when the law is there; no call has an earlier time.
    pub start: Instant,
    /// The link's capacity at the start, in bit/s, above zero.
    pub capacity: BitRate,
}
