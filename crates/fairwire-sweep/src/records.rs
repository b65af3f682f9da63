//! Records that are made once and kept, a line of JSON each, under a key: a hash of all that determines them.
//!
//! Work that ends at any moment goes on where it ended, and work done in several places comes together. Sweeps, scoreboards and
//! comparisons with real runs keep what they find this way.

use crate::error::SweepError;
use crate::journal::{self, Journal, LineAddress};
use crate::key::Key;
use crate::plan::Part;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Something that is kept.
pub trait Record: Serialize + DeserializeOwned {
    /// What files of it are called: `NAME.jsonl`.
    const NAME: &'static str;

    /// What it is known by.
    fn key(&self) -> Key;

    /// Which of the replications under its key it is.
    fn run(&self) -> u64 {
        0
    }
}

const ENDING: &str = ".jsonl";

/// No replication beyond this is kept: nobody asks for so many.
const MOST_RUNS: u64 = 1 << 24;

/// What is wrong with a record that is no other's.
type Fits<R> = Box<dyn Fn(&R) -> Result<(), String> + Send + Sync>;

/// The records of a folder.
pub struct Records<R> {
    folder: PathBuf,
    state: RwLock<State>,
    /// Where each record has one right form: what is wrong with one.
    fits: Option<Fits<R>>,
}

impl<R> fmt::Debug for Records<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("folder", &self.folder).finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct State {
    journal: Journal,
    index: Index,
}

/// Where each record stands.
#[derive(Debug, Default)]
struct Index {
    places: BTreeMap<Key, Vec<LineAddress>>,
    /// Whether only keys count that were there at first.
    is_closed: bool,
    known: u64,
    /// The first line that is no record.
    unreadable: LineAddress,
    /// Lines that tell of a record that another line tells of: the earlier one, and the later.
    again: Vec<[LineAddress; 2]>,
    /// The first record that does not fit, and why.
    unfit: Option<(LineAddress, String)>,
}

impl<R: Record> Records<R> {
    /// Opens the file in `folder`, which is made if need be; `fresh` forgets what it holds.
    ///
    /// # Errors
    /// If the operating system refuses, or another process writes it.
    pub fn open(folder: &Path, fresh: bool) -> Result<Self, SweepError> {
        Self::open_own(folder, None, fresh, Index::default(), None)
    }

    /// Opens the files in `folder`, and knows of nothing but records under `keys`. A part has a file of its own, and reads that of
    /// the whole; the whole reads those of all parts. Where records have one
    /// right form, `fits` knows of it.
    ///
    /// # Errors
    /// As [`Records::open`], and if a record does not fit, or contradicts another of the same.
    pub(crate) fn open_of(
        folder: &Path,
        part: Option<Part>,
        keys: impl Iterator<Item = Key>,
        fits: Option<Fits<R>>,
    ) -> Result<Self, SweepError> {
        let records = Self::open_own(folder, part, false, Index::of(keys), fits)?;
        let (own, whole) = (records.read().journal.own().to_owned(), path_of::<R>(folder, None));
        let others = files_of::<R>(folder)?.into_iter();
        let mut others = others.filter(|other| *other != own && (part.is_none() || *other == whole));
        match others.try_for_each(|other| records.read_file(&other)) {
            Ok(()) => Ok(records),
            Err(error) => {
                // What is wrong is what to tell.
                let _ = records.leave();
                Err(error)
            }
        }
    }

