//! `fairwire bench`: how fast the simulator is, and how fair the laws are.

mod child;
mod fairness;
mod ratio;
mod speed;
mod work;

use crate::error::{CliError, Outcome};
use clap::Subcommand;

/// Options of the verb.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,

    #[command(flatten)]
    speed: speed::Args,
}

/// What can be measured; without a word it is speed.
#[derive(Debug, Subcommand)]
enum What {
    /// CPU time and memory of the packet simulator
    Speed(speed::Args),
    /// Every law over random rings, parking lots and the papers' scenarios: the scoreboard
    Fairness(fairness::Args),
}

/// Measures what was asked for.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    match &args.what {
        None => speed::run(&args.speed),
        Some(What::Speed(speed)) => speed::run(speed),
        Some(What::Fairness(fairness)) => fairness::run(fairness),
    }
}
