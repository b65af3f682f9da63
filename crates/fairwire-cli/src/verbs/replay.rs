//! `fairwire replay FOLDER`: the packets of a real run once more.

use crate::real;
use crate::runs::{self, How, LawRuns, RunOptions};
use crate::source::Source;
use crate::verbs::run;
use fairwire_laws::ring::OutsideLaw;
use fairwire_runs::Replay;
use fairwire_terminal::{CliError, Outcome};
use std::path::PathBuf;

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The result folder of a run or a comparison with `--real`
    folder: PathBuf,

    /// Bring the packets to another law: nobody who sent them hears what it does
    #[arg(long, value_name = "NAME")]
    law: Option<String>,

    /// Where to put a result folder; without it none is kept
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// How to write the tables in the result folder
    #[arg(long, value_enum, default_value_t = runs::Format::Parquet)]
    format: runs::Format,

    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// Replays, and exits with 1 if a promise of the scenario is broken.
pub fn run(args: &Args, outside: &[OutsideLaw]) -> Result<Outcome, CliError> {
    let replay = Replay::read(&args.folder).map_err(|error| real::unreadable(&error))?;
    let source = Source::read(&args.folder.join("scenario.toml"))?;
    let scenario = replay.scenario(&source.scenario()?)?;
    let names = args.law.as_deref().map_or_else(|| replay.laws(), |law| vec![law]);
    let laws = names.iter().map(|name| runs::law(&scenario, name, outside)).collect::<Result<Vec<_>, _>>()?;
    let options = RunOptions::to_replay(args.folder.clone(), args.out.clone(), args.format, args.json);
    let batch = replay.batch(scenario, laws, options.detail());
    runs::answer(&options, &source, &batch, &How::Replayed(&replay), |laws: &[LawRuns<'_>]| {
        laws.iter().map(run::show).collect()
    })
}
