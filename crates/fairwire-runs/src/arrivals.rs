//! Arrivals in run folders: what real runs wrote down, brought again.

use crate::batch::{Batch, FinishedRun, Job};
use crate::reference::Reference;
use fairwire_core::{Instant, Span};
use fairwire_net::{Closing, Journal, JournalError};
use fairwire_plan::PlanError;
use fairwire_sim::{BringError, Steps};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant as Clock;

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
    journal: Journal,
    closing: Closing,
}

/// A run whose packets were brought again.
#[derive(Debug)]
pub struct Replayed<'a> {
    /// The run.
    pub run: FinishedRun,
    /// What could not be carried over when it was real, and what to know of the replay.
    pub cautions: Vec<String>,
    /// Its arrivals, if they are those under its own law.
    pub own: Option<&'a Arrivals>,
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
    Journal(PathBuf, JournalError),
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
///
/// # Errors
/// If there is none, or one cannot be read.
pub fn read_arrivals(folder: &Path) -> Result<Vec<Arrivals>, ArrivalsError> {
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
        let journal = match Journal::read(&bytes) {
            Ok(journal) => journal,
            Err(error) => return Err(ArrivalsError::Journal(path, error)),
        };
        let header = serde_json::from_str(&journal.note).ok();
        let (Some(header), Some(closing)) = (header, Closing::from_note(&journal.closing)) else {
            return Err(ArrivalsError::Nameless(path));
        };
        Ok(Self { header, path, journal, closing })
    }

    /// The replications that there are of.
    pub fn runs(all: &[Self]) -> std::ops::Range<u64> {
        let numbers = || all.iter().map(|arrivals| arrivals.header.run);
        numbers().min().unwrap_or(0)..numbers().max().unwrap_or(0) + 1
    }

    /// The laws that ran, each once.
    pub fn laws(all: &[Self]) -> Vec<&str> {
        let mut names: Vec<&str> = all.iter().map(|arrivals| arrivals.header.law.as_str()).collect();
        names.dedup();
        names
    }
}

impl Batch {
    /// Brings the arrivals of one run again: those under its law if there are such, else any of its seed and replication. None
    /// if there is no such run, or if `watch`, which is told how far it has come, from 0 to 1, answers `false`.
    ///
    /// # Errors
    /// If they are of another scenario.
    pub fn replay<'a>(
        &self,
        job: Job,
        all: &'a [Arrivals],
        reference: &Reference,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Option<Replayed<'a>>, ArrivalsError> {
        let header = RunHeader::of(self, job);
        let same = |arrivals: &&Arrivals| (arrivals.header.seed, arrivals.header.run) == (header.seed, header.run);
        let of_law = |arrivals: &&Arrivals| arrivals.header.law == header.law;
        let found = all.iter().filter(same).find(of_law).or_else(|| all.iter().find(same));
        let Some(arrivals) = found else { return Ok(None) };
        let foreign = |what: String| ArrivalsError::Foreign(arrivals.path.clone(), what);
        let (told, declared) = (arrivals.closing.tcp.len(), self.scenario().flows().len());
        let carried = if told > declared { self.carried_open(job) } else { self.carried(job) };
        let mut run = carried.map_err(|error: PlanError| foreign(error.to_string()))?;
        if run.flows() != told {
            return Err(foreign(format!("it tells of {told} flows")));
        }
        let until = Instant::from_nanos(arrivals.closing.reached_ns);
        let end = until.as_secs_f64();
        let mut watch = |now: Instant| watch(now.as_secs_f64() / end);
        let started = Clock::now();
        let brought = fairwire_net::replay(&mut run, &arrivals.journal.arrivals, until, &mut watch);
        brought.map_err(|error: BringError| foreign(error.to_string()))?;
        if run.now() < until {
            return Ok(None);
        }
        let is_own = header.law == arrivals.header.law;
        let mut cautions = arrivals.closing.cautions.clone();
        if !is_own {
            cautions.push(format!(
                "the arrivals are those under {}: nobody who sent them hears what {} does to them",
                arrivals.header.law, header.law
            ));
        }
        let (run, _) = self.finish_carried(job, run, &arrivals.closing.tcp, reference, started.elapsed().as_secs_f64());
        Ok(Some(Replayed { run, cautions, own: is_own.then_some(arrivals) }))
    }
}
