//! `fairwire-bench fairness`: the scoreboard of all laws.

use crate::block;
use crate::laws::ring_laws_with;
use crate::scores::{build, told, unkept};
use crate::tables::{all_in_text, in_text};
use fairwire_scoreboard::{
    ALL_RINGS, Board, Case, LEAST_STALL_SEEDS, LOSS_RINGS, MOST_STALL_SEEDS, QUICK_RINGS, Score, Store, Summary, Table,
    loss_table, stall_cases, stall_table, tables, write,
};
use fairwire_sweep::Records;
use fairwire_terminal::{CliError, Interrupt, Outcome, Progress, output, text};
use std::path::PathBuf;
use std::time::Instant;

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only this law; may be given several times [default: all]
    #[arg(long, value_name = "NAME")]
    law: Vec<String>,

    /// Another value of a parameter of those laws, such as `lp-coef=16`; may be given several times
    #[arg(long, value_name = "KEY=VALUE", requires = "law")]
    with: Vec<String>,

    /// The first 40 of the 500 random rings, for a first look
    #[arg(long, conflicts_with = "rings")]
    quick: bool,

    /// So many random rings
    #[arg(long, value_name = "N", default_value_t = ALL_RINGS)]
    rings: u64,

    /// Lose control frames on the first 12 random rings, and tell how soon laws are fair again
    #[arg(long, conflicts_with_all = ["rings", "quick", "case"])]
    loss: bool,

    /// Call laws late on two figures of papers and ten random rings, and tell how far shares move
    #[arg(long, conflicts_with_all = ["rings", "quick", "loss"])]
    stalls: bool,

    /// Of late calls: so many seeds at most where it takes more to be sure
    #[arg(long, value_name = "N", requires = "stalls", default_value_t = MOST_STALL_SEEDS,
        value_parser = clap::value_parser!(u64).range(LEAST_STALL_SEEDS..=100_000))]
    seeds: u64,

    /// Write tables into the generated parts of this page: into those that bear their titles, of lost frames and late
    /// calls into the one of the command
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,

    /// Only cases of this name, such as `lot-8`; may be given several times [default: all]
    #[arg(long, value_name = "NAME")]
    case: Vec<String>,

    /// Keep scores, tables and the page here; what is there already is not run again
    #[arg(long, value_name = "DIR", default_value = "scoreboard")]
    out: PathBuf,

    /// Forget scores that are there and run everything anew
    #[arg(long)]
    fresh: bool,

    /// Write a case as a scenario file to stdout and run nothing: `ring-17`, `lot-8`
    #[arg(long, value_name = "CASE")]
    show: Option<String>,

    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

impl Args {
    /// What parts of pages are called after.
    fn command(&self) -> &'static str {
        match (self.loss, self.stalls) {
            (true, _) => "fairwire-bench fairness --loss",
            (_, true) => "fairwire-bench fairness --stalls",
            _ => "fairwire-bench fairness",
        }
    }
}

/// Fills the scoreboard and shows it.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    if let Some(case) = &args.show {
        output::print(&Case::named(case).map_err(told)?.toml)?;
        return Ok(Outcome::Fine);
    }
    block::look_for(args.page.as_deref(), args.command())?;
    let board = Board { cases: cases(args)?, laws: ring_laws_with(&args.law, &args.with)?, build: build()? };
    if args.stalls {
        return stall(args, &board);
    }
    let store = Store::open(&args.out, args.fresh).map_err(told)?;
    if args.loss {
        return lose(args, &board, &store);
    }
    let interrupt = Interrupt::listen()?;
    let progress = Progress::new(board.len());
    let started = Instant::now();
    let scores = board.fill(&store, &|position, fraction| {
        progress.tell(position, fraction);
        !interrupt.is_raised()
    });
    let scores = scores.map_err(told)?;
    drop(progress);
    let summary = Summary::of(&scores);
    write(&args.out, &summary, &scores).map_err(told)?;
    let tables = tables(&summary, &scores);
    if args.json {
        output::print_json(&Answer { summary: &summary, scores: &scores })?;
    } else {
        output::print(&show(&tables, &summary))?;
    }
    let whole = scores.len() == board.len();
    if let Some(page) = args.page.as_ref().filter(|_| whole) {
        block::rewrite_tables(page, args.command(), &asked(args), &tables)?;
    }
    tell(args, &board, &scores, started);
    Ok(if whole { Outcome::Fine } else { Outcome::Interrupted })
}

