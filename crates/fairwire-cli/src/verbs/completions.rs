//! `fairwire completions SHELL`.

use crate::cli::Cli;
use clap::CommandFactory;
use clap_complete::Shell;
use fairwire_terminal::{CliError, Outcome, output};

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell to write for
    shell: Shell,
}

/// Prints the script.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "fairwire", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Fine)
}
