//! What every run came to: one JSON object a line, in a journal.
//!
//! A line is written in one piece: a process that is killed leaves whole lines and at most one torn end, which is dropped. What is in
//! memory is where each line begins.

use crate::error::SweepError;
use crate::key::Key;
use crate::plan::{Part, Plan};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What one run came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunLine {
    /// What all runs of its point are known by.
    pub key: String,
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

/// The journals of a sweep, and where each run stands in them.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    own: PathBuf,
    keys: BTreeMap<Key, u32>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The journals; the first is written to.
    files: Vec<File>,
    end: u64,
    /// Where each run begins, by slot and replication.
    places: Vec<Vec<Place>>,
    /// How many runs of this plan are known.
    known: u64,
}

/// A journal and an offset in it.
#[derive(Clone, Copy, Debug, Default)]
struct Place(u64);

impl Place {
    const UNKNOWN: Self = Self(0);

    fn new(file: usize, offset: u64) -> Self {
        Self(((file as u64 + 1) << 44) | offset)
    }

    fn get(self) -> Option<(usize, u64)> {
        let file = (self.0 >> 44) as usize;
        (file > 0).then(|| (file - 1, self.0 & ((1 << 44) - 1)))
    }
}

const JOURNAL: &str = "journal";
const ENDING: &str = ".jsonl";

/// Whether a file of this name is a journal.
pub(crate) fn is_journal(name: &str) -> bool {
    name.starts_with(JOURNAL) && name.ends_with(ENDING)
}

impl Store {
    /// Opens the journals in `folder`, which is made if need be. A part has a journal of its own.
    ///
    /// # Errors
    /// If the operating system refuses, or another process writes the same journal.
    pub fn open(folder: &Path, plan: &Plan, part: Option<Part>) -> Result<Self, SweepError> {
        fs::create_dir_all(folder).map_err(SweepError::io("make", folder))?;
        let name = part
            .map_or(format!("{JOURNAL}{ENDING}"), |part| format!("{JOURNAL}-{}-of-{}{ENDING}", part.number, part.of));
        let own = folder.join(name);
        let opened = OpenOptions::new().create(true).append(true).read(true).open(&own);
        let file = opened.map_err(SweepError::io("open", &own))?;
        lock(&file, &own, folder)?;
        let keys: BTreeMap<Key, u32> = plan.points.iter().map(|point| (point.key, point.slot)).collect();
        let state = State { files: Vec::new(), end: 0, places: vec![Vec::new(); plan.slots], known: 0 };
        let store = Self { folder: folder.to_owned(), own: own.clone(), keys, state: Mutex::new(state) };
        store.load(file, &own, true)?;
        for other in store.others(part)? {
            let file = File::open(&other).map_err(SweepError::io("open", &other))?;
            store.load(file, &other, false)?;
        }
        Ok(store)
    }

