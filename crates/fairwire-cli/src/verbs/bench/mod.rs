//! `fairwire bench`: how fast the simulator is, and how fair the laws are.

mod aqm;
mod child;
mod fairness;
mod protection;
mod ratio;
mod solvers;
mod speed;
mod validate;
mod work;

use crate::error::{CliError, Outcome};
use clap::Subcommand;
use fairwire_laws::ring::RingLawChoice;
use fairwire_scenario::NoSuchName;

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
    /// Every queue law over gateways after RFC 7928 and long parking lots
    Aqm(aqm::Args),
    /// Random cuts of a loaded ring with protection: outage, and time to fair again
    Protection(protection::Args),
    /// Fair rates on large problems, next to SimGrid, HiGHS and Clarabel
    Solvers(solvers::Args),
    /// The same gateways here and in ns-2, side by side
    Validate(validate::Args),
}

/// Measures what was asked for.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    match &args.what {
        None => speed::run(&args.speed),
        Some(What::Speed(speed)) => speed::run(speed),
        Some(What::Fairness(fairness)) => fairness::run(fairness),
        Some(What::Aqm(aqm)) => aqm::run(aqm),
        Some(What::Protection(protection)) => protection::run(protection),
        Some(What::Solvers(solvers)) => solvers::run(solvers),
        Some(What::Validate(validate)) => validate::run(validate),
    }
}

/// The laws of these names, or all.
fn laws(names: &[String]) -> Result<Vec<RingLawChoice>, CliError> {
    let all = || RingLawChoice::ALL.iter().map(|about| about.name);
    let law = |name: &str| RingLawChoice::by_name(name).map_err(|_| no_law("ring law", name, all()));
    if names.is_empty() { all().map(law).collect() } else { names.iter().map(|name| law(name)).collect() }
}

fn no_law(what: &'static str, name: &str, known: impl IntoIterator<Item = &'static str>) -> CliError {
    let error = NoSuchName::new(what, name, known);
    CliError::bad_input(error.to_string(), format!("{}; `fairwire laws` says what they do", error.help()))
}
