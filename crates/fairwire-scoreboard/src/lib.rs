//! The scoreboard: every ring law over one documented sample of rings; [`aqm`], every
//! queue law over a matrix of gateways; and [`explicit`], every rate law over a sample of networks.
//!
//! [`Case`] is what laws are tried on: figures of the papers, parking lots of 2
//! to 32 hops, and the [`RandomRing`]s; each is a scenario that can be written
//! out and run by itself. [`Board::fill`] runs what the [`Store`] has no score
//! of, and a [`Summary`] says what all of it comes to.
#![forbid(unsafe_code)]

pub mod aqm;
mod board;
mod bootstrap;
mod cases;
mod error;
pub mod explicit;
mod files;
mod lead;
mod loss;
mod measure;
mod page;
mod rates;
mod runs;
mod stalls;
mod store;
mod summary;
mod tables;
mod whole;

pub use board::{Board, fingerprint};
pub use bootstrap::{Estimate, estimate, mean, median};
pub use cases::random_ring::{RandomRing, SAMPLE_SEED};
pub use cases::{ALL_RINGS, Case, Group, QUICK_RINGS};
pub use error::ScoreError;
pub use files::write;
pub use lead::{Lead, Other};
pub use loss::{LOSS_RINGS, LossScore, loss_table};
pub use measure::{Measured, measure};
pub use page::{PICTURE_STYLE, page, picture};
pub use rates::{Rates, Unique};
pub use stalls::{
    LEAST_STALL_SEEDS, MOST_STALL_SEEDS, STALLED, StallRun, StallScore, Stalls, Verdict, shares, stall_cases,
    stall_plan, stall_table, stalls,
};
pub use store::{Score, Store};
pub use summary::{LawSummary, Summary};
pub use tables::{Table, tables};
