//! The report: one page that shows what happened against what is fair.
//!
//! Everything is drawn here as inline SVG and HTML; the page needs no network
//! and no script of others, follows the reader's light or dark mode, and prints.

mod allocation;
mod astray;
mod bars;
mod changes;
mod chart;
mod control;
mod explicit_rates;
mod figure;
mod flow_tables;
mod html;
mod input;
mod law_runs;
mod link_table;
mod numbers;
mod over_time;
mod page;
mod promises;
mod protection;
mod provenance;
mod queues;
mod scene;
mod strip;
mod table;
mod throughput;
mod tints;
mod topology;
mod transfers;
mod verdict;
mod view;
mod why;
mod windows;

pub use allocation::{AllocationPage, ProposedChange, render_allocation};
pub use chart::{Panel, Scale};
pub use figure::{Curve, Figure, Mark};
pub use html::{Tenth, document, scrolling};
pub use input::{Promise, ReportInput, RunOutcome};
pub use page::render;
pub use table::{broken, html_table, table};
