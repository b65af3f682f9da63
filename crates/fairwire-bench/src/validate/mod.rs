//! `fairwire-bench validate`: the same networks in ns-2 and here, side by side.

mod case;
mod one_reno;
mod peer;
mod row;

use crate::block;
use case::{CASES, Case, RunFigures};
use fairwire_sweep::side_by_side;
use fairwire_terminal::{CliError, Interrupt, Outcome, Progress, TextTable, output, text};
use peer::Peer;
use row::Row;
use serde::Serialize;
use std::path::PathBuf;

const SEEDS: u64 = 10;
/// What the part of a page is called after.
const COMMAND: &str = "fairwire-bench validate";

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// So many seeds of each, independent on both sides
    #[arg(long, value_name = "N", default_value_t = SEEDS, value_parser = clap::value_parser!(u64).range(2..=1000))]
    seeds: u64,

    /// Write the table into the generated part of this page
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,

    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// The answer as JSON.
#[derive(Debug, Serialize)]
struct Answer {
    seeds: u64,
    rows: Vec<Row>,
}

/// Runs every case on both sides and compares.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    block::look_for(args.page.as_deref(), COMMAND)?;
    let interrupt = Interrupt::listen()?;
    let peer = Peer::find()?;
    let seeds = 1..=args.seeds;
    let jobs: Vec<(&Case, u64)> = CASES.iter().flat_map(|case| seeds.clone().map(move |seed| (case, seed))).collect();
    let progress = Progress::new(jobs.len());
    let both =
        |(position, &(case, seed)): (usize, &(&Case, u64))| -> Result<Option<(RunFigures, RunFigures)>, CliError> {
            if interrupt.is_raised() {
                return Ok(None);
            }
            let pair = (peer.gateway(case, seed)?, case.here(seed)?);
            progress.tell(position, 1.0);
            Ok(Some(pair))
        };
    let pairs: Option<Vec<(RunFigures, RunFigures)>> =
        side_by_side(jobs.iter().enumerate(), both)?.into_iter().collect();
    let Some(pairs) = pairs else { return Ok(Outcome::Interrupted) };
    let mut rows = one_reno::compare(&peer)?;
    for (case, pairs) in CASES.iter().zip(pairs.chunks(args.seeds as usize)) {
        rows.extend(case.compare(pairs));
    }
    let well = rows.iter().all(|row| row.ok != Some(false));
    let answer = Answer { seeds: args.seeds, rows };
    if args.json {
        output::print_json(&answer)?;
    } else {
        output::print(&show(&answer))?;
    }
    if let Some(page) = &args.page {
        let options = if args.seeds == SEEDS { String::new() } else { format!(" --seeds {}", args.seeds) };
        block::rewrite(page, COMMAND, &options, &show(&answer))?;
    }
    Ok(Outcome::fine_if(well))
}

fn show(answer: &Answer) -> String {
    let mut table = TextTable::new(&["case", "what", ">ns-2", ">±", ">fairwire", ">±", ">off", ">may be", "holds"]);
    for row in &answer.rows {
        let value = |value: f64| text::number(value, 4);
        let spread = |spread: Option<f64>| text::or_dash(spread, |spread| text::number(spread, 2));
        table.row([
            row.case.to_owned(),
            row.what.clone(),
            value(row.peer),
            spread(row.peer_half_width),
            value(row.here),
            spread(row.half_width),
            text::percent(row.off()),
            text::or_dash(row.allowed, text::percent),
            text::or_dash(row.ok, |ok| if ok { "yes" } else { "NO" }.to_owned()),
        ]);
    }
    let seeds = text::count(answer.seeds as usize, "seed");
    format!("means of {seeds} on either side, with 95 % intervals; one-reno knows no chance\n\n{table}")
}