    /// Reads the files in `folder`, and knows of nothing but records under `keys`. Nothing can be added.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(crate) fn peek(folder: &Path, keys: impl Iterator<Item = Key>) -> Result<Self, SweepError> {
        let journal = Journal::of_nothing(&path_of::<R>(folder, None));
        let state = State { journal, index: Index::of(keys) };
        let records = Self { folder: folder.to_owned(), state: RwLock::new(state), fits: None };
        records.read_too(folder)?;
        Ok(records)
    }

    fn open_own(
        folder: &Path,
        part: Option<Part>,
        fresh: bool,
        mut index: Index,
        fits: Option<Fits<R>>,
    ) -> Result<Self, SweepError> {
        let own = path_of::<R>(folder, part);
        let journal = Journal::open(&own, fresh, &mut |line, place| index.found(line, place, fits.as_ref()))?;
        index.check(&journal)?;
        Ok(Self { folder: folder.to_owned(), state: RwLock::new(State { journal, index }), fits })
    }

    /// Takes over what another folder holds.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read_too(&self, folder: &Path) -> Result<(), SweepError> {
        files_of::<R>(folder)?.iter().try_for_each(|path| self.read_file(path))
    }

    fn read_file(&self, path: &Path) -> Result<(), SweepError> {
        let State { journal, index } = &mut *self.write();
        journal.read_too(path, &mut |line, place| index.found(line, place, self.fits.as_ref()))?;
        index.check(journal)
    }

    /// The first line that no record can be read from, as `FILE:LINE`.
    pub(crate) fn unreadable(&self) -> Option<String> {
        let State { journal, index } = &*self.read();
        let (path, line) = index.unreadable.is_some().then(|| journal.name_of(index.unreadable))?;
        Some(format!("{}:{line}", path.display()))
    }

    /// Leaves without a file where none of it holds anything.
    ///
    /// # Errors
    /// If the operating system refuses.
    pub(crate) fn leave(self) -> Result<(), SweepError> {
        let (own, is_empty) = (self.read().journal.own().to_owned(), self.read().journal.is_empty());
        if is_empty { fs::remove_file(&own).map_err(SweepError::io("remove", &own)) } else { Ok(()) }
    }

    /// Where they are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many there are.
    pub fn known(&self) -> u64 {
        self.read().index.known
    }

    /// Whether all of some replications are there.
    pub fn knows(&self, key: Key, runs: Range<u64>) -> bool {
        let state = self.read();
        let places = state.index.of_key(key);
        runs.into_iter().all(|run| places.get(run as usize).is_some_and(|place| place.is_some()))
    }

    /// Which of some replications are not there, in pieces.
    pub fn missing(&self, key: Key, runs: Range<u64>) -> Vec<Range<u64>> {
        let state = self.read();
        let places = state.index.of_key(key);
        let is_known = |run: &u64| places.get(*run as usize).is_some_and(|place| place.is_some());
        pieces(runs.filter(|run| !is_known(run)))
    }

    /// The first replication that is not there.
    pub(crate) fn first_missing(&self, key: Key) -> u64 {
        let state = self.read();
        let places = state.index.of_key(key);
        places.iter().position(|place| !place.is_some()).unwrap_or(places.len()) as u64
    }

    /// Keeps a record.
    ///
    /// # Errors
    /// If it cannot be written; all that was written before stays.
    pub fn keep(&self, record: &R) -> Result<(), SweepError> {
        self.keep_all(std::slice::from_ref(record))
    }

    /// Keeps several records, in one piece.
    ///
    /// # Errors
    /// If not all of them can be written; those that were stay.
    pub fn keep_all(&self, records: &[R]) -> Result<(), SweepError> {
        let mut text = Vec::new();
        for record in records {
            serde_json::to_writer(&mut text, record).map_err(|error| self.garbled(&error))?;
            text.push(b'\n');
        }
        let State { journal, index } = &mut *self.write();
        let mut written = records.iter();
        journal.add(&text, &mut |place| {
            if let Some(record) = written.next() {
                index.put(record.key(), record.run(), place);
            }
        })
    }

    /// Replications of which all have to be there.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn all(&self, key: Key, runs: Range<u64>) -> Result<Vec<R>, SweepError> {
        let state = self.read();
        let places = state.index.of_key(key);
        let mut line = Vec::new();
        let read = |run: u64| {
            state.journal.line(places.get(run as usize).copied().unwrap_or_default(), &mut line)?;
            serde_json::from_slice(&line).map_err(|error| self.garbled(&error))
        };
        runs.map(read).collect()
    }

    /// The record under a key.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn get(&self, key: Key) -> Result<Option<R>, SweepError> {
        if self.knows(key, 0..1) { Ok(self.all(key, 0..1)?.pop()) } else { Ok(None) }
    }

    /// The record under a key, or that which `make` makes now; none where it makes none.
    ///
    /// # Errors
    /// Those of `make`, and if it cannot be read or kept.
    pub fn get_or_make<E: From<SweepError>>(
        &self,
        key: Key,
        make: impl FnOnce() -> Result<Option<R>, E>,
    ) -> Result<Option<R>, E> {
        if let Some(known) = self.get(key)? {
            return Ok(Some(known));
        }
        let made = make()?;
        made.iter().try_for_each(|record| self.keep(record))?;
        Ok(made)
    }

    /// Removes all files of it in its folder: everything they hold stands elsewhere.
    ///
    /// # Errors
    /// If the operating system refuses, or a part is still at work.
    pub(crate) fn remove(self) -> Result<(), SweepError> {
        let own = self.read().journal.own().to_owned();
        files_of::<R>(&self.folder)?.iter().filter(|path| **path != own).try_for_each(|path| journal::remove(path))?;
        fs::remove_file(&own).map_err(SweepError::io("remove", &own))
    }

    fn garbled(&self, error: &serde_json::Error) -> SweepError {
        SweepError::Garbled(format!("{}{ENDING} in {}: {error}", R::NAME, self.folder.display()))
    }

    /// A thread that panicked has left nothing half done: lines are whole or not there.
    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Index {
    /// Of nothing but records under `keys`.
    fn of(keys: impl Iterator<Item = Key>) -> Self {
        Self { places: keys.map(|key| (key, Vec::new())).collect(), is_closed: true, ..Self::default() }
    }

    /// A line of a file. Lines of another format are those of another version: they are of no use, and do no harm.
    fn found<R: Record>(&mut self, line: &[u8], place: LineAddress, fits: Option<&Fits<R>>) {
        let Ok(record) = serde_json::from_slice::<R>(line) else {
            if !self.unreadable.is_some() {
                self.unreadable = place;
            }
            return;
        };
        let (key, run) = (record.key(), record.run());
        if let Some(fits) = fits {
            if let (Err(why), None) = (fits(&record), &self.unfit) {
                self.unfit = Some((place, why));
            }
            if let Some(earlier) = self.of_key(key).get(run as usize).filter(|earlier| earlier.is_some()) {
                self.again.push([*earlier, place]);
            }
        }
        self.put(key, run, place);
    }

    /// Whether all that was found fits together.
    fn check(&mut self, journal: &Journal) -> Result<(), SweepError> {
        if let Some((place, why)) = self.unfit.take() {
            let (path, line) = journal.name_of(place);
            return Err(SweepError::Line { path, line, why });
        }
        let (mut one, mut other) = (Vec::new(), Vec::new());
        for [earlier, later] in std::mem::take(&mut self.again) {
            journal.line(earlier, &mut one)?;
            journal.line(later, &mut other)?;
            if one != other {
                let (path, line) = journal.name_of(later);
                let (first, at) = journal.name_of(earlier);
                let why = format!("the run came to something else in {}:{at}", first.display());
                return Err(SweepError::Line { path, line, why });
            }
        }
        Ok(())
    }

    fn put(&mut self, key: Key, run: u64, place: LineAddress) {
        if run >= MOST_RUNS || (self.is_closed && !self.places.contains_key(&key)) {
            return;
        }
        let (places, run) = (self.places.entry(key).or_default(), run as usize);
        if places.len() <= run {
            places.resize(run + 1, LineAddress::NONE);
        }
        self.known += u64::from(!places[run].is_some());
        places[run] = place;
    }

    fn of_key(&self, key: Key) -> &[LineAddress] {
        self.places.get(&key).map_or(&[], |places| places)
    }
}

