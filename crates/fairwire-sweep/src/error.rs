//! What keeps a sweep from going on.

use fairwire_alloc::AllocError;
use fairwire_plan::PlanError;
use fairwire_scenario::Diagnostics;
use std::io;
use std::path::PathBuf;

/// What keeps a sweep from going on.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// A point whose scenario is wrong, or a table of points that does not fit.
    #[error("{0}")]
    Scenario(#[from] Diagnostics),
    /// A point for which no fair rates can be found.
    #[error("point {point} ({set}): {source}")]
    Unsolved {
        /// Its position, from 0.
        point: usize,
        /// What is set there.
        set: String,
        /// Why there are none.
        source: AllocError,
    },
    /// A point that cannot be run.
    #[error("point {point} ({set}): {source}")]
    Plan {
        /// Its position, from 0.
        point: usize,
        /// What is set there.
        set: String,
        /// Why not.
        source: PlanError,
    },
    /// A table of points that cannot be read.
    #[error("cannot read {}: {message}", path.display())]
    Points {
        /// The file.
        path: PathBuf,
        /// Why not.
        message: String,
    },
    /// The operating system refuses.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// With which file.
        path: PathBuf,
        /// What it says.
        source: io::Error,
    },
    /// A table whose bytes are not those that were written.
    #[error("{} is damaged: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What shows it.
        why: String,
    },
    /// A line of a journal that no run has left there.
    #[error("{}:{line}: {why}", path.display())]
    Line {
        /// The journal.
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// The folder holds something else than a sweep.
    #[error("{} holds {stranger:?}, which no sweep has left there", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// The file that shows it.
        stranger: String,
    },
    /// Another process works there.
    #[error("another process works in {}", .0.display())]
    Busy(PathBuf),
    /// Work of another build.
    #[error("the work is for build {wanted}, and this is build {found}")]
    OtherBuild {
        /// The build that gives out work.
        wanted: String,
        /// The build that was to do it.
        found: String,
    },
    /// What travelled is no work, or no answer.
    #[error("what came is not what was sent: {0}")]
    Garbled(String),
}

impl SweepError {
    pub(crate) fn io(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { doing, path, source }
    }
}
