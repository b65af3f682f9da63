//! `fairwire man DIR`.

use crate::cli::Cli;
use clap::CommandFactory;
use fairwire_terminal::{CliError, Outcome, output};
use std::path::PathBuf;

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder to write into, such as ~/.local/share/man/man1; it is made if it is not there
    folder: PathBuf,
}

/// Writes a page for the command and one for each verb.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    let help = "name a folder that can be written";
    std::fs::create_dir_all(&args.folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), &args.folder))
        .map_err(|error| CliError::file("write", &args.folder, &error, help))?;
    output::note(&format!("wrote {}; `man fairwire` shows the first page", args.folder.display()));
    Ok(Outcome::Fine)
}
