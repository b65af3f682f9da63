//! `fairwire allocate FILE`: the fair rates, and what holds each flow.

mod answer;
mod show;

use crate::error::{CliError, Outcome};
use crate::output;
use crate::runs::Promises;
use crate::source::Source;
use answer::{Answer, CheckAnswer};
use fairwire_alloc::{Criterion, solve};
use std::path::PathBuf;

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scenario; `-` reads it from stdin
    file: PathBuf,

    /// What fair means: rias, rias-iterative, max-min, weighted-max-min,
    /// general-weighted, ingress-egress, proportional or inverse-hop; rias on a
    /// ring and max-min on a network unless told
    #[arg(long, value_name = "NAME")]
    criterion: Option<Criterion>,

    /// Answer as JSON
    #[arg(long)]
    json: bool,
}

/// Solves, has the answer checked by code that shares nothing with the solver, and prints both.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    let source = Source::read(&args.file)?;
    let scenario = source.scenario()?;
    if !scenario.sweep().is_empty() {
        output::note("the file has a [sweep]; `allocate` takes the scenario as it stands");
    }
    let problem = scenario.problem();
    let mut allocation = solve(&problem, args.criterion.unwrap_or_else(|| scenario.usual_criterion()))?;
    let check = CheckAnswer::of(&problem, &allocation);
    scenario.grant(&mut allocation);
    let problem = scenario.offered_problem();
    let promises = Promises::new(&scenario)?.judge_fair_rates();
    let answer = Answer::new(&scenario, &problem, &allocation, check, promises);
    if args.json {
        output::print_json(&answer)?;
    } else {
        output::print(&show::show(&problem, &answer))?;
    }
    // The iteration is asked for to be looked at, fair or not.
    let as_asked = answer.check.fair || allocation.criterion == Criterion::RiasIterative;
    Ok(Outcome::fine_if(as_asked && answer.expect.iter().all(|promise| promise.ok)))
}
