//! `fairwire reproduce [PAPER|CLAIM…]`: what the papers claim, next to what comes out here.

use crate::real::{Kernel, Testbed};
use fairwire_claims::{Carrier, Claim, NoSuchClaim, Reading, Row, Verdict, chosen, page_names, reproduce, site};
use fairwire_terminal::{
    CliError, Countdown, Interrupt, Outcome, TextTable, check_pages_place, output, text, warn, write_pages,
};
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Papers or claims to check, such as `dvsr`; all of them without any
    #[arg(value_name = "PAPER|CLAIM")]
    asked: Vec<String>,

    /// Only list the claims, and check none
    #[arg(long, conflicts_with_all = ["strict", "html"])]
    list: bool,

    /// Exit with 1 if a claim differs
    #[arg(long)]
    strict: bool,

    /// Also write a folder of pages: an index, and a page a paper with its figures drawn again
    #[arg(long, value_name = "DIR")]
    html: Option<PathBuf>,

    #[command(flatten)]
    testbed: Testbed,

    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// The answer as JSON: a row for every claim of the catalogue.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    claims: &'a [Row],
}

/// The claims themselves, as `--list --json` answers.
#[derive(Debug, Serialize)]
struct List {
    claims: Vec<Listed>,
}

#[derive(Debug, Serialize)]
struct Listed {
    id: &'static str,
    paper: &'static str,
    #[serde(rename = "where")]
    place: &'static str,
    title: &'static str,
}

/// Checks the claims that were asked for.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    let mut kernel = Kernel::enter(&args.testbed)?;
    let unknown = |error: NoSuchClaim| CliError::bad_input(error.to_string(), "`fairwire reproduce --list` lists all");
    let chosen = chosen(&args.asked).map_err(unknown)?;
    if args.list {
        return list(&chosen, args.json);
    }
    let interrupt = Interrupt::listen()?;
    if let Some(kernel) = &mut kernel {
        kernel.heed(&interrupt);
    }
    if let Some(folder) = &args.html {
        check_pages_place(folder, &page_names())?;
    }
    let carrier = kernel.as_ref().map(|kernel| kernel as &dyn Carrier);
    let progress = Countdown::new("claim");
    let started = Instant::now();
    let rows = reproduce(&args.asked, carrier, &|row| {
        progress.count(1, chosen.len() as u64);
        let at = || text::time(started.elapsed().as_nanos() as f64);
        output::detail(|| format!("checked {} after {}: {}", row.id, at(), row.verdict.name()));
        !interrupt.is_raised()
    });
    drop(progress);
    let rows = rows.map_err(unknown)?;
    let is_shown = |row: &Row| chosen.iter().any(|claim| claim.id == row.id);
    let shown: Vec<&Row> = rows.iter().filter(|row| is_shown(row)).collect();
    if args.json {
        output::print_json(&Answer { claims: &rows })?;
    } else {
        output::print_page(&show(&shown, !args.asked.is_empty()))?;
    }
    if interrupt.is_raised() {
        let pages = if args.html.is_some() { "; no pages were written" } else { "" };
        warn("stopped before all claims were checked", &format!("those that were not are told as not-run{pages}"));
        return Ok(Outcome::Interrupted);
    }
    if let Some(folder) = &args.html {
        write_site(folder, &rows, is_shown).map_err(|error| CliError::Answered(Box::new(error)))?;
    }
    Ok(Outcome::fine_if(!args.strict || rows.iter().all(|row| row.verdict != Verdict::Differs)))
}

/// The pages of these rows, all or none.
fn write_site(folder: &Path, rows: &[Row], is_shown: impl Fn(&Row) -> bool) -> Result<(), CliError> {
    let pages = site(rows, is_shown);
    write_pages(folder, pages.iter().map(|page| (page.name.as_str(), page.html.as_str())))
}

/// A line for each claim that was asked for.
fn list(claims: &[&'static Claim], json: bool) -> Result<Outcome, CliError> {
    let listed = claims.iter().map(|claim| Listed {
        id: &claim.id,
        paper: &claim.paper,
        place: &claim.place,
        title: &claim.title,
    });
    if json {
        output::print_json(&List { claims: listed.collect() })?;
        return Ok(Outcome::Fine);
    }
    let mut table = TextTable::new(&["claim", "paper", "where", "what it says"]);
    listed.for_each(|claim| table.row([claim.id, claim.paper, claim.place, claim.title]));
    output::print_page(&table.to_string())?;
    Ok(Outcome::Fine)
}

/// A line a claim, the numbers of those that differ or need a reading (of all that were
/// checked, if `in_detail`), and how many there are of each verdict.
fn show(rows: &[&Row], in_detail: bool) -> String {
    let mut table = TextTable::new(&["claim", "where", "verdict", "what it says"]);
    for row in rows {
        table.row([&row.id, &row.place, row.verdict.name(), &row.title]);
    }
    let mut page = table.to_string();
    let is_told = |row: &&&Row| in_detail || matches!(row.verdict, Verdict::Differs | Verdict::Reading);
    for row in rows.iter().filter(is_told) {
        let _ = writeln!(page, "\n{} ({}, {}): {}", row.id, row.paper, row.place, row.verdict.name());
        let measured = if row.readings.is_empty() { "measured" } else { "as printed" };
        for (label, value) in [("expected", &row.expected), (measured, &row.measured), ("tolerance", &row.tolerance)] {
            if !value.is_null() {
                let _ = writeln!(page, "  {label}: {}", value_text(value));
            }
        }
        row.readings.iter().for_each(|reading| page.push_str(&tried(reading)));
        if row.readings_tried > 0 {
            let _ = writeln!(page, "  tried beside as printed: {}", row.readings_tried);
        }
        if !row.note.is_empty() {
            let _ = writeln!(page, "  note: {}", row.note);
        }
    }
    let counts = Verdict::ALL.map(|verdict| {
        let count = rows.iter().filter(|row| row.verdict == verdict).count();
        format!("{} {}", text::grouped(count as u64), verdict.name())
    });
    let _ = writeln!(page, "\n{}", counts.join(", "));
    page
}

/// A reading, why it is one, and what came out under it.
fn tried(reading: &Reading) -> String {
    let outcome = if reading.holds { "comes out" } else { "does not come out" };
    let mut lines = format!(
        "  reading: {} ({}; {}): {outcome}\n    measured: {}\n",
        reading.name,
        reading.why,
        reading.ground.words(),
        value_text(&reading.measured)
    );
    if !reading.breaks.is_empty() {
        let _ = writeln!(lines, "    breaks: {}", reading.breaks.join(", "));
    }
    lines
}

/// JSON on one line, text and flat tables without quotes.
fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| format!("{key} = {}", value_text(value))).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}
