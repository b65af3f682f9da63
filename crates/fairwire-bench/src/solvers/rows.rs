//! The rows of the table: what is solved, how fast it should be, and who else solves it.

use super::instance::Terms;
use fairwire_terminal::text;
use serde::Serialize;

/// One row.
#[derive(Debug)]
pub struct Row {
    /// Its name in the answer.
    pub id: &'static str,
    /// What it is, for people.
    pub what: &'static str,
    pub work: Work,
    pub target: Target,
    /// Who else solves it, and how many times faster than it we mean to be.
    pub peers: &'static [(Peer, Option<f64>)],
    /// Whether it is left out of a first look.
    pub is_slow: bool,
}

/// What is solved.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// Max-min of a random network.
    Random { flows: usize, links: usize, terms: Terms },
    /// Max-min of all pairs on a ring, as intervals.
    Ring { stations: usize },
    /// RIAS of all pairs on a ring; uneven: most of them with demands.
    Rias { stations: usize, uneven: bool },
    /// Proportional fairness of a random network.
    Proportional { flows: usize, links: usize, terms: Terms },
    /// One flow comes or goes in a random network; the error as a part of the widest link.
    Live { flows: usize, links: usize, within: Option<f64> },
    /// Ten flows on ten links, from Python with arrays.
    FromPython,
}

/// How fast a row should be.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// Milliseconds, on the machine for which the targets were set.
    Ms(f64),
    /// At most so many times another row.
    Of(&'static str, f64),
    /// So many times faster than a peer.
    Faster(Peer, f64),
    /// None was set.
    Open,
}

/// Another solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Peer {
    SimGrid,
    Highs,
    Clarabel,
}

use Peer::{Clarabel, Highs, SimGrid};
use Target::{Faster, Ms, Of, Open};
use Terms::{Mixed, Plain, Promised};

const fn random(id: &'static str, what: &'static str, flows: usize, terms: Terms, target: Target) -> Row {
    let work = Work::Random { flows, links: flows / 10, terms };
    Row { id, what, work, target, peers: &[], is_slow: flows > 100_000 }
}

const fn live(id: &'static str, what: &'static str, flows: usize, within: Option<f64>, target: Target) -> Row {
    let work = Work::Live { flows, links: flows / 10, within };
    Row { id, what, work, target, peers: &[], is_slow: flows > 100_000 }
}

const fn ring(id: &'static str, what: &'static str, work: Work, target: Target) -> Row {
    Row { id, what, work, target, peers: &[], is_slow: false }
}

const fn beside(row: Row, peers: &'static [(Peer, Option<f64>)]) -> Row {
    Row { peers, ..row }
}

/// Every row, in the order of the table.
pub const ROWS: &[Row] = &[
    beside(random("random-1e3", "random 1e3 x 1e2", 1_000, Plain, Ms(0.025)), &[(SimGrid, Some(19.0)), (Highs, None)]),
    beside(random("random-1e4", "random 1e4 x 1e3", 10_000, Plain, Ms(0.42)), &[(SimGrid, Some(21.0)), (Highs, None)]),
    beside(random("random-1e5", "random 1e5 x 1e4", 100_000, Plain, Ms(6.3)), &[(SimGrid, Some(45.0))]),
    beside(
        random("random-1e5-mixed", "the same, weights and demands", 100_000, Mixed, Of("random-1e5", 1.3)),
        &[(SimGrid, Some(39.0))],
    ),
    random("random-1e5-promised", "the same, and minimum rates", 100_000, Promised, Of("random-1e5", 1.3)),
    beside(random("random-1e6", "random 1e6 x 1e5", 1_000_000, Plain, Ms(125.0)), &[(SimGrid, Some(190.0))]),
    beside(ring("ring-256", "ring 256, all pairs", Work::Ring { stations: 256 }, Ms(1.3)), &[(SimGrid, Some(630.0))]),
    ring("ring-1024", "ring 1024, all pairs", Work::Ring { stations: 1024 }, Ms(20.0)),
    ring("rias-64", "ring 64, all pairs, RIAS", Work::Rias { stations: 64, uneven: false }, Ms(10.0)),
    ring("rias-64-uneven", "the same, demands on most", Work::Rias { stations: 64, uneven: true }, Open),
    beside(
        Row {
            id: "proportional-1e4",
            what: "random 1e4 x 1e3, proportional",
            work: Work::Proportional { flows: 10_000, links: 1_000, terms: Plain },
            target: Faster(Clarabel, 15.0),
            peers: &[],
            is_slow: false,
        },
        &[(Clarabel, Some(15.0))],
    ),
    beside(
        Row {
            id: "proportional-1e4-mixed",
            what: "the same, weights and demands",
            work: Work::Proportional { flows: 10_000, links: 1_000, terms: Mixed },
            target: Faster(Clarabel, 15.0),
            peers: &[],
            is_slow: false,
        },
        &[(Clarabel, Some(15.0))],
    ),
    live("live-exact-1e5", "one flow more or less, 1e5 x 1e4, exact", 100_000, None, Of("random-1e5", 0.5)),
    live("live-near-1e4", "the same, error 1e-3, 1e4 x 1e3", 10_000, Some(1e-3), Ms(0.06)),
    live("live-near-1e5", "the same, error 1e-3, 1e5 x 1e4", 100_000, Some(1e-3), Ms(0.06)),
    live("live-near-1e6", "the same, error 1e-3, 1e6 x 1e5", 1_000_000, Some(1e-3), Ms(0.06)),
    Row {
        id: "ten",
        what: "10 flows on 10 links",
        work: Work::Random { flows: 10, links: 10, terms: Plain },
        target: Ms(0.001),
        peers: &[],
        is_slow: false,
    },
    Row {
        id: "ten-python",
        what: "10 flows from Python",
        work: Work::FromPython,
        target: Ms(0.010),
        peers: &[],
        is_slow: false,
    },
];

impl Row {
    /// The row called `id`.
    pub fn named(id: &str) -> Option<&'static Self> {
        ROWS.iter().find(|row| row.id == id)
    }
}

impl Peer {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            SimGrid => "SimGrid",
            Highs => "HiGHS",
            Clarabel => "Clarabel",
        }
    }

    /// How far its rates may be from ours, as a part of the largest capacity.
    pub fn agreement(self) -> f64 {
        match self {
            SimGrid | Highs => 1e-9,
            Clarabel => 1e-6,
        }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ms(ms) => write!(f, "{}", text::time(ms * 1e6)),
            Of(row, times) => write!(f, "{times} of {row}"),
            Faster(peer, times) => write!(f, "{} / {times}", peer.name()),
            Open => f.write_str("–"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_compared_with_rows_that_there_are() {
        for row in ROWS {
            if let Of(other, _) = row.target {
                assert!(Row::named(other).is_some(), "{}: {other}", row.id);
            }
            assert_eq!(ROWS.iter().filter(|other| other.id == row.id).count(), 1, "{}", row.id);
        }
    }
}
