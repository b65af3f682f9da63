//! How real a run was, for people.

use super::answer::RealAnswer;
use fairwire_net::Verdict;
use fairwire_terminal::{TextTable, text};

/// A table with a column a run; empty without any.
pub fn show(runs: &[RealAnswer]) -> String {
    if runs.is_empty() {
        return String::new();
    }
    let several = runs.iter().any(|run| run.run != runs[0].run || run.seed != runs[0].seed);
    let mut header = vec!["how real it is".to_owned()];
    header.extend(
        runs.iter().map(|run| if several { format!(">{}, run {}", run.law, run.run) } else { format!(">{}", run.law) }),
    );
    let mut table = TextTable::new(&header);
    let mut row = |label: &str, cell: &dyn Fn(&RealAnswer) -> String| {
        table.row(std::iter::once(label.to_owned()).chain(runs.iter().map(cell)));
    };
    let time = |ns: u64| text::time(ns as f64);
    row("verdict", &|run| run.fidelity.verdict.to_string());
    row("packets handed over late by, p50", &|run| time(run.fidelity.lateness_p50_ns));
    row("p99", &|run| time(run.fidelity.lateness_p99_ns));
    row("worst", &|run| time(run.fidelity.lateness_max_ns));
    row("clock stood still for", &|run| time(run.fidelity.stood_still_ns));
    row("datagrams due and not sent", &|run| {
        format!("{} of {}", text::grouped(run.fidelity.not_sent), text::grouped(run.fidelity.due))
    });
    row("frames that found a TAP full", &|run| text::grouped(run.fidelity.tap_lost));
    row("frames not carried", &|run| text::grouped(run.fidelity.foreign.values().sum()));
    row("processors at work", &|run| text::number(run.fidelity.cpu, 2));
    row("idle links: socket to socket", &|run| match &run.fidelity.links {
        Some(links) => format!("{} where links add up to {}", time(links.measured_ns), time(links.expected_ns)),
        None => "not checked".to_owned(),
    });
    let mut shown = format!("\n{table}");
    for run in runs.iter().filter(|run| run.fidelity.verdict != Verdict::Undisturbed) {
        let RealAnswer { law, fidelity, .. } = run;
        shown.push_str(&format!("\n{law}: {}, as {}", fidelity.verdict, fidelity.why.join("; ")));
    }
    if !shown.ends_with('\n') {
        shown.push('\n');
    }
    shown
}
