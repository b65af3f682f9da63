//! Arrivals in run folders: what real runs wrote down.

use crate::batch::{Batch, Job};
use fairwire_core::Span;
use fairwire_net::{ArrivalsJournal, ArrivalsJournalError, Closing};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Journals are called `arrivals-LAW-SEED-RUN.fwa`.
const PREFIX: &str = "arrivals-";
const ENDING: &str = "fwa";

/// Which run something is of that lies in a run folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunHeader {
    /// The law that ran.
    pub law: String,
    /// The experiment.
    pub seed: u64,
    /// The replication.
    pub run: u64,
    /// How long it was to be.
    pub duration_ns: u64,
}

/// What a run folder holds of a real run.
#[derive(Debug)]
pub struct Arrivals {
    /// Which run.
    pub header: RunHeader,
    /// Where they lie.
    pub path: PathBuf,
    /// All that came.
    pub(crate) journal: ArrivalsJournal,
    pub(crate) closing: Closing,
}

/// Why arrivals cannot be brought again. [`ArrivalsError::help`] says how to mend it.
#[derive(Debug, thiserror::Error)]
pub enum ArrivalsError {
    /// The folder has none.
    #[error("there are no arrivals in {0}")]
    None(PathBuf),
    /// The file system says no.
    #[error("cannot read {0}: {1}")]
    Unread(PathBuf, io::Error),
    /// A file that is no journal, or a broken one.
    #[error("{0}: {1}")]
    Journal(PathBuf, ArrivalsJournalError),
    /// A journal without what the command writes into it.
    #[error("{0}: the journal of arrivals does not say which run it is of")]
    Nameless(PathBuf),
    /// The scenario beside it is another one.
    #[error("{0}: {1}: the arrivals are of another scenario")]
    Foreign(PathBuf, String),
}

impl ArrivalsError {
    /// How to mend it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::None(_) | Self::Unread(..) => "name the folder of a run with `--real`",
            Self::Journal(..) | Self::Nameless(_) => "run the scenario with `--real` anew",
            Self::Foreign(..) => "replay the folder as it was written",
        }
    }
}

impl RunHeader {
    /// Of a run of `batch`.
    pub fn of(batch: &Batch, job: Job) -> Self {
        let run = batch.seeded[job.seed].run();
        let law = batch.laws[job.law].about().name.to_owned();
        Self { law, seed: run.seed, run: job.run, duration_ns: run.duration.as_nanos() }
    }

    /// A file of the run, in its folder.
    pub fn file_name(&self, prefix: &str, ending: &str) -> String {
        format!("{prefix}{}-{}-{}.{ending}", self.law, self.seed, self.run)
    }

    /// That of its arrivals.
    pub fn arrivals_name(&self) -> String {
        self.file_name(PREFIX, ENDING)
    }

    /// How long the run was to be.
    pub fn duration(&self) -> Span {
        Span::from_nanos(self.duration_ns)
    }
}

/// Reads all journals of a run folder, in the order of their names.
pub(crate) fn read_all(folder: &Path) -> Result<Vec<Arrivals>, ArrivalsError> {
    let entries = fs::read_dir(folder).map_err(|error| ArrivalsError::Unread(folder.to_owned(), error))?;
    let is_journal = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with(PREFIX) && name.ends_with(&format!(".{ENDING}"))
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_journal).collect();
    paths.sort();
    if paths.is_empty() {
        return Err(ArrivalsError::None(folder.to_owned()));
    }
    paths.into_iter().map(Arrivals::read).collect()
}

impl Arrivals {
    fn read(path: PathBuf) -> Result<Self, ArrivalsError> {
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => return Err(ArrivalsError::Unread(path, error)),
        };
        let journal = match ArrivalsJournal::read(&bytes) {
            Ok(journal) => journal,
            Err(error) => return Err(ArrivalsError::Journal(path, error)),
        };
        let header = serde_json::from_str(&journal.note).ok();
        let (Some(header), Some(closing)) = (header, Closing::from_note(&journal.closing)) else {
            return Err(ArrivalsError::Nameless(path));
        };
        Ok(Self { header, path, journal, closing })
    }
}
