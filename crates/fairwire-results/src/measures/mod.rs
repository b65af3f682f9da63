//! The measures, each defined once.
//!
//! | measure | definition | source |
//! | --- | --- | --- |
//! | mean rate | bytes delivered after the warm-up over the time after the warm-up; of TCP, bytes that came to be acknowledged in order, headers included | usual |
//! | ratio | [`Reference::ratio`]: mean rate over fair rate; 1 inside an interval of fair rates | normalised throughput |
//! | throughput loss | 1 − ratio | as `[dvsr]` measures it against RIAS |
//! | loss | packets dropped or lost on the way over packets sent, after the warm-up | usual |
//! | delay | from being made (TCP: sent) at the source to delivery, of packets delivered after the warm-up | usual |
//! | time to fair | [`time_to_fair`] with the window of [`fair_window`] | ours |
//! | settling time | [`settling_time`] | the papers' use, made exact |
//! | oscillation | [`oscillation_range`] of the rate at which [bytes left](bytes_left) over the capacity of the flow's narrowest link | ours |
//! | Jain's index | (Σx)² / (N Σx²) of the ratios x of the N flows with a fair rate | Jain, Chiu and Hawe 1984 |
//! | Jain's index over windows | [`jain_windows`]: of the throughputs of active flows, by periods or seconds | `[vrr-gateway] §III eq. (1)` |
//! | limited by | [`LimitedBy`]: what the flow's senders waited for most of their busy time after the warm-up | the clocks of Linux's `tcp_info` |
//! | transfer time | [`transfer_summary`]: from the first segment sent to the last one acknowledged | `[vrr-gateway] §III-F` |
//! | mean queue | packets waiting on average over time after the warm-up, the one in transmission not counted | usual |
//! | waiting | time in a queue, of packets that left it after the warm-up | usual |
//! | interval | [`Interval`]: mean over replications, and half of its 95 % interval | Student |
//! | outage, settled, fair again | [`EventSummary`], for each event of a protected ring | ours |
//! | response | [`AllowedRates::response`]: from a change to the last change of a flow's allowed rate before the next one | `[wmfqc] §5.3` |
//! | mean response | [`ResponseSummary`]: of each change's longest response, over the changes that changed any allowed rate | `[wmfqc] §5.3` |
//! | time to fair of allowed rates | [`AllowedRates::time_to_fair`]: from a change until the allowed rate stays within a tolerance of the fair one up to the next change | ours |
//! | utilisation | bits sent over capacity × time, after the warm-up, of the busiest link | usual |
//!
//! Every windowed rate is a mean over a whole number of rows of the recorded
//! series, and windows slide by one row. A last row that the end of the run
//! cuts short takes no part.

mod allowed;
mod changes;
mod fair_window;
mod interval;
mod jain_windows;
mod left;
mod limited_by;
mod oscillation;
mod percentile;
mod protection;
mod reference;
mod settling;
mod time_to_fair;
mod transfers;
mod windowed;

pub use allowed::{AllowedRates, AllowedSummary, AllowedTime, ResponseSummary};
pub use changes::{Change, ChangeSummary, change_summaries, mean_reference};
pub use fair_window::{FairWindow, fair_window};
pub use interval::Interval;
pub use jain_windows::{JainWindows, jain_windows};
pub use left::bytes_left;
pub(crate) use limited_by::Fate;
pub use limited_by::{LimitedBy, WaitedSummary};
pub use oscillation::oscillation_range;
pub use percentile::percentile;
pub use protection::{EventSummary, FairAgain, event_summaries};
pub use reference::Reference;
pub use settling::settling_time;
pub use time_to_fair::{longest_unfair, only_in_last_window, time_to_fair};
pub use transfers::{TransferSummary, transfer_summary, transfer_times_s};
pub use windowed::WindowedRate;
