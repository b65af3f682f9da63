//! Why a setting given beside the file is refused.

use crate::run::{MOST_REPLICATIONS, SHORTEST_WINDOW};
use fairwire_core::Span;

/// A setting that does not fit the scenario.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// A run shorter than a row of its tables.
    #[error("a run lasts at least {SHORTEST_WINDOW}, not {0}")]
    TooShort(Span),
    /// More rows than anybody could keep.
    #[error(
        "a run of {duration} makes more than {most} rows of {window}, the most that are kept of this scenario; ask for less, or raise `window` in the file to \"{shortest}\""
    )]
    TooLong {
        /// The duration asked for.
        duration: Span,
        /// Length of a row.
        window: Span,
        /// So many rows are kept.
        most: u64,
        /// The shortest window that makes no more.
        shortest: Span,
    },
    /// Nothing would be left to measure.
    #[error(
        "a run of {duration} ends before its warm-up of {warmup}; ask for more than that, or lower `warmup` in the file"
    )]
    Warmup {
        /// The duration asked for.
        duration: Span,
        /// The warm-up of the scenario.
        warmup: Span,
    },
    /// No run at all.
    #[error("a scenario is run at least once, not 0 times")]
    NoReplications,
    /// More runs than a scenario file can ask for.
    #[error("a scenario is run at most {MOST_REPLICATIONS} times, not {0} times")]
    TooManyReplications(u64),
    /// More than a scenario file can hold.
    #[error("a seed goes from 0 to 2^63 - 1, not {0}")]
    Seed(u64),
}
