//! A file that lines are added to, and others like it that are read, too.
//!
//! Lines are written in one piece: a process that is killed leaves whole lines and at most one torn end, which is dropped. What is in
//! memory is where each line begins.

use crate::error::SweepError;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A line: its file, and an offset in it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LineAddress(u64);

impl LineAddress {
    const OFFSET_BITS: u32 = 44;

    /// No line.
    pub const NONE: Self = Self(0);

    fn new(file: usize, offset: u64) -> Self {
        Self(((file as u64 + 1) << Self::OFFSET_BITS) | offset)
    }

    /// Whether there is a line.
    pub fn is_some(self) -> bool {
        self.0 != 0
    }

    fn get(self) -> Option<(usize, u64)> {
        let file = (self.0 >> Self::OFFSET_BITS) as usize;
        (file > 0).then(|| (file - 1, self.0 & ((1 << Self::OFFSET_BITS) - 1)))
    }
}

/// Files of lines, of which the first is written to.
#[derive(Debug)]
pub(crate) struct Journal {
    own: PathBuf,
    files: Vec<File>,
    /// What they are called.
    paths: Vec<PathBuf>,
    /// Where the next line begins.
    end: u64,
}

impl Journal {
    /// Opens the file, which is made if need be, and keeps other processes from writing to it. `fresh` forgets what it holds.
    /// Each line that is there goes to `found`.
    ///
    /// # Errors
    /// If the operating system refuses, or another process writes it.
    pub fn open(own: &Path, fresh: bool, found: &mut dyn FnMut(&[u8], LineAddress)) -> Result<Self, SweepError> {
        let folder = own.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(SweepError::io("make", folder))?;
        let opened = OpenOptions::new().create(true).append(true).read(true).open(own);
        let file = opened.map_err(SweepError::io("open", own))?;
        lock(&file, own)?;
        if fresh {
            file.set_len(0).map_err(SweepError::io("write", own))?;
        }
        let mut journal = Self::of_nothing(own);
        let (end, is_torn) = journal.read(file, own, found)?;
        journal.end = end;
        if is_torn {
            journal.files[0].write_all(b"\n").map_err(SweepError::io("write", own))?;
            journal.end += 1;
        }
        Ok(journal)
    }

    /// No file yet: others can be read.
    pub fn of_nothing(own: &Path) -> Self {
        Self { own: own.to_owned(), files: Vec::new(), paths: Vec::new(), end: 0 }
    }

    /// The file of a line, and its number in it.
    pub fn name_of(&self, place: LineAddress) -> (PathBuf, usize) {
        let Some((file, offset)) = place.get() else { return (self.own.clone(), 0) };
        let (mut at, mut lines, mut piece) = (0, 0, vec![0; 1 << 16]);
        while at < offset {
            let wanted = piece.len().min((offset - at) as usize);
            let read = read_at(&self.files[file], &mut piece[..wanted], at).unwrap_or(0);
            if read == 0 {
                break;
            }
            lines += piece[..read].iter().filter(|byte| **byte == b'\n').count();
            at += read as u64;
        }
        (self.paths[file].clone(), lines + 1)
    }

    /// Whether nothing stands in the file that is written to.
    pub fn is_empty(&self) -> bool {
        self.end == 0 && !self.files.is_empty()
    }

    /// Reads the lines of another file, which somebody may be writing.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read_too(&mut self, path: &Path, found: &mut dyn FnMut(&[u8], LineAddress)) -> Result<(), SweepError> {
        let file = File::open(path).map_err(SweepError::io("open", path))?;
        self.read(file, path, found).map(drop)
    }

    /// Where a file ends, and whether its last line is torn.
    fn read(
        &mut self,
        file: File,
        path: &Path,
        found: &mut dyn FnMut(&[u8], LineAddress),
    ) -> Result<(u64, bool), SweepError> {
        let failed = || SweepError::io("read", path);
        let mut reader = BufReader::new(file.try_clone().map_err(failed())?);
        let (mut line, mut offset, mut is_torn) = (Vec::new(), 0, false);
        loop {
            line.clear();
            let length = reader.read_until(b'\n', &mut line).map_err(failed())? as u64;
            if length == 0 {
                break;
            }
            is_torn = !line.ends_with(b"\n");
            if !is_torn {
                found(&line, LineAddress::new(self.files.len(), offset));
            }
            offset += length;
        }
        self.files.push(file);
        self.paths.push(path.to_owned());
        Ok((offset, is_torn))
    }

    /// Adds lines, each with its newline at the end, and hands the place of each that stands there whole to `kept`.
    ///
    /// # Errors
    /// If not all of them can be written. What is not whole is taken away again.
    pub fn add(&mut self, text: &[u8], kept: &mut dyn FnMut(LineAddress)) -> Result<(), SweepError> {
        let written = self.files[0].write_all(text);
        let mut whole = text;
        if written.is_err() {
            let length = self.files[0].metadata().map_or(self.end, |file| file.len()).saturating_sub(self.end);
            let there = &text[..text.len().min(usize::try_from(length).unwrap_or(usize::MAX))];
            whole = &there[..there.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1)];
            let end = self.end + whole.len() as u64;
            self.files[0].set_len(end).map_err(SweepError::io("write", &self.own))?;
        }
        for line in whole.split_inclusive(|byte| *byte == b'\n') {
            kept(LineAddress::new(0, self.end));
            self.end += line.len() as u64;
        }
        written.map_err(SweepError::io("write", &self.own))
    }

    /// Reads a line, without its newline.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn line(&self, place: LineAddress, line: &mut Vec<u8>) -> Result<(), SweepError> {
        let Some((file, offset)) = place.get() else {
            return Err(SweepError::Garbled("a run is asked for that is not known".to_owned()));
        };
        line.clear();
        loop {
            // Twice as much each time: lines may be short, and very long.
            let known = line.len();
            line.resize((2 * known).max(1 << 12), 0);
            let read = read_at(&self.files[file], &mut line[known..], offset + known as u64);
            let read = read.map_err(SweepError::io("read", &self.own))?;
            let end = line[known..known + read].iter().position(|byte| *byte == b'\n');
            line.truncate(known + end.unwrap_or(read));
            if end.is_some() || read == 0 {
                return Ok(());
            }
        }
    }

    /// The file that is written to.
    pub fn own(&self) -> &Path {
        &self.own
    }
}

/// Processes that were forked meanwhile hold the same file, and its lock.
impl Drop for Journal {
    fn drop(&mut self) {
        if let Some(own) = self.files.first() {
            // Nothing is left to do if it cannot be given up.
            let _ = own.unlock();
        }
    }
}

/// Removes a file that nobody is writing.
///
/// # Errors
/// If somebody is, or the operating system refuses.
pub(crate) fn remove(path: &Path) -> Result<(), SweepError> {
    let file = File::open(path).map_err(SweepError::io("open", path))?;
    lock(&file, path)?;
    fs::remove_file(path).map_err(SweepError::io("remove", path))
}

fn lock(file: &File, path: &Path) -> Result<(), SweepError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(SweepError::Busy(path.parent().unwrap_or(path).to_owned())),
        // Some file systems know no locks.
        Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(error)) => Err(SweepError::io("lock", path)(error)),
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
