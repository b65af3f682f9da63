//! New files, whole or not at all.

use fairwire_terminal::{CliError, check_whole, write_whole};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Seek};
use std::path::Path;

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
    is_new(path).and_then(|()| check_whole(path)).map_err(|error| refused(path, &error))
}

fn create(path: &Path, fill: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), CliError> {
    is_new(path).and_then(|()| write_whole(path, fill)).map_err(|error| refused(path, &error))
}

fn is_new(path: &Path) -> io::Result<()> {
    match path.try_exists()? {
        true => Err(io::Error::new(ErrorKind::AlreadyExists, "it is there already")),
        false => Ok(()),
    }
}

fn refused(path: &Path, error: &io::Error) -> CliError {
    CliError::file("write", path, error, "name a file that does not exist yet, in a folder that does")
}
