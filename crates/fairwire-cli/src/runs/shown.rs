//! Measures of whole runs as people read them.

use super::law_runs::LawRuns;
use crate::text;
use fairwire_results::RunSummary;
use fairwire_results::measures::{EventSummary, FairAgain};

/// Label and text of every measure of a law's runs; the labels are the same for
/// every law. Numbers are means over the runs, times those of the slowest run.
pub fn measures(law: &LawRuns<'_>) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    let tolerances = law.runs.first().map_or(0, |run| run.time_to_fair.len());
    for index in 0..tolerances {
        let told = &law.runs[0].time_to_fair[index];
        let ns = law.slowest(|run| run.time_to_fair.get(index).and_then(|told| told.ns));
        let within = text::number(told.within * 100.0, 3);
        let window = text::time(told.window_ns as f64);
        rows.push((format!("fair within {within} % for good (mean over {window})"), after(ns)));
    }
    rows.push(("steady for good".to_owned(), after(law.slowest(|run| run.settling.ns))));
    rows.extend(law.runs.iter().flat_map(|run| run.protection.iter().flat_map(event_rows)));
    rows.push(("oscillation, over capacity".to_owned(), text::percent(law.mean(|run| run.oscillation))));
    rows.push(("Jain's index of the ratios".to_owned(), text::ratio(law.mean(|run| run.jain))));
    rows.push(("busiest link used".to_owned(), text::percent(law.mean(|run| run.utilisation))));
    rows.push(("lost on the ring".to_owned(), text::percent(law.mean(loss))));
    rows.push(("packet-hops".to_owned(), text::grouped(law.mean(|run| run.packet_hops as f64).round() as u64)));
    rows.push((
        "control frames among them".to_owned(),
        text::grouped(law.mean(|run| run.control_hops as f64).round() as u64),
    ));
    rows
}

/// What one event cost, in one run.
fn event_rows(event: &EventSummary) -> [(String, String); 3] {
    let name = format!("{} at {}", event.event, text::time(event.at_ns as f64));
    let time = |ns: Option<u64>| ns.map_or("never".to_owned(), |ns| text::time(ns as f64));
    let outage = event.outage_ns.map_or("no effect in the run".to_owned(), |ns| {
        let flow = event.outage_flow.as_deref().filter(|_| ns > 0).map_or(String::new(), |flow| format!(" ({flow})"));
        format!("{} and up to two rows of {}{flow}", text::time(ns as f64), text::time(event.row_ns as f64))
    });
    let FairAgain { within, window_ns, ns, ring_times } = event.fair_again;
    let laps = ring_times.map_or(String::new(), |laps| format!(", {laps:.1} ring times beside the window"));
    let fair = format!("{name}: fair within {} % again (mean over {})", within * 100.0, text::time(window_ns as f64));
    [
        (format!("{name}: longest silence"), outage),
        (format!("{name}: topology settled"), time(event.settled_ns)),
        (fair, format!("{}{laps}", time(ns))),
    ]
}

fn after(ns: f64) -> String {
    if ns.is_finite() { format!("after {}", text::time(ns)) } else { "never".to_owned() }
}

/// Packets dropped over packets that entered the ring, all flows together.
fn loss(run: &RunSummary) -> f64 {
    let sum = |count: fn(&fairwire_results::FlowSummary) -> u64| run.flows.iter().map(count).sum::<u64>() as f64;
    let entered = sum(|flow| flow.entered);
    if entered > 0.0 { sum(|flow| flow.dropped) / entered } else { 0.0 }
}
