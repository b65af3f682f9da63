//! Every rate law over one documented sample of networks: how soon rates are fair after a change, how exactly, and what that
//! costs in queues, losses and control packets.
//!
//! [`Case`] is what entrants are tried on: the network of the paper, and [`random networks`](Case::random). An
//! [`Entrant`] is a law and how sources send under it. [`Contest::fill`] runs what the [`Runs`] do not hold yet, and a
//! [`Summary`] says what they come to.

mod case;
mod contest;
mod entrants;
mod fair;
mod files;
mod measure;
mod network;
mod page;
mod paper;
mod picture;
mod plan;
mod random;
mod summary;
mod tables;
mod topology;

pub use case::{Case, Kind};
pub use contest::{Contest, Run, Runs};
pub use entrants::{Entrant, SOURCES, Sources};
pub use fair::FairPhase;
pub use files::write;
pub use measure::{Measured, Response, measure};
pub use network::{Deed, Flow, Link, Network};
pub use page::page;
pub use picture::picture;
pub use plan::plan;
pub use summary::{EntrantSummary, Summary};
pub use tables::tables;

/// Random networks of the whole board, and of a first look.
pub const ALL_NETWORKS: u64 = 300;
/// Random networks of a first look.
pub const QUICK_NETWORKS: u64 = 10;
