//! How real a run was, for people.

use super::answer::RealAnswer;
use fairwire_net::{Pause, Verdict};
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
    row("checksum errors counted by kernels", &|run| text::grouped(run.fidelity.checksum_errors));
    if runs.iter().any(|run| run.other.is_some()) {
        row("other traffic between stations", &|run| match &run.other {
            Some(other) => format!("{}, {} packets", text::rate(other.rate_bps), text::grouped(other.packets)),
            None => "none".to_owned(),
        });
    }
    row("processors at work", &|run| text::number(run.fidelity.cpu, 2));
    row("idle links: socket to socket", &|run| match &run.fidelity.links {
        Some(links) => format!("{} where links add up to {}", time(links.measured_ns), time(links.expected_ns)),
        None => "not checked".to_owned(),
    });
    row("idle links: streams", &|run| match &run.fidelity.links {
        Some(links) if links.stream_flow.is_some() => {
            let [sent, arrived] = [links.stream_sent_bps, links.stream_arrived_bps].map(text::rough_rate);
            format!("{arrived} where {sent} were sent, {} of {} packets", links.stream_arrived, links.stream_sent)
        }
        _ => "not checked".to_owned(),
    });
    let mut shown = format!("\n{table}{}", pauses(runs));
    for run in runs.iter().filter(|run| run.fidelity.verdict != Verdict::Undisturbed) {
        let RealAnswer { law, fidelity, .. } = run;
        shown.push_str(&format!("\n{law}: {}, as {}", fidelity.verdict, fidelity.why.join("; ")));
    }
    if !shown.ends_with('\n') {
        shown.push('\n');
    }
    shown
}

/// How long connections stood still, a row for each event and flow; empty where nothing happened.
fn pauses(runs: &[RealAnswer]) -> String {
    let mut table = TextTable::new(&[
        "connections stood still",
        "law",
        "flow",
        ">connections",
        ">shortest",
        ">median",
        ">longest",
        ">for good",
    ])
    .named_by(3);
    let mut count = 0;
    for run in runs {
        let mut left = run.pauses.as_slice();
        while let Some(first) = left.first() {
            let same =
                |pause: &&Pause| (&pause.event, pause.at_ns, &pause.flow) == (&first.event, first.at_ns, &first.flow);
            let (these, rest) = left.split_at(left.iter().take_while(same).count());
            let mut times: Vec<u64> = these.iter().map(|pause| pause.pause_ns).collect();
            times.sort_unstable();
            let [shortest, median, longest] =
                [0, times.len() / 2, times.len() - 1].map(|place| text::time(times[place] as f64));
            let event = format!("{} at {}", first.event, text::time(first.at_ns as f64));
            let ended = these.iter().filter(|pause| !pause.resumed).count().to_string();
            let connections = these.len().to_string();
            table.row([event, run.law.clone(), first.flow.clone(), connections, shortest, median, longest, ended]);
            (left, count) = (rest, count + 1);
        }
    }
    if count > 0 { format!("\n{table}") } else { String::new() }
}
