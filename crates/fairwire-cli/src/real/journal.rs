//! Arrivals on their way to run folders, and from there.

use super::answer::Carried;
use fairwire_net::{ArrivalsJournalWriter, nameless_file};
use fairwire_runs::{Arrivals, ArrivalsError, Batch, FinishedRun, Reference, Replay, Replayed, RunHeader};
use fairwire_terminal::CliError;
use std::fs::File;
use std::io::{self, BufWriter, Write};

/// A file on its way to a run folder: it has no name, and is gone with the process.
#[derive(Debug)]
pub struct UnnamedFile {
    /// What it is called in the folder.
    pub name: String,
    /// Its contents.
    pub file: File,
}

impl UnnamedFile {
    /// Begins a journal.
    ///
    /// # Errors
    /// If it cannot be written where temporary files are.
    pub fn begin(header: &RunHeader) -> Result<(Self, ArrivalsJournalWriter<Box<dyn Write>>), CliError> {
        Self::new(header.arrivals_name(), |out| ArrivalsJournalWriter::begin(out, &serde_json::to_string(header)?))
    }

    /// Begins a file of this name with what `begin` makes of it.
    ///
    /// # Errors
    /// If it cannot be written where temporary files are.
    pub fn new<T>(name: String, begin: impl FnOnce(Box<dyn Write>) -> io::Result<T>) -> Result<(Self, T), CliError> {
        let place = std::env::temp_dir();
        let begin = || -> io::Result<_> {
            let file = nameless_file(&place)?;
            let out: Box<dyn Write> = Box::new(BufWriter::new(file.try_clone()?));
            Ok((Self { name, file }, begin(out)?))
        };
        begin().map_err(|error| {
            let help = "make room there, name another place (`TMPDIR`), or keep no folder with `--no-folder`";
            CliError::Missing {
                message: format!("cannot write to {}: {error}", place.display()),
                help: help.to_owned(),
            }
        })
    }

    /// Arrivals that lie in another folder.
    fn once_more(arrivals: &Arrivals) -> Result<Self, CliError> {
        let help = "the file was there a moment ago";
        let file = File::open(&arrivals.path);
        let file = file.map_err(|error| CliError::file("read", &arrivals.path, &error, help))?;
        Ok(Self { name: arrivals.header.arrivals_name(), file })
    }
}

/// An error of arrivals, for people.
pub fn unreadable(error: &ArrivalsError) -> CliError {
    CliError::bad_input(error.to_string(), error.help())
}

/// Brings the arrivals of each run of `batch` again.
///
/// # Errors
/// If they are of another scenario.
pub fn replay(
    replay: &Replay,
    batch: &Batch,
    reference: &Reference,
    watch: &dyn Fn(usize, f64) -> bool,
) -> Result<(Carried, Vec<FinishedRun>), CliError> {
    let replayed = replay.run(batch, reference, watch).map_err(|error| unreadable(&error))?;
    let files = replayed.own.into_iter().map(UnnamedFile::once_more).collect::<Result<_, _>>()?;
    let Replayed { cautions, cut_short, .. } = replayed;
    let carried = Carried { by: Replay::DRIVER, cautions, cut_short, files, ..Carried::default() };
    Ok((carried, replayed.runs))
}
