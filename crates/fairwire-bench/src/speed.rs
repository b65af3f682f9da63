//! `fairwire-bench speed`: how fast, how small, next to a peer on the same work.
//!
//! It measures whole processes and reports; it never judges.

use super::child::{Bench, Sample, median};
use super::machine;
use super::ratio::{RATIOS, RatioAnswer};
use super::work::{WORKS, Work};
use crate::block;
use fairwire_terminal::{CliError, Interrupt, Outcome, TextTable, output, text, warn};
use serde::Serialize;
use std::io::{IsTerminal, stderr};
use std::path::PathBuf;

/// What the part of a page is called after.
const COMMAND: &str = "fairwire-bench";

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How often to measure each work; medians are told
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,

    /// One round alone, for a first look
    #[arg(long, conflicts_with = "rounds")]
    quick: bool,

    /// Measure only works whose id, as in the JSON, begins like this, such as `w5`; repeat for several
    #[arg(long, value_name = "ID")]
    work: Vec<String>,

    /// Write the tables into the generated part of this page
    #[arg(long, value_name = "FILE", conflicts_with = "work")]
    pub page: Option<PathBuf>,

    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// The answer as JSON.
#[derive(Debug, Serialize)]
struct Answer {
    rounds: u32,
    /// Whether ns-2 took part.
    ns2: bool,
    cpus: Option<usize>,
    works: Vec<WorkAnswer>,
    ratios: Vec<RatioAnswer>,
}

/// One work: medians over the rounds.
#[derive(Debug, Serialize)]
struct WorkAnswer {
    id: &'static str,
    what: &'static str,
    /// User and system time of the whole process.
    cpu_s: f64,
    wall_s: f64,
    peak_bytes: u64,
    /// None for a peer, and where next to none were sent.
    packet_hops: Option<u64>,
    ns_per_hop: Option<f64>,
    hops_per_s: Option<f64>,
    /// The CPU time of every round.
    cpu_s_by_round: Vec<f64>,
}

/// Measures every work in turn, round after round, so that a machine that
/// speeds up or slows down does so for all of them.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    block::look_for(args.page.as_deref(), COMMAND)?;
    let rounds = if args.quick { 1 } else { args.rounds };
    let chosen = chosen(&args.work)?;
    let machine = machine::described();
    let interrupt = Interrupt::listen()?;
    let bench = Bench::prepare()?;
    let has_ns2 = bench.has_ns2();
    if !has_ns2 {
        warn(
            "there is no ns-2 to compare with",
            "install it to get the ratios, for example with `apt-get install ns2`",
        );
    }
    let works: Vec<&Work> = chosen.into_iter().filter(|work| has_ns2 || !work.is_ns2()).collect();
    let mut samples: Vec<Vec<Sample>> = vec![Vec::new(); works.len()];
    for round in 1..=rounds {
        for (work, samples) in works.iter().zip(&mut samples) {
            if stderr().is_terminal() {
                output::note(&format!("round {round} of {rounds}: {}", work.what));
            }
            let sample = bench.measure(work);
            if interrupt.is_raised() {
                return Ok(Outcome::Interrupted);
            }
            samples.push(sample?);
        }
    }
    let answer = Answer {
        rounds,
        ns2: has_ns2,
        cpus: std::thread::available_parallelism().ok().map(Into::into),
        works: works.iter().zip(&samples).map(|(work, samples)| summed_up(work, samples)).collect(),
        ratios: RATIOS.iter().filter_map(|ratio| ratio.of(&works, &samples)).collect(),
    };
    if args.json {
        output::print_json(&answer)?
    } else {
        output::print(&show(&answer, &machine))?
    }
    if let Some(page) = &args.page {
        block::rewrite(page, COMMAND, &format!(" --rounds {rounds}"), &show(&answer, &machine))?;
    }
    Ok(Outcome::Fine)
}

/// All works, or those whose ids begin as asked.
fn chosen(asked: &[String]) -> Result<Vec<&'static Work>, CliError> {
    let is_of = |work: &Work, start: &String| work.id.starts_with(start.as_str());
    if let Some(unknown) = asked.iter().find(|start| !WORKS.iter().any(|work| is_of(work, start))) {
        let known: Vec<&str> = WORKS.iter().map(|work| work.id).collect();
        let help = format!("they are called {}", known.join(", "));
        return Err(CliError::bad_input(format!("no work begins with `{unknown}`"), help));
    }
    Ok(WORKS.iter().filter(|work| asked.is_empty() || asked.iter().any(|start| is_of(work, start))).collect())
}

/// Fewer packet-hops than this say nothing about the price of one.
const MANY_HOPS: u64 = 10_000;

fn summed_up(work: &Work, samples: &[Sample]) -> WorkAnswer {
    let of = |measure: fn(&Sample) -> f64| median(samples.iter().map(measure));
    let cpu_s = of(|sample| sample.cpu_s);
    let packet_hops = samples.first().and_then(|sample| sample.packet_hops).filter(|&hops| hops >= MANY_HOPS);
    WorkAnswer {
        id: work.id,
        what: work.what,
        cpu_s,
        wall_s: of(|sample| sample.wall_s),
        peak_bytes: of(|sample| sample.peak_bytes as f64) as u64,
        packet_hops,
        ns_per_hop: packet_hops.map(|hops| cpu_s * 1e9 / hops as f64),
        hops_per_s: packet_hops.map(|hops| hops as f64 / cpu_s),
        cpu_s_by_round: samples.iter().map(|sample| sample.cpu_s).collect(),
    }
}

fn show(answer: &Answer, machine: &str) -> String {
    let mut works =
        TextTable::new(&["work", ">CPU", ">wall", ">packet-hops", ">ns a hop", ">million hops/s", ">peak memory"]);
    for work in &answer.works {
        works.row([
            work.what.to_owned(),
            text::time(work.cpu_s * 1e9),
            text::time(work.wall_s * 1e9),
            text::or_dash(work.packet_hops, text::grouped),
            text::or_dash(work.ns_per_hop, |ns| text::number(ns, 3)),
            text::or_dash(work.hops_per_s, |hops| text::number(hops / 1e6, 3)),
            format!("{:.1} MiB", work.peak_bytes as f64 / f64::from(1 << 20)),
        ]);
    }
    let mut ratios = TextTable::new(&["ratio", ">median", ">lowest", ">highest"]);
    for ratio in &answer.ratios {
        let value = |value: f64| text::number(value, 3);
        ratios.row([ratio.what.to_owned(), value(ratio.value), value(ratio.low), value(ratio.high)]);
    }
    let rounds = text::count(answer.rounds as usize, "round");
    format!("whole processes, start-up included; medians of {rounds}\n\n{works}\n{ratios}\n{machine}\n")
}
