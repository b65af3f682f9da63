//! `fairwire-bench solvers`: how fast fair rates are computed, next to solvers of others
//! on the same problems, and whether all come to the same rates.

mod answer;
mod instance;
mod live;
mod ours;
mod peers;
mod rows;
mod show;

use super::{block, child, machine};
use answer::{Answer, PeerRound, Samples};
use fairwire_terminal::{CliError, Interrupt, Outcome, output, warn};
use ours::Measured;
use peers::{PeerSample, Peers, read_rates, write_rates};
use rows::{Peer, ROWS, Row, Work};
use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How often to measure each row; medians are told
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,

    /// One round without the largest problems, for a first look
    #[arg(long, conflicts_with = "rounds")]
    quick: bool,

    /// Only these rows, by the names that `--json` tells
    #[arg(long = "row", value_name = "ROW", value_parser = clap::builder::PossibleValuesParser::new(names()))]
    rows: Vec<String>,

    /// The interpreter that has HiGHS, Clarabel and the fairwire package [default: target/python-venv, else python3]
    #[arg(long, value_name = "PROGRAM")]
    python: Option<PathBuf>,

    /// Measure one row in this very process and write its rates to a file
    #[arg(long, hide = true, requires = "rates", value_name = "ROW")]
    measure: Option<String>,

    #[arg(long, hide = true, value_name = "FILE")]
    rates: Option<PathBuf>,

    /// Write its problem to a file, too
    #[arg(long, hide = true, value_name = "FILE")]
    problem: Option<PathBuf>,

    /// Write the tables into the generated part of this page
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,

    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// What the part of a page is called after.
const COMMAND: &str = "fairwire-bench solvers";

fn names() -> Vec<&'static str> {
    ROWS.iter().map(|row| row.id).collect()
}

impl Args {
    /// The options that say what was measured, as they are written.
    fn asked(&self) -> String {
        let rounds = if self.quick { " --quick".to_owned() } else { format!(" --rounds {}", self.rounds) };
        self.rows.iter().fold(rounds, |asked, row| format!("{asked} --row {row}"))
    }
}

/// Measures every row and every peer in turn, round after round, so that a machine that
/// speeds up or slows down does so for all of them.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    if let (Some(id), Some(file)) = (&args.measure, &args.rates) {
        return measure_here(id, file, args.problem.as_deref());
    }
    block::look_for(args.page.as_deref(), COMMAND)?;
    let rounds = if args.quick { 1 } else { args.rounds };
    let machine = machine::described();
    let interrupt = Interrupt::listen()?;
    let peers = Peers::find(args.python.as_deref())?;
    let chosen = |row: &&Row| match &args.rows[..] {
        [] => !(args.quick && row.is_slow),
        ids => ids.iter().any(|id| id == row.id),
    };
    let rows: Vec<&'static Row> = ROWS.iter().filter(chosen).filter(|row| peers.allow(row)).collect();
    let mut samples: Vec<Samples> = rows.iter().map(|_| Samples::default()).collect();
    'rounds: for round in 1..=rounds {
        for (row, samples) in rows.iter().zip(&mut samples) {
            let measured = one_round(&Round { peers: &peers, args, round, rounds }, row, samples);
            // A child that Ctrl-C has ended, too, has not failed; what is measured is told.
            if interrupt.is_raised() {
                break 'rounds;
            }
            measured?;
        }
    }
    let mut answer = Answer {
        rounds,
        cpus: std::thread::available_parallelism().ok().map(Into::into),
        rows: (rows.iter().zip(&samples))
            .filter(|(_, samples)| !samples.ours.is_empty())
            .map(|(row, samples)| samples.summed_up(row))
            .collect(),
    };
    answer.judge();
    if args.json {
        output::print_json(&answer)?;
    } else {
        output::print(&show::show(&answer, &machine))?;
    }
    if let Some(page) = args.page.as_deref().filter(|_| !interrupt.is_raised()) {
        block::rewrite(page, COMMAND, &args.asked(), &show::show(&answer, &machine))?;
    }
    let complaints = answer.complaints();
    complaints.iter().for_each(|complaint| warn(complaint, "rates are wrong, here or there: report it"));
    Ok(if interrupt.is_raised() { Outcome::Interrupted } else { Outcome::fine_if(complaints.is_empty()) })
}

/// Where a measurement stands.
struct Round<'a> {
    peers: &'a Peers,
    args: &'a Args,
    round: u32,
    rounds: u32,
}