    /// Takes over what the journals in another folder hold.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn read_too(&self, folder: &Path) -> Result<(), SweepError> {
        for path in journals(folder)? {
            let file = File::open(&path).map_err(SweepError::io("open", &path))?;
            self.load(file, &path, false)?;
        }
        Ok(())
    }

    /// The other journals in the folder. The whole sweep reads those of parts, a part that of the whole.
    fn others(&self, part: Option<Part>) -> Result<Vec<PathBuf>, SweepError> {
        let mut all = journals(&self.folder)?;
        let whole = self.folder.join(format!("{JOURNAL}{ENDING}"));
        all.retain(|path| *path != self.own && (part.is_none() || *path == whole));
        Ok(all)
    }

    fn load(&self, file: File, path: &Path, own: bool) -> Result<(), SweepError> {
        let failed = || SweepError::io("read", path);
        let Ok(mut state) = self.state.lock() else { return Ok(()) };
        let number = state.files.len();
        let mut reader = BufReader::new(file.try_clone().map_err(failed())?);
        let (mut text, mut offset) = (Vec::new(), 0);
        let mut torn = false;
        loop {
            text.clear();
            let length = reader.read_until(b'\n', &mut text).map_err(failed())? as u64;
            if length == 0 {
                break;
            }
            torn = !text.ends_with(b"\n");
            // Lines of another format are those of another version: they are of no use, and do no harm.
            if !torn
                && let Ok(line) = serde_json::from_slice::<RunLine>(&text)
                && let Some(slot) = Key::parse(&line.key).and_then(|key| self.keys.get(&key))
            {
                state.put(*slot as usize, line.run, Place::new(number, offset));
            }
            offset += length;
        }
        if own {
            state.end = offset;
        }
        state.files.push(file);
        if own && torn {
            state.files[0].write_all(b"\n").map_err(SweepError::io("write", path))?;
            state.end += 1;
        }
        Ok(())
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many runs of the plan are known.
    pub fn known(&self) -> u64 {
        self.state.lock().map_or(0, |state| state.known)
    }

    /// Whether all of some runs are known.
    pub fn knows(&self, slot: usize, runs: Range<u64>) -> bool {
        self.missing(slot, runs).is_empty()
    }

    /// Which of some runs are not known, in pieces.
    pub fn missing(&self, slot: usize, runs: Range<u64>) -> Vec<Range<u64>> {
        let Ok(state) = self.state.lock() else { return Vec::new() };
        let places = &state.places[slot];
        let mut pieces: Vec<Range<u64>> = Vec::new();
        for run in runs {
            if places.get(run as usize).copied().unwrap_or_default().get().is_some() {
                continue;
            }
            match pieces.last_mut() {
                Some(last) if last.end == run => last.end += 1,
                _ => pieces.push(run..run + 1),
            }
        }
        pieces
    }

    /// Keeps what a run came to.
    ///
    /// # Errors
    /// If it cannot be written; all that was written before stays.
    pub fn keep(&self, line: &RunLine) -> Result<(), SweepError> {
        self.keep_all(std::slice::from_ref(line))
    }

    /// Keeps what several runs came to, in one piece.
    ///
    /// # Errors
    /// As [`Store::keep`].
    pub fn keep_all(&self, lines: &[RunLine]) -> Result<(), SweepError> {
        let (mut text, mut starts) = (Vec::new(), Vec::new());
        for line in lines {
            starts.push(text.len() as u64);
            serde_json::to_writer(&mut text, line).map_err(|error| SweepError::io("write", &self.own)(error.into()))?;
            text.push(b'\n');
        }
        let Ok(mut state) = self.state.lock() else { return Ok(()) };
        if let Err(error) = state.files[0].write_all(&text) {
            // What stands there now is not whole; the next line must not go on with it.
            state.end = state.files[0].metadata().map_or(state.end, |file| file.len());
            return Err(SweepError::io("write", &self.own)(error));
        }
        let end = state.end;
        for (line, start) in lines.iter().zip(starts) {
            if let Some(slot) = Key::parse(&line.key).and_then(|key| self.keys.get(&key)) {
                state.put(*slot as usize, line.run, Place::new(0, end + start));
            }
        }
        state.end = end + text.len() as u64;
        Ok(())
    }

    /// What some runs came to, all of which have to be known.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn lines(&self, slot: usize, runs: Range<u64>) -> Result<Vec<RunLine>, SweepError> {
        let Ok(state) = self.state.lock() else { return Ok(Vec::new()) };
        let mut text = Vec::new();
        let line = |run: u64| {
            let place = state.places[slot].get(run as usize).copied().unwrap_or_default().get();
            let (file, offset) = place.ok_or_else(|| SweepError::Garbled(format!("run {run} is not known")))?;
            let failed = SweepError::io("read", &self.own);
            read_line(&state.files[file], offset, &mut text).map_err(failed)?;
            serde_json::from_slice(&text).map_err(|error| SweepError::io("read", &self.own)(error.into()))
        };
        runs.map(line).collect()
    }

    /// Removes all journals in its folder: everything they hold stands elsewhere.
    ///
    /// # Errors
    /// If the operating system refuses, or a part is still at work.
    pub fn remove(self) -> Result<(), SweepError> {
        for path in journals(&self.folder)?.into_iter().filter(|path| *path != self.own) {
            let file = File::open(&path).map_err(SweepError::io("open", &path))?;
            lock(&file, &path, &self.folder)?;
            fs::remove_file(&path).map_err(SweepError::io("remove", &path))?;
        }
        fs::remove_file(&self.own).map_err(SweepError::io("remove", &self.own))
    }
}

impl State {
    fn put(&mut self, slot: usize, run: u64, place: Place) {
        let places = &mut self.places[slot];
        // A number of runs that nobody asks for is no number of runs.
        let Some(run) = usize::try_from(run).ok().filter(|run| *run < 1 << 24) else { return };
        if places.len() <= run {
            places.resize(run + 1, Place::UNKNOWN);
        }
        self.known += u64::from(places[run].get().is_none());
        places[run] = place;
    }
}

/// Processes that were forked meanwhile hold the same file, and its lock.
impl Drop for Store {
    fn drop(&mut self) {
        if let Some(own) = self.state.get_mut().ok().and_then(|state| state.files.first()) {
            // Nothing is left to do if it cannot be given up.
            let _ = own.unlock();
        }
    }
}

fn lock(file: &File, path: &Path, folder: &Path) -> Result<(), SweepError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(SweepError::Busy(folder.to_owned())),
        // Some file systems know no locks.
        Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(error)) => Err(SweepError::io("lock", path)(error)),
    }
}

/// The journals in a folder, in the order of their names.
fn journals(folder: &Path) -> Result<Vec<PathBuf>, SweepError> {
    let entries = fs::read_dir(folder).map_err(SweepError::io("read", folder))?;
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry.map_err(SweepError::io("read", folder))?;
        if entry.file_name().to_str().is_some_and(is_journal) {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

/// Reads from an offset up to the end of the line.
fn read_line(file: &File, offset: u64, text: &mut Vec<u8>) -> std::io::Result<()> {
    text.clear();
    let mut piece = [0; 4_096];
    loop {
        let read = read_at(file, &mut piece, offset + text.len() as u64)?;
        let end = piece[..read].iter().position(|byte| *byte == b'\n');
        text.extend_from_slice(&piece[..end.unwrap_or(read)]);
        if end.is_some() || read == 0 {
            return Ok(());
        }
    }
}

#[cfg(unix)]
fn read_at(file: &File, piece: &mut [u8], offset: u64) -> std::io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, piece, offset)
}

#[cfg(windows)]
fn read_at(file: &File, piece: &mut [u8], offset: u64) -> std::io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, piece, offset)
}
