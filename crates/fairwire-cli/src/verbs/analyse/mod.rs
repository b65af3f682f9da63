//! `fairwire analyse FILE`: what theory says of a ring before anything is simulated.

mod answer;
mod show;

use crate::settings::{self, Setting};
use crate::source::Source;
use fairwire_core::{Bytes, Span};
use fairwire_terminal::{CliError, Outcome, output};
use std::path::PathBuf;

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scenario, a ring; `-` reads it from stdin
    file: PathBuf,

    /// An uncongested rate climbs by 1/N of what is missing to the capacity in every aging interval
    #[arg(long, value_name = "N", default_value_t = 64.0)]
    rampcoef: f64,

    /// The filter of conservative mode gives 1/N of its weight to the newest sample
    #[arg(long, value_name = "N", default_value_t = 64.0)]
    lpcoef: f64,

    /// How often rates are measured and set
    #[arg(long, value_name = "TIME", default_value = "0.1 ms")]
    aging_interval: Span,

    /// How long a congestion message takes; the spans back to each flow's ingress unless told
    #[arg(long, value_name = "TIME")]
    propagation: Option<Span>,

    /// Where aggressive mode sees congestion in the transit queue
    #[arg(long, value_name = "SIZE", default_value = "25 kB")]
    stq_low_threshold: Bytes,

    /// Where conservative mode sees congestion, as a part of the capacity
    #[arg(long, value_name = "PART", default_value_t = 0.8)]
    low_threshold: f64,

    /// With --json: every step of each cycle
    #[arg(long, requires = "json")]
    trace: bool,

    /// Another value under a key of the file, such as 'ring.span-delay=1 ms'; may be given several times
    #[arg(long, value_name = "KEY=VALUE", value_parser = settings::parse)]
    set: Vec<Setting>,

    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// Applies the models to every link of the ring.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    let source = Source::read(&args.file)?;
    let scenario = source.scenario_as_set(&args.set)?;
    if !scenario.sweep().is_empty() {
        output::note("the file has a [sweep]; `analyse` takes the scenario as it stands");
    }
    let answer = answer::answer(&scenario, &source.name(), args)?;
    if args.json {
        output::print_json(&answer)?;
    } else {
        output::print_page(&show::show(&answer))?;
    }
    Ok(Outcome::Fine)
}