fn one_round(round: &Round, row: &'static Row, samples: &mut Samples) -> Result<(), CliError> {
    round.tell(row, "fairwire");
    let measured = ours(round.peers, row)?;
    for &(peer, _) in row.peers {
        if !round.peers.has(peer) || samples.has_slow(peer) || round.is_too_slow(peer, row) {
            continue;
        }
        round.tell(row, peer.name());
        let solved = round.peers.solve(peer, row, runs_of(peer, row))?;
        samples.peers.push(PeerRound {
            peer,
            ms: solved.ms,
            bare_ms: solved.bare_ms,
            ours_ms: measured.ms,
            peak_bytes: solved.peak_bytes,
            is_exact: solved.is_exact,
            difference: difference(&measured.rates, &solved),
        });
    }
    // The rates have been compared; what this process holds would count as its children's.
    samples.ours.push(Measured { rates: Vec::new(), ..measured });
    Ok(())
}

impl Round<'_> {
    fn tell(&self, row: &Row, who: &str) {
        if stderr().is_terminal() {
            output::note(&format!("round {} of {}: {}: {who}", self.round, self.rounds, row.id));
        }
    }

    /// A first look does not wait for minutes of linear programs.
    fn is_too_slow(&self, peer: Peer, row: &Row) -> bool {
        self.args.quick && peer == Peer::Highs && matches!(row.work, Work::Random { flows, .. } if flows > 1_000)
    }
}

/// Peers whose start-up is dear are asked for several solves at once; none for minutes of them.
fn runs_of(peer: Peer, row: &Row) -> usize {
    match (peer, row.work) {
        (Peer::SimGrid, Work::Random { flows, .. }) if flows <= 100_000 => 5,
        (Peer::Highs, Work::Random { flows, .. }) if flows <= 1_000 => 3,
        _ => 1,
    }
}

/// The largest difference of a rate, as a part of the largest capacity, which is below 10.
fn difference(rates: &[f64], solved: &PeerSample) -> f64 {
    const LARGEST: f64 = 10.0;
    if rates.len() != solved.rates.len() {
        return f64::INFINITY;
    }
    let off = rates.iter().zip(&solved.rates).map(|(ours, theirs)| (ours - theirs).abs() / LARGEST);
    off.fold(0.0, |most, off| if off.is_nan() { f64::INFINITY } else { most.max(off) })
}

/// A row in a process of its own, whose memory is then that of the row. It leaves the problem
/// and its rates in files.
fn ours(peers: &Peers, row: &Row) -> Result<Measured, CliError> {
    if matches!(row.work, Work::FromPython) {
        return peers.ten_from_python(row);
    }
    let failed = |why: String| CliError::Missing {
        message: format!("cannot measure {}: {why}", row.id),
        help: "see whether the machine has memory and disk space left".to_owned(),
    };
    let rates = peers.file("our.rates");
    let mut command = Command::new(std::env::current_exe().map_err(|error| failed(error.to_string()))?);
    command.args(["solvers", "--measure", row.id, "--rates"]).arg(&rates);
    if !row.peers.is_empty() {
        command.arg("--problem").arg(peers.problem(row));
    }
    let (said, _) = child::run(&mut command).map_err(failed)?;
    let mut measured: Measured = serde_json::from_str(&said).map_err(|error| failed(error.to_string()))?;
    if !row.peers.is_empty() {
        measured.rates = read_rates(&rates).map_err(|error| failed(error.to_string()))?;
    }
    Ok(measured)
}

fn measure_here(id: &str, rates: &Path, problem: Option<&Path>) -> Result<Outcome, CliError> {
    let row = Row::named(id).ok_or_else(|| CliError::bad_input(format!("there is no row {id}"), names().join(", ")))?;
    let cannot = |file: &Path, error: &std::io::Error| {
        CliError::file("write", file, error, "set TMPDIR to a folder with room for a few hundred megabytes")
    };
    // Before the problem is written: only solving is to be seen in the memory.
    let measured = ours::measure(row)?;
    write_rates(rates, &measured.rates).map_err(|error| cannot(rates, &error))?;
    if let (Some(file), Some((instance, terms))) = (problem, ours::problem(row)) {
        instance.write(terms, file).map_err(|error| cannot(file, &error))?;
    }
    output::print_json(&measured)?;
    Ok(Outcome::Fine)
}
