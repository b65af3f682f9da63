//! The measures, each defined once.
//!
//! | measure | definition | source |
//! | --- | --- | --- |
//! | mean rate | bytes delivered after the warm-up over the time after the warm-up | usual |
//! | ratio | [`Reference::ratio`]: mean rate over fair rate; 1 inside an interval of fair rates | normalised throughput |
//! | throughput loss | 1 − ratio | as `[dvsr]` measures it against RIAS |
//! | loss | packets dropped on the ring over packets that entered it, after the warm-up | usual |
//! | delay | from being made at the source to delivery, of packets delivered after the warm-up | usual |
//! | time to fair | [`time_to_fair`] with the window of [`fair_window`] | ours |
//! | settling time | [`settling_time`] | the papers' use, made exact |
//! | oscillation | [`oscillation_range`] over the capacity of the flow's narrowest link | ours |
//! | Jain's index | (Σx)² / (N Σx²) of the ratios x of the N flows with a fair rate | Jain, Chiu and Hawe 1984 |
//! | outage, settled, fair again | [`EventSummary`], for each event of a protected ring | ours |
//! | utilisation | bits sent over capacity × time, after the warm-up, of the busiest link | usual |
//!
//! Every windowed rate is a mean over a whole number of rows of the recorded
//! series, and windows slide by one row. A last row that the end of the run
//! cuts short takes no part.

mod fair_window;
mod interval;
mod oscillation;
mod protection;
mod reference;
mod settling;
mod time_to_fair;
mod windowed;

pub use fair_window::{FairWindow, fair_window};
pub use interval::Interval;
pub use oscillation::oscillation_range;
pub use protection::{EventSummary, FairAgain, event_summaries};
pub use reference::Reference;
pub use settling::settling_time;
pub use time_to_fair::time_to_fair;
pub use windowed::WindowedRate;
