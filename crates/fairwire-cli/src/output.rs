//! Standard output: data, whole or not at all, and never a panic on a closed pipe.

use crate::error::CliError;
use serde::Serialize;
use std::io::{self, BufWriter, Write};

/// Prints a value as JSON.
///
/// # Errors
/// [`CliError::Output`] if stdout cannot be written.
pub fn print_json(value: &impl Serialize) -> Result<(), CliError> {
    let mut out = BufWriter::new(io::stdout().lock());
    serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(())
}

/// Prints text as it is.
///
/// # Errors
/// [`CliError::Output`] if stdout cannot be written.
pub fn print(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Tells people something on stderr.
pub fn note(text: &str) {
    // A closed stderr must not stop the work.
    let _ = writeln!(io::stderr(), "{text}");
}
