//! Measures of whole runs as people read them.

use super::law_runs::LawRuns;
use crate::text;
use fairwire_results::RunSummary;

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

fn after(ns: f64) -> String {
    if ns.is_finite() { format!("after {}", text::time(ns)) } else { "never".to_owned() }
}

/// Packets dropped over packets that entered the ring, all flows together.
fn loss(run: &RunSummary) -> f64 {
    let sum = |count: fn(&fairwire_results::FlowSummary) -> u64| run.flows.iter().map(count).sum::<u64>() as f64;
    let entered = sum(|flow| flow.entered);
    if entered > 0.0 { sum(|flow| flow.dropped) / entered } else { 0.0 }
}
