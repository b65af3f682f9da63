//! What can go wrong between a run and its folder.

use std::path::PathBuf;

/// A result folder that could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// Something else is there already.
    #[error("{} exists and is not just a result folder (see {})", .0.display(), .1)]
    Occupied(PathBuf, String),
    /// An older result is there, and nobody said that it may be replaced.
    #[error("{} holds an older result; say that it may be replaced, or choose another place", .0.display())]
    Older(PathBuf),
    /// Real packets that were recorded are there, and would be lost.
    #[error("{} holds real packets that were recorded ({}) and cannot be made again", .0.display(), .1)]
    Recorded(PathBuf, String),
    /// A symbolic link is there, in whose place no folder can be moved.
    #[error("{} is a symbolic link, which no folder can take the place of", .0.display())]
    Link(PathBuf),
    /// The path names no folder that could be made.
    #[error("{} does not name a folder", .0.display())]
    NoName(PathBuf),
    /// Nobody wants it any more.
    #[error("stopped before {} was complete", .0.display())]
    Stopped(PathBuf),
    /// The operating system refused.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// What was being written.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A Parquet table could not be encoded.
    #[error("cannot write {}: {source}", path.display())]
    Parquet {
        /// The table's file.
        path: PathBuf,
        /// Why it failed.
        source: parquet::errors::ParquetError,
    },
    /// A CSV table could not be encoded.
    #[error("cannot write {}: {source}", path.display())]
    Csv {
        /// The table's file.
        path: PathBuf,
        /// Why it failed.
        source: csv::Error,
    },
    /// The manifest could not be encoded.
    #[error("cannot write the manifest: {0}")]
    Manifest(#[from] serde_json::Error),
}

impl ResultsError {
    /// An operating-system error with the path it happened at.
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}
