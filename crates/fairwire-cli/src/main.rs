//! The `fairwire` command with the built-in laws.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    fairwire_cli::main_with(Vec::new())
}
