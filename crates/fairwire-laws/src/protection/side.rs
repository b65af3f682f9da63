//! The two sides of a station.

use fairwire_core::Ringlet;

/// A side of a station: the span to its neighbour there, both directions of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// Where ringlet 0 arrives and ringlet 1 leaves.
    West,
    /// Where ringlet 0 leaves and ringlet 1 arrives.
    East,
}

impl Side {
    /// Both, in order.
    pub const BOTH: [Self; 2] = [Self::West, Self::East];

    /// 0 or 1.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The other one.
    pub const fn opposite(self) -> Self {
        match self {
            Self::West => Self::East,
            Self::East => Self::West,
        }
    }

    /// The ringlet that leaves the station here.
    pub const fn leaving(self) -> Ringlet {
        match self {
            Self::West => Ringlet::One,
            Self::East => Ringlet::Zero,
        }
    }

    /// The side where `ringlet` leaves the station.
    pub const fn left_by(ringlet: Ringlet) -> Self {
        match ringlet {
            Ringlet::Zero => Self::East,
            Ringlet::One => Self::West,
        }
    }

    /// The side where `ringlet` arrives at the station.
    pub const fn reached_by(ringlet: Ringlet) -> Self {
        Self::left_by(ringlet).opposite()
    }
}
