//! `fairwire-bench liars`: what a source gains that does not do as its port tells it, and what the others lose.

use fairwire_core::{Instant, Span};
use fairwire_laws::rate::RateLawChoice;
use fairwire_plan::NetworkPlan;
use fairwire_scenario::Scenario;
use fairwire_sim::simulate_network;
use fairwire_sweep::side_by_side;
use fairwire_terminal::{CliError, Outcome, TextTable, output, text};
use std::ops::Range;

/// Three flows at one port; the sweep names the manners of the first, honest before all others.
const FILE: &str = "scenarios/teaching/liars.toml";
const SCENARIO: &str = include_str!("../../../scenarios/teaching/liars.toml");
/// From when on it is measured, and when the liar ends.
const FROM: Instant = Instant::from_nanos(1_000_000_000);
const ENDS: Instant = Instant::from_nanos(1_500_000_000);
/// What was under way has arrived, and an honest end has been heard of.
const HEARD: Span = Span::from_millis(50);

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// What one manner does under one law, beside an honest source in its place.
#[derive(Debug, serde::Serialize)]
struct Lie {
    law: &'static str,
    manner: String,
    /// What arrives of the liar while it is on.
    rate_bps: f64,
    /// By which part that is more than what an honest source gets.
    gains: f64,
    /// Which part the one loses that loses most of the others, while the liar is on.
    others_lose: f64,
    /// The same from when an honest end would have been heard of.
    others_lose_afterwards: f64,
}

/// What arrives of each flow while the liar is on, and afterwards, in bit/s.
struct Rates {
    on: Vec<f64>,
    afterwards: Vec<f64>,
}

/// Lies under every law, and shows what comes of it.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    let mut lies = Vec::new();
    for law in laws()? {
        lies.extend(lies_under(&law)?);
    }
    if args.json {
        output::print_json(&lies)?;
    } else {
        output::print(&show(&lies))?;
    }
    Ok(Outcome::Fine)
}

fn laws() -> Result<Vec<RateLawChoice>, CliError> {
    let law = |name: &str| RateLawChoice::by_name(name).map_err(|error| wrong(&error.to_string()));
    RateLawChoice::ALL.iter().map(|about| law(about.name)).collect()
}

/// What a point of the sweep sets, and the scenario with it.
type Manner = (Vec<(String, String)>, Scenario);

fn lies_under(law: &RateLawChoice) -> Result<Vec<Lie>, CliError> {
    let of_file = |errors| CliError::Scenario(vec![errors]);
    let manners = Scenario::parse(FILE, SCENARIO).and_then(|scenario| scenario.expand_sweep()).map_err(of_file)?;
    let rates = |(_, scenario): &Manner| measure(&scenario.with_rate_law(law.clone()));
    let rates = side_by_side(&manners, rates)?;
    let (honest, lying) = rates.split_first().ok_or_else(|| wrong("it has no manners"))?;
    let lie = |((set, _), rates): (&Manner, &Rates)| Lie {
        law: law.about().name,
        manner: set.iter().map(|(_, manner)| manner.as_str()).collect(),
        rate_bps: rates.on[0],
        gains: rates.on[0] / honest.on[0] - 1.0,
        others_lose: most_lost(&honest.on[1..], &rates.on[1..]),
        others_lose_afterwards: most_lost(&honest.afterwards[1..], &rates.afterwards[1..]),
    };
    Ok(manners[1..].iter().zip(lying).map(lie).collect())
}

/// The largest part of a rate that is missing, zero if none is.
fn most_lost(honest: &[f64], rates: &[f64]) -> f64 {
    honest.iter().zip(rates).map(|(honest, rate)| 1.0 - rate / honest).fold(0.0, f64::max)
}

fn measure(scenario: &Scenario) -> Result<Rates, CliError> {
    let plan = scenario.network_plan(0).ok_or_else(|| wrong("it has no network"))?;
    let record = simulate_network(&plan).map_err(|error| wrong(&error.to_string()))?;
    let rate = |rows: Range<usize>| {
        let seconds = plan.window.as_secs_f64() * rows.len() as f64;
        let bytes = |delivered: &[u32]| delivered[rows.clone()].iter().map(|&bytes| f64::from(bytes)).sum::<f64>();
        record.flows.iter().map(|flow| bytes(&flow.delivered_bytes) * 8.0 / seconds).collect()
    };
    let (from, ends, heard) = (row(&plan, FROM), row(&plan, ENDS), row(&plan, ENDS + HEARD));
    Ok(Rates { on: rate(from..ends), afterwards: rate(heard..row(&plan, Instant::ZERO + plan.duration)) })
}

/// The row that begins at that time.
fn row(plan: &NetworkPlan, at: Instant) -> usize {
    (at.as_nanos() / plan.window.as_nanos()) as usize
}

fn wrong(what: &str) -> CliError {
    CliError::bad_input(format!("{FILE}: {what}"), "report it: the file is part of the program")
}

fn show(lies: &[Lie]) -> String {
    let mut table = TextTable::new(&["law", "lie", ">rate", ">gains", ">others lose", ">afterwards"]);
    for lie in lies {
        table.row([
            lie.law.to_owned(),
            lie.manner.clone(),
            text::rate(lie.rate_bps),
            text::percent(lie.gains),
            text::percent(lie.others_lose),
            text::percent(lie.others_lose_afterwards),
        ]);
    }
    table.to_string()
}
