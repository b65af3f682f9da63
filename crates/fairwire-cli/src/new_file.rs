//! New files, whole or not at all.

use fairwire_terminal::CliError;
use std::fs;
use std::io;
use std::path::Path;

/// Writes a file that is not there yet.
///
/// # Errors
/// [`CliError::BadInput`] if it is, or cannot be written; nothing is left behind then.
pub fn write(path: &Path, text: &str) -> Result<(), CliError> {
    let create = || {
        if path.try_exists()? {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it is there already"));
        }
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
        let partial = path.with_file_name(format!(".{name}.partial-{}", std::process::id()));
        fs::write(&partial, text).and_then(|()| fs::rename(&partial, path)).inspect_err(|_| {
            // The first error is the one to tell.
            let _ = fs::remove_file(&partial);
        })
    };
    create().map_err(|error| {
        CliError::file("write", path, &error, "name a file that does not exist yet, in a folder that does")
    })
}
