//! New files, whole or not at all.

use fairwire_terminal::CliError;
use std::fs::{self, File};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

/// Writes a file that is not there yet.
///
/// # Errors
/// [`CliError::BadInput`] if it is, or cannot be written; nothing is left behind then.
pub fn write(path: &Path, text: &str) -> Result<(), CliError> {
    create(path, |partial| fs::write(partial, text))
}

/// The same with the contents of another file, from its beginning.
///
/// # Errors
/// As [`write`].
pub fn copy(path: &Path, mut from: &File) -> Result<(), CliError> {
    create(path, |partial| {
        from.rewind()?;
        io::copy(&mut from, &mut File::create(partial)?).map(drop)
    })
}

/// Finds out before long work whether a file could be written after it.
///
/// # Errors
/// As [`write`].
pub fn check(path: &Path) -> Result<(), CliError> {
    let probe = partial_of(path).and_then(|partial| {
        File::create(&partial)?;
        fs::remove_file(&partial)
    });
    probe.map_err(|error| refused(path, &error))
}

fn create(path: &Path, fill: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), CliError> {
    let create = || {
        let partial = partial_of(path)?;
        fill(&partial).and_then(|()| fs::rename(&partial, path)).inspect_err(|_| {
            // The first error is the one to tell.
            let _ = fs::remove_file(&partial);
        })
    };
    create().map_err(|error| refused(path, &error))
}

/// Beside a file that is not there yet.
fn partial_of(path: &Path) -> io::Result<PathBuf> {
    if path.try_exists()? {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it is there already"));
    }
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
    Ok(path.with_file_name(format!(".{name}.partial-{}", std::process::id())))
}

fn refused(path: &Path, error: &io::Error) -> CliError {
    CliError::file("write", path, error, "name a file that does not exist yet, in a folder that does")
}
