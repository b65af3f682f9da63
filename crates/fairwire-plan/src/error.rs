//! Why a plan cannot be run.

use crate::limits::MOST_STATIONS;

/// A plan that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A ring needs two stations, and packets have 14 bits for their egress.
    #[error("a ring has from 2 to {MOST_STATIONS} stations, not {0}")]
    Stations(usize),
    /// Every station has one link on each ringlet.
    #[error("ringlet {ringlet} has {links} links for {stations} stations")]
    Links {
        /// 0 or 1.
        ringlet: usize,
        /// Links given.
        links: usize,
        /// Stations given.
        stations: usize,
    },
    /// A number is out of its range.
    #[error("{0}")]
    Range(String),
    /// The law limits all that a station adds, and the plan's stations let it join
    /// the transit queue flow by flow.
    #[error("law {0} needs stations that wait for their turn: two transit queues, or one that goes first")]
    Datapath(&'static str),
    /// Its sources and switches are the simulator's own.
    #[error("flow {0} is told its rate by switches: its packets cannot be brought from outside")]
    NotCarried(String),
}
