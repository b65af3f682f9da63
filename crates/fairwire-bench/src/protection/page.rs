//! The page, and the numbers of every cut.

use super::cut::CutEffect;
use super::options::names;
use super::strips::Strips;
use super::tally::{self, Tally, outage_at_most};
use fairwire_results::{document, html_table};
use fairwire_terminal::CliError;
use maud::{Markup, html};
use std::fmt::Write;
use std::path::Path;

/// The page's file.
pub const PAGE: &str = "protection.html";
const NUMBERS: &str = "cuts.csv";

/// Writes both into `folder`.
pub fn write(folder: &Path, about: &str, tallies: &[Tally], found: &[CutEffect]) -> Result<(), CliError> {
    let missing = |error: std::io::Error| CliError::Missing {
        message: format!("cannot write {}: {error}", folder.display()),
        help: "name another place with `--out DIR`".to_owned(),
    };
    std::fs::create_dir_all(folder).map_err(missing)?;
    std::fs::write(folder.join(PAGE), page(about, tallies, found)).map_err(missing)?;
    std::fs::write(folder.join(NUMBERS), numbers(found)).map_err(missing)
}

fn page(about: &str, tallies: &[Tally], found: &[CutEffect]) -> String {
    let (header, rows) = tally::table(tallies);
    let outages = Strips { unit: "ms", most: 60.0, step: 10.0, limit: 50.0 };
    let laps = Strips { unit: "laps", most: 30.0, step: 5.0, limit: 10.0 };
    let outage_ms = |found: &CutEffect| outage_at_most(found) as f64 / 1e6;
    let ring_times = |found: &CutEffect| found.event.fair_again.ring_times.unwrap_or(f64::INFINITY);
    let about = about.replace('\n', " ");
    let (setting, meanings) = about.split_once(". ").unwrap_or((about.trim_end_matches('.'), ""));
    let is_by_law = tallies.iter().any(|tally| tally.law != tallies[0].law);
    let by_law = if is_by_law { "Law by law" } else { "Ring by ring" };
    let body = html! {
        header {
            h1 { "How long is a cut felt?" }
            p.lead { (setting) "." }
        }
        section { h2 { (by_law) } (html_table(by_law, &header, &rows)) }
        (section("Outage of every cut", &outages, tallies, found, outage_ms))
        (section("Time to fair again, beside the window", &laps, tallies, found, ring_times))
        section {
            h2 { "How to read it" }
            p.note { (meanings) }
        }
        p.note {
            "fairwire " (env!("CARGO_PKG_VERSION")) ". Made by " code { "fairwire-bench protection" } "; "
            code { "--show N" } " writes a cut as a scenario file, " code { (NUMBERS) } " has the numbers of every cut."
        }
    };
    document("Cuts under load", &body)
}

/// A row a law, of what `value` has of its cuts.
fn section(
    title: &str,
    strips: &Strips,
    tallies: &[Tally],
    found: &[CutEffect],
    value: impl Fn(&CutEffect) -> f64,
) -> Markup {
    let titles = tally::titles(tallies);
    let values = tallies.iter().map(|tally| found.iter().filter(|found| tally.counts(found)).map(&value).collect());
    let rows: Vec<(&str, Vec<f64>)> = titles.iter().map(String::as_str).zip(values).collect();
    html! {
        section {
            h2 { (title) }
            p.note { "A dot a cut; dashed: " (strips.limit) " " (strips.unit) "." }
            (strips.draw(&rows))
        }
    }
}

fn numbers(found: &[CutEffect]) -> String {
    let mut csv = "law,stations,load,mode,cut,event,at_ns,outage_ns,outage_flow,row_ns,cut_off,steered,wrapped,settled_ns,window_ns,fair_again_ns,ring_times,lost,dropped,throughput,violations\n".to_owned();
    let or_none = |ns: Option<u64>| ns.map_or(String::new(), |ns| ns.to_string());
    for CutEffect { law, experiment, cut, event, lost, dropped, throughput, violations } in found {
        let fair = event.fair_again;
        let _ = writeln!(
            csv,
            "{law},{},{},{},{cut},{},{},{},{},{},{},{},{},{},{},{},{},{lost},{dropped},{throughput},{}",
            experiment.stations,
            names(&[experiment.load]),
            names(&[experiment.mode]),
            event.event,
            event.at_ns,
            or_none(event.outage_ns),
            event.outage_flow.as_deref().unwrap_or_default(),
            event.row_ns,
            event.cut_off,
            event.steered,
            event.wrapped,
            or_none(event.settled_ns),
            fair.window_ns,
            or_none(fair.ns),
            fair.ring_times.map_or(String::new(), |times| times.to_string()),
            violations.len(),
        );
    }
    csv
}