/// Shows how laws bear it that control frames get lost.
fn lose(args: &Args, board: &Board, store: &Store) -> Result<Outcome, CliError> {
    let kept = Records::open(&args.out, args.fresh).map_err(unkept)?;
    let (interrupt, runs) = (Interrupt::listen()?, board.laws.len() * LOSS_RINGS as usize);
    let progress = Progress::new(runs);
    let scores = board.losses(LOSS_RINGS, store, &kept, &|position, fraction| {
        progress.tell(position, fraction);
        !interrupt.is_raised()
    });
    let scores = scores.map_err(told)?;
    drop(progress);
    let shown = format!("{}{LOSSES_READ}", in_text(&loss_table(&scores)));
    if args.json {
        output::print_json(&scores)?;
    } else {
        output::print(&shown)?;
    }
    if scores.len() < runs {
        return Ok(Outcome::Interrupted);
    }
    if let Some(page) = &args.page {
        block::rewrite(page, args.command(), &asked(args), &shown)?;
    }
    Ok(Outcome::Fine)
}

/// The same where laws are called late.
fn stall(args: &Args, board: &Board) -> Result<Outcome, CliError> {
    let runs = Records::open(&args.out, args.fresh).map_err(unkept)?;
    let interrupt = Interrupt::listen()?;
    let progress = Progress::new(board.len());
    let scores = board.stalls(&runs, args.seeds, &|position, fraction| {
        progress.tell(position, fraction);
        !interrupt.is_raised()
    });
    let scores = scores.map_err(told)?;
    drop(progress);
    let shown = format!("{}{STALLS_READ}", in_text(&stall_table(&scores)));
    if args.json {
        output::print_json(&scores)?;
    } else {
        output::print(&shown)?;
    }
    if interrupt.is_raised() {
        return Ok(Outcome::Interrupted);
    }
    if let Some(page) = &args.page {
        block::rewrite(page, args.command(), &asked(args), &shown)?;
    }
    Ok(Outcome::Fine)
}

const LOSSES_READ: &str = "In brackets the 90th percentile over rings.\n";

const STALLS_READ: &str = "In brackets what is allowed, after ± two standard errors, seeds at most.\n\
    Where nothing else is said no flow moves more on any case, by three standard errors;\n\
    more: some flow surely does; open: more seeds would have to tell.\n";

/// What was asked for, as it is typed.
fn asked(args: &Args) -> String {
    let laws = args.law.iter().map(|law| format!(" --law {law}"));
    let with = args.with.iter().map(|setting| format!(" --with {setting}"));
    let cases = args.case.iter().map(|case| format!(" --case {case}"));
    let rings = match args.rings {
        _ if args.quick => Some(" --quick".to_owned()),
        ALL_RINGS => None,
        rings => Some(format!(" --rings {rings}")),
    };
    let seeds = (args.seeds != MOST_STALL_SEEDS).then(|| format!(" --seeds {}", args.seeds));
    laws.chain(with).chain(cases).chain(rings).chain(seeds).collect()
}

/// The answer as JSON.
#[derive(Debug, serde::Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    scores: &'a [Score],
}

fn cases(args: &Args) -> Result<Vec<Case>, CliError> {
    if args.stalls && args.case.is_empty() {
        return stall_cases().map_err(told);
    }
    if args.case.is_empty() {
        let rings = if args.quick { QUICK_RINGS } else { args.rings };
        return Case::all(0..rings).map_err(told);
    }
    args.case.iter().map(|name| Case::named(name).map_err(told)).collect()
}

fn show(tables: &[Table], summary: &Summary) -> String {
    let mut shown = all_in_text(tables);
    if summary.rings > 0 {
        shown.push_str(
            "Rings: errors, times and swings are medians, prices means; in brackets 95 % bootstrap intervals.\n\
             Times and delays are in laps of the ring, delays beyond propagation.\n",
        );
    }
    if summary.lead.is_some() {
        shown.push_str("Where another law is better: on so many cases, in brackets by how much at most.\n");
    }
    shown
}

fn tell(args: &Args, board: &Board, scores: &[Score], started: Instant) {
    let seconds = text::time(started.elapsed().as_nanos() as f64);
    let page = args.out.join("scoreboard.html");
    output::note(&format!("{} in {seconds}; {}", text::count(scores.len(), "score"), page.display()));
    if scores.len() < board.len() {
        let missing = text::count(board.len() - scores.len(), "score");
        output::note(&format!("interrupted: {missing} missing; the same command goes on from here"));
    }
}
