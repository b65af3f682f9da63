//! What the runs of a sweep came to.

use crate::error::SweepError;
use crate::key::Key;
use crate::plan::{Part, Plan};
use crate::records::{Record, Records, pieces};
use crate::series::SeriesLine;
use crate::task::TaskAnswer;
use crate::work::EndedRun;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// What one run came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunLine {
    /// What all runs of its point are known by.
    pub key: Key,
    /// The replication.
    pub run: u64,
    /// Invariants of the simulator that broke.
    pub broken: u64,
    /// What to know before trusting it.
    pub warning: Option<String>,
    /// Packets sent over one link each.
    pub hops: u64,
    /// What was measured, in the order of the point's columns.
    pub values: Vec<Option<f64>>,
}

impl Record for RunLine {
    const NAME: &'static str = "journal";

    fn key(&self) -> Key {
        self.key
    }

    fn run(&self) -> u64 {
        self.run
    }
}

/// The runs of a sweep that are known.
#[derive(Debug)]
pub struct Store {
    runs: Records<RunLine>,
    /// Their series, where they are asked for.
    series: Option<Series>,
}

#[derive(Debug)]
struct Series {
    known: Records<SeriesLine>,
    /// Whether the folder has those of all runs already, in files.
    are_written: AtomicBool,
}

impl Store {
    /// Opens the journals in `folder`, which is made if need be. A part has journals of its own.
    ///
    /// # Errors
    /// If the operating system refuses, or another process writes the same journal.
    pub fn open(folder: &Path, plan: &Plan, part: Option<Part>) -> Result<Self, SweepError> {
        let keys = || plan.points.iter().map(|point| point.key);
        let values: BTreeMap<Key, usize> =
            (0..plan.points.len()).map(|at| (plan.points[at].key, plan.columns(at).columns.len())).collect();
        let fits = move |line: &RunLine| match values.get(&line.key) {
            Some(count) if *count != line.values.len() => {
                Err(format!("the run has {} of {count} values", line.values.len()))
            }
            _ => Ok(()),
        };
        let runs = Records::open_of(folder, part, keys(), Some(Box::new(fits)))?;
        let series = plan.with_series.then(|| {
            let known = Records::open_of(folder, part, keys(), None)?;
            Ok::<_, SweepError>(Series { known, are_written: AtomicBool::new(false) })
        });
        Ok(Self { runs, series: series.transpose()? })
    }

    /// Takes over what the journals in another folder hold.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn read_too(&self, folder: &Path) -> Result<(), SweepError> {
        self.runs.read_too(folder)?;
        self.series.iter().try_for_each(|series| series.known.read_too(folder))
    }

    /// The first line of its journals that no run can be read from, as `FILE:LINE`.
    pub fn unreadable(&self) -> Option<String> {
        self.runs.unreadable()
    }

    /// Leaves its folder without journals of its own that nothing stands in.
    ///
    /// # Errors
    /// If the operating system refuses.
    pub fn leave(self) -> Result<(), SweepError> {
        self.runs.leave()?;
        self.series.map_or(Ok(()), |series| series.known.leave())
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        self.runs.folder()
    }

    /// How many runs of the plan are known.
    pub fn known(&self) -> u64 {
        self.runs.known()
    }

    /// Whether all of some runs of a point are known.
    pub fn knows(&self, key: Key, runs: Range<u64>) -> bool {
        self.runs.knows(key, runs.clone()) && self.missing_series().is_none_or(|series| series.knows(key, runs))
    }

    /// Whether what a run came to is known, whatever there is of its series.
    pub(crate) fn knows_line(&self, key: Key, run: u64) -> bool {
        self.runs.knows(key, run..run + 1)
    }

    /// Which of some runs of a point are not known, in pieces.
    pub fn missing(&self, key: Key, runs: Range<u64>) -> Vec<Range<u64>> {
        let Some(series) = self.missing_series() else { return self.runs.missing(key, runs) };
        let both = [self.runs.missing(key, runs.clone()), series.missing(key, runs)];
        let missing: BTreeSet<u64> = both.into_iter().flatten().flatten().collect();
        pieces(missing)
    }

    /// The series that are kept, where they count.
    fn missing_series(&self) -> Option<&Records<SeriesLine>> {
        self.series.as_ref().filter(|series| !series.are_written.load(Ordering::Relaxed)).map(|series| &series.known)
    }

    /// The series that are kept and are still to be written.
    pub(crate) fn series_to_write(&self) -> Option<&Records<SeriesLine>> {
        self.missing_series()
    }

    /// Says whether the folder has the series of all runs already.
    pub(crate) fn series_are_written(&self, are_written: bool) {
        self.series.iter().for_each(|series| series.are_written.store(are_written, Ordering::Relaxed));
    }

    /// Whether series are asked for.
    pub fn has_series(&self) -> bool {
        self.series.is_some()
    }

    /// Keeps what a run came to.
    ///
    /// # Errors
    /// If it cannot be written; all that was written before stays.
    pub(crate) fn keep(&self, run: &EndedRun) -> Result<(), SweepError> {
        // First its series: a run that is known has them.
        if let (Some(series), Some(line)) = (&self.series, &run.series) {
            series.known.keep(line)?;
        }
        self.runs.keep(&run.line)
    }

    /// Keeps what the runs of a task came to.
    ///
    /// # Errors
    /// As for one run.
    pub fn keep_answer(&self, answer: &TaskAnswer) -> Result<(), SweepError> {
        if let Some(series) = &self.series {
            series.known.keep_all(&answer.series)?;
        }
        self.runs.keep_all(&answer.lines)
    }

    /// Keeps what several runs came to, in one piece.
    ///
    /// # Errors
    /// If not all of it can be written; what was written stays.
    pub(crate) fn keep_all(&self, lines: &[RunLine]) -> Result<(), SweepError> {
        self.runs.keep_all(lines)
    }

    /// What some runs of a point came to, all of which have to be known.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn lines(&self, key: Key, runs: Range<u64>) -> Result<Vec<RunLine>, SweepError> {
        self.runs.all(key, runs)
    }

    /// What the runs of a point came to that are known from the first one on, up to the first that is not.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn first_lines(&self, key: Key) -> Result<Vec<RunLine>, SweepError> {
        self.runs.all(key, 0..self.runs.first_missing(key))
    }

    /// Removes all journals in its folder: everything they hold stands elsewhere.
    ///
    /// # Errors
    /// If the operating system refuses, or a part is still at work.
    pub fn remove(self) -> Result<(), SweepError> {
        self.runs.remove()?;
        self.series.map_or(Ok(()), |series| series.known.remove())
    }
}
