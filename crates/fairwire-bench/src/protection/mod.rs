//! `fairwire-bench protection`: random cuts of a loaded ring, law by law.

mod cut;
mod experiment;
mod options;
mod page;
mod strips;
mod tally;

use crate::block;
use crate::laws::ring_laws;
use cut::{Cut, CutEffect};
use experiment::Experiment;
use fairwire_laws::ring::RingLawChoice;
use fairwire_sweep::side_by_side;
use fairwire_terminal::{CliError, Interrupt, Outcome, Progress, TextTable, output, text};
use options::Options;
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
    #[arg(long, value_name = "N", default_value_t = CUTS, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    cuts: u64,

    #[command(flatten)]
    options: Options,

    /// Keep the page and the numbers of every cut here
    #[arg(long, value_name = "DIR", default_value = "protection")]
    out: PathBuf,

    /// Write the table into the generated part of this page that bears the command with its options
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,

    /// Write a cut as a scenario file to stdout and run nothing
    #[arg(long, value_name = "N")]
    show: Option<u64>,

    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

const CUTS: u64 = 100;
const QUICK_CUTS: u64 = 10;

/// Cuts, measures, and shows one row a law.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    if let Some(number) = args.show {
        let experiments = args.options.experiments();
        let [experiment] = &experiments[..] else {
            let wrong = format!("a cut of which of {} rings?", experiments.len());
            return Err(CliError::bad_input(wrong, "leave one size, load and mode for `--show`"));
        };
        output::print(&Cut::number(number, experiment)?.toml)?;
        return Ok(Outcome::Fine);
    }
    block::look_for(args.page.as_deref(), &command(args))?;
    let cuts = if args.quick { QUICK_CUTS } else { args.cuts };
    let laws = ring_laws(&args.law)?;
    let interrupt = Interrupt::listen()?;
    let started = Instant::now();
    let experiments = args.options.experiments();
    let jobs = jobs(&laws, &experiments, cuts);
    let found = measure(&jobs, &interrupt)?;
    let missing = jobs.len() - found.len();
    let tallies = Tally::all(&laws, &experiments, &found);
    let about = args.options.about();
    page::write(&args.out, &about, &tallies, &found)?;
    if args.json {
        output::print_json(&Answer { laws: &tallies, cuts: &found })?;
    } else {
        output::print(&show(&about, &tallies))?;
    }
    if let Some(page) = args.page.as_ref().filter(|_| missing == 0) {
        block::rewrite(page, &command(args), "", &show(&about, &tallies))?;
    }
    let seconds = text::time(started.elapsed().as_nanos() as f64);
    let place = args.out.join(page::PAGE);
    output::note(&format!("{} in {seconds}; {}", text::count(found.len(), "cut"), place.display()));
    Ok(if missing > 0 { Outcome::Interrupted } else { Outcome::Fine })
}

/// The command with all that is not as usual, as it is typed: what parts of pages are called after.
fn command(args: &Args) -> String {
    let laws = args.law.iter().map(|law| format!(" --law {law}"));
    let cuts = match args.cuts {
        _ if args.quick => " --quick".to_owned(),
        CUTS => String::new(),
        cuts => format!(" --cuts {cuts}"),
    };
    format!("fairwire-bench protection{}", laws.chain([cuts, args.options.asked()]).collect::<String>())
}

/// The answer as JSON.
#[derive(Debug, serde::Serialize)]
struct Answer<'a> {
    laws: &'a [Tally],
    cuts: &'a [CutEffect],
}

/// A cut of a ring under a law.
type Job<'a> = (&'a RingLawChoice, &'a Experiment, u64);

/// Every cut of every ring under every law.
fn jobs<'a>(laws: &'a [RingLawChoice], experiments: &'a [Experiment], cuts: u64) -> Vec<Job<'a>> {
    let rings = laws.iter().flat_map(|law| experiments.iter().map(move |experiment| (law, experiment)));
    rings.flat_map(|(law, experiment)| (0..cuts).map(move |cut| (law, experiment, cut))).collect()
}

/// All of them, on all cores.
fn measure(jobs: &[Job<'_>], interrupt: &Interrupt) -> Result<Vec<CutEffect>, CliError> {
    let progress = Progress::new(jobs.len());
    let one = |(position, &(law, experiment, cut)): (usize, &Job<'_>)| {
        Cut::number(cut, experiment)?.measure(law, &mut |fraction| {
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
