//! The `fairwire` command, for whoever installed the Python package.

use pyo3::prelude::*;
use std::ffi::OsString;
use std::io::{Write, stdout};
use std::process::ExitCode;

/// Runs the command as `fairwire` of a terminal does, and gives its exit code. The first of `arguments` is the name of the
/// program.
#[pyfunction]
pub fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| {
        let answer = fairwire_cli::main_of(arguments, Vec::new());
        // Python's own end flushes nothing of Rust's; whoever closed the pipe wants no more.
        let _ = stdout().flush();
        (0..u8::MAX).find(|&code| ExitCode::from(code) == answer).unwrap_or(u8::MAX)
    })
}
