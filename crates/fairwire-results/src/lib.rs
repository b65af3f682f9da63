//! What a run says.
//!
//! * [`summarise`] turns a [`Record`] and the fair rates into
//!   the [`RunSummary`] that programs read; the definitions are in [`measures`].
//! * [`write()`] leaves a result folder behind: manifest, scenario, tidy tables
//!   and the report, all of it or nothing.
//! * [`render`] draws the report: one self-contained page that shows what
//!   happened against what is fair; [`render_allocation`] draws what is fair alone.
#![forbid(unsafe_code)]

mod error;
mod explicit_rates;
mod folder;
mod law_summary;
mod leftovers;
mod link_summary;
mod manifest;
pub mod measures;
mod place;
mod plan;
mod record;
mod replace;
mod report;
mod ring;
mod summary;
mod tables;

pub use error::ResultsError;
pub use explicit_rates::{ExplicitRateSummary, ExplicitRates, PortSummary, RefusedPackets};
pub use folder::{Pages, RunFolder, check_place, write, write_while};
pub use law_summary::{FlowInterval, LawSummary, LinkInterval, law_summaries};
pub use link_summary::LinkSummary;
pub use manifest::scenario_hash;
pub use place::recordings;
pub use plan::{FlowKind, FlowOutline, LinkOutline, Outline, Plan};
pub use record::{AstrayCounts, Counts, FlowCounts, LinkCounts, Record};
pub use replace::replace_folder;
pub use report::{
    AllocationPage, Curve, Figure, Mark, Panel, Promise, ProposedChange, ReportInput, RunOutcome, Scale, Tenth, broken,
    document, html_table, render, render_allocation, scrolling, table,
};
pub use summary::{FlowSummary, RunSummary, Settling, SummaryInput, TimeToFair, summarise};
pub use tables::{Cells, Chunk, Column, ColumnType, TableFormat, columns, each_chunk};
