//! What can go wrong on the way to a score.

use fairwire_alloc::AllocError;

/// A case that cannot be scored.
#[derive(Debug, thiserror::Error)]
pub enum ScoreError {
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
}
