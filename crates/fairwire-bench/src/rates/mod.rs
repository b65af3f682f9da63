//! `fairwire-bench rates`: every rate law over networks whose flows, terms and bandwidth change; and what laws cost.

mod cost;

use crate::block;
use crate::laws::rate_laws;
use crate::scores::{build, told, unkept};
use crate::tables::all_in_text;
use fairwire_scoreboard::explicit::{
    ALL_NETWORKS, Case, Contest, Entrant, QUICK_NETWORKS, Run, Runs, Summary, picture, tables, write,
};
use fairwire_terminal::{CliError, Interrupt, Outcome, Progress, output, text};
use std::path::PathBuf;
use std::time::Instant;

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only this rate law, or `none`; may be given several times [default: all]
    #[arg(long, value_name = "NAME")]
    law: Vec<String>,

    /// The first 10 of the 300 random networks, or ports of up to 10,000 flows, for a first look
    #[arg(long, conflicts_with = "networks")]
    quick: bool,

    /// So many random networks
    #[arg(long, value_name = "N", default_value_t = ALL_NETWORKS, value_parser = clap::value_parser!(u64).range(0..=100_000))]
    networks: u64,

    /// Only cases of this name, `network-17` or `paper-wan`; may be given several times [default: all]
    #[arg(long, value_name = "NAME")]
    case: Vec<String>,

    /// Measure what a control packet costs a port of 100 to a million flows, under every law
    #[arg(long, conflicts_with_all = ["networks", "case", "out", "fresh"])]
    cost: bool,

    /// Keep runs, tables and the page here; what is there already is not run again
    #[arg(long, value_name = "DIR", default_value = "rates")]
    out: PathBuf,

    /// Forget runs that are there and run everything anew
    #[arg(long)]
    fresh: bool,

    /// Write the tables into the generated part of this page, and the picture into `pictures` beside it
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,

    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// What parts of pages are called after.
const COMMAND: &str = "fairwire-bench rates";
const COST: &str = "fairwire-bench rates --cost";

/// Fills the board and shows it.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    block::look_for(args.page.as_deref(), if args.cost { COST } else { COMMAND })?;
    if args.cost {
        return measure_cost(args);
    }
    let contest = Contest { cases: cases(args)?, entrants: entrants(args)?, build: build()? };
    let runs = Runs::open(&args.out, args.fresh).map_err(unkept)?;
    let interrupt = Interrupt::listen()?;
    let progress = Progress::new(contest.len());
    let started = Instant::now();
    let found = contest.fill(&runs, &|position, fraction| {
        progress.tell(position, fraction);
        !interrupt.is_raised()
    });
    let found = found.map_err(told)?;
    drop(progress);
    let summary = Summary::of(&found);
    write(&args.out, &summary, &found).map_err(told)?;
    if args.json {
        output::print_json(&Answer { summary: &summary, runs: &found })?;
    } else {
        output::print(&show(&summary))?;
    }
    let whole = found.len() == contest.len();
    if let Some(page) = args.page.as_ref().filter(|_| whole) {
        block::rewrite(page, COMMAND, &asked(args), &show(&summary))?;
        block::write_picture(page, "explicit-rates-scoreboard.svg", &picture(&found))?;
    }
    tell(args, &contest, &found, started);
    Ok(if whole { Outcome::Fine } else { Outcome::Interrupted })
}

/// Measures and shows what a control packet costs.
fn measure_cost(args: &Args) -> Result<Outcome, CliError> {
    let interrupt = Interrupt::listen()?;
    let costs = cost::measure(&rate_laws(&args.law)?, args.quick, &interrupt);
    if args.json {
        output::print_json(&costs)?;
    } else {
        output::print(&cost::show(&costs))?;
    }
    if interrupt.is_raised() {
        return Ok(Outcome::Interrupted);
    }
    if let Some(page) = &args.page {
        let more = if args.quick { " --quick" } else { "" };
        block::rewrite(page, COST, more, &cost::show(&costs))?;
        block::write_picture(page, "explicit-rates-cost.svg", &cost::plot(&costs))?;
    }
    Ok(Outcome::Fine)
}

/// The answer as JSON.
#[derive(Debug, serde::Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    runs: &'a [Run],
}

/// What of the board was asked for, as it is typed.
fn asked(args: &Args) -> String {
    let laws = args.law.iter().map(|law| format!(" --law {law}"));
    let cases = args.case.iter().map(|case| format!(" --case {case}"));
    let networks = match args.networks {
        _ if args.quick => " --quick".to_owned(),
        ALL_NETWORKS => String::new(),
        networks => format!(" --networks {networks}"),
    };
    laws.chain(cases).chain([networks]).collect()
}

fn cases(args: &Args) -> Result<Vec<Case>, CliError> {
    if args.case.is_empty() {
        let networks = if args.quick { QUICK_NETWORKS } else { args.networks };
        return Case::all(networks).map_err(told);
    }
    args.case.iter().map(|name| Case::named(name).map_err(told)).collect()
}

/// Those under the laws that were asked for.
fn entrants(args: &Args) -> Result<Vec<Entrant>, CliError> {
    let (none, laws): (Vec<_>, Vec<_>) = args.law.iter().cloned().partition(|name| name == Entrant::NONE);
    let all = args.law.is_empty();
    let laws = if laws.is_empty() && !all { Vec::new() } else { rate_laws(&laws)? };
    let mut entrants = Entrant::of(&laws);
    entrants.retain(|entrant| entrant.law.is_some() || all || !none.is_empty());
    Ok(entrants)
}

fn show(summary: &Summary) -> String {
    let mut shown = all_in_text(&tables(summary));
    if summary.networks > 0 {
        shown.push_str(
            "In brackets 95 % bootstrap intervals over networks; queues in packets beyond the number of flows.\n",
        );
    }
    shown
}

fn tell(args: &Args, contest: &Contest, found: &[Run], started: Instant) {
    let seconds = text::time(started.elapsed().as_nanos() as f64);
    let page = args.out.join("rates.html");
    output::note(&format!("{} in {seconds}; {}", text::count(found.len(), "run"), page.display()));
    if found.len() < contest.len() {
        let missing = text::count(contest.len() - found.len(), "run");
        output::note(&format!("interrupted: {missing} missing; the same command goes on from here"));
    }
}
