//! `fairwire doctor`: what real runs need, and what of it is there.

use fairwire_net::{Finding, findings};
use fairwire_terminal::{CliError, Outcome, TextTable, output};
use serde::Serialize;

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Answer as JSON
    #[arg(long)]
    json: bool,
}

/// The answer as JSON.
#[derive(Debug, Serialize)]
struct Answer {
    /// Whether `run --real` can do its work.
    ready: bool,
    /// One thing after the other.
    findings: Vec<Finding>,
}

/// So many of the findings, the first ones, are needed by every real run.
const NEEDED: usize = 2;

/// Looks, and exits with 1 if no real run is possible.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    let findings = findings();
    let ready = findings.iter().take(NEEDED).all(|finding| finding.ok);
    if args.json {
        output::print_json(&Answer { ready, findings })?;
        return Ok(Outcome::fine_if(ready));
    }
    let mut table = TextTable::new(&["needed", "for", "there", "found"]);
    for Finding { what, needed_for, ok, found, mend } in &findings {
        let found = mend.as_ref().map_or(found.clone(), |mend| format!("{found}; mend: {mend}"));
        table.row([(*what).to_owned(), (*needed_for).to_owned(), if *ok { "yes" } else { "no" }.to_owned(), found]);
    }
    output::print_page(&format!("{table}\n"))?;
    Ok(Outcome::fine_if(ready))
}
