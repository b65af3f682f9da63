//! Who and where: stations, ringlets, flows.

use std::fmt;

/// A station on a ring, numbered from 0 in the direction of ringlet 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StationId(pub u16);

impl StationId {
    /// The number as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A flow of the scenario, numbered from 0 in the order it was declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u32);

impl FlowId {
    /// The number as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One of the two counter-rotating directions of a ring: on ringlet 0 station
/// numbers rise from hop to hop, on ringlet 1 they fall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ringlet {
    /// Station numbers rise downstream.
    #[default]
    Zero,
    /// Station numbers fall downstream.
    One,
}

impl Ringlet {
    /// Both, in order.
    pub const BOTH: [Self; 2] = [Self::Zero, Self::One];

    /// 0 or 1.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The other direction: the one that carries this one's control frames.
    pub const fn opposite(self) -> Self {
        match self {
            Self::Zero => Self::One,
            Self::One => Self::Zero,
        }
    }

    /// The next station downstream of `station` on a ring of `stations`.
    pub const fn downstream(self, station: usize, stations: usize) -> usize {
        match self {
            Self::Zero if station + 1 == stations => 0,
            Self::Zero => station + 1,
            Self::One if station == 0 => stations - 1,
            Self::One => station - 1,
        }
    }

    /// The name of the link that leaves station `from`: `r0:4` leaves station 4 on ringlet 0.
    pub fn link_name(self, from: impl fmt::Display) -> String {
        format!("r{self}:{from}")
    }

    /// Links from `from` to `to` going downstream (0 if they are the same).
    pub const fn hops(self, from: usize, to: usize, stations: usize) -> usize {
        let (first, last) = match self {
            Self::Zero => (from, to),
            Self::One => (to, from),
        };
        // A division would take longer than all else.
        if first <= last { last - first } else { last + stations - first }
    }
}

impl fmt::Display for StationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Ringlet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.index().fmt(f)
    }
}
