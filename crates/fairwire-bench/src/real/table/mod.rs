//! What came out, for people: a table a part.

mod come_and_go;
mod disturbed;
mod flows;
mod rings;

use super::case::Part;
use super::command::{How, VERDICTS};
use super::judge::Row;
use fairwire_terminal::text;

/// The table of a part.
pub fn show(part: Part, rows: &[Row]) -> String {
    let shown = match part {
        Part::Rings => rings::show_rings(rows),
        Part::Tcp => flows::show_tcp(rows),
        Part::Gateways => flows::show_gateways(rows),
        Part::Kernel => flows::show_kernel(rows),
        Part::Protection => disturbed::show_protection(rows),
        Part::ComeAndGo => come_and_go::show_come_and_go(rows),
        Part::Disturbed => disturbed::show_disturbed(rows),
        Part::Idle => String::new(),
    };
    format!("{shown}\n{}", sum(rows))
}

fn holds(row: &Row) -> String {
    match row.holds {
        Some(true) => "yes",
        Some(false) => "no",
        None => "–",
    }
    .to_owned()
}

/// How many hold, and what their machine was busy with.
fn sum(rows: &[Row]) -> String {
    let judged = rows.iter().filter(|row| row.holds.is_some()).count();
    let held = rows.iter().filter(|row| row.holds == Some(true)).count();
    let runs = || rows.iter().flat_map(|row| &row.real);
    let repeated: u32 = runs().map(|how| how.repeated).sum();
    let late = runs().map(|how: &How| how.lateness_p99_ns).max().unwrap_or(0);
    let still = runs().map(|how| how.stood_still_ns).max().unwrap_or(0);
    format!(
        "{held} of {judged} that were judged hold. {}: {}; {repeated} repeated. Latest 99th percentile {}; clocks stood still for {} \
         at most.\n",
        text::count(runs().count(), "real run"),
        told(runs().map(|how| how.verdict.as_str())),
        text::time(late as f64),
        text::time(still as f64)
    )
}

/// How many say what of themselves.
fn told<'a>(verdicts: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<&str> = verdicts.collect();
    let count = |verdict: &str| all.iter().filter(|one| **one == verdict).count();
    let told = VERDICTS.iter().map(|verdict| (count(verdict), verdict)).filter(|(count, _)| *count > 0);
    told.map(|(count, verdict)| format!("{count} {verdict}")).collect::<Vec<_>>().join(", ")
}
