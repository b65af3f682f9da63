//! `fairwire-bench protection`: random cuts of a loaded ring, law by law.

mod cut;
mod experiment;
mod page;
mod strips;
mod tally;

use crate::laws::ring_laws;
use cut::{Cut, Found};
use experiment::Experiment;
use fairwire_laws::ring::RingLawChoice;
use fairwire_sweep::side_by_side;
use fairwire_terminal::{CliError, Interrupt, Outcome, Progress, TextTable, output, text};
use std::path::PathBuf;
use std::time::Instant;
use tally::Tally;

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only this law; may be given several times [default: all]
    #[arg(long, value_name = "NAME")]
    law: Vec<String>,

    /// The first 10 of the 100 cuts, for a first look
    #[arg(long, conflicts_with = "cuts")]
    quick: bool,

    /// So many random cuts
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    cuts: u64,

    #[command(flatten)]
    experiment: Experiment,

    /// Keep the page and the numbers of every cut here
    #[arg(long, value_name = "DIR", default_value = "protection")]
    out: PathBuf,

    /// Write a cut as a scenario file to stdout and run nothing
    #[arg(long, value_name = "N")]
    show: Option<u64>,

    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

const QUICK_CUTS: u64 = 10;

/// Cuts, measures, and shows one row a law.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    if let Some(number) = args.show {
        output::print(&Cut::number(number, &args.experiment)?.toml)?;
        return Ok(Outcome::Fine);
    }
    let cuts = if args.quick { QUICK_CUTS } else { args.cuts };
    let laws = ring_laws(&args.law)?;
    let interrupt = Interrupt::listen()?;
    let started = Instant::now();
    let found = measure(&laws, cuts, args, &interrupt)?;
    let missing = laws.len() * cuts as usize - found.len();
    let tallies = Tally::all(&laws, &found);
    let about = args.experiment.about();
    page::write(&args.out, &about, &tallies, &found)?;
    if args.json {
        output::print_json(&Answer { laws: &tallies, cuts: &found })?;
    } else {
        output::print(&show(&about, &tallies))?;
    }
    let seconds = text::time(started.elapsed().as_nanos() as f64);
    let place = args.out.join(page::PAGE);
    output::note(&format!("{} in {seconds}; {}", text::count(found.len(), "cut"), place.display()));
    Ok(if missing > 0 { Outcome::Interrupted } else { Outcome::Fine })
}

/// The answer as JSON.
#[derive(Debug, serde::Serialize)]
struct Answer<'a> {
    laws: &'a [Tally],
    cuts: &'a [Found],
}

/// Every cut under every law, on all cores.
fn measure(laws: &[RingLawChoice], cuts: u64, args: &Args, interrupt: &Interrupt) -> Result<Vec<Found>, CliError> {
    let jobs: Vec<(&RingLawChoice, u64)> = laws.iter().flat_map(|law| (0..cuts).map(move |cut| (law, cut))).collect();
    let progress = Progress::new(jobs.len());
    let one = |(position, &(law, cut)): (usize, &(&RingLawChoice, u64))| {
        Cut::number(cut, &args.experiment)?.measure(law, &mut |fraction| {
            progress.tell(position, fraction);
            !interrupt.is_raised()
        })
    };
    Ok(side_by_side(jobs.iter().enumerate(), one)?.into_iter().flatten().collect())
}

fn show(about: &str, tallies: &[Tally]) -> String {
    let (header, rows) = tally::table(tallies);
    let mut table = TextTable::new(&header);
    rows.into_iter().for_each(|row| table.row(row));
    format!("{about}\n\n{table}")
}
