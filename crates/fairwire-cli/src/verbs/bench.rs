//! `fairwire bench`: starts `fairwire-bench`, which is a program of its own.

use fairwire_terminal::{CliError, Outcome, sibling};
use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::process::Command;

const PROGRAM: &str = "fairwire-bench";

/// Options of the verb.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub struct Args {
    /// What fairwire-bench is given; `fairwire bench --help` shows what there is
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    arguments: Vec<OsString>,
}

/// Becomes `fairwire-bench` with the same arguments, and so ends with its exit code.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    let program = sibling(PROGRAM).ok_or_else(|| CliError::Missing {
        message: format!("there is no {PROGRAM} beside this command or on PATH"),
        help: "get it with `cargo install --path crates/fairwire-bench --locked`, or type `make bench` in the checkout"
            .to_owned(),
    })?;
    match become_program(Command::new(&program).args(&args.arguments)) {
        Err(error) => Err(CliError::Missing {
            message: format!("cannot start {}: {error}", program.display()),
            help: "get it anew with `cargo install --path crates/fairwire-bench --locked`".to_owned(),
        }),
    }
}

/// Ctrl-C and the exit code are the program's alone.
#[cfg(unix)]
fn become_program(command: &mut Command) -> Result<Infallible, io::Error> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

#[cfg(not(unix))]
fn become_program(command: &mut Command) -> Result<Infallible, io::Error> {
    let status = command.status()?;
    std::process::exit(status.code().unwrap_or(1))
}
