//! What happens to spans and stations, and how stations protect themselves.

use fairwire_core::{Instant, StationId};
use fairwire_laws::protection;

/// Stations that a topology frame can cross before its time to live is over.
pub const MOST_STEERING: usize = 255;
/// Stations of a ring that is folded into one ringlet on which each stands twice.
pub const MOST_WRAPPING: usize = 127;

/// Protection, and what there is to protect from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProtectionPlan {
    /// Timers of every station, and whether sources steer or stations wrap.
    pub params: protection::Params,
    /// What happens to spans and stations, in any order.
    pub events: Vec<RingEvent>,
}

/// Something happens to a span or a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingEvent {
    /// When.
    pub at: Instant,
    /// What.
    pub change: RingChange,
}

/// What happens to a span or a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RingChange {
    /// Both links between this station and the next on ringlet 0 are cut.
    Cut(StationId),
    /// They are mended.
    Restore(StationId),
    /// The station falls silent: all four links that touch it are dead.
    StationDown(StationId),
    /// It comes back.
    StationUp(StationId),
}

impl RingChange {
    /// Whether it is a failure, not a mend.
    pub const fn breaks(self) -> bool {
        matches!(self, Self::Cut(_) | Self::StationDown(_))
    }
}
