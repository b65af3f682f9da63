//! What can go wrong on the way to a score.

use fairwire_alloc::AllocError;
use fairwire_plan::PlanError;
use fairwire_sweep::SweepError;
use std::path::PathBuf;

/// A scoreboard that cannot be filled.
#[derive(Debug, thiserror::Error)]
pub enum ScoreError {
    /// There is no case of that name.
    #[error("there is no case `{0}`: use ring-NUMBER, lot-2 to lot-32, or the name of a paper's scenario")]
    UnknownCase(String),
    /// There is no queue-law case of that name.
    #[error("there is no case `{0}`")]
    UnknownAqmCase(String),
    /// There is no network of that name on the board of explicit rates.
    #[error("there is no case `{0}`: use network-NUMBER, paper-lan or paper-wan")]
    UnknownRatesCase(String),
    /// The scenario of a case does not read.
    #[error("the scenario of {case} is wrong: {message}")]
    Scenario {
        /// The case.
        case: String,
        /// What is wrong with it.
        message: String,
    },
    /// There are no fair rates to compare with.
    #[error("{case} has no reference: {source}")]
    Reference {
        /// The case.
        case: String,
        /// What the solver says.
        source: AllocError,
    },
    /// A case that cannot be run under a law.
    #[error("{case} cannot be run under {law}: {source}")]
    Plan {
        /// The case.
        case: String,
        /// The law.
        law: &'static str,
        /// Why not.
        source: PlanError,
    },
    /// A run broke an invariant: its numbers are worth nothing.
    #[error("{case} under {law} broke an invariant: {violation}")]
    Invariant {
        /// The case.
        case: String,
        /// The law.
        law: &'static str,
        /// Which.
        violation: String,
    },
    /// What is kept cannot be had, or not be added to.
    #[error(transparent)]
    Store(#[from] SweepError),
    /// The operating system refused.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A table could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Csv {
        /// The table's file.
        path: PathBuf,
        /// Why it failed.
        source: csv::Error,
    },
}

impl ScoreError {
    pub(crate) fn io(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { doing, path, source }
    }
}
