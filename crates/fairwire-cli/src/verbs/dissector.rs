//! `fairwire dissector`.

use fairwire_terminal::{CliError, Outcome, output};

/// Options of the verb: none.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Writes it to stdout.
pub fn run(_: &Args) -> Result<Outcome, CliError> {
    output::print(&fairwire_net::dissector())?;
    Ok(Outcome::Fine)
}