/// Whether a file of this name holds records of this kind.
pub(crate) fn is_of<R: Record>(name: &str) -> bool {
    let of_part = |part: &str| Part::parse(&part.replacen("-of-", "/", 1)).is_some();
    let middle = name.strip_prefix(R::NAME).and_then(|rest| rest.strip_suffix(ENDING));
    middle.is_some_and(|middle| middle.is_empty() || middle.strip_prefix('-').is_some_and(of_part))
}

/// The file of a folder, or that of a part.
pub(crate) fn path_of<R: Record>(folder: &Path, part: Option<Part>) -> PathBuf {
    let part = part.map_or(String::new(), |part| format!("-{}-of-{}", part.number, part.of));
    folder.join(format!("{}{part}{ENDING}", R::NAME))
}

/// The files of this kind in a folder, in the order of their names.
fn files_of<R: Record>(folder: &Path) -> Result<Vec<PathBuf>, SweepError> {
    let entries = fs::read_dir(folder).map_err(SweepError::io("read", folder))?;
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry.map_err(SweepError::io("read", folder))?;
        if entry.file_name().to_str().is_some_and(is_of::<R>) {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

/// Numbers that rise, as ranges.
pub(crate) fn pieces(numbers: impl IntoIterator<Item = u64>) -> Vec<Range<u64>> {
    let mut pieces: Vec<Range<u64>> = Vec::new();
    for number in numbers {
        match pieces.last_mut() {
            Some(last) if last.end == number => last.end += 1,
            _ => pieces.push(number..number + 1),
        }
    }
    pieces
}
