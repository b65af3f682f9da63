//! `fairwire-bench aqm`: every queue law over a matrix of gateways.

use crate::block;
use crate::laws::queue_laws;
use crate::scores::{build, told, unkept};
use crate::tables::all_in_text;
use fairwire_scoreboard::Table;
use fairwire_scoreboard::aqm::{Case, Matrix, Run, Runs, Summary, case_list, tables, write};
use fairwire_terminal::{CliError, Interrupt, Outcome, Progress, TextTable, output, text};
use std::path::PathBuf;
use std::time::Instant;

/// What parts of pages are called after.
const COMMAND: &str = "fairwire-bench aqm";

/// Seeds of the whole matrix, and of a first look.
const SEEDS: u64 = 10;
const QUICK_SEEDS: u64 = 2;

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only this queue law; may be given several times [default: all]
    #[arg(long, value_name = "NAME")]
    law: Vec<String>,

    /// Only cases of this name, such as `lot-tcp-8`; may be given several times [default: all]
    #[arg(long, value_name = "NAME")]
    case: Vec<String>,

    /// A few cases with two seeds, for a first look
    #[arg(long)]
    quick: bool,

    /// So many seeds [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    seeds: Option<u64>,

    /// Keep runs, tables and the page here; what is there already is not run again
    #[arg(long, value_name = "DIR", default_value = "aqm")]
    out: PathBuf,

    /// Forget runs that are there and run everything anew
    #[arg(long)]
    fresh: bool,

    /// Write tables into the generated parts of this page that bear their titles
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,

    /// Write a case as a scenario file to stdout and run nothing: `rtt-200`, `lot-tcp-8`
    #[arg(long, value_name = "CASE")]
    show: Option<String>,

    /// List the cases and what each asks, and run nothing
    #[arg(long)]
    list: bool,

    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// Fills the matrix and shows it.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    if let Some(case) = &args.show {
        output::print(&Case::named(case).map_err(told)?.toml)?;
        return Ok(Outcome::Fine);
    }
    if args.list {
        return list(args);
    }
    let seeds = args.seeds.unwrap_or(if args.quick { QUICK_SEEDS } else { SEEDS });
    let matrix = Matrix { cases: cases(args)?, laws: queue_laws(&args.law)?, seeds, build: build()? };
    block::look_for(args.page.as_deref(), COMMAND)?;
    let runs = Runs::open(&args.out, args.fresh).map_err(unkept)?;
    let interrupt = Interrupt::listen()?;
    let progress = Progress::new(matrix.len());
    let started = Instant::now();
    let found = matrix.fill(&runs, &|position, fraction| {
        progress.tell(position, fraction);
        !interrupt.is_raised()
    });
    let found = found.map_err(told)?;
    drop(progress);
    let summary = Summary::of(&found);
    write(&args.out, &matrix.cases, &summary, &found).map_err(told)?;
    let tables = tables(&matrix.cases, &summary);
    if args.json {
        output::print_json(&summary)?;
    } else {
        output::print(&show(&tables, &summary))?;
    }
    let whole = found.len() == matrix.len();
    if let Some(page) = args.page.as_ref().filter(|_| whole) {
        block::rewrite_tables(page, COMMAND, &asked(args), &tables)?;
    }
    tell(args, &matrix, &found, started);
    Ok(if whole { Outcome::Fine } else { Outcome::Interrupted })
}

/// What of the matrix was asked for, as it is typed.
fn asked(args: &Args) -> String {
    let laws = args.law.iter().map(|law| format!(" --law {law}"));
    let cases = args.case.iter().map(|case| format!(" --case {case}"));
    let quick = args.quick.then(|| " --quick".to_owned());
    let seeds = args.seeds.map(|seeds| format!(" --seeds {seeds}"));
    laws.chain(cases).chain(quick).chain(seeds).collect()
}

fn cases(args: &Args) -> Result<Vec<Case>, CliError> {
    match (args.case.as_slice(), args.quick) {
        ([], false) => Case::all().map_err(told),
        ([], true) => Case::quick().map_err(told),
        (names, _) => names.iter().map(|name| Case::named(name).map_err(told)).collect(),
    }
}

/// A case as a program reads it.
#[derive(Debug, serde::Serialize)]
struct Listed<'a> {
    case: &'a str,
    family: fairwire_scoreboard::aqm::Family,
    rfc_7928_section: &'a str,
    title: &'a str,
    asks: &'a str,
}

fn listed(case: &Case) -> Listed<'_> {
    let Case { id, family, section, title, asks, .. } = case;
    Listed { case: id, family: *family, rfc_7928_section: section, title, asks }
}

fn list(args: &Args) -> Result<Outcome, CliError> {
    let cases = cases(args)?;
    if args.json {
        output::print_json(&cases.iter().map(listed).collect::<Vec<_>>())?;
    } else {
        let table = case_list(&cases);
        let mut shown = TextTable::new(&table.header);
        table.rows.into_iter().for_each(|row| shown.row(row));
        output::print(&shown.to_string())?;
    }
    Ok(Outcome::Fine)
}

fn show(tables: &[Table], summary: &Summary) -> String {
    let mut shown = all_in_text(tables);
    if !summary.results.is_empty() {
        let over = text::count(summary.seeds, "seed");
        shown.push_str(&format!("Means over {over}; ± is the 95 % interval. Shares are of the max-min fair rate.\n"));
    }
    shown
}

fn tell(args: &Args, matrix: &Matrix, found: &[Run], started: Instant) {
    let seconds = text::time(started.elapsed().as_nanos() as f64);
    let page = args.out.join("aqm.html");
    output::note(&format!("{} in {seconds}; {}", text::count(found.len(), "run"), page.display()));
    if found.len() < matrix.len() {
        let missing = text::count(matrix.len() - found.len(), "run");
        output::note(&format!("interrupted: {missing} missing; the same command goes on from here"));
    }
}
